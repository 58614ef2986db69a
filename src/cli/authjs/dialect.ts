import type { ColumnType, Database, LiveColumn, LiveForeignKey, LiveTable, TablePath } from '../core.js'
import type { TableChange } from '../moving/alter.js'
import type { Current, Move, Mover, NewColumn, NewTable, Step } from '../moving/model.js'

/** The table of users, which changes in place. */
export interface UserMove extends Move {
  /** The column that becomes a boolean. */
  verified: { now: NewColumn; old: LiveColumn }
  /** Declared columns that the table lacks. */
  added: NewColumn[]
  /** The table that keeps what the plan changes, and its columns, the id first. */
  kept: TablePath
  keptColumns: LiveColumn[]
}

/** A change of tables: the statements, and the tables as they are afterwards. */
interface TableStep {
  sql: string[]
  after: LiveTable
}

/** What differs between the databases when an app moves to another library. Expressions are SQL as text. */
export interface MoveDialect {
  mover: Mover
  path(table: TablePath): string
  /** The longest name, in bytes. */
  readonly nameLimit: number
  /** A statement that fails if the plan has run, for databases where the first statement of the plan would not. */
  alreadyRun?(accounts: LiveTable, key: string): string

  /** An id for each row. `seed` differs from row to row. Returns undefined if the database counts the rows. */
  newId(id: NewColumn, seed: string): string | undefined
  /** The current time plus some seconds, as the column holds it. */
  moment(column: ColumnType, seconds: number): string
  fromSeconds(value: string, column: ColumnType): string
  date(value: string, from: ColumnType, to: ColumnType): string
  /** Whether a text in a column of dates cannot be read as a date. Absent if there are none. */
  isUnreadable?(value: string): string
  /** The text of a column, whatever its type and character set. */
  text(value: string): string
  concat(...parts: string[]): string
  earliest(one: string, other: string): string
  /** Whether two texts are the same, byte for byte. */
  same(one: string, other: string): string
  /** The length of a text, in the unit in which the column is limited. */
  length(text: string, column: ColumnType): string
  /** Whether a text has letters beyond ASCII. */
  hasOtherLetters(text: string): string
  /** Whether a column holds dates that the plan can convert. */
  isDate(column: ColumnType): boolean
  /** The object id in a stored ID token of Microsoft. Absent if the database cannot decode it. */
  objectId?(idToken: string): string
  /** Updates the rows of a table, as t, with those of another one, as o. */
  updateFrom(table: TablePath, other: TablePath, set: [column: string, value: string][], on: string): string

  /** Gives the ids of users, and the columns that reference them, the same collation. MySQL rejects foreign keys otherwise. */
  collate?(users: NewTable, tables: NewTable[], id: LiveColumn): void

  /** Triggers and the like that belong to a table or mention it. */
  attachedTo(db: Database, tables: LiveTable[]): Promise<{ table: LiveTable; what: string }[]>
  /** Whether the table of kept columns must have this one because its values change. */
  changesValues(old: LiveColumn, now: NewColumn): boolean
  /** Copies columns of the users to a table that has the same ids. */
  keep(move: UserMove): TableStep
  /** Converts names, addresses and `emailVerified`. */
  prepareUsers(move: UserMove): TableStep
  /** Renames a table with its keys. */
  setAside(table: LiveTable, path: TablePath, renamed: (name: string) => string, current: Current): TableStep & { undo: string[] }
  /** The statements that turn the table of users back to what it was. Values come from the table of kept columns. */
  restoreUsers(move: UserMove, types: TableChange[], current: Current): string[]
  /** The columns whose types the plan changes, those of other tables that reference them included. */
  typeChanges(move: Move, missing: NewTable[], current: Current): TableChange[]
  dropTables(tables: NewTable[]): string[]
  /** Adds what must precede and follow steps that drop or rename tables. */
  inTransaction(steps: Step[]): Step[]
}

export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** A live column of a declared one, as it is once the plan has run. */
export const liveColumn = ({ name, type, holds, notNull, default: value }: NewColumn): LiveColumn => ({
  ...holds,
  name,
  type,
  notNull,
  default: value,
  isFilled: false,
})

/** A table under another name, with other names of its keys and foreign keys. */
export function renamedTable(table: LiveTable, path: TablePath, renamed: (name: string) => string): LiveTable {
  return {
    ...table,
    ...path,
    keys: table.keys.map((key) => ({ ...key, name: key.name && renamed(key.name) })),
    foreignKeys: table.foreignKeys.map((key): LiveForeignKey => ({ ...key, name: key.name && renamed(key.name), table: path })),
  }
}
