/** Thrown by a case that found the adapter wrong. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation'
}

function fail(message: string): never {
  throw new ContractViolation(message)
}

export function ok(condition: unknown, message: string): asserts condition {
  if (!condition) fail(message)
}

/** Deep equality of plain data; dates by their instant. A field that is `undefined` counts as absent. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  if (!same(actual, expected)) fail(`${what}: expected ${show(expected)}, got ${show(actual)}`)
}

/** Every field of `expected` is in `actual`, with the same value. */
export function includes(actual: unknown, expected: object, what: string): void {
  ok(typeof actual === 'object' && actual !== null, `${what}: expected a row, got ${show(actual)}`)
  for (const [name, value] of Object.entries(expected)) equal((actual as Record<string, unknown>)[name], value, `${what}, field ${name}`)
}

export function isNull(actual: unknown, what: string): void {
  equal(actual, null, what)
}

/** The error that the promise is rejected with. */
export async function rejection(promise: PromiseLike<unknown>, what: string): Promise<Error> {
  try {
    await promise
  } catch (error) {
    ok(error instanceof Error, `${what}: expected an Error, got ${show(error)}`)
    return error
  }
  fail(`${what}: expected an error, got none`)
}

/** How many of the calls succeeded; what they answered. */
export async function successes<T>(calls: PromiseLike<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(calls)
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (a instanceof Date || b instanceof Date) return a instanceof Date && b instanceof Date && a.getTime() === b.getTime()
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every((name) => same((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]))
}

function show(value: unknown): string {
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : value instanceof Date
        ? value.toISOString()
        : (JSON.stringify(value) ?? String(value))
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text
}
