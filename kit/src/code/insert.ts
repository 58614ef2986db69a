import type { Node } from '@babel/types'
import type { Source } from './source.js'
import { nameOf } from './source.js'
import { freshName, property } from './style.js'

/** The spaces and tabs with which the line of a position begins. */
export const indentAt = (text: string, at: number) => /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? ''

/** The position after what matches and after comments. */
function skip({ text, comments }: Source, from: number, characters: RegExp): number {
  let at = from
  for (;;) {
    const comment = comments.find(({ start }) => start === at)
    if (!comment && !characters.test(text[at] ?? '')) return at
    at = comment?.end ?? at + 1
  }
}

/** The end of the line with its comments, if nothing else follows in it. */
function endOfLine(source: Source, from: number): number {
  const at = skip(source, from, /[ \t]/)
  return /[\r\n]/.test(source.text[at] ?? '\n') ? at : from
}

/** An entry of a list, and a comment before it. */
export interface Entry {
  readonly text: string
  readonly note?: string | undefined
}

/** Inserts entries at the end of an object, an array or an import, but before a spread at its end. */
export function insertEntries(
  source: Source,
  list: Pick<Node, 'start' | 'end'>,
  items: readonly (Node | null)[],
  entries: readonly Entry[],
): void {
  const { text, style } = source
  const [start, end] = [list.start ?? 0, list.end ?? 0]
  const own = items.filter((each) => each !== null)
  const last = own.findLast(({ type }) => type !== 'SpreadElement') ?? own.at(-1)
  const isWrapped = text.slice(start, own[0]?.start ?? start).includes('\n')
  const from = last?.end ?? start + 1
  if (last && !isWrapped && !entries.some(({ note }) => note)) {
    source.insert(from, entries.map((each) => `, ${each.text}`).join(''))
    return
  }
  const after = skip(source, from, /[\s)]/)
  const comma = last && text[after] === ',' ? after + 1 : undefined
  const outer = indentAt(text, start)
  const inner = last && isWrapped ? indentAt(text, last.start ?? start) : outer + style.indent
  const lines = entries.flatMap(({ text: entry, note }, at) => [
    ...(note ? [`// ${note}`] : []),
    `${entry}${!last || comma || at < entries.length - 1 ? ',' : ''}`,
  ])
  if (last && !comma) source.insert(from, ',')
  const at = endOfLine(source, comma ?? from)
  const isClosed = (last && isWrapped) || /^\s*[\r\n]/.test(text.slice(at, end))
  source.insert(at, lines.map((line) => `\n${inner}${line}`).join('') + (isClosed ? '' : `\n${outer}`))
}

const isTypeName = /^Any\w+Column$/

/** The local name of what a module exports. If the file does not import it yet, it will. */
export function importName(source: Source, module: string, name: string): string {
  const isType = isTypeName.test(name)
  for (const { specifiers, importKind, source: from } of source.imports)
    for (const each of from.value === module && (isType || importKind !== 'type') ? specifiers : []) {
      if (each.type === 'ImportNamespaceSpecifier') return `${each.local.name}.${name}`
      if (each.type === 'ImportSpecifier' && nameOf(each.imported) === name && (isType || each.importKind !== 'type'))
        return each.local.name
    }
  const added = source.imported.get(module) ?? new Map<string, string>()
  source.imported.set(module, added)
  const local = added.get(name) ?? freshName(name, source.names)
  added.set(name, local)
  return local
}

/** Inserts what the insertions import. Returns the statements instead, if there is no code. */
export function insertImports(source: Source): string[] {
  const { quote, semicolon } = source.style
  const statements = [...source.imported].sort().flatMap(([module, names]) => {
    const entries = [...names].sort().map(([name, local]) => {
      const text = name === local ? name : `${property(name, quote)} as ${local}`
      return { text: isTypeName.test(name) ? `type ${text}` : text }
    })
    const known = source.imports.find(
      (each) => each.source.value === module && each.importKind !== 'type' && source.textOf(each).includes('{'),
    )
    if (!known) return [`import { ${entries.map(({ text }) => text).join(', ')} } from ${quote}${module}${quote}${semicolon}`]
    const items = known.specifiers.filter(({ type }) => type === 'ImportSpecifier')
    const start = source.text.indexOf('{', known.start ?? 0)
    insertEntries(source, { start, end: source.text.indexOf('}', items.at(-1)?.end ?? start) + 1 }, items, entries)
    return []
  })
  const last = source.imports.at(-1)
  if (source.body.length === 0 || statements.length === 0) return statements
  if (last) source.insert(endOfLine(source, last.end ?? 0), `\n${statements.join('\n')}`)
  else source.insert(source.body[0]?.start ?? 0, `${statements.join('\n')}\n\n`)
  return []
}
