import type { Column } from 'drizzle-orm'
import type { PgTableFn } from 'drizzle-orm/pg-core'
import { bigint, boolean, customType, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { checkDefinition, checkNames } from '../definition/checks.js'
import { allFields, markColumns, nameColumns, namesIn, namesOf, referenceColumn } from '../definition/columns.js'
import type { AddedColumns, Casing, ColumnMapOf, ColumnsFor, DialectTypes, TableOptions, TablesOf } from '../definition/types.js'
import type { UsersTable } from '../types.js'

const instant = (name: string) => timestamp(name, { mode: 'date', precision: 3 })
const whole = (name: string) => bigint(name, { mode: 'number' })

// The integer types behind serial types.
const serialTypes = { smallserial: 'smallint', serial: 'integer', bigserial: 'bigint' }

/**
 * The five tables, for the app's schema file.
 *
 * @param options Names of the tables, type of the ids, and columns of your own.
 * @example
 * // schema.ts
 * import { defineTables } from 'drizzle-auth-adapter/pg'
 *
 * export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
 */
export function defineTables<
  Own extends UsersTable | undefined = undefined,
  const Added extends AddedColumns<ColumnMap> = Record<never, never>,
  const Case extends Casing = 'camelCase',
>(options: TableOptions<PgTableFn<string | undefined>, Own, Added, Case> = {}): DefinedTables<Own, Added, Case> {
  checkDefinition('pg', options)
  const { table = pgTable, usersTable: own, foreignKeys = true } = options
  const named = namesIn(options.casing)
  const added: AddedColumns<ColumnMap> = nameColumns(options.columns ?? {}, options.casing)
  const nameOf = namesOf(table)

  const users = {
    id: text('id').primaryKey(),
    name: text('name'),
    email: text('email').notNull().unique(),
    emailVerified: instant(named('emailVerified')),
    image: text('image'),
  } satisfies ColumnsFor<'users'>
  const usersTable = own ?? table('user', { ...users, ...added.users })

  const id = (usersTable as unknown as { id: Column }).id
  const userId = () => {
    const column = (own ? referenceColumn(id, customType, named('userId'), serialTypes) : text(named('userId'))).notNull()
    return foreignKeys ? column.references(() => id as never, { onDelete: 'cascade' }) : column
  }

  const accounts = {
    userId: userId(),
    type: text('type').notNull(),
    provider: text('provider').notNull(),
    providerAccountId: text(named('providerAccountId')).notNull(),
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
    sessionToken: text(named('sessionToken')).primaryKey(),
    userId: userId(),
    expires: instant('expires').notNull(),
  } satisfies ColumnsFor<'sessions'>
  const sessionsTable = table('session', { ...sessions, ...added.sessions }, (t) => [
    index(`${nameOf('session')}_${named('userId')}_idx`).on(t.userId),
    index(`${nameOf('session')}_expires_idx`).on(t.expires),
  ])

  const verificationTokens = {
    identifier: text('identifier').notNull(),
    token: text('token').notNull(),
    expires: instant('expires').notNull(),
  } satisfies ColumnsFor<'verificationTokens'>
  const verificationTokensTable = table(named('verificationToken'), { ...verificationTokens, ...added.verificationTokens }, (t) => [
    primaryKey({ columns: [t.identifier, t.token] }),
    index(`${nameOf(named('verificationToken'))}_expires_idx`).on(t.expires),
  ])

  const authenticators = {
    userId: userId(),
    credentialID: text(named('credentialID')).notNull().unique(),
    providerAccountId: text(named('providerAccountId')).notNull(),
    credentialPublicKey: text(named('credentialPublicKey')).notNull(),
    counter: whole('counter').notNull(),
    credentialDeviceType: text(named('credentialDeviceType')).notNull(),
    credentialBackedUp: boolean(named('credentialBackedUp')).notNull(),
    transports: text('transports'),
  } satisfies ColumnsFor<'authenticators'>
  const authenticatorsTable = table('authenticator', { ...authenticators, ...added.authenticators }, (t) => [
    primaryKey({ columns: [t.userId, t.credentialID] }),
  ])

  const tables = { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable }
  checkNames(tables, added)
  markColumns(tables, own !== undefined, allFields)
  return tables as unknown as DefinedTables<Own, Added, Case>
}

type ColumnMap = ColumnMapOf<PgTableFn>

/** The result of `defineTables`. */
export type DefinedTables<Own, Added, Case> = TablesOf<Types, Own, Added, Case>

// Not exported, so that declarations of apps spell it out.
type ColumnData<Data> = { data: NonNullable<Data>; notNull: null extends Data ? false : true }

interface Types extends DialectTypes {
  column: ReturnType<ReturnType<typeof customType<ColumnData<this['data']>>>>
  table: this['columns'] extends ColumnMap ? ReturnType<typeof pgTable<this['name'], this['columns']>> : never
}
