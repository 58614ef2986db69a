import type { AdapterSession, AdapterUser } from '@auth/core/adapters'
import { drizzle } from 'drizzle-orm/postgres-js'
import { Kysely, PostgresDialect } from 'kysely'
import postgres from 'postgres'
import * as officialTables from '../../../kit/test/support/moving/official-pg.js'
import { openPool } from '../../../test/support/pool.js'
import * as tables from '../../../test/support/schema/pg.js'
import type { Clients } from './contender.js'

/** Timestamps without a time zone are in UTC. */
const date = {
  to: 1114,
  from: [1114],
  serialize: (value: Date) => value.toISOString(),
  parse: (value: string) => new Date(`${value}Z`),
}

export const pg: Clients = {
  tables,
  officialTables,

  drizzle(url, schema = {}) {
    const client = postgres(url, { max: 1 })
    return { newDb: () => drizzle({ client, schema }), close: () => client.end() }
  },

  // Kysely's own dialect is for node-postgres.
  kysely: (url) => new Kysely({ dialect: new PostgresDialect({ pool: openPool({ connectionString: url, max: 1 }) }) }),

  // postgres.js prepares each statement at its first use.
  hand(url) {
    const sql = postgres(url, { max: 1, connection: { TimeZone: 'UTC' }, types: { date } })
    const find = async (token: string) => {
      const [row] = await sql<(AdapterSession & AdapterUser)[]>`
        select s."sessionToken", s."userId", s."expires", u."id", u."name", u."email", u."emailVerified", u."image"
        from "session" s join "user" u on u."id" = s."userId" where s."sessionToken" = ${token}`
      if (!row) return null
      const { sessionToken, userId, expires, id, name = null, email, emailVerified, image = null } = row
      return { session: { sessionToken, userId, expires }, user: { id, name, email, emailVerified, image } }
    }
    return { find, close: () => sql.end() }
  },
}
