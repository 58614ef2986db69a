import { drizzle } from 'drizzle-orm/mysql2'
import mysql from 'mysql2/promise'
import type { Open } from '../setting.js'

// A Worker cannot generate code at run time, which mysql2 does by default.
export const open: Open = async ({ url, connections, logger }) => {
  const client = mysql.createPool({ uri: url, connectionLimit: connections, disableEval: true })
  return { db: drizzle({ client, logger }), close: () => client.end() }
}
