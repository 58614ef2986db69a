import type { Clause, LiveColumn } from '../core.js'
import { columnsIn, isUnfilled, readDefinition, referenceIn } from '../core.js'
import type { Current, Move, NewColumn, NewForeignKey } from './model.js'
import { primaryKeyOf, replacesPrimaryKey } from './model.js'

/** Quotes a name as drizzle-kit does. */
export const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``
export const names = (columns: string[]) => columns.map(quote).join(', ')

/** Names in SQLite are case-insensitive. */
export const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
export const sameNames = (one: string[], other: string[]) =>
  one.length === other.length && one.every((name, index) => isSame(name, other[index] ?? ''))

const isCollated = (old: LiveColumn, { isKey, type }: NewColumn) => isKey && old.looseCollation !== undefined && !/\bcollate\b/i.test(type)
const hasType = (old: LiveColumn, { holds }: NewColumn) => holds.holds === 'other' || old.holds === holds.holds
export const isSameType = (old: LiveColumn, now: NewColumn) => hasType(old, now) && !isCollated(old, now)

export const foreignKey = ({ columns, target, targetColumns, onDelete, onUpdate }: NewForeignKey) =>
  `FOREIGN KEY (${names(columns)}) REFERENCES ${quote(target.name)}(${names(targetColumns)}) ON UPDATE ${onUpdate} ON DELETE ${onDelete}`

const primaryClause = ({ column }: NewColumn) =>
  `PRIMARY KEY${(column as { autoIncrement?: boolean }).autoIncrement ? ' AUTOINCREMENT' : ''}`

export const columnDefinition = (column: NewColumn, isPrimary = false) =>
  [
    quote(column.name),
    column.type,
    ...(isPrimary ? [primaryClause(column)] : []),
    ...(column.default === undefined ? [] : [`DEFAULT ${column.default}`]),
    ...(column.notNull ? ['NOT NULL'] : []),
  ].join(' ')

export const createTable = (name: string, parts: string[], options = '') =>
  `CREATE TABLE ${quote(name)} (\n  ${parts.join(',\n  ')}\n)${options && ` ${options}`};`

export const nowName = ({ columns }: Move, name: string) => columns.find(({ old }) => old && isSame(old.name, name))?.now.name ?? name
const oldName = ({ columns }: Move, name: string) => columns.find(({ now }) => now.name === name)?.old?.name ?? name

/** Declared foreign keys that the table does not have, with the names from before the plan. */
export function lackingForeignKeys(move: Move, moves: Move[], { tables }: Current): NewForeignKey[] {
  const isMoved = (name: string) => moves.some((one) => isSame(one.old.name, name) && replacesPrimaryKey(one))
  const primaryOf = (name: string) =>
    isMoved(name) ? [] : (primaryKeyOf(tables.find((table) => isSame(table.name, name)) ?? { keys: [] })?.columns ?? [])
  const has = ({ target, targetColumns, columns, onDelete, onUpdate }: NewForeignKey) =>
    move.old.foreignKeys.some(
      (one) =>
        sameNames(one.columns, columns) &&
        isSame(one.target.name, target.name) &&
        sameNames(one.targetColumns.length > 0 ? one.targetColumns : primaryOf(one.target.name), targetColumns) &&
        one.rules === ` ON DELETE ${onDelete.toUpperCase()} ON UPDATE ${onUpdate.toUpperCase()}`,
    )
  return move.now.foreignKeys
    .map((key) => {
      const target = moves.find(({ now }) => isSame(now.path.name, key.target.name))
      return {
        ...key,
        columns: key.columns.map((name) => oldName(move, name)),
        target: target?.old ?? key.target,
        targetColumns: key.targetColumns.map((name) => (target ? oldName(target, name) : name)),
      }
    })
    .filter((key) => !has(key))
}

