import type { Column } from 'drizzle-orm'
import type { ColumnType, Database, Inspector, LiveColumn, LiveForeignKey, LiveKey, LiveTable, ModelName, TablePath } from '../core.js'

/** The plan fails, or loses something, until errors are put right. */
const severities = {
  'missing-table': 'error',
  'two-tables': 'error',
  duplicates: 'error',
  'case-collisions': 'error',
  orphans: 'error',
  'too-long': 'error',
  'unreadable-dates': 'error',
  'needs-value': 'error',
  'wrong-type': 'error',
  'in-use': 'error',
  'name-in-use': 'error',
  'unsupported-table': 'error',
  capitals: 'warning',
  'no-address': 'warning',
  'decimal-ids': 'warning',
  'text-dates': 'warning',
  'missing-key': 'warning',
  'other-tables': 'warning',
  'other-columns': 'warning',
  'undeclared-columns': 'warning',
  collation: 'warning',
  'dropped-default': 'warning',
  'time-zone': 'warning',
  rebuild: 'warning',
  'old-tables': 'warning',
} as const

type Place = [table?: string, column?: string | string[] | undefined]

/** What is said before anything is changed. Like a finding of the doctor, it holds no value of any row. */
export interface Notice {
  code: keyof typeof severities
  severity: 'error' | 'warning'
  table?: string
  column?: string
  message: string
  fix?: string
}

export function notice(code: Notice['code'], [table, column]: Place, message: string, fix?: string): Notice {
  const names = Array.isArray(column) ? column.join(', ') : column
  return {
    code,
    severity: severities[code],
    ...(table !== undefined && { table }),
    ...(names !== undefined && { column: names }),
    message,
    ...(fix !== undefined && { fix }),
  }
}

/** A part of the plan: what it is for, and its statements in order. */
export interface Step {
  about: string
  sql: string[]
}

export interface Plan {
  notices: Notice[]
  steps: Step[]
}

/** Something that another type or name of a column, or of a table, would break or lose. */
export interface Dependent {
  /** What it is, with its name: `view totals`. */
  what: string
  table: TablePath
  /** Absent if any column of the table counts. */
  column?: string
  /**
   * `type`: a new type of the column. `kind`: only a type of another kind, such as text for a number. `name`: a new name of the column, or
   * of the table if there is no column. `key`: another primary key.
   */
  breaksOn: Aspect
}

type Aspect = 'type' | 'kind' | 'name' | 'key'

/** What the plan changes of the tables that are there, under their present names. */
export interface Change {
  table: TablePath
  /** Absent for the table itself. */
  column?: string
  aspect: Aspect
}

/** What the database has. */
export interface Current {
  tables: LiveTable[]
  dependents: Dependent[]
  /** Functions and the like, whose text has names that nothing replaces. */
  texts: { what: string; text: string }[]
  /** The names of tables, indexes, constraints and the like, as `nameKey` writes them. */
  names: Set<string>
  /** MySQL: the name of the current database, whose tables have no schema here. */
  database?: string
  /** SQLite: the statements that made indexes and triggers, in order. */
  attached?: { table: string; name: string; statement: string }[]
  /** A table in code by the names that the database gives it: tables in code may name no schema. */
  pathOf(declared: TablePath): TablePath
}

/** A column of the app's tables in code. */
export interface NewColumn {
  /** The name in code. */
  field: string
  name: string
  type: string
  holds: ColumnType
  notNull: boolean
  /** As SQL writes it. */
  default?: string | undefined
  /** Whether it must be compared exactly. */
  isKey: boolean
  column: Column
}

export interface NewForeignKey {
  name: string
  columns: string[]
  target: TablePath
  targetColumns: string[]
  onDelete: string
  onUpdate: string
}

/** One of the app's tables in code. */
export interface NewTable {
  model: ModelName
  path: TablePath
  columns: NewColumn[]
  keys: LiveKey[]
  foreignKeys: NewForeignKey[]
}

