import type {
  Key,
  Move,
  NewColumn,
  NewForeignKey,
  NewTable,
  Notice,
  OldColumn,
  OldDatabase,
  OldForeignKey,
  OldTable,
  Step,
  TablePath,
} from './model.js'
import { sameList, samePath } from './model.js'

/** How a database with ALTER TABLE writes each change. What is called an action is a part of ALTER TABLE. */
export interface Syntax {
  quote(name: string): string
  path(table: TablePath): string
  isSameType(old: OldColumn, now: NewColumn): boolean
  renameTable(from: TablePath, to: TablePath): string
  /** Statements that must run before a column gets this type. */
  prepareType(table: TablePath, columns: TypeChange[]): string[]
  changeType(change: TypeChange): string[]
  changeNull(old: OldColumn, notNull: boolean): string
  dropForeignKey(key: OldForeignKey): string
  dropPrimaryKey(key: Key): string
  addKey(key: Key): string
  /** Makes an existing key the declared one: statements. */
  adoptKey(table: TablePath, old: Key, now: Key): string[]
  createIndex(table: TablePath, key: Key): string
  columnDefinition(column: NewColumn): string
}

export interface TypeChange {
  old: OldColumn
  type: string
  holds: NewColumn['holds']
  notNull: boolean
  /** The default that the code declares, as SQL writes it. */
  default?: string | undefined
  /** Whether the column is the app's own: the tables of the adapter do not declare it. */
  isOwn: boolean
}

/** The plan for a database whose tables change in place: keys off, columns changed, keys on again. */
export function alterSteps(
  syntax: Syntax,
  moves: Move[],
  missing: NewTable[],
  database: OldDatabase,
  rows: Step,
): { steps: Step[]; notices: Notice[]; changes: Map<string, TypeChange[]> } {
  const { quote, path } = syntax
  const before = new Map(database.foreignKeys.map((key) => [renamed(key, moves), key]))
  const foreignKeys = [...before.keys()]
  const changes = typeChanges(syntax, moves, foreignKeys, database)
  const replaced = moves.filter(({ now, old }) => {
    const [wanted] = now.keys.filter(({ kind }) => kind === 'primary')
    const present = primaryKeyOf(old)
    return wanted && !sameList(wanted.columns, present ? namesNow(moves, now, present.columns) : [])
  })
  const wanted = [...moves.map(({ now }) => now), ...missing].flatMap((table) =>
    table.foreignKeys.map((key) => ({ table: table.path, key })),
  )
  const declares = (old: OldForeignKey) => wanted.find(({ table, key }) => samePath(table, old.table) && isSameReference(key, old))
  const isChanged = (table: TablePath, columns: string[]) =>
    changes.get(pathKey(table))?.some(({ old }) => columns.includes(old.name)) ?? false
  const isOff = (key: OldForeignKey) => {
    const declared = declares(key)?.key
    return (
      isChanged(key.table, key.columns) ||
      isChanged(key.target, key.targetColumns) ||
      replaced.some(({ now }) => samePath(now.path, key.table) || samePath(now.path, key.target)) ||
      (declared !== undefined && (declared.name !== key.name || !hasRules(key, declared)))
    )
  }
  const off = foreignKeys.filter(isOff)
  const back = off.filter((key) => !declares(key))
  const added = wanted.filter(
    ({ table, key }) => !foreignKeys.some((old) => samePath(table, old.table) && isSameReference(key, old) && !off.includes(old)),
  )
  const addForeignKey = (table: TablePath, { name, columns, target, targetColumns }: NewForeignKey | OldForeignKey, rules: string) =>
    `ALTER TABLE ${path(table)} ADD CONSTRAINT ${quote(name)} FOREIGN KEY (${columns.map(quote).join(', ')}) REFERENCES ${path(target)} (${targetColumns.map(quote).join(', ')})${rules};`

  const own = [...changes].filter(([key]) => !moves.some(({ now }) => pathKey(now.path) === key))
  const steps: Step[] = [
    rows,
    // Before the renames: MySQL gives keys that it has named itself new names with their tables.
    {
      about: 'Foreign keys that would prevent the changes',
      sql: off.map((key) => syntax.dropForeignKey(before.get(key) as OldForeignKey)),
    },
    { about: 'Names of tables and columns', sql: moves.flatMap((move) => renames(syntax, move)) },
    {
      about: 'Columns of your own tables that refer to the changed ones',
      sql: own.flatMap(([, columns]) => {
        const table = tableOf(columns, changes, database)
        return [
          ...syntax.prepareType(table, columns),
          alterTable(syntax, table, [...columns.flatMap(syntax.changeType), ...storage(table)]),
        ]
      }),
    },
    ...moves.map((move) => ({
      about: `The table ${move.now.path.name}`,
      sql: tableStatements(syntax, move, changes.get(pathKey(move.now.path)) ?? [], foreignKeys, moves),
    })),
    { about: 'Tables that are missing', sql: missing.flatMap((table) => createTable(syntax, table)) },
    {
      about: 'Foreign keys',
      sql: [
        ...added.map(({ table, key }) =>
          addForeignKey(table, key, ` ON DELETE ${key.onDelete.toUpperCase()} ON UPDATE ${key.onUpdate.toUpperCase()}`),
        ),
        ...back.map((key) => addForeignKey(key.table, key, key.rules)),
      ],
    },
  ]
  return {
    steps,
    notices: noticesOf(
      off.filter((key) => !moves.some(({ now }) => samePath(now.path, key.table))),
      own,
      changes,
      database,
    ),
    changes,
  }
}

