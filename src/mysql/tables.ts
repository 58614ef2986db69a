import type { Column } from 'drizzle-orm'
import type { MySqlTableFn } from 'drizzle-orm/mysql-core'
import { bigint, boolean, customType, datetime, index, int, mysqlTable, primaryKey } from 'drizzle-orm/mysql-core'
import { checkDefinition, checkNames } from '../definition/checks.js'
import { lookupFields, markColumns, nameColumns, namesIn, namesOf, referenceColumn } from '../definition/columns.js'
import type { AddedColumns, Casing, ColumnMapOf, ColumnsFor, DialectTypes, TableOptions, TablesOf } from '../definition/types.js'
import { describeColumn } from '../query/internals.js'
import type { UsersTable } from '../types.js'
import { decodeText } from './text.js'

type KeyData = { data: string; driverData: string | Uint8Array }
type KeyColumn = ReturnType<ReturnType<typeof customType<KeyData>>>

// Text of a key, stored as UTF-8 bytes: the only type that compares exactly on MySQL and MariaDB, including trailing spaces.
// The lengths fill the 3,072 bytes that InnoDB indexes: 255 characters of any kind, or a credential id of 1,023 bytes in base64.
function key(length: number) {
  const column = customType<KeyData>({
    dataType: () => `varbinary(${length})`,
    fromDriver: decodeText,
  })
  return (name: string) => describeColumn(column(name), { dataType: 'string', columnType: 'MySqlVarChar', length })
}
const short = key(1020)
const long = key(2048)

/**
 * A column for text of up to 255 characters that compares exactly: case, accents and trailing spaces matter. Ids, emails and tokens of
 * `defineTables` have this type. Use it in your own tables for columns that reference a user: MySQL requires both columns of a foreign key to have
 * the same type.
 *
 * @example
 * // posts.ts
 * import { exactText } from 'drizzle-auth-adapter/mysql'
 * import { int, mysqlTable } from 'drizzle-orm/mysql-core'
 * import { usersTable } from './schema.js'
 *
 * export const posts = mysqlTable('post', {
 *   id: int().autoincrement().primaryKey(),
 *   authorId: exactText()
 *     .notNull()
 *     .references(() => usersTable.id, { onDelete: 'cascade' }),
 * })
 */
export function exactText(name = ''): KeyColumn {
  return short(name)
}

// Any text of any length, whatever the default character set of the database is.
const longtext = customType<{ data: string }>({ dataType: () => 'longtext character set utf8mb4' })
const text = (name: string) => describeColumn(longtext(name), { dataType: 'string' })

const instant = (name: string) => datetime(name, { mode: 'date', fsp: 3 })
const whole = (name: string) => bigint(name, { mode: 'number' })

// The integer types behind serial types.
const serialTypes = { serial: 'bigint unsigned' }

/**
 * The five tables, for the app's schema file.
 *
 * @param options Names of the tables, type of the ids, and columns of your own.
 * @example
 * // schema.ts
 * import { defineTables } from 'drizzle-auth-adapter/mysql'
 *
 * export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
 */
export function defineTables<
  Own extends UsersTable | undefined = undefined,
  const Added extends AddedColumns<ColumnMap> = Record<never, never>,
  const Case extends Casing = 'camelCase',
>(options: TableOptions<MySqlTableFn<string | undefined>, Own, Added, Case> = {}): DefinedTables<Own, Added, Case> {
  checkDefinition('mysql', options)
  const { table = mysqlTable, usersTable: own, foreignKeys = true } = options
  const named = namesIn(options.casing)
  const added: AddedColumns<ColumnMap> = nameColumns(options.columns ?? {}, options.casing)
  const nameOf = namesOf(table)

  const users = {
    id: exactText('id').primaryKey(),
    name: text('name'),
    email: exactText('email').notNull().unique(),
    emailVerified: instant(named('emailVerified')),
    image: text('image'),
  } satisfies ColumnsFor<'users'>
  const usersTable = own ?? table('user', { ...users, ...added.users })

  const id = (usersTable as unknown as { id: Column }).id
  const owner = () => {
    const column = (own ? referenceColumn(id, customType, named('userId'), serialTypes) : exactText(named('userId'))).notNull()
    return foreignKeys ? column.references(() => id as never, { onDelete: 'cascade' }) : column
  }

  const accounts = {
    userId: owner(),
    type: text('type').notNull(),
    provider: short('provider').notNull(),
    providerAccountId: long(named('providerAccountId')).notNull(),
    refresh_token: text('refresh_token'),
    access_token: text('access_token'),
    expires_at: whole('expires_at'),
    expires_in: whole('expires_in'),
    token_type: text('token_type'),
    scope: text('scope'),
    id_token: text('id_token'),
    session_state: text('session_state'),
  } satisfies ColumnsFor<'accounts'>
  const accountsTable = table('account', { ...accounts, ...added.accounts }, (t) => [
    primaryKey({ columns: [t.provider, t.providerAccountId] }),
    index(`${nameOf('account')}_${named('userId')}_idx`).on(t.userId),
  ])

  const sessions = {
    sessionToken: short(named('sessionToken')).primaryKey(),
    userId: owner(),
    expires: instant('expires').notNull(),
  } satisfies ColumnsFor<'sessions'>
  const sessionsTable = table('session', { ...sessions, ...added.sessions }, (t) => [
    index(`${nameOf('session')}_${named('userId')}_idx`).on(t.userId),
    index(`${nameOf('session')}_expires_idx`).on(t.expires),
  ])

  const verificationTokens = {
    identifier: short('identifier').notNull(),
    token: short('token').notNull(),
    expires: instant('expires').notNull(),
  } satisfies ColumnsFor<'verificationTokens'>
  const verificationTokensTable = table(named('verificationToken'), { ...verificationTokens, ...added.verificationTokens }, (t) => [
    primaryKey({ columns: [t.identifier, t.token] }),
    index(`${nameOf(named('verificationToken'))}_expires_idx`).on(t.expires),
  ])

  const authenticators = {
    userId: owner(),
    credentialID: long(named('credentialID')).notNull().unique(),
    providerAccountId: long(named('providerAccountId')).notNull(),
    credentialPublicKey: text(named('credentialPublicKey')).notNull(),
    counter: int('counter', { unsigned: true }).notNull(),
    credentialDeviceType: text(named('credentialDeviceType')).notNull(),
    credentialBackedUp: boolean(named('credentialBackedUp')).notNull(),
    transports: text('transports'),
  } satisfies ColumnsFor<'authenticators'>
  const authenticatorsTable = table('authenticator', { ...authenticators, ...added.authenticators }, (t) => [
    primaryKey({ columns: [t.userId, t.credentialID] }),
  ])

  const tables = { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable }
  checkNames(tables, added)
  markColumns(tables, own !== undefined, lookupFields)
  return tables as unknown as DefinedTables<Own, Added, Case>
}

type ColumnMap = ColumnMapOf<MySqlTableFn>

/** The result of `defineTables`. */
export type DefinedTables<Own, Added, Case> = TablesOf<Types, Own, Added, Case>

// Not exported, so that declarations of apps spell it out.
type ColumnData<Data> = { data: NonNullable<Data>; notNull: null extends Data ? false : true }

interface Types extends DialectTypes {
  column: ReturnType<ReturnType<typeof customType<ColumnData<this['data']>>>>
  table: this['columns'] extends ColumnMap ? ReturnType<typeof mysqlTable<this['name'], this['columns']>> : never
}
