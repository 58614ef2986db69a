import type { Column } from 'drizzle-orm'
import type { SQLiteTableFn } from 'drizzle-orm/sqlite-core'
import { customType, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { checkDefinition } from '#checks'
import { bringing } from '../dialects/brought.js'
import type { AddedColumns, AddedTo, ColumnMapOf, IdOf, TableData, TableOptions } from '../tables.js'
import { namesOf, referringTo } from '../tables.js'
import type { UsersTable } from '../types.js'
import { sqlite } from './dialect.js'

const instant = (name: string) => integer(name, { mode: 'timestamp_ms' })

/**
 * The five tables, for the app's schema file.
 *
 * @example
 * export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
 */
export function defineTables<
  Own extends UsersTable | undefined = undefined,
  const Added extends AddedColumns<ColumnMap> = Record<never, never>,
>(options: TableOptions<SQLiteTableFn<string | undefined>, Own, Added> = {}): DefinedTables<Own, Added> {
  checkDefinition('sqlite', options)
  const { table = sqliteTable, usersTable: own, foreignKeys = true } = options
  const added: AddedColumns<ColumnMap> = options.columns ?? {}
  const nameOf = namesOf(table)

  const users = {
    id: text('id').primaryKey(),
    name: text('name'),
    email: text('email').notNull().unique(),
    emailVerified: instant('emailVerified'),
    image: text('image'),
  }
  const usersTable = own ?? table('user', { ...users, ...added.users })

  const id = (usersTable as unknown as { id: Column }).id
  const userId = () => {
    const column = (own ? referringTo(id, customType) : text('userId')).notNull()
    return foreignKeys ? column.references(() => id as never, { onDelete: 'cascade' }) : column
  }

  const accounts = {
    userId: userId(),
    type: text('type').notNull(),
    provider: text('provider').notNull(),
    providerAccountId: text('providerAccountId').notNull(),
    refresh_token: text('refresh_token'),
    access_token: text('access_token'),
    expires_at: integer('expires_at'),
    expires_in: integer('expires_in'),
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
    sessionToken: text('sessionToken').primaryKey(),
    userId: userId(),
    expires: instant('expires').notNull(),
  }
  const sessionsTable = table('session', { ...sessions, ...added.sessions }, (t) => [
    index(`${nameOf('session')}_userId_idx`).on(t.userId),
    index(`${nameOf('session')}_expires_idx`).on(t.expires),
  ])

  const verificationTokens = {
    identifier: text('identifier').notNull(),
    token: text('token').notNull(),
    expires: instant('expires').notNull(),
  }
  const verificationTokensTable = table('verificationToken', { ...verificationTokens, ...added.verificationTokens }, (t) => [
    primaryKey({ columns: [t.identifier, t.token] }),
    index(`${nameOf('verificationToken')}_expires_idx`).on(t.expires),
  ])

  const authenticators = {
    userId: userId(),
    credentialID: text('credentialID').notNull().unique(),
    providerAccountId: text('providerAccountId').notNull(),
    credentialPublicKey: text('credentialPublicKey').notNull(),
    counter: integer('counter').notNull(),
    credentialDeviceType: text('credentialDeviceType').notNull(),
    credentialBackedUp: integer('credentialBackedUp', { mode: 'boolean' }).notNull(),
    transports: text('transports'),
  }
  const authenticatorsTable = table('authenticator', { ...authenticators, ...added.authenticators }, (t) => [
    primaryKey({ columns: [t.userId, t.credentialID] }),
  ])

  const tables = { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable }
  return bringing(sqlite, tables) as unknown as DefinedTables<Own, Added>
}

// Below, the types say what each column holds through Drizzle's own functions: the names of its types differ between 0.45 and 1.0.

type ColumnMap = ColumnMapOf<SQLiteTableFn>
type NotNull<Data> = ReturnType<ReturnType<typeof customType<{ data: Data; notNull: true }>>>
type Nullable<Data> = ReturnType<ReturnType<typeof customType<{ data: Data }>>>
type Columns<Data> = { [Name in keyof Data]: null extends Data[Name] ? Nullable<NonNullable<Data[Name]>> : NotNull<Data[Name]> }
type Defined<Name extends string, All> = All extends ColumnMap ? ReturnType<typeof sqliteTable<Name, All>> : never
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
