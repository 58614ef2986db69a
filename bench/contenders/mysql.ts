import { DrizzleAdapter as OfficialAdapter } from '@auth/drizzle-adapter'
import { KyselyAdapter } from '@auth/kysely-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/mysql2'
import { Kysely, MysqlDialect } from 'kysely'
import { createPool as createCallbackPool } from 'mysql2'
import { createPool } from 'mysql2/promise'
import * as tables from '../../test/support/schema/mysql.js'
import type { ClientOptions, Connect } from './contender.js'
import { preparedSession, statementLogger } from './contender.js'
import { handWritten } from './hand-mysql.js'

export const mysql: Connect = {
  ours(location, options) {
    const client = createPool(settings(location, options))
    const db = drizzle({ client, ...statementLogger(options) })
    return { make: (options) => DrizzleAdapter(db, tables, options), close: () => client.end() }
  },

  official(location, options) {
    const client = createPool(settings(location, options))
    const db = drizzle({ client, ...statementLogger(options) })
    return { make: () => OfficialAdapter(db), close: () => client.end() }
  },

  kysely(location, options) {
    const pool = createCallbackPool({ ...settings(location, options), timezone: 'Z' })
    const db = new Kysely<never>({ dialect: new MysqlDialect({ pool }) })
    return { make: () => KyselyAdapter(db), close: () => db.destroy() }
  },

  drizzle(location, options) {
    const client = createPool(settings(location, options))
    const db = drizzle({ client })
    const make = () => {
      const query = db
        .select({ session: tables.sessionsTable, user: tables.usersTable })
        .from(tables.sessionsTable)
        .innerJoin(tables.usersTable, eq(tables.usersTable.id, tables.sessionsTable.userId))
        .where(eq(tables.sessionsTable.sessionToken, sql.placeholder('sessionToken')))
      return preparedSession(query.prepare())
    }
    return { make, close: () => client.end() }
  },

  hand(location, options) {
    const client = createPool({ ...settings(location, options), timezone: 'Z' })
    return { make: () => handWritten(client), close: () => client.end() }
  },
}

function settings(uri: string, { connections }: ClientOptions) {
  return { uri, connectionLimit: connections }
}
