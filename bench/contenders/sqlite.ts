import { DrizzleAdapter as OfficialAdapter } from '@auth/drizzle-adapter'
import { KyselyAdapter } from '@auth/kysely-adapter'
import Database from 'better-sqlite3'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import * as tables from '../../test/support/schema/sqlite.js'
import type { Connect } from './contender.js'
import { preparedSession, statementLogger } from './contender.js'
import { handWritten } from './hand-sqlite.js'

export const sqlite: Connect = {
  ours(location, options) {
    const client = open(location)
    const db = drizzle({ client, ...statementLogger(options) })
    return { make: (options) => DrizzleAdapter(db, tables, options), close: () => client.close() }
  },

  official(location, options) {
    const client = open(location)
    const db = drizzle({ client, ...statementLogger(options) })
    return { make: () => OfficialAdapter(db), close: () => client.close() }
  },

  kysely(location) {
    const db = new Kysely<never>({ dialect: new SqliteDialect({ database: open(location) }) })
    return { make: () => KyselyAdapter(db), close: () => db.destroy() }
  },

  drizzle(location) {
    const client = open(location)
    const db = drizzle({ client })
    const make = () => {
      const query = db
        .select({ session: tables.sessionsTable, user: tables.usersTable })
        .from(tables.sessionsTable)
        .innerJoin(tables.usersTable, eq(tables.usersTable.id, tables.sessionsTable.userId))
        .where(eq(tables.sessionsTable.sessionToken, sql.placeholder('sessionToken')))
      return preparedSession(query.prepare())
    }
    return { make, close: () => client.close() }
  },

  hand(location) {
    const client = open(location)
    return { make: () => handWritten(client), close: () => client.close() }
  },
}

function open(file: string) {
  const client = new Database(file)
  client.pragma('journal_mode = wal')
  client.pragma('foreign_keys = on')
  return client
}
