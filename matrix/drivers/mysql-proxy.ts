import { drizzle } from 'drizzle-orm/mysql-proxy'
import mysql from 'mysql2/promise'
import type { Open } from '../setting.js'
import { openHttp } from './http.js'

export const open: Open = async ({ url, connections, logger }) => {
  const client = mysql.createPool({
    uri: url,
    connectionLimit: connections,
    // Dates and bytes go to Drizzle as text: JSON has no other form for them.
    typeCast: (field, next) => (/^(DATE|DATETIME|TIMESTAMP|STRING|VAR_STRING|BLOB)$/.test(field.type) ? field.string('utf8') : next()),
  })
  const http = await openHttp(async ({ sql, params, method }) => {
    const [result] = await client.query({ sql, values: params, rowsAsArray: method === 'all' })
    return { rows: method === 'all' ? result : [result] }
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
