import type { LiveColumn, LiveForeignKey, LiveKey, LiveTable, TablePath } from '../core.js'
import { isUnfilled, samePath } from '../core.js'
import type { Change, Current, Move, NewColumn, NewForeignKey, NewTable, Notice, Step } from './model.js'
import { foreignKeysOf, formerPrimaryKey, nameInUse, nameKey, notice, primaryKeyOf, replacesPrimaryKey, sameList } from './model.js'

/** The SQL of each change in a database with a full ALTER TABLE. Strings without a semicolon are clauses of ALTER TABLE. */
export interface Syntax {
  quote(name: string): string
  path(table: TablePath): string
  isSameType(old: LiveColumn, now: NewColumn): boolean
  renameTable(from: TablePath, to: TablePath): string
  /** Statements that must run before a column gets this type. */
  prepareType(table: TablePath, columns: TypeChange[]): string[]
  changeType(change: TypeChange): string[]
  changeNull(old: LiveColumn, notNull: boolean): string
  /** Whether changeNull rewrites the whole definition of the column. */
  readonly nullIsDefinition: boolean
  dropForeignKey(key: LiveForeignKey): string
  dropPrimaryKey(key: LiveKey): string
  addKey(key: LiveKey): string
  /** Statements that turn an existing key into the declared one. */
  adoptKey(table: TablePath, old: LiveKey, now: LiveKey): string[]
  createIndex(table: TablePath, key: LiveKey): string
  columnDefinition(column: NewColumn): string
}

export interface TypeChange {
  /** With its new name. */
  old: LiveColumn
  oldName: string
  type: string
  holds: NewColumn['holds']
  notNull: boolean
  isKey: boolean
  /** The declared default, as SQL. */
  default?: string | undefined
  /** Whether the column is the app's own: the tables of the adapter do not declare it. */
  isOwn: boolean
}

/** The columns of a table that get another type. */
export interface TableChange {
  /** As it is now. */
  table: LiveTable
  /** As it will be called. */
  path: TablePath
  columns: TypeChange[]
}

