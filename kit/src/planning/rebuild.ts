import type { Clause } from '../doctor/definition.js'
import { columnsIn, readDefinition, referenceIn } from '../doctor/definition.js'
import type { LiveColumn, LiveForeignKey, LiveKey } from '../doctor/inspector.js'
import type { Alteration, Catalog, Definition, Match, NewColumn, NewForeignKey, Planned } from './model.js'
import { primaryKeyOf } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'

/** Quotes a name as drizzle-kit does. */
export const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``
export const names = (columns: string[]) => columns.map(quote).join(', ')

/** Names in SQLite are case-insensitive. */
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
const sameNames = (one: string[], other: string[]) =>
  one.length === other.length && one.every((name, index) => isSame(name, other[index] ?? ''))

const modeOf = ({ column }: NewColumn) => (column as { mode?: string }).mode
export const isDateMode = (column: NewColumn) => /^timestamp(_ms)?$/.test(modeOf(column) ?? '')

const isCollated = (old: LiveColumn, { isKey, type }: Pick<NewColumn, 'isKey' | 'type'>) =>
  isKey && old.looseCollation !== undefined && !/\bcollate\b/i.test(type)
const hasType = (old: LiveColumn, { holds }: Pick<NewColumn, 'holds'>) => holds.holds === 'other' || old.holds === holds.holds
export const isSameType = (old: LiveColumn, now: NewColumn) => hasType(old, now) && !isCollated(old, now)

export const foreignKey = ({ columns, target, targetColumns, onDelete, onUpdate }: NewForeignKey) =>
  `FOREIGN KEY (${names(columns)}) REFERENCES ${quote(target.name)}(${names(targetColumns)}) ON UPDATE ${onUpdate} ON DELETE ${onDelete}`

const primaryClause = (column: NewColumn | LiveColumn) => {
  const isCounted = 'column' in column && (column.column as { autoIncrement?: boolean }).autoIncrement
  return `PRIMARY KEY${isCounted ? ' AUTOINCREMENT' : ''}`
}

