import { isUnfilled } from './alter.js'
import { isSame, readSqlite } from './catalog.js'
import type { Part } from './definition.js'
import { columnsIn, readDefinition, replaceNames, withoutName, withoutNotNull } from './definition.js'
import type {
  Key,
  Move,
  Mover,
  NewColumn,
  NewForeignKey,
  NewTable,
  OldColumn,
  OldDatabase,
  OldForeignKey,
  OldTable,
  Step,
} from './model.js'
import { sameList } from './model.js'
import { decimalIds, textDates } from './rows.js'

/** As drizzle-kit writes names. */
const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``
const names = (columns: string[]) => columns.map(quote).join(', ')

const isSameType = (old: OldColumn, { holds }: NewColumn) => holds.holds === 'other' || old.holds === holds.holds

const foreignKey = ({ columns, target, targetColumns, onDelete, onUpdate }: NewForeignKey) =>
  `FOREIGN KEY (${names(columns)}) REFERENCES ${quote(target.name)}(${names(targetColumns)}) ON UPDATE ${onUpdate} ON DELETE ${onDelete}`

function columnDefinition({ name, type, notNull, default: value, column }: NewColumn, isPrimary = false): string {
  const counts = (column as { autoIncrement?: boolean }).autoIncrement ? ' AUTOINCREMENT' : ''
  return `${quote(name)} ${type}${isPrimary ? ` PRIMARY KEY${counts}` : ''}${value === undefined ? '' : ` DEFAULT ${value}`}${notNull ? ' NOT NULL' : ''}`
}

const primaryKeyOf = (table: { keys: Key[] }) => table.keys.find(({ kind }) => kind === 'primary')

function createTable(name: string, { columns, foreignKeys, ...table }: NewTable, more: string[] = [], options = ''): string {
  const primary = primaryKeyOf(table)
  const single = primary?.columns.length === 1 ? primary.columns[0] : undefined
  const parts = [
    ...columns.map((column) => columnDefinition(column, column.name === single)),
    ...more.filter((part) => !isConstraint(part)),
    ...(primary && single === undefined ? [`PRIMARY KEY(${names(primary.columns)})`] : []),
    ...foreignKeys.map(foreignKey),
    ...more.filter(isConstraint),
  ]
  return `CREATE TABLE ${quote(name)} (\n  ${parts.join(',\n  ')}\n)${options && ` ${options}`};`
}

const isConstraint = (part: string) => /^(constraint|primary|unique|check|foreign)\b/i.test(part)

const createIndex = ({ path }: NewTable, { name, kind, columns }: Key) =>
  `CREATE ${kind === 'unique' ? 'UNIQUE ' : ''}INDEX ${quote(name)} ON ${quote(path.name)} (${names(columns)});`

/** Whether SQLite can make the table that the code declares without making a new one. */
function canStay(move: Move, moves: Move[], database: OldDatabase): boolean {
  const { now, old, columns, others } = move
  const after = (names: string[]) => names.map((name) => nowName(move, name))
  const primary = primaryKeyOf(now)
  return (
    columns.every(({ now: column, old: before }) =>
      before ? isSameType(before, column) && before.notNull === column.notNull : !column.notNull || column.default !== undefined,
    ) &&
    !others.some(isUnfilled) &&
    (!primary || sameList(primary.columns, after(primaryKeyOf(old)?.columns ?? []))) &&
    now.foreignKeys.every((key) =>
      database.foreignKeys.some(
        (one) =>
          isSame(one.table.name, old.name) &&
          sameList(after(one.columns), key.columns) &&
          hasTarget(one, key, moves, database) &&
          one.rules === ` ON DELETE ${key.onDelete.toUpperCase()} ON UPDATE ${key.onUpdate.toUpperCase()}`,
      ),
    )
  )
}

/** Whether a foreign key refers to what the code declares, once the plan has run. Without columns, it refers to the primary key. */
function hasTarget({ target, targetColumns }: OldForeignKey, key: NewForeignKey, moves: Move[], { tables }: OldDatabase): boolean {
  const isTarget = ({ name }: OldTable) => isSame(name, target.name)
  const move = moves.find(({ old }) => isTarget(old))
  const primary = (move && primaryKeyOf(move.now)) ?? primaryKeyOf(tables.find(isTarget) ?? { keys: [] })
  const columns = targetColumns.includes('') ? (primary?.columns ?? []) : targetColumns
  return (
    isSame(move?.now.path.name ?? target.name, key.target.name) &&
    sameNames(move ? columns.map((name) => nowName(move, name)) : columns, key.targetColumns)
  )
}