/** Plans changes in place: drop foreign keys, change columns, add foreign keys again. */
export function alterSteps(
  syntax: Syntax,
  moves: Move[],
  missing: NewTable[],
  current: Current,
  rows: Step,
): { steps: Step[]; notices: Notice[]; changes: Change[]; types: TableChange[] } {
  const { quote, path } = syntax
  const before = new Map(foreignKeysOf(current).map((key) => [renamed(key, moves), key]))
  const foreignKeys = [...before.keys()]
  const types = typeChanges(syntax, moves, foreignKeys, current)
  const replaced = moves.filter(replacesPrimaryKey)
  const wanted = [...moves.map(({ now }) => now), ...missing].flatMap((table) =>
    table.foreignKeys.map((key) => ({ table: table.path, key })),
  )
  const declares = (old: LiveForeignKey) => wanted.find(({ table, key }) => samePath(table, old.table) && isSameReference(key, old))
  const isChanged = (table: TablePath, columns: string[]) =>
    types.some((one) => samePath(one.path, table) && one.columns.some(({ old }) => columns.includes(old.name)))
  const isOff = (key: LiveForeignKey) => {
    const declared = declares(key)?.key
    return (
      isChanged(key.table, key.columns) ||
      isChanged(key.target, key.targetColumns) ||
      replaced.some(({ now }) => samePath(now.path, key.table) || samePath(now.path, key.target)) ||
      (declared !== undefined && (declared.name !== key.name || !hasRules(key, declared)))
    )
  }
  const off = foreignKeys.filter(isOff)
  const added = wanted.flatMap(({ table, key }) => {
    const old = foreignKeys.find((one) => samePath(table, one.table) && isSameReference(key, one))
    if (old && !off.includes(old)) return []
    const declared = ` ON DELETE ${key.onDelete.toUpperCase()} ON UPDATE ${key.onUpdate.toUpperCase()}`
    return [{ ...key, table, rules: old && hasRules(old, key) ? old.rules : declared }]
  })
  const back = off.filter((key) => !declares(key))
  // Without a schema, a table in another MySQL database would reference its own database.
  const targetOf = (table: TablePath, target: TablePath) =>
    table.schema && !target.schema ? { ...target, schema: current.database ?? '' } : target
  const addForeignKey = ({ table, name, columns, target, targetColumns, rules }: LiveForeignKey) =>
    `ALTER TABLE ${path(table)} ADD CONSTRAINT ${quote(name)} FOREIGN KEY (${columns.map(quote).join(', ')}) REFERENCES ${path(targetOf(table, target))} (${targetColumns.map(quote).join(', ')})${rules};`

  const own = types.filter((one) => !moves.some(({ now }) => samePath(now.path, one.path)))
  const tables = moves.map((move) => ({ move, ...tableStatements(syntax, move, typesOf(types, move.now.path)) }))
  const steps: Step[] = [
    rows,
    // Before the renames: when MySQL renames a table, it also renames the keys that it named itself.
    {
      about: 'Drop foreign keys that prevent the changes',
      sql: off.map((key) => syntax.dropForeignKey(before.get(key) as LiveForeignKey)),
    },
    { about: 'Rename tables and columns', sql: moves.flatMap((move) => renames(syntax, move)) },
    {
      about: 'Change columns of your own tables that reference changed columns',
      sql: own.flatMap(({ path: table, columns }) => [
        ...syntax.prepareType(table, columns),
        alterTable(syntax, table, columns.flatMap(syntax.changeType)),
      ]),
    },
    ...tables.map(({ move, sql }) => ({ about: `Change the table ${move.now.path.name}`, sql })),
    { about: 'Create missing tables', sql: missing.flatMap((table) => createTable(syntax, table)) },
    { about: 'Add foreign keys', sql: [...back, ...added].map(addForeignKey) },
  ]

  // In MySQL, table names may be case-sensitive and key names are not, so the list also has lower-case names.
  const spellings = (schema: string, name: string) => [nameKey(schema, name), nameKey(schema, name.toLowerCase())]
  const freed = new Set(off.flatMap(({ table, name }) => spellings(table.schema, name)))
  const needed = [
    ...moves.filter(({ now, old }) => !samePath(now.path, old)).map(({ now }) => now.path),
    ...missing.flatMap(({ path: table, keys }) => [table, ...keys.map(({ name }) => ({ schema: table.schema, name }))]),
    ...tables.flatMap(({ move, names }) => names.map((name) => ({ schema: move.now.path.schema, name }))),
    ...added.map(({ table, name }) => ({ schema: table.schema, name })),
  ].filter(({ schema, name }) => spellings(schema, name).some((one) => current.names.has(one) && !freed.has(one)))

  return {
    steps,
    changes: [
      ...moves.flatMap((move) => moveChanges(syntax, move)),
      ...tables.filter(({ sql }) => sql.length > 0).map(({ move }): Change => ({ table: move.old, aspect: 'type' })),
      ...types.flatMap(({ table, columns }) =>
        columns.map(({ old, oldName, holds, isKey }): Change => {
          const isLike = old.holds === holds.holds && !(old.looseCollation && isKey)
          return { table, column: oldName, aspect: isLike ? 'type' : 'kind' }
        }),
      ),
    ],
    notices: [
      ...needed.map(({ name }) => nameInUse(name)),
      ...noticesOf(
        off.filter((key) => !moves.some(({ now }) => samePath(now.path, key.table))),
        types,
      ),
    ],
    types,
  }
}

const typesOf = (types: TableChange[], table: TablePath) => types.find((one) => samePath(one.path, table))?.columns ?? []

/** Names of columns after the renames. */
const namesNow = ({ columns }: Move, names: string[]) =>
  names.map((name) => columns.find(({ old }) => old?.name === name)?.now.name ?? name)

