import { fail } from './expect.js'

/** A limit, because an error may reference a whole connection. */
const maxObjects = 20_000

/** Fails if a secret, or twelve characters of one, can be read from the value: from its properties and those of its class, at any depth. */
export function expectNoSecrets(value: unknown, secrets: readonly string[], what: string): void {
  const pieces = secrets.flatMap((secret) => Array.from({ length: Math.max(1, secret.length - 11) }, (_, at) => secret.slice(at, at + 12)))
  const seen = new Set<unknown>()
  const waiting = [{ value, path: '' }]
  for (let next = waiting.pop(); next && seen.size < maxObjects; next = waiting.pop()) {
    const { value, path } = next
    if (typeof value === 'string' && pieces.some((piece) => value.includes(piece)))
      fail(`${what}: expected no secret, got one in the property ${path.slice(1)}`)
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    const text = ArrayBuffer.isView(value) ? new TextDecoder().decode(value) : undefined
    if (text !== undefined) waiting.push({ value: text, path })
    else for (const [name, inside] of propertiesOf(value)) waiting.push({ value: inside, path: `${path}.${name}` }, { value: name, path })
  }
}

/** Own and inherited properties, and the entries of maps and sets. */
function propertiesOf(object: object): [string, unknown][] {
  const properties: [string, unknown][] = []
  for (let at: object | null = object; at && at !== Object.prototype && at !== Array.prototype; at = Reflect.getPrototypeOf(at)) {
    for (const name of Reflect.ownKeys(at)) {
      try {
        properties.push([String(name), Reflect.get(object, name)])
      } catch {
        // A getter that throws reveals nothing.
      }
    }
  }
  if (object instanceof Map || object instanceof Set) properties.push(['entries', [...object]])
  return properties
}
