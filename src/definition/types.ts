import type { ColumnBuilderBase } from 'drizzle-orm'
import type { KindData, KindOf, Models } from '../models.js'
import type { UsersTable } from '../types.js'

/** The columns that an app adds to the tables. */
export type AddedColumns<ColumnMap> = {
  users?: ColumnMap
  accounts?: ColumnMap
  sessions?: ColumnMap
  verificationTokens?: ColumnMap
  authenticators?: ColumnMap
}

/** How columns and tables are named in the database. OAuth columns are snake_case in both. */
export type Casing = 'camelCase' | 'snake_case'

/** The options of `defineTables`. */
export interface TableOptions<Creator, Users, Columns, Case = Casing> {
  /** Columns to add, by table. */
  columns?: Columns
  /** The function that creates the tables, for a prefix or a schema: the result of `pgTableCreator`, or `table` of a `pgSchema`. */
  table?: Creator
  /** Your own users table. `userId` gets the type of its `id`. */
  usersTable?: Users
  /** `false` leaves out the foreign keys, for databases that do not support them. */
  foreignKeys?: boolean
  /**
   * `'snake_case'` names the columns `user_id`, `email_verified`, … in the database. Their names in code stay the same.
   *
   * @default 'camelCase'
   */
  casing?: Case
}

/**
 * The columns that a table creator accepts, inferred from the creator, because Drizzle 0.45 and 1.0 have different names for the type.
 * If TypeScript cannot infer it (MySQL and SQLite in 1.0), the general type for columns.
 */
export type ColumnMapOf<Creator extends (...parameters: never) => unknown> = [Parameters<Creator>] extends [never]
  ? Record<string, ColumnBuilderBase>
  : ReturnType<Extract<Parameters<Creator>[1], (...parameters: never[]) => unknown>>

/** The data type of the user ids. */
type IdOf<Users> = Users extends UsersTable ? Users['id']['_']['data'] : string

/** One column for each field of a model, and no other: a field that a table definition lacks is a compile error. */
export type ColumnsFor<Name extends keyof Models> = Record<keyof Models[Name], object>

/** The rows of the table that stores a model. */
type RowOf<Model, Id> = { [Name in keyof Model]-?: Name extends 'userId' ? Id : Stored<Model[Name]> }

// An optional field is nullable in the table, and its text may be in any case.
type Stored<Value> = undefined extends Value ? KindData[KindOf<Value>] | null : Value

/**
 * The types of a dialect's columns and tables. TypeScript cannot pass a generic type on, so a dialect extends this interface and computes
 * `column` and `table` from the other members of `this`: `(Types & { data: string | null })['column']` is a nullable column of text.
 * They are inferred from Drizzle's functions, because the names of Drizzle's types differ between 0.45 and 1.0.
 */
export interface DialectTypes {
  /** The data of a column, and the same in the terms of Drizzle's `customType`. */
  readonly data: unknown
  readonly custom: ColumnData<this['data']>
  readonly column: unknown
  /** The name of a table, and its columns. */
  readonly name: string
  readonly columns: unknown
  readonly table: unknown
}

// Not exported, so that declarations of apps spell it out.
type ColumnData<Data> = { data: NonNullable<Data>; notNull: null extends Data ? false : true }

/** The tables of a dialect. A type, not an interface, so that Drizzle accepts it as a schema: `drizzle({ schema: defineTables() })`. */
export type TablesOf<Types extends DialectTypes, Own, Added, Case = Casing> = {
  usersTable: Own extends UsersTable ? Own : DefinedTable<Types, 'user', Own, Added, 'users'>
  accountsTable: DefinedTable<Types, 'account', Own, Added, 'accounts'>
  sessionsTable: DefinedTable<Types, 'session', Own, Added, 'sessions'>
  verificationTokensTable: DefinedTable<
    Types,
    Case extends 'snake_case' ? 'verification_token' : 'verificationToken',
    Own,
    Added,
    'verificationTokens'
  >
  authenticatorsTable: DefinedTable<Types, 'authenticator', Own, Added, 'authenticators'>
}

type DefinedTable<Types extends DialectTypes, Name extends string, Own, Added, Key extends keyof Models> = (Types & {
  readonly name: Name
  readonly columns: DefinedColumns<Types, RowOf<Models[Key], IdOf<Own>>> & AddedTo<Added, Key>
})['table']

type DefinedColumns<Types extends DialectTypes, Row> = { [Name in keyof Row]: ColumnHolding<Types, Row[Name]> }

// A separate type, so that the compiler instantiates it once for all columns with the same data.
type ColumnHolding<Types extends DialectTypes, Data> = (Types & { readonly data: Data })['column']

/** The columns that were added to one table. */
type AddedTo<Columns, Name extends string> = Columns extends { readonly [key in Name]: infer Added } ? Added : unknown