const sameNames = (one: string[], other: string[]) =>
  one.length === other.length && one.every((name, index) => isSame(name, other[index] ?? ''))

/** The names of a table and its columns that are others now. */
function newNames({ now, old, columns }: Move): Map<string, string> {
  const pairs = [[old.name, now.path.name], ...columns.map(({ now: column, old: before }) => [before?.name ?? column.name, column.name])]
  return new Map(pairs.filter(([before = '', after = '']) => !isSame(before, after)) as [string, string][])
}

const nowName = ({ columns }: Move, name: string) => columns.find(({ old }) => old && isSame(old.name, name))?.now.name ?? name

/** Makes the table anew, with all that the old one had besides. */
function rebuild(move: Move): string[] {
  const { now, old, columns, others } = move
  const { parts, options } = readDefinition(old.definition ?? '')
  const names = newNames(move)
  const columnsKept = parts.flatMap(({ column: name, text }) => {
    const column = others.find((one) => name !== undefined && isSame(one.name, name))
    if (!column) return []
    const isKey = primaryKeyOf(old)?.columns.includes(column.name)
    return [isUnfilled(column) || isKey ? withoutNotNull(text) : text]
  })
  const isReplaced = ({ text }: Part) => {
    const unnamed = withoutName(text)
    const kind = /^(primary|foreign|unique)\b/i.exec(unnamed)?.[0].toLowerCase()
    const declared = kind === 'foreign' ? now.foreignKeys : now.keys
    return (
      kind === 'primary' || (kind !== undefined && declared.some((key) => sameNames(key.columns, columnsIn(replaceNames(unnamed, names)))))
    )
  }
  const constraints = parts.filter((part) => part.column === undefined && !isReplaced(part)).map(({ text }) => text)
  const temporary = `__new_${now.path.name}`
  const copied = [
    ...columns.filter(({ old: before }) => before).map(({ now: column }) => column.name),
    ...others.filter(({ isGenerated }) => !isGenerated).map(({ name }) => name),
  ]
  const list = copied.map(quote).join(', ')
  return [
    createTable(
      temporary,
      now,
      [...columnsKept, ...constraints].map((text) => replaceNames(text, names)),
      options,
    ),
    `INSERT INTO ${quote(temporary)} (${list}) SELECT ${list} FROM ${quote(now.path.name)};`,
    `DROP TABLE ${quote(now.path.name)};`,
    `ALTER TABLE ${quote(temporary)} RENAME TO ${quote(now.path.name)};`,
  ]
}

/** The indexes and triggers of a table after the changes. */
function attachments(move: Move, isRebuilt: boolean, { foreignKeys }: OldDatabase): string[] {
  const { now, old } = move
  const present = old.keys.map((key) => ({ ...key, columns: key.columns.map((name) => nowName(move, name)) }))
  const wanted = now.keys.filter(({ kind }) => kind !== 'primary')
  const isSameKey = (one: Key, other: Key) => one.kind === other.kind && sameList(one.columns, other.columns)
  // A unique constraint has no name of its own, and stays in a table that stays.
  const isThere = (key: Key) => !isRebuilt && present.some((one) => isSameKey(one, key) && (one.isConstraint || one.name === key.name))
  const superseded = present.filter((one) => !one.isConstraint && wanted.some((key) => isSameKey(one, key)))
  const others = [...(old.attached ?? [])].filter(([name]) => !superseded.some((key) => key.name === name))
  const primary = present.find(({ kind }) => kind === 'primary')
  const isReferred = foreignKeys.some(
    ({ target, targetColumns }) => isSame(target.name, old.name) && sameList(targetColumns, primary?.columns ?? []),
  )
  const isLost = primary && isReferred && !sameList(primary.columns, primaryKeyOf(now)?.columns ?? primary.columns)
  const spare: Key[] = isLost ? [{ ...primary, kind: 'unique', name: `${now.path.name}_${primary.columns.join('_')}_key` }] : []
  return [
    ...(isRebuilt
      ? others.map(([, statement]) => `${replaceNames(statement, newNames(move))};`)
      : superseded.filter((one) => !wanted.some((key) => key.name === one.name)).map(({ name }) => `DROP INDEX ${quote(name)};`)),
    ...[...wanted.filter((key) => !isThere(key)), ...spare].map((key) => createIndex(now, key)),
  ]
}

const isTrigger = (statement: string) => /^create\s+trigger\b/i.test(statement)

