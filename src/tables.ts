import type { Column, ColumnBuilderBase, Table } from 'drizzle-orm'
import type { KindData, KindOf, ModelName, Models } from './models.js'
import { keys } from './models.js'
import { markExact } from './query/columns.js'
import { getTableName } from './query/drizzle.js'
import type { UsersTable } from './types.js'

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

/** How the tables of `defineTables` differ from the default. */
export interface TableOptions<Creator, Users, Columns, Case = Casing> {
  /** Columns to add, by table. */
  columns?: Columns
  /** The creator to make the tables with, for a prefix or a schema. */
  table?: Creator
  /** The app's own users table: `userId` takes the type of its `id`. */
  usersTable?: Users
  /** `false` leaves the foreign keys out, for databases that have none. */
  foreignKeys?: boolean
  /**
   * `'snake_case'` names the columns `user_id`, `email_verified`, … in the database. Their names in code stay the same.
   *
   * @default 'camelCase'
   */
  casing?: Case
}

/**
 * The columns that a table creator takes, read off the creator: the type has no name that 0.45 and 1.0 share.
 * Where TypeScript cannot read it (MySQL and SQLite in 1.0), it is Drizzle's common one.
 */
export type ColumnMapOf<Creator extends (...parameters: never) => unknown> = [Parameters<Creator>] extends [never]
  ? Record<string, ColumnBuilderBase>
  : ReturnType<Extract<Parameters<Creator>[1], (...parameters: never[]) => unknown>>

/** What the ids of the users hold. */
type IdOf<Users> = Users extends UsersTable ? Users['id']['_']['data'] : string

/** One column for each field of a model, and no other: a field that a table definition lacks is a compile error. */
export type ColumnsFor<Name extends keyof Models> = Record<keyof Models[Name], object>

/** The rows of the table that stores a model. */
type RowOf<Model, Id> = { [Name in keyof Model]-?: Name extends 'userId' ? Id : Stored<Model[Name]> }

// A field that may be left out is null in the table, and text there may be in any case.
type Stored<Value> = undefined extends Value ? KindData[KindOf<Value>] | null : Value

/**
 * The types of a dialect's columns and tables. TypeScript cannot pass a generic type on, so a dialect extends this interface and computes
 * `column` and `table` from the other members of `this`: `(Types & { data: string | null })['column']` is a nullable column of text.
 * It asks Drizzle's own functions for them, because the names of Drizzle's types differ between 0.45 and 1.0.
 */
export interface DialectTypes {
  /** What a column holds. */
  readonly data: unknown
  readonly column: unknown
  /** The name of a table, and its columns. */
  readonly name: string
  readonly columns: unknown
  readonly table: unknown
}

/** What `defineTables` returns. A type and not an interface, so that Drizzle accepts it as a schema: `drizzle({ schema: defineTables() })`. */
export type DefinedTables<Types extends DialectTypes, Own, Added, Case = Casing> = {
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

/** How `customType` is told what a column holds. */
export type ColumnData<Data> = { data: NonNullable<Data>; notNull: null extends Data ? false : true }

type DefinedColumns<Types extends DialectTypes, Row> = { [Name in keyof Row]: ColumnHolding<Types, Row[Name]> }

// A type of its own, so that the compiler makes it once for all columns that hold the same.
type ColumnHolding<Types extends DialectTypes, Data> = (Types & { readonly data: Data })['column']

/** The columns that were added to one table. */
type AddedTo<Columns, Name extends string> = Columns extends { readonly [key in Name]: infer Added } ? Added : unknown

/** How a name of the contract is written in the database. */
export function namesIn(casing: Casing = 'camelCase'): (name: string) => string {
  return casing === 'camelCase' ? (name) => name : toSnakeCase
}

// As Drizzle's own `casing` writes the names that Drizzle allows in code: `lastLoginIP` becomes `last_login_ip`.
function toSnakeCase(name: string): string {
  const words = name.match(/[\d\p{Ll}\p{Lo}]+|\p{Lu}+(?![\p{Ll}\p{Lo}])|\p{Lu}[\d\p{Ll}\p{Lo}]+/gu) ?? [name]
  return words.map((word) => word.toLowerCase()).join('_')
}

/**
 * Names the added columns that have no name of their own in the database. By default, Drizzle does so when it makes the table.
 * Calls `setName`, which Drizzle does not document: a table has no other way to name its own columns. test/tables/casing.test.ts fails when it changes.
 */
export function nameColumns<Columns extends AddedColumns<object>>(columns: Columns, casing: Casing | undefined): Columns {
  if (casing === 'snake_case')
    // Drizzle 0.45 takes the name, 1.0 a function that converts it as well.
    for (const added of Object.values(columns))
      for (const [key, builder] of Object.entries(added as Record<string, Named>)) builder.setName(toSnakeCase(key), (name) => name)
  return columns
}

interface Named {
  /** Names a column that has no name yet. */
  setName(name: string, convert: (name: string) => string): void
}

/** Marks the keys of the new tables as exact, which their types are. An app's own users table decides about its ids itself. */
export function markKeys(tables: Record<`${ModelName}Table`, unknown>, hasOwnUsers: boolean): void {
  for (const model of Object.keys(keys) as ModelName[]) {
    const lookups = model === 'users' ? ['email'] : hasOwnUsers || model === 'verificationTokens' ? [] : ['userId']
    if (model !== 'users' || !hasOwnUsers) markExact(tables[`${model}Table`] as Table, [...keys[model], ...lookups])
  }
}

/** What a creator calls a table: it may add a prefix. */
export function namesOf(create: unknown): (table: string) => string {
  return (table) => getTableName((create as (name: string, columns: object) => Table)(table, {}))
}

/**
 * A column that can refer to an id: of its type, and encoding and decoding as it does.
 * A type that counts on its own is replaced by the one that it counts in.
 */
export function referringTo<Builder>(
  id: Column,
  customType: CustomType<Builder>,
  name: string,
  countedIn: Record<string, string> = {},
): Builder {
  const column = customType({
    dataType: () => countedIn[id.getSQLType()] ?? id.getSQLType(),
    toDriver: (value) => id.mapToDriverValue(value),
    fromDriver: (value) => id.mapFromDriverValue(value),
    // Where Drizzle 1.0 decodes before `fromDriver` does.
    codec: () => (id as { codec?: string }).codec,
  })(name)
  // What it holds is as well known as what the id holds, though it is made as a custom column.
  ;(column as { config: { dataType: string } }).config.dataType = id.dataType
  return column
}

type CustomType<Builder> = (mapping: {
  dataType(): string
  toDriver(value: unknown): unknown
  fromDriver(value: unknown): unknown
  codec(): string | undefined
}) => (name: string) => Builder
