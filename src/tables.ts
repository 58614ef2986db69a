import type { Column, ColumnBuilderBase, Table } from 'drizzle-orm'
import { getTableColumns, getTableName } from 'drizzle-orm'
import type { AdapterAccountType } from './contract.js'
import { dialectOfTable, kindsOf } from './detection.js'
import type { DialectName } from './dialect.js'
import { misconfigured } from './errors.js'
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

type TableName = keyof AddedColumns<unknown>

const tableNames = ['users', 'accounts', 'sessions', 'verificationTokens', 'authenticators'] satisfies TableName[]
const optionNames = ['columns', 'table', 'usersTable', 'foreignKeys'] satisfies (keyof TableOptions<unknown, unknown, unknown>)[]

type AnyCreator = (name: string, columns: Record<string, never>) => Table

/** The options of `defineTables` in use, once they are known to make sense. */
export function checkedOptions(
  dialect: DialectName,
  builderKind: string,
  options: TableOptions<unknown, unknown, AddedColumns<Record<string, unknown>>>,
): { nameOf(table: string): string; added(table: TableName, defaults: object): object } {
  onlyKnown(options, optionNames, 'options')
  const { columns = {}, table, usersTable, foreignKeys } = options
  onlyKnown(columns, tableNames, 'columns')
  if (typeof table !== 'function') fail(`table must be a table creator, such as ${dialect}TableCreator(…)`)
  if (foreignKeys !== undefined && typeof foreignKeys !== 'boolean') fail('foreignKeys must be true or false')
  if (usersTable !== undefined) checkUsersTable(dialect, usersTable, columns.users)
  const create = table as AnyCreator
  if (dialectOfTable(create('probe', {}), 'defineTables: what the table creator makes') !== dialect)
    fail(`table must be a creator of ${dialect} tables`)

  return {
    nameOf: (name) => getTableName(create(name, {})),
    added(name, defaults) {
      const added = columns[name] ?? {}
      for (const [column, builder] of Object.entries(added)) {
        if (Object.hasOwn(defaults, column))
          fail(`columns.${name}.${column} is a column of the table already; write the table by hand to change it`)
        if (!kindsOf(builder).includes(builderKind)) fail(`columns.${name}.${column} is no column of drizzle-orm/${dialect}-core`)
      }
      return added
    },
  }
}

function checkUsersTable(dialect: DialectName, usersTable: unknown, added: unknown): void {
  if (added) fail('columns.users and usersTable exclude each other: add the columns to your own table')
  if (dialectOfTable(usersTable, 'defineTables: usersTable') !== dialect) fail(`usersTable must be a ${dialect} table`)
  if (!('id' in getTableColumns(usersTable as Table))) fail('usersTable has no column id')
}

function onlyKnown(value: object, known: readonly string[], what: string): void {
  if (typeof value !== 'object' || value === null) fail(`${what} must be an object`)
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined) fail(`${what} has no ${unknown}; it takes ${known.join(', ')}`)
}

function fail(message: string): never {
  return misconfigured(`defineTables: ${message}`)
}

/** For a custom column that refers to another: the other's type, and its way of encoding. */
export function mappingOf(column: Column) {
  return {
    dataType: () => column.getSQLType(),
    toDriver: (value: never) => column.mapToDriverValue(value) as never,
    fromDriver: (value: never) => column.mapFromDriverValue(value) as never,
  }
}
