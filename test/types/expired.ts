// What deleteExpired takes, as types tell it; under both versions of Drizzle.
import { deleteExpired } from 'drizzle-auth-adapter'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { bigint, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'

const betterAuth = {
  session: pgTable('session', { id: text().primaryKey(), token: text(), expiresAt: timestamp() }),
  rateLimit: pgTable('rate_limit', { id: text().primaryKey(), lastRequest: bigint({ mode: 'number' }) }),
  // Schema files export relations as well.
  sessionRelations: {},
}
const pgTables = definePg()
const sqliteTables = defineSqlite()

export async function taken(sqlite: ReturnType<typeof drizzleSqlite>, pg: ReturnType<typeof drizzlePg>): Promise<number> {
  const { sessionsTable, usersTable } = pgTables
  await deleteExpired(sqlite, sqliteTables, { before: new Date(), signal: AbortSignal.timeout(1), onProgress: ({ deleted }) => deleted })
  await pg.transaction((transaction) => deleteExpired(transaction, pgTables))
  // @ts-expect-error: a database of another dialect
  await deleteExpired(sqlite, pgTables)
  // @ts-expect-error: no table whose rows expire
  await deleteExpired(pg, { usersTable })
  // @ts-expect-error: the wrong table
  await deleteExpired(pg, { sessionsTable: usersTable })
  // @ts-expect-error: no date
  await deleteExpired(pg, pgTables, { before: Date.now() })
  const { verifications, rateLimits } = await deleteExpired(pg, betterAuth)
  const { session } = betterAuth
  const both = await deleteExpired(pg, { ...pgTables, session })
  // @ts-expect-error: a database of another dialect
  await deleteExpired(sqlite, betterAuth)
  const { sessions, verificationTokens } = await deleteExpired(pg, { sessionsTable }, {})
  return sessions + verificationTokens + verifications + rateLimits + (both.rateLimits ?? 0)
}
