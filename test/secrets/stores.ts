import type { AdapterOptions } from 'drizzle-auth-adapter'
import { DrizzleAdapter, deleteExpired } from 'drizzle-auth-adapter'
import type { ProtectSecretsOptions, Secrets } from 'drizzle-auth-adapter/secrets'
import { protectSecrets } from 'drizzle-auth-adapter/secrets'
import { openMysql, openPg, openSqlite } from '../helpers/databases.js'
import type { DialectName } from '../helpers/dialects.js'
import * as mysqlSchema from '../schema/mysql.js'
import * as pgSchema from '../schema/pg.js'
import * as sqliteSchema from '../schema/sqlite.js'
import { inAnHour, tokensOf } from './modes.js'

export type AnyAdapter = ReturnType<typeof DrizzleAdapter<typeof pgSchema>>

type Row = Record<string, unknown>

/** A new database with the default tables, and adapters over it. */
export interface Store {
  url: string
  adapter(secrets?: Secrets, options?: AdapterOptions): AnyAdapter
  protect(options: ProtectSecretsOptions): ReturnType<typeof protectSecrets>
  sweep(): ReturnType<typeof deleteExpired>
  /** The rows of a table, as the database's console shows them. */
  rows(table: 'session' | 'account'): Promise<Row[]>
  run(statement: string): Promise<Row[]>
  exec(statement: string): Promise<void>
  quote(name: string): string
  close(): Promise<void>
}

interface Logger {
  logQuery(query: string, params: unknown[]): void
}

type Options = { logger?: Logger; connections?: number }

const text = (value: unknown) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value)
const readable = (row: Row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)]))

function storeOf<Db>(
  opened: { db: Db; run(statement: string): Promise<Row[]>; exec(statement: string): Promise<void>; close(): Promise<void> },
  url: string,
  tables: object,
  quote: Store['quote'],
): Store {
  const { db, run, exec, close } = opened
  return {
    url,
    // The three schemas are the same for a test; their types are not.
    adapter: (secrets, options) => DrizzleAdapter(db as never, tables as typeof pgSchema, { ...options, secrets }),
    protect: (options) => protectSecrets(db as never, tables as typeof pgSchema, options),
    sweep: () => deleteExpired(db as never, tables as typeof pgSchema, { pause: 0 }),
    rows: async (table) => (await run(`select * from ${quote(table)}`)).map(readable),
    run: async (statement) => (await run(statement)).map(readable),
    exec,
    quote,
    close,
  }
}

export const openStore: Record<DialectName, (options?: Options) => Promise<Store>> = {
  async sqlite(options) {
    const opened = await openSqlite(options)
    return storeOf(opened, opened.client.name, sqliteSchema, (name) => `"${name}"`)
  },
  async pg(options) {
    const opened = await openPg(options)
    return storeOf(opened, opened.url, pgSchema, (name) => `"${name}"`)
  },
  async mysql(options) {
    const opened = await openMysql(options)
    return storeOf(opened, opened.url, mysqlSchema, (name) => `\`${name}\``)
  },
}

export interface Person {
  userId: string
  session: { sessionToken: string; userId: string; expires: Date }
  account: { userId: string; type: 'oidc'; provider: string; providerAccountId: string } & ReturnType<typeof tokensOf>
}

/** A new user with a session and an account. */
export async function signUp(adapter: AnyAdapter): Promise<Person> {
  const { id: userId } = await adapter.createUser({ email: `${crypto.randomUUID()}@example.com` })
  const session = { sessionToken: crypto.randomUUID(), userId, expires: inAnHour() }
  const account = { userId, type: 'oidc' as const, provider: 'google', providerAccountId: crypto.randomUUID(), ...tokensOf('x') }
  await adapter.createSession(session)
  await adapter.linkAccount(account)
  return { userId, session, account }
}
