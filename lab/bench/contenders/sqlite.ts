import type { AdapterSession, AdapterUser } from '@auth/core/adapters'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import * as officialTables from '../../../kit/test/support/moving/official-sqlite.js'
import * as tables from '../../../test/support/schema/sqlite.js'
import type { Clients } from './contender.js'

function open(file: string) {
  const client = new Database(file)
  client.pragma('journal_mode = wal')
  client.pragma('foreign_keys = on')
  return client
}

type Row = AdapterSession & AdapterUser & { expires: number; emailVerified: number | null }

export const sqlite: Clients = {
  tables,
  officialTables,

  drizzle(url, schema = {}) {
    const client = open(url)
    return { newDb: () => drizzle({ client, schema }), close: () => client.close() }
  },

  kysely: (url) => new Kysely({ dialect: new SqliteDialect({ database: open(url) }) }),

  hand(url) {
    const client = open(url)
    const select = client.prepare(
      'select sessionToken, userId, expires, id, name, email, emailVerified, image from session join user on user.id = session.userId where sessionToken = ?',
    )
    const find = (token: string) => {
      const row = select.get(token) as Row | undefined
      if (!row) return null
      const { sessionToken, userId, expires, id, name = null, email, emailVerified, image = null } = row
      return {
        session: { sessionToken, userId, expires: new Date(expires) },
        user: { id, name, email, emailVerified: emailVerified === null ? null : new Date(emailVerified), image },
      }
    }
    return { find, close: () => client.close() }
  },
}