const pathKey = ({ schema, name }: TablePath) => `${schema}\0${name}`
const primaryKeyOf = ({ keys }: OldTable) => keys.find(({ kind }) => kind === 'primary')

/** Names of columns after the renames. */
function namesNow(moves: Move[], table: { path: TablePath }, columns: string[]): string[] {
  const move = moves.find(({ now }) => samePath(now.path, table.path))
  return columns.map((name) => move?.columns.find(({ old }) => old?.name === name)?.now.name ?? name)
}

/** A foreign key with the names that its tables and columns will have. */
function renamed(key: OldForeignKey, moves: Move[]): OldForeignKey {
  const after = (table: TablePath, columns: string[]) => {
    const move = moves.find(({ old }) => samePath(old, table))
    return { table: move?.now.path ?? table, columns: move ? namesNow(moves, move.now, columns) : columns }
  }
  const [from, to] = [after(key.table, key.columns), after(key.target, key.targetColumns)]
  return { ...key, table: from.table, columns: from.columns, target: to.table, targetColumns: to.columns }
}

/** The columns whose type changes: those that differ from the code, and whatever refers to them, directly or not. */
function typeChanges(syntax: Syntax, moves: Move[], foreignKeys: OldForeignKey[], database: OldDatabase): Map<string, TypeChange[]> {
  const changes = new Map<string, TypeChange[]>()
  const add = (table: TablePath, change: TypeChange) => changes.set(pathKey(table), [...(changes.get(pathKey(table)) ?? []), change])
  const find = (table: TablePath, name: string) => changes.get(pathKey(table))?.find(({ old }) => old.name === name)
  for (const { now, columns } of moves)
    for (const { now: column, old } of columns)
      if (old && !syntax.isSameType(old, column)) add(now.path, { ...column, old: { ...old, name: column.name }, isOwn: false })
  for (let grows = true; grows; ) {
    grows = false
    for (const key of foreignKeys)
      key.columns.forEach((name, index) => {
        const target = find(key.target, key.targetColumns[index] as string)
        const isDeclared = moves.some(({ now }) => samePath(now.path, key.table) && now.columns.some((column) => column.name === name))
        if (!target || isDeclared || find(key.table, name)) return
        const move = moves.find(({ now }) => samePath(now.path, key.table))
        const old = (move?.old ?? database.tables.find((table) => samePath(table, key.table)))?.columns.find(
          (column) => column.name === name,
        )
        if (!old) return
        const notNull = old.notNull && !(move && isUnfilled(old))
        add(key.table, { old, type: target.type, holds: target.holds, notNull, isOwn: true })
        grows = true
      })
  }
  return changes
}

const isSameReference = (now: NewForeignKey, old: OldForeignKey) =>
  sameList(now.columns, old.columns) && samePath(now.target, old.target) && sameList(now.targetColumns, old.targetColumns)

function hasRules({ rules }: OldForeignKey, { onDelete, onUpdate }: NewForeignKey): boolean {
  // RESTRICT and NO ACTION are the same on MySQL, and nearly so on PostgreSQL.
  const rule = (event: string) => (new RegExp(`ON ${event} (CASCADE|SET NULL|SET DEFAULT)`).exec(rules)?.[1] ?? 'no action').toLowerCase()
  const plain = (text: string) => (text === 'restrict' ? 'no action' : text)
  return rule('DELETE') === plain(onDelete) && rule('UPDATE') === plain(onUpdate)
}

function tableOf(columns: TypeChange[], changes: Map<string, TypeChange[]>, { tables }: OldDatabase): OldTable {
  return tables.find((table) => changes.get(pathKey(table)) === columns) as OldTable
}

const storage = ({ storage }: OldTable) => (storage ? [storage] : [])

const alterTable = ({ path }: Syntax, table: TablePath, actions: string[]) =>
  actions.length === 0 ? '' : `ALTER TABLE ${path(table)}\n  ${actions.join(',\n  ')};`

function renames({ path, quote, renameTable }: Syntax, { now, old, columns }: Move): string[] {
  return [
    ...(samePath(now.path, old) ? [] : [renameTable(old, now.path)]),
    ...columns.flatMap(({ now: column, old: before }) =>
      before && before.name !== column.name
        ? [`ALTER TABLE ${path(now.path)} RENAME COLUMN ${quote(before.name)} TO ${quote(column.name)};`]
        : [],
    ),
  ]
}

