/** A value as a literal of JavaScript. Texts are in single quotes. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Date) return `new Date(${literal(value.toISOString())})`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object' && value !== null) return object(value)
  return JSON.stringify(value)
}

/** An object of JavaScript on one line. Properties without a value are left out. */
function object(value: object): string {
  const properties = Object.entries(value).filter(([, each]) => each !== undefined)
  return properties.length > 0 ? `{ ${properties.map(([name, each]) => `${property(name)}: ${literal(each)}`).join(', ')} }` : '{}'
}

/** A text as it is written between backticks. */
export function templateText(text: string): string {
  return text.replace(/[\\`]|\$(?=\{)/g, '\\$&')
}

const identifier = /^[A-Za-z_$][\w$]*$/

/** The name of a property, in quotes where it needs them. */
export function property(name: string): string {
  return identifier.test(name) ? name : literal(name)
}

/** A property of an object. */
export function member(object: string, name: string): string {
  return identifier.test(name) ? `${object}.${name}` : `${object}[${literal(name)}]`
}

export const capitalize = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

const reserved = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield undefined'.split(
    ' ',
  ),
)

/** Gives each export a name for the code of the file: its own, unless that is no identifier or means something else there. */
export function localNames(taken: Iterable<string>): (name: string) => string {
  const used = new Set(taken)
  const names = new Map<string, string>()
  return (name) => {
    let local = names.get(name)
    if (local) return local
    const plain = name.replace(/[^\w$]+(.?)/g, (_, next: string) => next.toUpperCase()).replace(/^(?=\d|$)/, '_')
    local = plain
    for (let count = 1; used.has(local) || reserved.has(local); count++) local = `${plain}Table${count > 1 ? count : ''}`
    used.add(local)
    names.set(name, local)
    return local
  }
}
