import { drizzle } from 'drizzle-orm/pg-proxy'
import pg from 'pg'
import type { Open } from '../setting.js'
import { openHttp } from './http.js'

// Rows go to Drizzle as the database writes them: it reads dates and numbers itself.
const types = { getTypeParser: (id: number) => (id === pg.types.builtins.BOOL ? pg.types.getTypeParser(id) : (text: string) => text) }

export const open: Open = async ({ url, connections, logger }) => {
  const client = new pg.Pool({ connectionString: url, max: connections, types: types as typeof pg.types })
  const http = await openHttp(async ({ sql, params, method }) => {
    const query = { text: sql, values: params }
    const { rows } = await (method === 'all' ? client.query({ ...query, rowMode: 'array' }) : client.query(query))
    return { rows }
  })
  return {
    db: drizzle(http.ask, { logger }),
    trips: http.trips,
    async close() {
      http.close()
      await client.end()
    },
  }
}