export const columnDefinition = (column: NewColumn | LiveColumn, isPrimary = false) =>
  [
    quote(column.name),
    column.type,
    ...(isPrimary ? [primaryClause(column)] : []),
    ...(column.default === undefined ? [] : [`DEFAULT ${column.default}`]),
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

const oldName = ({ columns }: Match, name: string) => columns.find(({ now }) => now.name === name)?.old?.name ?? name

/** Declared foreign keys that the table does not have, with the names from before the plan. */
export function lackingForeignKeys(match: Match, matches: Match[], replaced: Match[], { tables }: Catalog): NewForeignKey[] {
  const primaryOf = (name: string) =>
    replaced.some((one) => isSame(one.old.name, name))
      ? []
      : (primaryKeyOf(tables.find((table) => isSame(table.name, name)) ?? { keys: [] })?.columns ?? [])
  const has = ({ target, targetColumns, columns, onDelete, onUpdate }: NewForeignKey) =>
    match.old.foreignKeys.some(
      (one) =>
        sameNames(one.columns, columns) &&
        isSame(one.target.name, target.name) &&
        sameNames(one.targetColumns.length > 0 ? one.targetColumns : primaryOf(one.target.name), targetColumns) &&
        one.rules === ` ON DELETE ${onDelete.toUpperCase()} ON UPDATE ${onUpdate.toUpperCase()}`,
    )
  return match.now.foreignKeys
    .map((key) => {
      const target = matches.find(({ now }) => isSame(now.path.name, key.target.name))
      return {
        ...key,
        columns: key.columns.map((name) => oldName(match, name)),
        target: target?.old ?? key.target,
        targetColumns: key.targetColumns.map((name) => (target ? oldName(target, name) : name)),
      }
    })
    .filter((key) => !has(key))
}

/** Foreign keys without column names reference the primary key, which changes. */
export function implicitReferences(
  replaced: Match[],
  altered: { alteration: Alteration; lacking: NewForeignKey[] }[],
  { tables }: Catalog,
): Notice[] {
  const isAdded = ({ table, columns }: LiveForeignKey) =>
    altered.some(
      ({ alteration: { match }, lacking }) => isSame(match.old.name, table.name) && lacking.some((one) => sameNames(one.columns, columns)),
    )
  return tables
    .flatMap(({ foreignKeys }) => foreignKeys)
    .filter((key) => key.targetColumns.length === 0 && replaced.some(({ old }) => isSame(old.name, key.target.name)) && !isAdded(key))
    .map(({ table, columns, target }) => {
      const message = `the foreign key references the primary key of ${target.name} without naming its columns, and that key changes`
      return notice('in-use', [table.name, columns], message, 'Rebuild the table with the column names in its foreign key.')
    })
}

/** ALTER TABLE can only add columns whose default is a plain value. */
const canAdd = ({ notNull, default: value }: NewColumn) => (value === undefined ? !notNull : !/^\(|^current_/i.test(value))

const without = (clauses: Clause[], ...kinds: Clause['kind'][]) => clauses.filter(({ kind }) => !kinds.includes(kind))

/** Whether an expression has the name of the table in front of a column, which SQLite does not rename. */
const namesTable = (part: string, table: string) =>
  new RegExp(`(?<![\\w$])["\`[]?${table.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}["\`\\]]?\\s*\\.`, 'i').test(part)

/** The original definition with the changes that the code needs. */
function edited({ match, types, nulls, primary, add, kept }: Alteration, foreignKeys: NewForeignKey[]): string {
  const { old } = match
  const { columns, constraints, options } = readDefinition(old.definition ?? '')
  const key = (primary?.to.columns ?? []).map((name) => oldName(match, name))
  // Replace a reference to the same columns with other rules. References to other columns belong to the app.
  const isDeclared = (text: string, own: string[]) => {
    const { table, columns: others } = referenceIn(text)
    const isTarget = (one: NewForeignKey) => isSame(table, one.target.name) && (others.length === 0 || sameNames(others, one.targetColumns))
    return foreignKeys.some((one) => sameNames(one.columns, own) && isTarget(one))
  }
  const isGone = ({ kind, text }: Clause, own: string[]) =>
    (kind === 'primary' && primary) || (/^(foreign|references)$/.test(kind) && isDeclared(text, own))
  const parts = columns.map(({ name, type, clauses }) => {
    const live = old.columns.find((one) => isSame(one.name, name)) as LiveColumn
    const typed = types.find((one) => one.old === live)
    const change = typed?.now
    const notNull = nulls.find(({ column }) => column === live)?.notNull
    let left = clauses.filter((clause) => !isGone(clause, [name]))
    const wasFilled = primary && live.isFilled && !live.isGenerated
    if (notNull === false || wasFilled) left = without(left, 'not null')
    if (notNull) left = without(left, 'null')
    if (change && isCollated(live, change)) left = without(left, 'collate')
    return [
      quote(name),
      change && (typed?.isRenamed || !hasType(live, change)) ? change.type : type,
      ...left.map(({ text }) => text),
      ...(key.length === 1 && isSame(key[0] as string, name)
        ? [primaryClause(match.columns.find((one) => one.old === live)?.now ?? live)]
        : []),
      ...(change?.default !== undefined && live.default === undefined ? [`DEFAULT ${change.default}`] : []),
      ...(notNull ? ['NOT NULL'] : []),
    ]
      .filter(Boolean)
      .join(' ')
  })
  const written = [...parts, ...constraints.map(({ text }) => text)]
  if (written.some((part) => namesTable(part, old.name))) throw new Error('the definition names its own table')
  return createTable(
    old.name,
    [
      ...parts,
      ...add.map((column) => columnDefinition(column)),
      ...kept.map((column) => columnDefinition(column)),
      ...(key.length > 1 ? [`PRIMARY KEY(${names(key)})`] : []),
      ...constraints.filter((clause) => !isGone(clause, columnsIn(clause.text))).map(({ text }) => text),
      ...foreignKeys.map(foreignKey),
    ],
    options,
  )
}

/** Alters a table where SQLite can, and rebuilds it otherwise. */
export function alterSqlite(alteration: Alteration, foreignKeys: NewForeignKey[], catalog: Catalog) {
  const { match, add, kept, types, set, nulls, addKeys, adopt, primary } = alteration
  const { old } = match
  const attached = (catalog.attached ?? []).filter(({ table }) => isSame(table, old.name))
  // A unique constraint has no name of its own.
  const adopted = adopt.filter(({ from, to }) => !from.isConstraint && !isSame(from.name, to.name))
  const statementOf = (name: string) => attached.find((one) => isSame(one.name, name))?.statement ?? ''
  const about = `Change the table ${old.name}`
  const isRebuilt =
    types.length + kept.length + set.length + nulls.length + foreignKeys.length > 0 || primary !== undefined || !add.every(canAdd)
  if (!isRebuilt) {
    const changes: Planned[] = []
    const actions = [...add.map((column) => ({ do: 'add' as const, column })), ...addKeys.map((key) => ({ do: 'addKey' as const, key }))]
    if (actions.length > 0) changes.push({ kind: 'alter', table: old, actions, about })
    const keys = adopted.map(({ from, to }) => {
      const statement = statementOf(from.name)
      const statements: [string, string] = [statement, renameIndex(statement, to.name)]
      return { table: old, from: from.name, to: to.name, isConstraint: false, statements }
    })
    if (keys.length > 0) changes.push({ kind: 'renameKeys', keys, about })
    return { changes, notices: [] }
  }
  let statement: string
  try {
    statement = edited(alteration, foreignKeys)
  } catch {
    const message = 'SQLite would have to rebuild the table, and the plan does not support a part of its definition'
    const fix = 'Write this migration by hand, or simplify the definition of the table before you run the plan.'
    return { changes: [], notices: [notice('unsupported-table', [old.name], message, fix)] }
  }
  const written = old.columns.filter(({ isGenerated }) => !isGenerated).map(({ name }) => name)
  const assigned = (name: string) => set.find(({ column }) => column === name)?.value
  const values = [...written, ...add.map(({ name }) => name), ...kept.map(({ name }) => name)].flatMap((name): [string, string][] => {
    const value = assigned(name) ?? (written.includes(name) ? quote(name) : undefined)
    return value === undefined ? [] : [[name, value]]
  })
  const undone = (name: string) => set.find(({ undo }) => undo?.column === name)?.undo?.value ?? quote(name)
  // Keep the rowid: a full-text index, for example, refers to it.
  const rowid = ['rowid', '_rowid_', 'oid'].find((name) => !old.columns.some((column) => isSame(column.name, name)))
  const define = (text: string, all: string[]): Definition => ({ name: old.name, statement: text, attached: all, rowid })
  const before = attached.map((one) => one.statement)
  const after = [
    ...attached.map(({ name, statement: text }) => {
      const to = adopted.find(({ from }) => isSame(from.name, name))?.to
      return to ? renameIndex(text, to.name) : text
    }),
    ...addKeys.map((key) => createIndex(old.name, key)),
  ]
  const change: Planned = {
    kind: 'rebuild',
    from: define(old.definition ?? '', before),
    to: define(statement, after),
    values,
    back: written.map((name) => [name, undone(name)]),
    indexes: [...addKeys, ...adopted.map(({ to }) => to)].map(({ name }) => name),
    about,
  }
  return { changes: [change], notices: [] }
}
