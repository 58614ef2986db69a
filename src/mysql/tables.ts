import type { Column } from 'drizzle-orm'
import type { MySqlTableFn } from 'drizzle-orm/mysql-core'
import { bigint, boolean, customType, datetime, index, int, mysqlTable, primaryKey } from 'drizzle-orm/mysql-core'
import { checkDefinition } from '#checks'
import { bringing } from '../dialects/brought.js'
import { Refusal } from '../errors.js'
import type { AddedColumns, AddedTo, ColumnMapOf, IdOf, TableData, TableOptions } from '../tables.js'
import { namesOf, referringTo } from '../tables.js'
import type { UsersTable } from '../types.js'
import { mysql } from './dialect.js'

// A byte order mark is part of the text, like any other character.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

// A proxy that sends bytes as JSON sends an object.
function textOf(bytes: Uint8Array): string {
  if (!ArrayBuffer.isView(bytes)) throw new Refusal('garbled')
  return decoder.decode(bytes)
}

// Text of a key, kept as its bytes in UTF-8: the one type that compares exactly on MySQL and MariaDB, trailing spaces included.
// The lengths fill the 3,072 bytes that InnoDB indexes: 255 characters of any kind, or a credential id of 1,023 bytes in base64.
const key = (length: number) =>
  customType<{ data: string; driverData: string | Uint8Array }>({
    dataType: () => `varbinary(${length})`,
    fromDriver: (value) => (typeof value === 'string' ? value : textOf(value)),
  })
const short = key(1020)
const long = key(2048)

// Any text of any length, also where the database's default character set cannot hold it.
const text = customType<{ data: string }>({ dataType: () => 'longtext character set utf8mb4' })

const instant = (name: string) => datetime(name, { mode: 'date', fsp: 3 })
const whole = (name: string) => bigint(name, { mode: 'number' })

// What a serial column counts in.
const countedIn = { serial: 'bigint unsigned' }

/**
 * The five tables, for the app's schema file.
 *
 * @example
 * export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
 */
export function defineTables<
  Own extends UsersTable | undefined = undefined,
  const Added extends AddedColumns<ColumnMap> = Record<never, never>,
>(options: TableOptions<MySqlTableFn<string | undefined>, Own, Added> = {}): DefinedTables<Own, Added> {
  checkDefinition('mysql', options)
  const { table = mysqlTable, usersTable: own, foreignKeys = true } = options
  const added: AddedColumns<ColumnMap> = options.columns ?? {}
  const nameOf = namesOf(table)

  const users = {
    id: short('id').primaryKey(),
    name: text('name'),
    email: short('email').notNull().unique(),
    emailVerified: instant('emailVerified'),
    image: text('image'),
  }
  const usersTable = own ?? table('user', { ...users, ...added.users })

  const id = (usersTable as unknown as { id: Column }).id
  const userId = () => {
    const column = (own ? referringTo(id, customType, countedIn) : short('userId')).notNull()
    return foreignKeys ? column.references(() => id as never, { onDelete: 'cascade' }) : column
  }

  const accounts = {
    userId: userId(),
    type: text('type').notNull(),
    provider: short('provider').notNull(),
    providerAccountId: long('providerAccountId').notNull(),
    refresh_token: text('refresh_token'),
    access_token: text('access_token'),
    expires_at: whole('expires_at'),
    expires_in: whole('expires_in'),
    token_type: text('token_type'),
    scope: text('scope'),
    id_token: text('id_token'),
    session_state: text('session_state'),
  }
  const accountsTable = table('account', { ...accounts, ...added.accounts }, (t) => [
    primaryKey({ columns: [t.provider, t.providerAccountId] }),
    index(`${nameOf('account')}_userId_idx`).on(t.userId),
  ])

  const sessions = {
    sessionToken: short('sessionToken').primaryKey(),
    userId: userId(),
    expires: instant('expires').notNull(),
  }
  const sessionsTable = table('session', { ...sessions, ...added.sessions }, (t) => [
    index(`${nameOf('session')}_userId_idx`).on(t.userId),
    index(`${nameOf('session')}_expires_idx`).on(t.expires),
  ])

  const verificationTokens = {
    identifier: short('identifier').notNull(),
    token: short('token').notNull(),
    expires: instant('expires').notNull(),
  }
  const verificationTokensTable = table('verificationToken', { ...verificationTokens, ...added.verificationTokens }, (t) => [
    primaryKey({ columns: [t.identifier, t.token] }),
    index(`${nameOf('verificationToken')}_expires_idx`).on(t.expires),
  ])

  const authenticators = {
    userId: userId(),
    credentialID: long('credentialID').notNull().unique(),
    providerAccountId: long('providerAccountId').notNull(),
    credentialPublicKey: text('credentialPublicKey').notNull(),
    counter: int('counter', { unsigned: true }).notNull(),
    credentialDeviceType: text('credentialDeviceType').notNull(),
    credentialBackedUp: boolean('credentialBackedUp').notNull(),
    transports: text('transports'),
  }
  const authenticatorsTable = table('authenticator', { ...authenticators, ...added.authenticators }, (t) => [
    primaryKey({ columns: [t.userId, t.credentialID] }),
  ])

  const tables = { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable }
  return bringing(mysql, tables) as unknown as DefinedTables<Own, Added>
}

// Below, the types say what each column holds through Drizzle's own functions: the names of its types differ between 0.45 and 1.0.

type ColumnMap = ColumnMapOf<MySqlTableFn>
type NotNull<Data> = ReturnType<ReturnType<typeof customType<{ data: Data; notNull: true }>>>
type Nullable<Data> = ReturnType<ReturnType<typeof customType<{ data: Data }>>>
type Columns<Data> = { [Name in keyof Data]: null extends Data[Name] ? Nullable<NonNullable<Data[Name]>> : NotNull<Data[Name]> }
type Defined<Name extends string, All> = All extends ColumnMap ? ReturnType<typeof mysqlTable<Name, All>> : never
type DefinedTable<Name extends string, Own, Added, Key extends keyof TableData<unknown>> = Defined<
  Name,
  Columns<TableData<IdOf<Own>>[Key]> & AddedTo<Added, Key>
>

// A type and not an interface, so that Drizzle takes it for a schema: `drizzle({ schema: defineTables() })`.
type DefinedTables<Own, Added> = {
  usersTable: Own extends UsersTable ? Own : DefinedTable<'user', Own, Added, 'users'>
  accountsTable: DefinedTable<'account', Own, Added, 'accounts'>
  sessionsTable: DefinedTable<'session', Own, Added, 'sessions'>
  verificationTokensTable: DefinedTable<'verificationToken', Own, Added, 'verificationTokens'>
  authenticatorsTable: DefinedTable<'authenticator', Own, Added, 'authenticators'>
}
