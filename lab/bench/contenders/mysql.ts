import { drizzle } from 'drizzle-orm/mysql2'
import { Kysely, MysqlDialect } from 'kysely'
import { createPool as createCallbackPool } from 'mysql2'
import type { RowDataPacket } from 'mysql2/promise'
import { createPool } from 'mysql2/promise'
import * as officialTables from '../../../kit/test/support/moving/official-mysql.js'
import * as tables from '../../../test/support/schema/mysql.js'
import type { Clients } from './contender.js'

const settings = (uri: string) => ({ uri, connectionLimit: 1 })

const select = `select s.sessionToken, s.userId, s.expires, u.id, u.name, u.email, u.emailVerified, u.image
  from session s join user u on u.id = s.userId where s.sessionToken = ?`

export const mysql: Clients = {
  tables,
  officialTables,

  drizzle(url, schema = {}) {
    const client = createPool(settings(url))
    return { newDb: () => drizzle({ client, mode: 'default', schema }), close: () => client.end() }
  },

  kysely: (url) => new Kysely({ dialect: new MysqlDialect({ pool: createCallbackPool({ ...settings(url), timezone: 'Z' }) }) }),

  // `execute` prepares the statement on the server: with mysql2 it is faster than `query` on both MariaDB and MySQL.
  hand(url) {
    const client = createPool({ ...settings(url), timezone: 'Z' })
    const find = async (token: string) => {
      const [[row]] = await client.execute<RowDataPacket[]>(select, [token])
      if (!row) return null
      const { expires, name, emailVerified, image } = row
      // The keys of these tables are binary, so mysql2 returns them as buffers.
      return {
        session: { sessionToken: row.sessionToken.toString(), userId: row.userId.toString(), expires },
        user: { id: row.id.toString(), name, email: row.email.toString(), emailVerified, image },
      }
    }
    return { find, close: () => client.end() }
  },
}
