import mysql from 'mysql2/promise'
import type { Setting } from '../setting.js'
import { openHttp } from './http.js'

/** A MySQL server behind HTTP, for Drizzle's proxies. */
export async function openMysqlHttp({ url, connections }: Setting) {
  const client = mysql.createPool({
    uri: url,
    connectionLimit: connections,
    // Dates and bytes are sent as text, because JSON has no types for them.
    typeCast: (field, next) =>
      /^(DATE|DATETIME|TIMESTAMP|STRING|VAR_STRING|(TINY_|MEDIUM_|LONG_)?BLOB)$/.test(field.type) ? field.string('utf8') : next(),
  })
  const http = await openHttp(async ({ sql, params, method }) => {
    const [result] = await client.query({ sql, values: params, rowsAsArray: method === 'all' })
    return { rows: method === 'all' ? result : [result] }
  })
  return {
    ...http,
    async close() {
      http.close()
      await client.end()
    },
  }
}
