import { tmpdir } from 'node:os'
import { DrizzleAdapter as OfficialAdapter } from '@auth/drizzle-adapter'
import { KyselyAdapter } from '@auth/kysely-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { eq, sql } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { connect, createDatabase } from '../../../test/support/connections.js'
import type { DialectName } from '../../../test/support/dialects.js'
import { migrationsOf } from '../../../test/support/migrations.js'
import type * as pgTables from '../../../test/support/schema/pg.js'
import { officialTables } from '../../official/tables.js'
import { seed, seededToken } from '../seed.js'
import type { Sizes } from '../sizes.js'
import type { Clients, Contender, ContenderName, FindSession, Operations } from './contender.js'
import { kyselyTables } from './kysely-tables.js'
import { mysql } from './mysql.js'
import { pg } from './pg.js'
import { sqlite } from './sqlite.js'

/** What every phase gets: where to create databases, how much to measure, and where to report. */
export interface PhaseContext {
  dialect: DialectName
  serverUrl: string
  sizes: Sizes
  report(line: string): void
}

/** The database of one contender. */
export interface Store {
  name: ContenderName
  url: string
  drop(): Promise<void>
}

export const clients: Record<DialectName, Clients> = { sqlite, pg, mysql }

// The hand-written code uses the same tables as this package.
async function tablesOf(name: ContenderName, dialect: DialectName): Promise<string[]> {
  if (name === 'official') return officialTables(dialect)
  return name === 'kysely' ? kyselyTables(dialect) : migrationsOf(dialect)
}

/** Creates a database for a contender, with its own tables and this number of sessions. */
export async function createStore(
  { dialect, serverUrl }: Pick<PhaseContext, 'dialect' | 'serverUrl'>,
  name: ContenderName,
  sessions: number,
): Promise<Store> {
  const { url, drop } = await createDatabase(dialect, serverUrl || tmpdir())
  const { client, exec, close } = await connect[dialect](url, { connections: 1 })
  if ('pragma' in client) {
    client.pragma('cache_size = -500000')
    client.function('token', { deterministic: true }, (session) => seededToken(session as number))
  }
  for (const statement of await tablesOf(name, dialect)) await exec(statement)
  await seed(exec, dialect, name, sessions)
  await close()
  return { name, url, drop }
}

/** Drizzle's own prepared query of a session and its user. The databases of the dialects have no type in common, so PostgreSQL's is used. */
function preparedSession(dialect: DialectName, db: PostgresJsDatabase, { usersTable, sessionsTable }: typeof pgTables): FindSession {
  const query = db
    .select({ session: sessionsTable, user: usersTable })
    .from(sessionsTable)
    .innerJoin(usersTable, eq(usersTable.id, sessionsTable.userId))
    .where(eq(sessionsTable.sessionToken, sql.placeholder('sessionToken')))
    .prepare('getSessionAndUser')
  // `execute` of SQLite's databases is a slower way to `all`.
  const run = (dialect === 'sqlite' && 'all' in query ? query.all : query.execute) as typeof query.execute
  return async (sessionToken) => (await run.call(query, { sessionToken }))[0] ?? null
}

function connectContender(dialect: DialectName, name: ContenderName, url: string): Omit<Contender, 'name' | 'adapter'> {
  const { tables, officialTables, drizzle, kysely, hand } = clients[dialect]
  if (name === 'kysely') {
    const db = kysely(url)
    const make = () => KyselyAdapter(db)
    return { make, makeForRequest: make, close: () => db.destroy() }
  }
  if (name === 'hand') {
    const { find, close } = hand(url)
    const make = () => ({ getSessionAndUser: find })
    return { make, makeForRequest: make, close }
  }
  const { newDb, close } = drizzle(url)
  const db = newDb()
  const makers: Record<typeof name, (options?: object) => Partial<Operations>> = {
    ours: (options) => DrizzleAdapter(db as never, tables as never, options) as Partial<Operations>,
    official: () => OfficialAdapter(db as never),
    drizzle: () => ({ getSessionAndUser: preparedSession(dialect, db as never, tables as never) }),
  }
  const makeForRequest = () => {
    if (name === 'official') return OfficialAdapter(newDb() as never, officialTables as never)
    return DrizzleAdapter(newDb() as never, tables as never) as Partial<Operations>
  }
  return { make: makers[name], makeForRequest, close }
}

/** Connects a contender to its database. */
function openContender(dialect: DialectName, { name, url }: Omit<Store, 'drop'>): Contender {
  const connected = connectContender(dialect, name, url)
  return { name, ...connected, adapter: connected.make() }
}

/** Connects contenders to their databases, and closes the connections afterwards. */
export async function withContenders<T>(
  { dialect }: PhaseContext,
  stores: Store[],
  use: (contenders: [Contender, ...Contender[]]) => Promise<T>,
): Promise<T> {
  const contenders = stores.map((store) => openContender(dialect, store))
  try {
    return await use(contenders as [Contender, ...Contender[]])
  } finally {
    for (const contender of contenders) await contender.close()
  }
}
