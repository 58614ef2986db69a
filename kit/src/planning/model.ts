import type { ModelName } from 'drizzle-auth-adapter/internal'
import type { Column } from 'drizzle-orm'
import { readDefinition } from '../doctor/definition.js'
import type { ColumnType, LiveColumn, LiveForeignKey, LiveKey, LiveTable, TablePath } from '../doctor/inspector.js'
import type { Notice } from './notices.js'

/** A part of the plan: what it is for, and its statements in order. */
export interface Step {
  about: string
  sql: string[]
}

export interface Plan {
  notices: Notice[]
  plan: Step[]
  undo: Step[]
  cleanup: Step[]
}

/** An object that depends on the type or name of a column or table. */
export interface Dependent {
  /** What it is, with its name: `view totals`. */
  what: string
  table: TablePath
  /** Absent if any column of the table counts. */
  column?: string
  /** A new type of the column, a type of another kind, such as text for a number, a new name, or another table in place of this one. */
  breaksOn: 'type' | 'kind' | 'name' | 'table'
}

export interface Trigger {
  name: string
  table: TablePath
  /** INSERT, UPDATE and DELETE. */
  events: string[]
  /** The columns whose update fires it. Empty if all do. */
  columns: string[]
  /** What switches it off, and on again. */
  off: string
  on: string
}

/** PostgreSQL: who may do what with a table. */
export interface Rights {
  owner: string
  /** Whether this role can give tables to the owner. */
  isMember: boolean
  grants: { grantee: string; privileges: string[]; isGrantable: boolean }[]
  /** The roles that get privileges on any new table. */
  defaultGrantees: string[]
  /** The roles with privileges on single columns. */
  columnGrantees: string[]
  rowSecurity: boolean
  forced: boolean
  /** Whether this role sees all rows. */
  seesAll: boolean
  policies: { name: string; columns: string[]; clauses: string }[]
}

/** The current state of the database. */
export interface Catalog {
  tables: LiveTable[]
  dependents: Dependent[]
  /** Functions and similar objects, whose source text contains names that a rename does not update. */
  texts: { what: string; text: string }[]
  /** The names of tables, indexes, constraints and the like, as `nameKey` writes them. */
  names: Set<string>
  triggers: Trigger[]
  /** MySQL: the name of the current database, whose tables have no schema here. */
  database?: string
  /** MySQL: the time zone of dates that are stored as timestamps, and the default character set and collation. */
  timeZone?: string
  characterSet?: string
  collation?: string
  /** SQLite: the statements that created indexes and triggers, in order. */
  attached?: { type: string; table: string; name: string; statement: string }[]
  /** PostgreSQL: by table, as `nameKey` writes it. */
  rights?: Map<string, Rights>
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
  /** The declaration, unless only the old table has the column. */
  column?: Column
  /** What a new table keeps of the definition of the old column. */
  live?: LiveColumn
}

/** One of the app's tables in code. */
export interface NewTable {
  model: ModelName | 'others'
  path: TablePath
  columns: NewColumn[]
  keys: LiveKey[]
  foreignKeys: LiveForeignKey[]
  /** SQLite: what follows the columns, such as STRICT. */
  options?: string
}

/** An existing table and the declared table that it becomes. */
export interface Match {
  now: NewTable
  old: LiveTable
  /** The declared columns, each with the existing column that it replaces. */
  columns: { now: NewColumn; old: LiveColumn | undefined }[]
  /** Existing columns that the code does not declare. The plan keeps them. */
  others: LiveColumn[]
}

/** A column that gets another type. */
export interface TypeChange {
  old: LiveColumn
  now: Pick<NewColumn, 'name' | 'type' | 'holds' | 'notNull' | 'isKey' | 'default'>
  /** Whether the column is the app's own: the tables of the libraries do not declare it. */
  isOwn: boolean
}

/** A value that a change writes. The way back writes `undo`, if there is one. */
export interface Assignment {
  column: string
  value: string
  undo?: { column: string; value: string }
}

export type Action =
  | { do: 'add' | 'drop'; column: NewColumn | LiveColumn }
  | { do: 'addKey' | 'dropKey'; key: LiveKey }
  | { do: 'retype'; from: LiveColumn; to: LiveColumn }

export interface KeyName {
  table: TablePath
  from: string
  to: string
  isConstraint: boolean
  /** SQLite: the statements that create the index under either name. */
  statements?: [from: string, to: string]
}

/** SQLite: a table as its statements define it. */
export interface Definition {
  name: string
  statement: string
  attached: string[]
  /** A name by which the rowid can be written. */
  rowid: string | undefined
}

type Values = [column: string, value: string][]

/** Rows of a table, called o, that become rows of a new one. */
export interface Copy {
  kind: 'copy'
  to: NewTable
  source: TablePath
  where?: string | undefined
  values: Values
  /** Whether a row n of the new table is a copy of the row o. */
  isCopy?: string | undefined
  /** Which rows n of the new table can be copies. All if absent. */
  canBeCopy?: string
  /** What the way back runs beside the deletion of rows whose copies were deleted. */
  ended?: string[]
}

