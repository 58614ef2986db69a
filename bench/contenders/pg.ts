import { DrizzleAdapter as OfficialAdapter } from '@auth/drizzle-adapter'
import { KyselyAdapter } from '@auth/kysely-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/postgres-js'
import { Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import postgres from 'postgres'
import * as tables from '../../test/support/schema/pg.js'
import type { Connect } from './contender.js'
import { preparedSession, statementLogger } from './contender.js'
import { handTypes, handWritten } from './hand-pg.js'

export const pg: Connect = {
  ours(location, options) {
    const client = postgres(location, { max: options.connections })
    const db = drizzle({ client, ...statementLogger(options) })
    return { make: (options) => DrizzleAdapter(db, tables, options), close: () => client.end() }
  },

  official(location, options) {
    const client = postgres(location, { max: options.connections })
    const db = drizzle({ client, ...statementLogger(options) })
    return { make: () => OfficialAdapter(db), close: () => client.end() }
  },

  // Kysely's own dialect is for node-postgres.
  kysely(location, { connections }) {
    const db = new Kysely<never>({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: location, max: connections }) }) })
    return { make: () => KyselyAdapter(db), close: () => db.destroy() }
  },

  drizzle(location, { connections }) {
    const client = postgres(location, { max: connections })
    const db = drizzle({ client })
    const make = () => {
      const query = db
        .select({ session: tables.sessionsTable, user: tables.usersTable })
        .from(tables.sessionsTable)
        .innerJoin(tables.usersTable, eq(tables.usersTable.id, tables.sessionsTable.userId))
        .where(eq(tables.sessionsTable.sessionToken, sql.placeholder('sessionToken')))
      return preparedSession(query.prepare('getSessionAndUser'))
    }
    return { make, close: () => client.end() }
  },

  hand(location, { connections }) {
    const client = postgres(location, { max: connections, connection: { TimeZone: 'UTC' }, types: handTypes })
    return { make: () => handWritten(client), close: () => client.end() }
  },
}