/** The changes of one of the tables: one ALTER TABLE, so that it happens as a whole or not at all, and its indexes. */
function tableStatements(syntax: Syntax, move: Move, changes: TypeChange[], foreignKeys: OldForeignKey[], moves: Move[]): string[] {
  const { now, old, columns, others } = move
  const keys = old.keys.map((key) => ({ ...key, columns: namesNow(moves, now, key.columns) }))
  const primary = keys.find(({ kind }) => kind === 'primary')
  const wanted = now.keys.find(({ kind }) => kind === 'primary')
  const isReplaced = wanted && !sameList(wanted.columns, primary?.columns ?? [])
  // What other tables refer to must stay unique; a counter must stay a key.
  const isNeeded =
    primary &&
    (foreignKeys.some((key) => samePath(key.target, now.path) && sameList(key.targetColumns, primary.columns)) ||
      others.some((column) => primary.columns.includes(column.name) && column.isFilled))
  const spare: Key[] =
    isReplaced && isNeeded
      ? [{ kind: 'unique', name: `${now.path.name}_${primary.columns.join('_')}_key`, columns: primary.columns, isConstraint: true }]
      : []
  const adopted: string[] = []
  const lacking: Key[] = []
  for (const key of now.keys.filter(({ kind }) => kind !== 'primary')) {
    const same = keys.filter((one) => one.kind === key.kind && sameList(one.columns, key.columns))
    const found = same.find(({ name }) => name === key.name) ?? same[0]
    if (!found) lacking.push(key)
    else adopted.push(...syntax.adoptKey(now.path, found, key))
  }
  const actions = [
    ...(isReplaced && primary ? [syntax.dropPrimaryKey(primary)] : []),
    ...changes.flatMap(syntax.changeType),
    ...columns.flatMap(({ now: column, old: before }) => {
      if (!before) return [`ADD COLUMN ${syntax.columnDefinition(column)}`]
      const isTyped = changes.some((change) => change.old.name === column.name)
      return isTyped || before.notNull === column.notNull ? [] : [syntax.changeNull({ ...before, name: column.name }, column.notNull)]
    }),
    ...others
      .filter((column) => isUnfilled(column) && !changes.some((change) => change.old.name === column.name))
      .map((column) => syntax.changeNull(column, false)),
    ...(isReplaced ? [syntax.addKey(wanted)] : []),
    ...spare.map(syntax.addKey),
    ...lacking.filter(({ isConstraint }) => isConstraint).map(syntax.addKey),
    ...(changes.length > 0 ? storage(old) : []),
  ]
  return [
    ...syntax.prepareType(now.path, changes),
    alterTable(syntax, now.path, actions),
    ...adopted,
    ...lacking.filter(({ isConstraint }) => !isConstraint).map((key) => syntax.createIndex(now.path, key)),
  ].filter(Boolean)
}

/** A value is required, and nothing gives one. */
export const isUnfilled = (column: OldColumn) => column.notNull && column.default === undefined && !column.isFilled

function createTable({ path, columnDefinition, addKey, createIndex }: Syntax, { path: table, columns, keys }: NewTable): string[] {
  const constraints = keys.filter(({ isConstraint }) => isConstraint).map((key) => addKey(key).replace(/^ADD /, ''))
  return [
    `CREATE TABLE ${path(table)} (\n  ${[...columns.map(columnDefinition), ...constraints].join(',\n  ')}\n);`,
    ...keys.filter(({ isConstraint }) => !isConstraint).map((key) => createIndex(table, key)),
  ]
}

function noticesOf(
  off: OldForeignKey[],
  own: [string, TypeChange[]][],
  changes: Map<string, TypeChange[]>,
  database: OldDatabase,
): Notice[] {
  const tables = [...new Set(off.map(({ table }) => table.name))]
  return [
    ...tables.map((table): Notice => {
      const names = off.filter((key) => key.table.name === table).map(({ name }) => name)
      return {
        code: 'other-tables',
        severity: 'warning',
        table,
        message: `the plan drops its foreign key${names.length === 1 ? '' : 's'} ${names.join(', ')} and adds ${names.length === 1 ? 'it' : 'them'} again with the same rules`,
      }
    }),
    ...own.flatMap(([, columns]) =>
      columns.map(
        ({ old, type }): Notice => ({
          code: 'other-columns',
          severity: 'warning',
          table: tableOf(columns, changes, database).name,
          column: old.name,
          message: `the column refers to one whose type changes, so it changes from ${old.type} to ${type}`,
          fix: `Give the column this type in your schema file, too: drizzle-kit would change it back.`,
        }),
      ),
    ),
    ...[...changes].flatMap(([key, columns]) =>
      columns.flatMap(({ old }): Notice[] =>
        old.usedBy?.length
          ? [
              {
                code: 'in-use',
                severity: 'error',
                table: key.split('\0')[1] as string,
                column: old.name,
                message: `the type cannot change while these use the column: ${old.usedBy.join(', ')}`,
                fix: 'Drop them before the plan, and create them again after it.',
              },
            ]
          : [],
      ),
    ),
  ]
}
