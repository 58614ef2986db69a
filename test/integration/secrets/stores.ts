import type { AdapterOptions } from 'drizzle-auth-adapter'
import type { ProtectSecretsOptions, Secrets } from 'drizzle-auth-adapter/secrets'
import { protectSecrets } from 'drizzle-auth-adapter/secrets'
import type { AnyAdapter } from '../../support/databases.js'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import type * as pgSchema from '../../support/schema/pg.js'
import { inAnHour, tokensOf } from './modes.js'

export type { AnyAdapter }

type Row = Record<string, unknown>

/** A new database with the default tables, and adapters for it. */
export interface Store {
  url: string
  adapter(secrets?: Secrets, options?: AdapterOptions): AnyAdapter
  protect(options: ProtectSecretsOptions): ReturnType<typeof protectSecrets>
  /** The stored rows of a table, with binary columns as text. */
  rows(table: 'session' | 'account'): Promise<Row[]>
  run(statement: string): Promise<Row[]>
  exec(statement: string): Promise<void>
  quote(name: string): string
  close(): Promise<void>
}

const text = (value: unknown) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value)
const withText = (row: Row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)]))

export async function openStore(dialect: DialectName, options?: { connections?: number }): Promise<Store> {
  const { db, url, tables, adapter, run, exec, quote, close } = await openDatabase(dialect, options)
  return {
    url,
    adapter: (secrets, options) => adapter({ ...options, secrets }),
    protect: (options) => protectSecrets(db as never, tables as typeof pgSchema, options),
    rows: async (table) => (await run(`select * from ${quote(table)}`)).map(withText),
    run: async (statement) => (await run(statement)).map(withText),
    exec,
    quote,
    close,
  }
}

export interface Person {
  userId: string
  session: { sessionToken: string; userId: string; expires: Date }
  account: { userId: string; type: 'oidc'; provider: string; providerAccountId: string } & ReturnType<typeof tokensOf>
}

/** Creates a user with a session and an account. */
export async function signUp(adapter: AnyAdapter): Promise<Person> {
  const { id: userId } = await adapter.createUser({ email: `${crypto.randomUUID()}@example.com` })
  const session = { sessionToken: crypto.randomUUID(), userId, expires: inAnHour() }
  const account = { userId, type: 'oidc' as const, provider: 'google', providerAccountId: crypto.randomUUID(), ...tokensOf('x') }
  await adapter.createSession(session)
  await adapter.linkAccount(account)
  return { userId, session, account }
}
