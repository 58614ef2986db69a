import type { Column, Table } from 'drizzle-orm'
import type { ModelName } from '../models.js'
import { getTableName } from '../query/drizzle.js'
import type { DialectName } from '../query/internals.js'
import { checkDefinition } from './checks.js'
import type { CustomType } from './columns.js'
import { markColumns, nameColumns, namesIn, referenceColumn } from './columns.js'
import type { AddedColumns, ColumnsFor, TableOptions } from './types.js'

/** The parts from which a dialect builds its tables: Drizzle's functions, and one for each type of column, which gets the column's name. */
export interface Parts<MakeColumn = (name: string) => object> {
  readonly customType: unknown
  readonly index: unknown
  readonly primaryKey: unknown
  /** Text by which rows are found, of up to 255 characters. */
  readonly key: MakeColumn
  /** The same for keys that other services choose, which may be longer. */
  readonly longKey: MakeColumn
  readonly text: MakeColumn
  readonly instant: MakeColumn
  readonly integer: MakeColumn
  readonly counter: MakeColumn
  readonly boolean: MakeColumn
  /** The integer types behind serial types. */
  readonly serialTypes?: Record<string, string>
  /** The fields of a model whose columns compare exactly. */
  exactFields(model: ModelName): readonly string[]
}

type Tables = Record<`${ModelName}Table`, unknown>
type Options = TableOptions<unknown, unknown, AddedColumns<Record<string, unknown>>>

/** The five tables. A dialect gives them their types. */
export function buildTables(dialect: DialectName, defaultTable: unknown, parts: Parts, options: object): Tables {
  checkDefinition(dialect, options)
  const { table: create = defaultTable, usersTable: own, foreignKeys = true, casing, columns } = options as Options
  const table = create as CreateTable
  const { customType, index, primaryKey, key, longKey, text, instant, integer, counter, boolean } = parts as unknown as DrizzleParts
  const named = namesIn(casing)
  const added = nameColumns((columns ?? {}) as AddedColumns<object>, casing)
  // A table creator may add a prefix.
  const indexOn = (name: string, column: Column) => index(`${getTableName(table(name, {}))}_${column.name}_idx`).on(column)

  const users = {
    id: key('id').primaryKey(),
    name: text('name'),
    email: key('email').notNull().unique(),
    emailVerified: instant(named('emailVerified')),
    image: text('image'),
  } satisfies ColumnsFor<'users'>
  const usersTable = (own as Table | undefined) ?? table('user', { ...users, ...added.users })

  const { id } = usersTable as unknown as { id: Column }
  const userId = () => {
    const name = named('userId')
    const column = (own ? referenceColumn(id, customType, name, parts.serialTypes) : key(name)).notNull()
    return foreignKeys ? column.references(() => id, { onDelete: 'cascade' }) : column
  }

  const accounts = {
    userId: userId(),
    type: text('type').notNull(),
    provider: key('provider').notNull(),
    providerAccountId: longKey(named('providerAccountId')).notNull(),
    refresh_token: text('refresh_token'),
    access_token: text('access_token'),
    expires_at: integer('expires_at'),
    expires_in: integer('expires_in'),
    token_type: text('token_type'),
    scope: text('scope'),
    id_token: text('id_token'),
    session_state: text('session_state'),
  } satisfies ColumnsFor<'accounts'>
  const accountsTable = table('account', { ...accounts, ...added.accounts }, (t) => [
    primaryKey({ columns: [t.provider, t.providerAccountId] }),
    indexOn('account', t.userId),
  ])

  const sessions = {
    sessionToken: key(named('sessionToken')).primaryKey(),
    userId: userId(),
    expires: instant('expires').notNull(),
  } satisfies ColumnsFor<'sessions'>
  const sessionsTable = table('session', { ...sessions, ...added.sessions }, (t) => [
    indexOn('session', t.userId),
    indexOn('session', t.expires),
  ])

  const verificationTokens = {
    identifier: key('identifier').notNull(),
    token: key('token').notNull(),
    expires: instant('expires').notNull(),
  } satisfies ColumnsFor<'verificationTokens'>
  const verificationToken = named('verificationToken')
  const verificationTokensTable = table(verificationToken, { ...verificationTokens, ...added.verificationTokens }, (t) => [
    primaryKey({ columns: [t.identifier, t.token] }),
    indexOn(verificationToken, t.expires),
  ])

  const authenticators = {
    userId: userId(),
    credentialID: longKey(named('credentialID')).notNull().unique(),
    providerAccountId: longKey(named('providerAccountId')).notNull(),
    credentialPublicKey: text(named('credentialPublicKey')).notNull(),
    counter: counter('counter').notNull(),
    credentialDeviceType: text(named('credentialDeviceType')).notNull(),
    credentialBackedUp: boolean(named('credentialBackedUp')).notNull(),
    transports: text('transports'),
  } satisfies ColumnsFor<'authenticators'>
  const authenticatorsTable = table('authenticator', { ...authenticators, ...added.authenticators }, (t) => [
    primaryKey({ columns: [t.userId, t.credentialID] }),
  ])

  const tables = { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable }
  markColumns(tables, own !== undefined, parts.exactFields)
  return tables
}

// The interface that Drizzle's functions share. Their own types differ between dialects and versions.

interface Builder {
  notNull(): Builder
  unique(): Builder
  primaryKey(): Builder
  references(column: () => Column, actions: { onDelete: 'cascade' }): Builder
}

interface DrizzleParts extends Parts<(name: string) => Builder> {
  readonly customType: CustomType<Builder>
  index(name: string): { on(column: Column): object }
  primaryKey(key: { columns: Column[] }): object
}

type CreateTable = (name: string, columns: object, extras?: (columns: TableColumns) => object[]) => Table
type TableColumns = Record<'provider' | 'providerAccountId' | 'userId' | 'expires' | 'identifier' | 'token' | 'credentialID', Column>