/** ALTER TABLE can only add columns whose default is a plain value. */
const canAdd = ({ notNull, default: value }: NewColumn) => (value === undefined ? !notNull : !/^\(|^current_/i.test(value))

/** Whether SQLite can change the table in place. */
export const canStay = (move: Move, moves: Move[], current: Current) =>
  move.columns.every(({ now, old }) => (old ? isSameType(old, now) && old.notNull === now.notNull : canAdd(now))) &&
  !move.others.some(isUnfilled) &&
  !replacesPrimaryKey(move) &&
  lackingForeignKeys(move, moves, current).length === 0

const without = (clauses: Clause[], ...kinds: Clause['kind'][]) => clauses.filter(({ kind }) => !kinds.includes(kind))

/** Whether an expression qualifies a column with the table name, which is wrong in the temporary table. */
const namesTable = (part: string, table: string) =>
  new RegExp(`(?<![\\w$])["\`[]?${table.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}["\`\\]]?\\s*\\.`, 'i').test(part)

/** Rebuilds the table with its current names: its original definition, with the changes that the code needs. */
export function rebuild(move: Move, moves: Move[], current: Current): string[] {
  const { old } = move
  const { columns, constraints, options } = readDefinition(old.definition ?? '')
  const isReplaced = replacesPrimaryKey(move)
  const primary = isReplaced ? (primaryKeyOf(move.now)?.columns ?? []).map((name) => oldName(move, name)) : []
  const foreignKeys = lackingForeignKeys(move, moves, current)
  // Replace a reference to the same columns with other rules. References to other columns belong to the app.
  const isDeclared = (text: string, own: string[]) => {
    const { table, columns: others } = referenceIn(text)
    const isTarget = (key: NewForeignKey) => isSame(table, key.target.name) && (others.length === 0 || sameNames(others, key.targetColumns))
    return foreignKeys.some((key) => sameNames(key.columns, own) && isTarget(key))
  }
  const isGone = ({ kind, text }: Clause, own: string[]) =>
    (kind === 'primary' && isReplaced) || (/^(foreign|references)$/.test(kind) && isDeclared(text, own))

  const edited = columns.map(({ name, type, clauses }) => {
    const live = old.columns.find((one) => isSame(one.name, name)) as LiveColumn
    const now = move.columns.find((one) => one.old === live)?.now
    let kept = clauses.filter((clause) => !isGone(clause, [name]))
    // Nothing fills a column that the code does not declare.
    if (now ? !now.notNull : isUnfilled(live) || (isReplaced && live.isFilled)) kept = without(kept, 'not null')
    if (now?.notNull) kept = without(kept, 'null')
    if (now && isCollated(live, now)) kept = without(kept, 'collate')
    return [
      quote(name),
      now && !hasType(live, now) ? now.type : type,
      ...kept.map(({ text }) => text),
      ...(now && primary.length === 1 && isSame(primary[0] as string, name) ? [primaryClause(now)] : []),
      ...(now?.default !== undefined && live.default === undefined ? [`DEFAULT ${now.default}`] : []),
      ...(now?.notNull && !live.notNull ? ['NOT NULL'] : []),
    ]
      .filter(Boolean)
      .join(' ')
  })
  const temporary = `__new_${old.name}`
  const parts = [
    ...edited,
    ...move.columns.filter((column) => !column.old).map(({ now }) => columnDefinition(now)),
    ...(primary.length > 1 ? [`PRIMARY KEY(${names(primary)})`] : []),
    ...constraints.filter((clause) => !isGone(clause, columnsIn(clause.text))).map(({ text }) => text),
    ...foreignKeys.map(foreignKey),
  ]
  if (parts.some((part) => namesTable(part, old.name))) throw new Error('the definition names its own table')
  const isCounted = parts.some((part) => /\bautoincrement\b/i.test(part))
  const copied = old.columns.filter(({ isGenerated }) => !isGenerated).map(({ name }) => name)
  // Keep the rowid: a full-text index, for example, refers to it.
  const rowid = ['rowid', '_rowid_', 'oid'].find((name) => !old.columns.some((column) => isSame(column.name, name)))
  const list = [...(/\bwithout\s+rowid\b/i.test(options) || rowid === undefined ? [] : [rowid]), names(copied)].join(', ')
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`
  return [
    createTable(temporary, parts, options),
    `INSERT INTO ${quote(temporary)} (${list}) SELECT ${list} FROM ${quote(old.name)};`,
    // Ids of deleted rows must not be reused.
    ...(isCounted
      ? [
          `DELETE FROM sqlite_sequence WHERE name = ${text(temporary)};`,
          `INSERT INTO sqlite_sequence (name, seq) SELECT ${text(temporary)}, seq FROM sqlite_sequence WHERE name = ${text(old.name)};`,
        ]
      : []),
    `DROP TABLE ${quote(old.name)};`,
    `ALTER TABLE ${quote(temporary)} RENAME TO ${quote(old.name)};`,
    ...(current.attached ?? []).filter(({ table }) => isSame(table, old.name)).map(({ statement }) => `${statement};`),
  ]
}
