import { readDefinition } from '../doctor/definition.js'
import type { LiveColumn, LiveForeignKey, LiveKey } from '../doctor/inspector.js'
import type { Alteration, Catalog, Definition, NewColumn, Planned } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'

/** Quotes a name as drizzle-kit does. */
export const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``
export const names = (columns: string[]) => columns.map(quote).join(', ')

/** Names in SQLite are case-insensitive. */
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

export const isDateMode = ({ column }: NewColumn) => /^timestamp(_ms)?$/.test((column as { mode?: string } | undefined)?.mode ?? '')

const isCollated = (old: LiveColumn, { isKey, type }: Pick<NewColumn, 'isKey' | 'type'>) =>
  isKey && old.looseCollation !== undefined && !/\bcollate\b/i.test(type)
const hasType = (old: LiveColumn, { holds }: Pick<NewColumn, 'holds'>) => holds.holds === 'other' || old.holds === holds.holds
export const isSameType = (old: LiveColumn, now: NewColumn) => hasType(old, now) && !isCollated(old, now)

export const foreignKey = ({ columns, target, targetColumns, rules }: LiveForeignKey) =>
  `FOREIGN KEY (${names(columns)}) REFERENCES ${quote(target.name)}${targetColumns.length > 0 ? `(${names(targetColumns)})` : ''}${rules}`

const primaryClause = (column: NewColumn | LiveColumn) => {
  const isCounted = 'column' in column && (column.column as { autoIncrement?: boolean } | undefined)?.autoIncrement
  return `PRIMARY KEY${isCounted ? ' AUTOINCREMENT' : ''}`
}

export const columnDefinition = (column: NewColumn | LiveColumn, isPrimary = false) =>
  [
    quote(column.name),
    column.type,
    ...(isPrimary ? [primaryClause(column)] : []),
    ...(column.default === undefined
      ? []
      : [`DEFAULT ${/^\(|^current_|^[\w.'"+-]*$/i.test(column.default) ? column.default : `(${column.default})`}`]),
    ...(column.notNull ? ['NOT NULL'] : []),
  ].join(' ')

export const createTable = (name: string, parts: string[], options = '') =>
  `CREATE TABLE ${quote(name)} (\n  ${parts.join(',\n  ')}\n)${options && ` ${options}`};`

/** The statement of an index with another name. SQLite stores it with the same beginning, however it was written. */
export const renameIndex = (statement: string, name: string) =>
  statement.replace(
    /^(CREATE (?:UNIQUE )?INDEX )("(?:[^"]|"")*"|`(?:[^`]|``)*`|'(?:[^']|'')*'|\[[^\]]*\]|[^\s(]+)/i,
    (_, start: string) => start + quote(name),
  )

export const createIndex = (table: string, { name, kind, columns }: LiveKey) =>
  `CREATE ${kind === 'unique' ? 'UNIQUE ' : ''}INDEX ${quote(name)} ON ${quote(table)} (${names(columns)});`

/** Whether an expression has the name of the table in front of a column, which SQLite does not rename. */
const namesTable = (part: string, table: string) =>
  new RegExp(`(?<![\\w$])["\`[]?${table.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}["\`\\]]?\\s*\\.`, 'i').test(part)

/** The original definition with the changes that the code needs. Throws if it has a part that cannot be repeated. */
function edited({ match: { old }, types, nulls, add, kept }: Alteration): string {
  const { columns, constraints, options } = readDefinition(old.definition ?? '')
  const parts = columns.map(({ name, type, clauses }) => {
    const live = old.columns.find((one) => isSame(one.name, name)) as LiveColumn
    const change = types.find((one) => one.old === live)?.now
    const notNull = nulls.find(({ column }) => column === live)?.notNull
    const dropped = [notNull === false && 'not null', notNull && 'null', change && isCollated(live, change) && 'collate']
    const left = clauses.filter(({ kind }) => !dropped.includes(kind)).map(({ text }) => text)
    const value = change?.default !== undefined && live.default === undefined ? [`DEFAULT ${change.default}`] : []
    return [quote(name), change?.type ?? type, ...left, ...value, ...(notNull ? ['NOT NULL'] : [])].filter(Boolean).join(' ')
  })
  const rules = constraints.map(({ text }) => text)
  if ([...parts, ...rules].some((part) => namesTable(part, old.name))) throw new Error('the definition names its own table')
  return createTable(old.name, [...parts, ...[...add, ...kept].map((column) => columnDefinition(column)), ...rules], options)
}

/** A table that changes is created again, with its indexes and triggers. */
export function rebuild(alteration: Alteration, catalog: Catalog): { changes: Planned[]; notices: Notice[] } {
  const { match, add, kept, types, set, nulls, addKeys } = alteration
  const { old } = match
  if (add.length + kept.length + types.length + set.length + nulls.length + addKeys.length === 0) return { changes: [], notices: [] }
  let statement: string
  try {
    statement = edited(alteration)
  } catch {
    const message = 'SQLite would have to rebuild the table, and the plan does not support a part of its definition'
    const fix = 'Write this migration by hand, or simplify the definition of the table before you run the plan.'
    return { changes: [], notices: [notice('unsupported-table', [old.name], message, fix)] }
  }
  const written = old.columns.filter(({ isGenerated }) => !isGenerated).map(({ name }) => name)
  const assigned = (name: string) => set.find(({ column }) => column === name)?.value
  const values = [...written, ...[...add, ...kept].map(({ name }) => name)].flatMap((name): [string, string][] => {
    const value = assigned(name) ?? (written.includes(name) ? quote(name) : undefined)
    return value === undefined ? [] : [[name, value]]
  })
  const undone = (name: string) => set.find(({ undo }) => undo?.column === name)?.undo?.value ?? quote(name)
  // Keep the rowid: a full-text index, for example, refers to it.
  const rowid = ['rowid', '_rowid_', 'oid'].find((name) => !old.columns.some((column) => isSame(column.name, name)))
  const define = (text: string, all: string[]): Definition => ({ name: old.name, statement: text, attached: all, rowid })
  const attached = (catalog.attached ?? []).flatMap((one) => (isSame(one.table, old.name) ? one.statement : []))
  const change: Planned = {
    kind: 'rebuild',
    from: define(old.definition ?? '', attached),
    to: define(statement, [...attached, ...addKeys.map((key) => createIndex(old.name, key))]),
    values,
    back: written.map((name) => [name, undone(name)]),
    indexes: addKeys.map(({ name }) => name),
    about: `Change the table ${old.name}`,
  }
  return { changes: [change], notices: [] }
}
