import { indentAt, insertEntries } from '../code/insert.js'
import type { Located } from './location.js'
import type { Column, Existing, Index } from './models.js'
import type { Writer } from './writer.js'

/** Inserts indexes into the extra config of a table. Returns those for which there is no place. */
export function insertIndexes({ source, code }: Located, indexes: readonly Index[], writer: Writer): string[] {
  const [, columns, config] = code?.call.arguments ?? []
  const { callback, list } = code?.extra ?? {}
  const [param] = callback?.params ?? []
  const entries = indexes.map((each) => ({ text: writer.index(each, param?.type === 'Identifier' ? param.name : 'table') }))
  if (entries.length === 0) return []
  const lines = (before: string) => entries.map(({ text }) => `\n${before}${text},`).join('')
  if (!config) {
    const at = columns?.end ?? 0
    const outer = indentAt(source.text, at)
    source.insert(at, `, (table) => [${lines(outer + source.style.indent)}\n${outer}]`)
    return []
  }
  if (!callback || !list || (param && param.type !== 'Identifier'))
    return [`${source.place(config.start ?? 0)}: add to the indexes of this table:${lines('+ ')}`]
  if (!param) source.insert(source.text.indexOf('(', callback.start ?? 0) + 1, 'table')
  if (list.type === 'ArrayExpression') insertEntries(source, list, list.elements, entries)
  else {
    const named = entries.map(({ text }, at) => ({ text: `${writer.property(indexes[at]?.name ?? '')}: ${text}` }))
    insertEntries(source, list, list.properties, named)
  }
  return []
}

/** Whether a key or an index of a table is on these columns. */
export function hasKey({ columns, uniqueConstraints, primaryKeys, indexes }: Existing, on: readonly Column[], isUnique: boolean): boolean {
  const keys = [
    ...Object.values(columns).flatMap((each) => (each.primary || each.isUnique ? [{ columns: [each], unique: true }] : [])),
    ...[...uniqueConstraints, ...primaryKeys].map((each) => ({ columns: each.columns, unique: true })),
    ...indexes.map(({ config }) => config),
  ]
  const names = (key: (typeof keys)[number]) => key.columns.map((each) => ('name' in each ? each.name : ''))
  const isOn = (key: (typeof keys)[number]) => on.every(({ name }, at) => names(key)[at] === name)
  return keys.some((key) => isOn(key) && (!isUnique || (key.unique && key.columns.length === on.length)))
}
