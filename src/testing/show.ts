const longest = 300
const deepest = 3

/** The time of a date, `NaN` for an invalid one, `undefined` for what is no date. Knows dates of other realms, too. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return Object.prototype.toString.call(value) === '[object Date]' ? Date.prototype.getTime.call(value) : undefined
  } catch {
    return undefined
  }
}

/** A value as a message shows it. Never throws, whatever the value is. */
export function show(value: unknown): string {
  const text = describe(value, [])
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text
}

function describe(value: unknown, above: readonly object[]): string {
  try {
    if (typeof value === 'string') return describeText(value)
    if (typeof value === 'bigint') return `${value}n`
    if (typeof value === 'function') return `function ${value.name || '(anonymous)'}`
    if (typeof value !== 'object' || value === null) return String(value)
    const time = timeOf(value)
    if (time !== undefined) return Number.isNaN(time) ? 'Invalid Date' : new Date(time).toISOString()
    if (value instanceof Error) return `${value.name}: ${value.message}`
    if (above.includes(value)) return '(a cycle)'
    if (above.length === deepest) return '…'
    return describeObject(value, [...above, value])
  } catch {
    return '(a value that cannot be shown)'
  }
}

// A text of a megabyte need not be escaped to be cut.
function describeText(text: string): string {
  return text.length > longest ? `${JSON.stringify(text.slice(0, longest))}… (${text.length} characters)` : JSON.stringify(text)
}

function describeObject(value: object, above: readonly object[]): string {
  if (Array.isArray(value)) return `[${value.map((item) => describe(item, above)).join(', ')}]`
  if (value instanceof Map || value instanceof Set) return `${value.constructor.name} ${describe([...value], above)}`
  const fields = Reflect.ownKeys(value).map((name) => `${String(name)}: ${describeField(value, name, above)}`)
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
}

function describeField(value: object, name: PropertyKey, above: readonly object[]): string {
  try {
    return describe(Reflect.get(value, name), above)
  } catch {
    return '(a getter that throws)'
  }
}