/** A foreign key with the new names of its tables and columns. */
function renamed(key: LiveForeignKey, moves: Move[]): LiveForeignKey {
  const after = (table: TablePath, columns: string[]) => {
    const move = moves.find(({ old }) => samePath(old, table))
    return { table: move?.now.path ?? table, columns: move ? namesNow(move, columns) : columns }
  }
  const [from, to] = [after(key.table, key.columns), after(key.target, key.targetColumns)]
  return { ...key, table: from.table, columns: from.columns, target: to.table, targetColumns: to.columns }
}

/** The columns whose type changes: those that differ from the code, and all columns that reference them, directly or indirectly. */
function typeChanges(syntax: Syntax, moves: Move[], foreignKeys: LiveForeignKey[], { tables }: Current): TableChange[] {
  const changes = moves.map(
    ({ now, old, columns }): TableChange => ({
      table: old,
      path: now.path,
      columns: columns.flatMap(({ now: column, old: before }) =>
        before && !syntax.isSameType(before, column)
          ? [{ ...column, old: { ...before, name: column.name }, oldName: before.name, isOwn: false }]
          : [],
      ),
    }),
  )
  for (let grows = true; grows; ) {
    grows = false
    for (const key of foreignKeys)
      key.columns.forEach((name, index) => {
        const target = typesOf(changes, key.target).find(({ old }) => old.name === key.targetColumns[index])
        const move = moves.find(({ now }) => samePath(now.path, key.table))
        const isDeclared = move?.now.columns.some((column) => column.name === name)
        if (!target || isDeclared || typesOf(changes, key.table).some(({ old }) => old.name === name)) return
        const table = (move?.old ?? tables.find((one) => samePath(one, key.table))) as LiveTable
        const old = table.columns.find((column) => column.name === name) as LiveColumn
        const notNull = old.notNull && !(move && isUnfilled(old))
        const change = { old, oldName: name, type: target.type, holds: target.holds, notNull, isKey: true, isOwn: true }
        const present = changes.find((one) => samePath(one.path, key.table))
        if (present) present.columns.push(change)
        else changes.push({ table, path: key.table, columns: [change] })
        grows = true
      })
  }
  return changes.filter(({ columns }) => columns.length > 0)
}

const isSameReference = (now: NewForeignKey, old: LiveForeignKey) =>
  sameList(now.columns, old.columns) && samePath(now.target, old.target) && sameList(now.targetColumns, old.targetColumns)

function hasRules({ rules }: LiveForeignKey, { onDelete, onUpdate }: NewForeignKey): boolean {
  // RESTRICT and NO ACTION are the same on MySQL, and nearly so on PostgreSQL.
  const rule = (event: string) => (new RegExp(`ON ${event} (CASCADE|SET NULL|SET DEFAULT)`).exec(rules)?.[1] ?? 'no action').toLowerCase()
  const plain = (text: string) => (text === 'restrict' ? 'no action' : text)
  return rule('DELETE') === plain(onDelete) && rule('UPDATE') === plain(onUpdate)
}

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

/** Columns that become nullable or NOT NULL and keep their type. */
function nullChanges({ columns, others }: Move, types: TypeChange[]): { old: LiveColumn; name: string; notNull: boolean }[] {
  return [
    ...columns.flatMap(({ now, old }) => (old && old.notNull !== now.notNull ? [{ old, name: now.name, notNull: now.notNull }] : [])),
    ...others.filter(isUnfilled).map((old) => ({ old, name: old.name, notNull: false })),
  ].filter(({ name }) => !types.some(({ old }) => old.name === name))
}

/** Renames, and columns whose definition is rewritten although the type stays the same. */
function moveChanges(syntax: Syntax, move: Move): Change[] {
  const { now, old, columns } = move
  return [
    ...(samePath(now.path, old) ? [] : [{ table: old, aspect: 'name' as const }]),
    ...(replacesPrimaryKey(move) ? [{ table: old, aspect: 'key' as const }] : []),
    ...columns.flatMap(({ now: column, old: before }): Change[] =>
      before && before.name !== column.name ? [{ table: old, column: before.name, aspect: 'name' }] : [],
    ),
    ...(syntax.nullIsDefinition
      ? nullChanges(move, []).map(({ old: column }): Change => ({ table: old, column: column.name, aspect: 'type' }))
      : []),
  ]
}