/** A table and what becomes of it. */
export interface Move {
  now: NewTable
  old: LiveTable
  /** The columns of the code with those of the database that they take over. */
  columns: { now: NewColumn; old: LiveColumn | undefined }[]
  /** Columns of the database that the code does not declare: they stay. */
  others: LiveColumn[]
}

/** What a check of rows looks at. */
export interface Rows {
  db: Database
  inspector: Inspector
  mover: Mover
  move: Move
}

interface RowResult {
  notices: Notice[]
  /** Statements that put the rows right, before anything else is changed. */
  sql?: string[]
}

export type RowCheck = (rows: Rows) => Promise<RowResult>

/** What the plan needs to know of a database, and how it writes statements. */
export interface Mover {
  read(db: Database, schemas: string[]): Promise<Current>
  quote(name: string): string
  /** An address that nobody receives mail at, made of an id. */
  noAddress(id: string): string
  /** The length of a text, counted as the limit of its new column is. */
  lengthOf(text: string): string
  isSameType(old: LiveColumn, now: NewColumn): boolean
  /** Whether every value has a counterpart in the new type. What is too long is counted. */
  converts(old: LiveColumn, now: NewColumn): boolean
  /** What can be wrong with rows in this database alone. */
  readonly rowChecks: readonly RowCheck[]
  /** The plan. `rows` puts rows right under their old names. */
  steps(moves: Move[], missing: NewTable[], current: Current, rows: Step): { steps: Step[]; notices: Notice[]; changes: Change[] }
  /** A line of the script between two statements, which drizzle-kit's migrations need and clients ignore. */
  readonly breakpoint: string
  /** How to run the script. */
  readonly howToRun: string
}

export const foreignKeysOf = ({ tables }: Current): LiveForeignKey[] => tables.flatMap(({ foreignKeys }) => foreignKeys)
export const primaryKeyOf = (table: { keys: LiveKey[] }) => table.keys.find(({ kind }) => kind === 'primary')
export const sameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((each, index) => each === other[index])

/** Whether the new table has another primary key. */
export function replacesPrimaryKey({ now, old, columns }: Move): boolean {
  const wanted = primaryKeyOf(now)
  const present = primaryKeyOf(old)?.columns.map((name) => columns.find((column) => column.old?.name === name)?.now.name ?? name)
  return wanted !== undefined && !sameList(wanted.columns, present ?? [])
}

/** What was the primary key stays unique: others may refer to it. */
export function formerPrimaryKey(move: Move): LiveKey[] {
  const primary = primaryKeyOf(move.old)
  if (!primary || !replacesPrimaryKey(move)) return []
  const columns = primary.columns.map((name) => move.columns.find(({ old }) => old?.name === name)?.now.name ?? name)
  const isDeclared = move.now.keys.some((key) => key.kind !== 'index' && sameList(key.columns, columns))
  return isDeclared ? [] : [{ ...primary, kind: 'unique', columns, name: [move.now.path.name, ...columns, 'key'].join('_') }]
}

/** Keys that were compared loosely so far, by a choice of the app. */
export function looseKeys(moves: Move[]): Notice[] {
  return moves.flatMap(({ now, columns }) => {
    const loose = columns.filter((column) => column.now.isKey && column.old?.looseCollation)
    const collations = [...new Set(loose.map(({ old }) => old?.looseCollation))].join(', ')
    const names = loose.map((column) => column.now.name)
    const message = `the plan drops ${collations}: keys are compared exactly`
    return names.length === 0 ? [] : [notice('collation', [now.path.name, names], message)]
  })
}

/** Databases differ in what must not have the same name. Here, nothing of a schema may have the name of something new. */
export const nameKey = (schema: string, name: string) => `${schema}\0${name}`

/** A name that the plan needs and something else has. */
export const nameInUse = (name: string) =>
  notice('name-in-use', [], `the plan needs the name ${name}, and something else has it`, 'Rename or drop that before the plan.')
