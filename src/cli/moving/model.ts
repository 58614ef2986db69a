import type { Column } from 'drizzle-orm'
import type { ColumnType, Database, Inspector, LiveColumn, LiveForeignKey, LiveKey, LiveTable, ModelName, TablePath } from '../core.js'

/** The plan would fail or lose data until all errors are fixed. */
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
  'unsafe-text': 'error',
  'wrong-time-zone': 'error',
  'required-column': 'error',
  'no-email': 'error',
  'not-lower-case': 'error',
  'reserved-provider': 'error',
  'encrypted-tokens': 'error',
  'name-too-long': 'error',
  unfinished: 'error',
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
  moved: 'warning',
  'written-since': 'warning',
  'old-secrets': 'warning',
  'other-providers': 'warning',
  'account-ids': 'warning',
  'session-end': 'warning',
  'password-hashes': 'warning',
  'no-passkeys': 'warning',
  'pending-links': 'warning',
} as const

type Place = [table?: string, column?: string | string[] | undefined]

/** An error or warning about the plan. Like a finding of the doctor, it contains no values from rows. */
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

/** Drizzle's migrators split a file wherever this text occurs. */
export const breakpoint = '--> statement-breakpoint'

/** A part of the plan: what it is for, and its statements in order. */
export interface Step {
  about: string
  sql: string[]
}

export interface Plan {
  notices: Notice[]
  steps: Step[]
}

/** An object that depends on the type or name of a column or table. */
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

/** A change to an existing table, with its current names. */
export interface Change {
  table: TablePath
  /** Absent for the table itself. */
  column?: string
  aspect: Aspect
}

/** The current state of the database. */
export interface Current {
  tables: LiveTable[]
  dependents: Dependent[]
  /** Functions and similar objects, whose source text contains names that a rename does not update. */
  texts: { what: string; text: string }[]
  /** The names of tables, indexes, constraints and the like, as `nameKey` writes them. */
  names: Set<string>
  /** MySQL: the name of the current database, whose tables have no schema here. */
  database?: string
  /** SQLite: the statements that created indexes and triggers, in order. */
  attached?: { table: string; name: string; statement: string }[]
  /** Resolves the path of a declared table, which may have no schema, to the one in the database. */
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
  model: ModelName | 'others'
  path: TablePath
  columns: NewColumn[]
  keys: LiveKey[]
  foreignKeys: NewForeignKey[]
}

/** An existing table and the declared table that it becomes. */
export interface Move {
  now: NewTable
  old: LiveTable
  /** The declared columns, each with the existing column that it replaces. */
  columns: { now: NewColumn; old: LiveColumn | undefined }[]
  /** Existing columns that the code does not declare. The plan keeps them. */
  others: LiveColumn[]
}

/** The input of a row check. */
export interface Rows {
  db: Database
  inspector: Inspector
  mover: Mover
  move: Move
}

interface RowResult {
  notices: Notice[]
  /** Statements that fix the rows. They run before all other changes. */
  sql?: string[]
}

export type RowCheck = (rows: Rows) => Promise<RowResult>

/** What differs between the databases when a plan is made. */
export interface Mover {
  read(db: Database, schemas: string[]): Promise<Current>
  quote(name: string): string
  /** A placeholder for a missing email address, made from an id. */
  noAddress(id: string): string
  /** The length of a text, in the unit in which the new column is limited. */
  lengthOf(text: string): string
  isSameType(old: LiveColumn, now: NewColumn): boolean
  /** Whether every value can be converted to the new type, except for values that are too long. */
  converts(old: LiveColumn, now: NewColumn): boolean
  /** Row checks that only this database needs. */
  readonly rowChecks: readonly RowCheck[]
  /** The steps of the plan. `rows` fixes rows, and uses the old names. */
  steps(moves: Move[], missing: NewTable[], current: Current, rows: Step): { steps: Step[]; notices: Notice[]; changes: Change[] }
  /** The line between two statements, with `breakpoint`. The database's client ignores it. */
  readonly breakpointLine: string
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

/** The former primary key stays unique, because other tables may reference it. */
export function formerPrimaryKey(move: Move): LiveKey[] {
  const primary = primaryKeyOf(move.old)
  if (!primary || !replacesPrimaryKey(move)) return []
  const columns = primary.columns.map((name) => move.columns.find(({ old }) => old?.name === name)?.now.name ?? name)
  const isDeclared = move.now.keys.some((key) => key.kind !== 'index' && sameList(key.columns, columns))
  return isDeclared ? [] : [{ ...primary, kind: 'unique', columns, name: [move.now.path.name, ...columns, 'key'].join('_') }]
}

/** Notices about keys whose collation the plan drops. */
export function looseKeys(moves: Move[]): Notice[] {
  return moves.flatMap(({ now, columns }) => {
    const loose = columns.filter((column) => column.now.isKey && column.old?.looseCollation)
    const collations = [...new Set(loose.map(({ old }) => old?.looseCollation))].join(', ')
    const names = loose.map((column) => column.now.name)
    const message = `the plan drops ${collations}: keys are compared exactly`
    return names.length === 0 ? [] : [notice('collation', [now.path.name, names], message)]
  })
}

/** The databases have different rules for which objects may share a name. To be safe, all names of a schema must be different. */
export const nameKey = (schema: string, name: string) => `${schema}\0${name}`

/** A name that the plan needs and that is already in use. */
export const nameInUse = (name: string) =>
  notice(
    'name-in-use',
    [],
    `the plan needs the name ${name}, which is already in use`,
    'Rename or drop the object with this name before you run the plan.',
  )