/** What a plan can do. Each has one rendering per database, and one inverse. */
export type Change =
  /** Fails, before anything has changed, if the condition is true. */
  | { kind: 'stop'; when: string; why: string }
  | { kind: 'create'; table: NewTable; rights?: Rights | undefined; policies?: Rights['policies'] }
  | { kind: 'drop'; table: TablePath }
  | Copy
  /** Deletes what was deleted since from tables that come back. */
  | { kind: 'prune'; sql: string[] }
  | { kind: 'unlink'; keys: LiveForeignKey[] }
  | { kind: 'link'; keys: LiveForeignKey[] }
  | { kind: 'alter'; table: TablePath; actions: Action[] }
  | { kind: 'fill'; table: TablePath; set: Assignment[]; untouched: string[] }
  | { kind: 'renameColumns'; table: TablePath; names: [from: string, to: string][] }
  | { kind: 'renameKeys'; keys: KeyName[] }
  /** If some are swapped, the names in foreign keys of other tables stay. */
  | { kind: 'renameTables'; tables: [from: TablePath, to: TablePath][]; isSwap?: boolean }
  /** SQLite: from one definition to another. */
  | { kind: 'rebuild'; from: Definition; to: Definition; values: Values; back: Values; indexes: string[] }
  /** Writes texts into a table: the way back, to be printed later. */
  | { kind: 'record'; table: TablePath; rows: string[][] }

/** A change, and what it is for. */
export type Planned = Change & { about: string }

/** How a table changes in place. All names are those before the plan, except for added columns. */
export interface Alteration {
  match: Match
  add: NewColumn[]
  /** Columns that keep what others held before their values or types change. */
  kept: LiveColumn[]
  types: TypeChange[]
  set: Assignment[]
  nulls: { column: LiveColumn; notNull: boolean }[]
  addKeys: LiveKey[]
  columnNames: [from: string, to: string][]
}

/** What differs between the databases. Expressions are SQL as text. */
export interface Dialect {
  /** SQLite: the changes that alter a table. Other databases have `alterTable`. */
  alter?(alteration: Alteration, catalog: Catalog): { changes: Planned[]; notices: Notice[] }
  /** The statements of each kind of change. Those that this database never has are absent. */
  readonly render: { [Kind in Change['kind']]?: (change: Extract<Change, { kind: Kind }>) => string[] }
  /** The steps around all others, such as a transaction. */
  wrap?(steps: Step[], changes: Change[]): Step[]
  /** The line between two statements, with `breakpoint`. The database's client ignores it. */
  readonly breakpointLine: string
  readonly howToRun: string
  /** The longest name, in bytes. */
  readonly nameLimit: number
  /** Whether indexes of two tables may have the same name. Then foreign keys may not. */
  readonly namesKeysByTable: boolean
  /** The type of a text of any length, in all of Unicode. */
  readonly longText: string

  quote(name: string): string
  path(table: TablePath): string
  /** The beginning of a DELETE that calls the table o. */
  deleteFrom(table: TablePath): string
  /** Whether a table with this name exists. */
  exists(table: TablePath): string
  /** The text of a column, whatever its type and character set. */
  text(value: string): string
  concat(...parts: string[]): string
  earliest(one: string, other: string): string
  /** Whether two values are the same, byte for byte. Null is not the same as null. */
  same(one: string, other: string): string
  /** Whether two values of one type are the same. Null is the same as null. */
  equals(one: string, other: string): string
  /** The length of a text, in the unit in which the column is limited. */
  length(text: string, column: ColumnType): string
  /** Whether a text has letters beyond ASCII. */
  hasOtherLetters(text: string): string
  /** Whether a text fits into the character set of a column. Absent if all do. */
  fitsCharacterSet?(text: string, type: string): string | undefined
  /** A value as a unique key of the column compares it. */
  comparable(value: string, column: Pick<NewColumn, 'type' | 'holds'>): string
  /** An id for each row. `seed` differs from row to row. Returns undefined if the database counts the rows. */
  newId(id: NewColumn, seed: string): string | undefined
  /** The current time plus some seconds, as the column holds it. */
  moment(column: ColumnType, seconds: number): string
  fromSeconds(value: string, column: ColumnType): string
  /** A date as another column holds it. No setting of the session changes the result. */
  date(value: string, from: ColumnType, to: ColumnType): string
  /** Whether a column holds dates that the plan can convert. */
  isDate(column: LiveColumn): boolean
  /** Whether the value of a column of dates is not one. Absent if there are none. */
  isUnreadable?(value: string): string
  /** Whether the date says that an address was verified. */
  isVerified(value: string): string
  /** The object id in a stored ID token of Microsoft. Absent if the database cannot decode it. */
  objectId?(idToken: string): string
  isSameType(old: LiveColumn, now: NewColumn): boolean
  /** Whether every value can be converted to the new type, except for values that are too long. */
  converts(old: LiveColumn, now: NewColumn): boolean
  /** Whether the type changes in place. Otherwise the column gets a successor. */
  canRetype(old: LiveColumn, now: NewColumn): boolean
  /** A column with the new type, and with what else its definition repeats. */
  retyped(change: TypeChange): LiveColumn
  /** Gives columns of new tables that reference users the type of the ids, as far as the database requires it. */
  adapt?(users: NewTable, tables: NewTable[], id: LiveColumn): void
  /** Problems of this database with columns of a table that change. */
  notices?(table: LiveTable, types: TypeChange[]): Notice[]
}

export const primaryKeyOf = (table: { keys: LiveKey[] }) => table.keys.find(({ kind }) => kind === 'primary')
export const sameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((each, index) => each === other[index])

/** The databases have different rules for which objects may share a name. To be safe, all names of a schema must be different. */
export const nameKey = (schema: string, name: string) => `${schema}\0${name}`

export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Drizzle's migrators split a file wherever this text occurs. */
export const breakpoint = '--> statement-breakpoint'

/** A live column of a declared one, as it is once the plan has run. */
export const liveColumn = ({ name, type, holds, notNull, default: value }: Omit<NewColumn, 'field'>): LiveColumn => ({
  ...holds,
  name,
  type,
  notNull,
  default: value,
  isFilled: false,
})

/** SQLite: the parts of a definition, unless it has one that is unknown. */
export function definitionOf(definition: string) {
  try {
    return readDefinition(definition)
  } catch {
    return undefined
  }
}