/** The changes to one table: a single ALTER TABLE, so that it is atomic, and the indexes. */
function tableStatements(syntax: Syntax, move: Move, types: TypeChange[]): { sql: string[]; names: string[] } {
  const { now, old, columns } = move
  const keys = old.keys.filter(({ isPlain }) => isPlain).map((key) => ({ ...key, columns: namesNow(move, key.columns) }))
  const isReplaced = replacesPrimaryKey(move)
  const [present, wanted] = [primaryKeyOf(old), primaryKeyOf(now)]
  const adopted: string[] = []
  const names: string[] = []
  const lacking: LiveKey[] = formerPrimaryKey(move)
  for (const key of now.keys.filter(({ kind }) => kind !== 'primary')) {
    const same = keys.filter((one) => one.kind === key.kind && sameList(one.columns, key.columns))
    const found = same.find(({ name }) => name === key.name) ?? same[0]
    if (!found) lacking.push(key)
    else {
      adopted.push(...syntax.adoptKey(now.path, found, key))
      if (found.name.toLowerCase() !== key.name.toLowerCase()) names.push(key.name)
    }
  }
  names.push(...lacking.map(({ name }) => name))
  if (isReplaced && wanted?.name && wanted.name !== present?.name) names.push(wanted.name)
  const actions = [
    ...(isReplaced && present ? [syntax.dropPrimaryKey(present)] : []),
    ...types.flatMap(syntax.changeType),
    ...columns.flatMap(({ now: column, old: before }) => (before ? [] : [`ADD COLUMN ${syntax.columnDefinition(column)}`])),
    ...nullChanges(move, types).map(({ old: before, name, notNull }) => syntax.changeNull({ ...before, name }, notNull)),
    ...(isReplaced && wanted ? [syntax.addKey(wanted)] : []),
    ...lacking.filter(({ isConstraint }) => isConstraint).map(syntax.addKey),
  ]
  const sql = [
    ...syntax.prepareType(now.path, types),
    alterTable(syntax, now.path, actions),
    ...adopted,
    ...lacking.filter(({ isConstraint }) => !isConstraint).map((key) => syntax.createIndex(now.path, key)),
  ].filter(Boolean)
  return { sql, names }
}

function createTable({ path, columnDefinition, addKey, createIndex }: Syntax, { path: table, columns, keys }: NewTable): string[] {
  const constraints = keys.filter(({ isConstraint }) => isConstraint).map((key) => addKey(key).replace(/^ADD /, ''))
  return [
    `CREATE TABLE ${path(table)} (\n  ${[...columns.map(columnDefinition), ...constraints].join(',\n  ')}\n);`,
    ...keys.filter(({ isConstraint }) => !isConstraint).map((key) => createIndex(table, key)),
  ]
}

function noticesOf(off: LiveForeignKey[], types: TableChange[]): Notice[] {
  const tables = [...new Set(off.map(({ table }) => table.name))]
  const names = (table: string) => off.filter((key) => key.table.name === table).map(({ name }) => name)
  return [
    ...tables.map((table) =>
      notice('other-tables', [table], `the plan drops foreign keys and adds them again with the same rules: ${names(table).join(', ')}`),
    ),
    ...types.flatMap(({ table, columns }) =>
      columns
        .filter(({ isOwn }) => isOwn)
        .map(({ old, type }) =>
          notice(
            'other-columns',
            [table.name, old.name],
            `the column references a column whose type changes, so it changes from ${old.type} to ${type}`,
            'Declare this type in your schema file, too. Otherwise drizzle-kit changes it back.',
          ),
        ),
    ),
  ]
}
