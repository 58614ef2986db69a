import type { Node } from '@babel/types'
import type { Source } from './source.js'
import { nameOf } from './source.js'

/** A value as a literal of JavaScript, in the quotes of the file. */
export function literal(value: unknown, { style }: Source): string {
  const single = (text: string) => `'${text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  const json = JSON.stringify(value)
  return style.quote === '"' ? json : json.replace(/"(?:[^"\\]|\\.)*"/g, single)
}

/** The name of a property, in quotes where it needs them. */
export const property = (name: string, source: Source) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name, source))

/** A property of an object. */
export const member = (object: string, name: string, source: Source) =>
  property(name, source) === name ? `${object}.${name}` : `${object}[${literal(name, source)}]`

/** A name for a new declaration: the given one, unless it is not an identifier or is taken. It is taken from then on. */
export function freshName(name: string, { names }: Source): string {
  const plain = name.replace(/[^\w$]+(.?)/g, (_, next: string) => next.toUpperCase()).replace(/^(?=\d|$)/, '_')
  let fresh = plain
  for (let count = 1; names.has(fresh); count++) fresh = `${plain}Table${count > 1 ? count : ''}`
  names.add(fresh)
  return fresh
}

/** The spaces and tabs with which the line of a position begins. */
export const indentAt = (text: string, at: number) => /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? ''

/** The end of the line with its comments, if nothing else follows in it. */
const endOfLine = ({ code }: Source, at: number) => at + (/^[ \t]*(?=[\r\n]|$)/.exec(code.slice(at))?.[0].length ?? 0)

/** Inserts entries at the end of an object, an array or an import, but before a spread at its end. */
export function insertEntries(
  source: Source,
  list: Pick<Node, 'start' | 'end'>,
  items: readonly (Node | null)[],
  entries: readonly string[],
): void {
  const { text, code, style } = source
  const [start, end] = [list.start ?? 0, list.end ?? 0]
  const own = items.filter((each) => each !== null)
  const last = own.findLast(({ type }) => type !== 'SpreadElement') ?? own.at(-1)
  const from = last?.end ?? start + 1
  const isWrapped = text.slice(start, own[0]?.start ?? start).includes('\n')
  if (last && !isWrapped && !entries.some((each) => each.includes('\n'))) {
    source.insert(from, entries.map((each) => `, ${each}`).join(''))
    return
  }
  const outer = indentAt(text, start)
  const inner = last && isWrapped ? indentAt(text, last.start ?? start) : outer + style.indent
  const comma = last && /^[\s)]*,/.exec(code.slice(from, end))?.[0]
  if (last && !comma) source.insert(from, ',')
  const at = endOfLine(source, from + (comma?.length ?? 0))
  const lines = entries.map((each) => `\n${each}`.replaceAll('\n', `\n${inner}`)).join(',') + (last && !comma ? '' : ',')
  const isClosed = (last && isWrapped) || /^\s*[\r\n]/.test(text.slice(at, end))
  source.insert(at, isClosed ? lines : `${lines}\n${outer}`)
}

const isTypeName = /^Any\w+Column$/

/** The local name of what a module exports. If the file does not import it yet, it will. */
export function importName(source: Source, module: string, name: string): string {
  const isType = isTypeName.test(name)
  const isUsable = ({ importKind }: { importKind?: string | null }) => isType || importKind !== 'type'
  for (const known of source.imports.filter((each) => each.source.value === module && isUsable(each)))
    for (const each of known.specifiers) {
      if (each.type === 'ImportNamespaceSpecifier') return `${each.local.name}.${name}`
      if (each.type === 'ImportSpecifier' && nameOf(each.imported) === name && isUsable(each)) return each.local.name
    }
  const added = source.imported.get(module) ?? new Map<string, string>()
  source.imported.set(module, added)
  const local = added.get(name) ?? freshName(name, source)
  added.set(name, local)
  return local
}

/** Inserts what the insertions import: into the imports of the file, after them, or with `before` in front of its code. */
export function insertImports(source: Source, before: string): void {
  const { code, style, imports, body } = source
  const statements = [...source.imported].sort().flatMap(([module, names]) => {
    const entries = [...names].sort().map(([name, local]) => {
      const text = name === local ? name : `${property(name, source)} as ${local}`
      return isTypeName.test(name) ? `type ${text}` : text
    })
    const known = imports.find((each) => {
      return each.source.value === module && each.importKind !== 'type' && each.specifiers.some(({ type }) => type === 'ImportSpecifier')
    })
    if (!known) return [`import { ${entries.join(', ')} } from ${literal(module, source)}${style.semicolon}`]
    const start = code.indexOf('{', known.start ?? 0)
    const items = known.specifiers.filter(({ type }) => type === 'ImportSpecifier')
    insertEntries(source, { start, end: code.indexOf('}', start) + 1 }, items, entries)
    return []
  })
  const last = imports.at(-1)
  if (statements.length === 0) return
  if (last) source.insert(endOfLine(source, last.end ?? 0), `\n${statements.join('\n')}`)
  else source.insert(body[0]?.start ?? 0, `${before}${statements.join('\n')}\n\n`)
}
