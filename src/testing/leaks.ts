import { fail } from './expect.js'

// Enough for any error, and a bound for one that leads to a whole connection.
const most = 20_000

/**
 * Fails if a secret, or a recognisable part of one, can be read off the error: its message, stack or causes, its properties
 * and the getters of its class, at any depth, in arrays, maps, sets, bytes and errors inside.
 */
export function expectNoLeak(
  error: unknown,
  secrets: readonly string[],
  what: string,
  holder = 'an error',
  values = 'the values that were sent',
): void {
  const pieces = secrets.flatMap(piecesOf)
  for (const { text, path } of textsIn(error, holder.replace(/^an? /, ''))) {
    const readable = [text, ...decodedIn(text)].map((each) => each.toLowerCase())
    if (pieces.some((piece) => readable.some((each) => each.includes(piece))))
      fail(`${what}: expected ${holder} without ${values}, got one of them in ${path}`)
  }
}

/** A part of a secret gives it away as well: any twelve characters in a row count. */
function piecesOf(secret: string): string[] {
  const text = secret.toLowerCase()
  return Array.from({ length: Math.max(1, text.length - 11) }, (_, at) => text.slice(at, at + 12))
}

// More than this is no message that anybody reads, and too much for a regular expression.
const longest = 100_000

/** What base64 and hexadecimal digits in a text stand for. */
function decodedIn(text: string): string[] {
  const beginning = text.slice(0, longest)
  const base64 = beginning.match(/[\w+/-]{20,}/g) ?? []
  const hex = beginning.match(/(?:[\da-f]{2}){16,}/gi) ?? []
  return [...base64.map(fromBase64), ...hex.map(fromHex)]
}

function fromBase64(text: string): string {
  try {
    return atob(
      text
        .replaceAll('-', '+')
        .replaceAll('_', '/')
        .slice(0, text.length - (text.length % 4)),
    )
  } catch {
    return ''
  }
}

const fromHex = (text: string) =>
  String.fromCharCode(...(text.slice(0, 2_000).match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16)))

interface Found {
  text: string
  path: string
}

function* textsIn(error: unknown, name: string): Generator<Found> {
  const seen = new Set<unknown>()
  const waiting: { value: unknown; path: string }[] = [{ value: error, path: name }]
  for (let next = waiting.pop(); next && seen.size < most; next = waiting.pop()) {
    const { value, path } = next
    if (typeof value === 'string') yield { text: value, path }
    if (typeof value === 'symbol' || typeof value === 'bigint') yield { text: String(value), path }
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue
    seen.add(value)
    for (const [name, inside] of contentOf(value))
      waiting.push({ value: inside, path: `${path}.${name}` }, { value: name, path: `${path}.${name}` })
  }
}

/** Whatever can be reached from an object in one step. */
function contentOf(object: object): [string, unknown][] {
  const content: [string, unknown][] = []
  const add = (name: string, read: () => unknown) => {
    try {
      content.push([name, read()])
    } catch {
      // What cannot be read gives nothing away.
    }
  }
  if (isRevoked(object)) return content
  for (const name of propertiesOf(object)) add(String(name), () => Reflect.get(object, name))
  for (const name of converters) add(`${String(name)}()`, () => (Reflect.get(object, name) as () => unknown).call(object))
  if (Array.isArray(object)) add('joined', () => joined(object))
  if (ArrayBuffer.isView(object))
    add('bytes', () => new TextDecoder().decode(new Uint8Array(object.buffer, object.byteOffset, object.byteLength)))
  else if (object instanceof ArrayBuffer) add('bytes', () => new TextDecoder().decode(object))
  // Maps, sets, headers, search parameters: whatever can be iterated.
  else if (!Array.isArray(object)) add('entries', () => firstOf(object as Iterable<unknown>))
  return content
}

/** A revoked proxy has nothing to show, and throws at every touch. */
function isRevoked(object: object): boolean {
  try {
    Array.isArray(object)
    return false
  } catch {
    return true
  }
}

// What makes text of an object when it is printed.
const converters = ['toString', 'toJSON', 'valueOf', Symbol.toPrimitive, Symbol.for('nodejs.util.inspect.custom')]

/** A text that was taken apart: single characters, or bytes. */
function joined(items: readonly unknown[]): string {
  const isByte = (item: unknown) => typeof item === 'number' && item >= 0 && item < 256
  if (items.every(isByte)) return String.fromCharCode(...(items.slice(0, 10_000) as number[]))
  return items.every((item) => typeof item === 'string') ? items.join('') : ''
}

function firstOf(iterable: Iterable<unknown>): unknown[] {
  const items: unknown[] = []
  for (const item of iterable) if (items.push(item) >= 1_000) break
  return items
}

/** Own properties and inherited ones, symbols included, but for those of every object and function. */
function propertiesOf(object: object): PropertyKey[] {
  const names: PropertyKey[] = []
  const ends: (object | null)[] = [null, Object.prototype, Function.prototype, Array.prototype, Date.prototype]
  try {
    for (let at: object | null = object; !ends.includes(at); at = Reflect.getPrototypeOf(at as object))
      names.push(...Reflect.ownKeys(at as object))
  } catch {
    // The traps of a proxy may throw.
  }
  return names
}
