import type { Source } from './source.js'

export type Quote = "'" | '"'

/** How a file is written. */
export interface Style {
  readonly quote: Quote
  readonly semicolon: '' | ';'
  readonly indent: string
  readonly newline: string
}

/** The style of a file. One without code has single quotes and no semicolons. */
export function styleOf({ text, body }: Pick<Source, 'text' | 'body'>): Style {
  const quotes = body.flatMap((each) => ('source' in each && each.source ? [text[each.source.start ?? 0]] : []))
  const ends = body.filter(({ type }) => /^(Import|ExportNamed)/.test(type)).map(({ end }) => text[(end ?? 0) - 1])
  const isMost = (list: readonly unknown[], value: string) => list.filter((each) => each === value).length > list.length / 2
  return {
    quote: isMost(quotes, '"') ? '"' : "'",
    semicolon: isMost(ends, ';') ? ';' : '',
    indent: /[{[(]\r?\n([ \t]+)(?=[\w'"$.])/.exec(text)?.[1] ?? '  ',
    newline: text.includes('\r\n') ? '\r\n' : '\n',
  }
}

/** A value as a literal of JavaScript. */
export function literal(value: unknown, quote: Quote): string {
  const write = (each: unknown): string => literal(each, quote)
  if (typeof value === 'string' && quote === "'")
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Date) return `new Date(${write(value.toISOString())})`
  if (Array.isArray(value)) return `[${value.map(write).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const properties = Object.entries(value).filter(([, each]) => each !== undefined)
  return properties.length > 0 ? `{ ${properties.map(([name, each]) => `${property(name, quote)}: ${write(each)}`).join(', ')} }` : '{}'
}

const identifier = /^[A-Za-z_$][\w$]*$/

/** The name of a property, in quotes where it needs them. */
export const property = (name: string, quote: Quote) => (identifier.test(name) ? name : literal(name, quote))

/** A property of an object. */
export const member = (object: string, name: string, quote: Quote) =>
  identifier.test(name) ? `${object}.${name}` : `${object}[${literal(name, quote)}]`

// The last four are parameters of functions in the file.
const reserved =
  /^(arguments|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield|undefined|one|many|r|table)$/

/** A name for a new declaration: the given one, unless it is no identifier or is taken. It is taken from then on. */
export function freshName(name: string, taken: Set<string>): string {
  const plain = name.replace(/[^\w$]+(.?)/g, (_, next: string) => next.toUpperCase()).replace(/^(?=\d|$)/, '_')
  let fresh = plain
  for (let count = 1; taken.has(fresh) || reserved.test(fresh); count++) fresh = `${plain}Table${count > 1 ? count : ''}`
  taken.add(fresh)
  return fresh
}
