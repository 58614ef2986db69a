import type { FieldKind, ModelName } from 'drizzle-auth-adapter/internal'

/** The roles of tables that both libraries have, those of only one of them, and all other tables of a schema. */
export type SubjectModel = ModelName | 'rateLimits' | 'others'

/** What the checks know about a table of a library. Columns have their names in code. */
export interface TableModel {
  readonly model: SubjectModel
  /** What the library's own columns hold. */
  readonly fields: Readonly<Record<string, { readonly kind: FieldKind }>>
  /** The columns that identify a row. */
  readonly keys: readonly (readonly string[])[]
  /** Other columns that must be compared exactly. */
  readonly compared?: readonly string[]
  /** Columns by which rows are looked up, with what the database does without an index. */
  readonly indexed: Readonly<Record<string, string>>
  /** The column that says until when a row is valid. */
  readonly expires?: string
  /** The lengths that real values reach. */
  readonly lengths: Readonly<Record<string, number>>
  /** The bits that real numbers need, without the sign. */
  readonly bits: Readonly<Record<string, number>>
  /** Its indexes are named after the export and the columns in code, as `auth generate` names them, not after those in the database. */
  readonly namesIndexesByField?: true
  /** How to get better columns, if the code declares a type that is part of the problem. */
  readonly advice?: string
}

/** Whether the column must be compared exactly: it identifies a row or a user. */
export const isKey = ({ fields, keys, compared = [] }: TableModel, field: string) =>
  fields[field]?.kind === 'id' || [...keys, compared].some((each) => each.includes(field))

/** What the database does without an index on the column. */
export const withoutIndex = {
  user: "the database reads the whole table to find or delete a user's rows",
  expires: 'the database reads the whole table to find expired rows',
  lookup: 'the database reads the whole table for each lookup',
}