/** The triggers of a table that is made anew in which names are replaced. A column of another table can have the same name. */
function changedTriggers(move: Move): string[] {
  const triggers = [...(move.old.attached ?? [])].filter(([, statement]) => isTrigger(statement))
  return triggers.filter(([, statement]) => replaceNames(statement, newNames(move)) !== statement).map(([name]) => name)
}

function renames({ now, old, columns }: Move): string[] {
  const temporary = quote(`__old_${now.path.name}`)
  const table = quote(now.path.name)
  return [
    // SQLite takes names that differ in case for the same one, also as the new name.
    ...(old.name === now.path.name
      ? []
      : isSame(old.name, now.path.name)
        ? [`ALTER TABLE ${quote(old.name)} RENAME TO ${temporary};`, `ALTER TABLE ${temporary} RENAME TO ${table};`]
        : [`ALTER TABLE ${quote(old.name)} RENAME TO ${table};`]),
    ...columns.flatMap(({ now: column, old: before }) =>
      before && before.name !== column.name ? [`ALTER TABLE ${table} RENAME COLUMN ${quote(before.name)} TO ${quote(column.name)};`] : [],
    ),
  ]
}

// The name of the constraint is the message of the error. Inside a transaction SQLite ignores the pragma, and dropping a table of users
// would then delete every row that refers to them.
const guard = [
  'PRAGMA foreign_keys = OFF;',
  'CREATE TABLE `__guard` (`on` integer CONSTRAINT `switch foreign keys off before the transaction begins; nothing was changed` CHECK (`on` = 0));',
  'INSERT INTO `__guard` SELECT `foreign_keys` FROM pragma_foreign_keys;',
  'DROP TABLE `__guard`;',
  // A transaction, or a part of the one that is open.
  'SAVEPOINT `moving`;',
]

export const sqlite: Mover = {
  read: readSqlite,
  quote,
  foldsCase: true,
  noAddress: (id) => `${id} || '@no-email.invalid'`,
  rowChecks: [textDates, decimalIds],
  steps(moves, missing, database, rows) {
    const rebuilt = moves.filter((move) => !canStay(move, moves, database))
    const names: Step = { about: 'Names of tables and columns', sql: moves.flatMap(renames) }
    const steps: Step[] = [
      ...moves.map((move) => {
        const isRebuilt = rebuilt.includes(move)
        const table = quote(move.now.path.name)
        const added = move.columns.filter(({ old }) => !old).map(({ now }) => `ALTER TABLE ${table} ADD COLUMN ${columnDefinition(now)};`)
        return {
          about: `The table ${move.now.path.name}`,
          sql: [...(isRebuilt ? rebuild(move) : added), ...attachments(move, isRebuilt, database)],
        }
      }),
      {
        about: 'Tables that are missing',
        sql: missing.flatMap((table) => [
          createTable(table.path.name, table),
          ...table.keys.filter(({ kind }) => kind !== 'primary').map((key) => createIndex(table, key)),
        ]),
      },
    ]
    const triggers = rebuilt.flatMap(changedTriggers)
    if (rebuilt.length === 0) return { steps: [rows, names, ...steps], notices: [] }
    return {
      steps: [
        { about: 'Dropping a table would delete the rows that refer to it', sql: guard },
        rows,
        names,
        // Views of a table that is gone for a moment do not stop the renames.
        { about: 'Tables that are made anew', sql: ['PRAGMA legacy_alter_table = ON;'] },
        ...steps,
        { about: 'As it was', sql: ['PRAGMA legacy_alter_table = OFF;', 'RELEASE `moving`;', 'PRAGMA foreign_keys = ON;'] },
      ],
      notices: [
        {
          code: 'rebuild',
          severity: 'warning',
          message: `SQLite makes ${rebuilt.map(({ now }) => now.path.name).join(', ')} anew. drizzle-kit migrate runs in a transaction, where foreign keys cannot be switched off: the plan then stops before it changes anything`,
          fix: 'Run the plan with sqlite3, or with migrate() on a connection that has foreign_keys off.',
        },
        ...(triggers.length > 0
          ? [
              {
                code: 'triggers' as const,
                severity: 'warning' as const,
                message: `the triggers ${triggers.join(', ')} are made anew with the new names of tables and columns, and a column of another table may have one of the old names`,
                fix: 'Read their statements in the plan, and correct names of other tables.',
              },
            ]
          : []),
      ],
    }
  },
  breakpoint: '--> statement-breakpoint',
  howToRun: 'Run it with: sqlite3 -bail DATABASE < FILE, while the app is stopped.',
}
