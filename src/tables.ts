import type { Column, ColumnBuilderBase, Table } from 'drizzle-orm'
import type { AdapterAccountType } from './contract.js'
import { getTableName } from './drizzle.js'
import type { UsersTable } from './types.js'

/** The columns that an app adds to the tables. */
export type AddedColumns<ColumnMap> = {
  users?: ColumnMap
  accounts?: ColumnMap
  sessions?: ColumnMap
  verificationTokens?: ColumnMap
  authenticators?: ColumnMap
}

/** How the tables of `defineTables` differ from the default. */
export interface TableOptions<Creator, Users, Columns> {
  /** Columns to add, by table. */
  columns?: Columns
  /** The creator to make the tables with, for a prefix or a schema. */
  table?: Creator
  /** The app's own users table: `userId` takes the type of its `id`. */
  usersTable?: Users
  /** `false` leaves the foreign keys out, for databases that have none. */
  foreignKeys?: boolean
}

/**
 * The columns that a table creator takes, read off the creator: the type has no name that 0.45 and 1.0 share.
 * Where TypeScript cannot read it (MySQL and SQLite in 1.0), it is Drizzle's common one.
 */
export type ColumnMapOf<Creator extends (...parameters: never) => unknown> = [Parameters<Creator>] extends [never]
  ? Record<string, ColumnBuilderBase>
  : ReturnType<Extract<Parameters<Creator>[1], (...parameters: never[]) => unknown>>

/** The columns that were added to one table. */
export type AddedTo<Columns, Name extends string> = Columns extends { readonly [key in Name]: infer Added } ? Added : unknown

/** What the ids of the users hold. */
export type IdOf<Users> = Users extends UsersTable ? Users['id']['_']['data'] : string

/** What the columns of the tables hold. */
export interface TableData<Id> {
  users: {
    id: string
    name: string | null
    email: string
    emailVerified: Date | null
    image: string | null
  }
  accounts: {
    userId: Id
    type: AdapterAccountType
    provider: string
    providerAccountId: string
    refresh_token: string | null
    access_token: string | null
    expires_at: number | null
    expires_in: number | null
    token_type: string | null
    scope: string | null
    id_token: string | null
    session_state: string | null
  }
  sessions: {
    sessionToken: string
    userId: Id
    expires: Date
  }
  verificationTokens: {
    identifier: string
    token: string
    expires: Date
  }
  authenticators: {
    credentialID: string
    userId: Id
    providerAccountId: string
    credentialPublicKey: string
    counter: number
    credentialDeviceType: string
    credentialBackedUp: boolean
    transports: string | null
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
export function referringTo<Builder>(id: Column, customType: CustomType<Builder>, countedIn: Record<string, string> = {}): Builder {
  const column = customType({
    dataType: () => countedIn[id.getSQLType()] ?? id.getSQLType(),
    toDriver: (value) => id.mapToDriverValue(value),
    fromDriver: (value) => id.mapFromDriverValue(value),
    // Where Drizzle 1.0 decodes before `fromDriver` does.
    codec: () => (id as { codec?: string }).codec,
  })('userId')
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
