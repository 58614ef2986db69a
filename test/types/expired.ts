// What deleteExpired takes, as types tell it; under both versions of Drizzle.
import { deleteExpired } from 'drizzle-auth-adapter'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import type { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'

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
  const { sessions, verificationTokens } = await deleteExpired(pg, { sessionsTable }, {})
  return sessions + verificationTokens
}
