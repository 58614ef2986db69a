import pg from 'pg'
import type { Setting } from '../setting.js'
import { openHttp } from './http.js'

// Values are sent as the text that the database returns, because Drizzle parses dates and numbers itself.
const types = { getTypeParser: (id: number) => (id === pg.types.builtins.BOOL ? pg.types.getTypeParser(id) : (text: string) => text) }

/** A PostgreSQL server behind HTTP, for Drizzle's proxies. */
export async function openPgHttp({ url, connections }: Setting) {
  const client = new pg.Pool({ connectionString: url, max: connections, types: types as typeof pg.types })
  const http = await openHttp(async ({ sql, params, method }) => {
    const query = { text: sql, values: params }
    const { rows } = await (method === 'all' ? client.query({ ...query, rowMode: 'array' }) : client.query(query))
    return { rows }
  })
  return {
    ...http,
    async close() {
      http.close()
      await client.end()
    },
  }
}
