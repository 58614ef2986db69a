import { drizzle } from 'drizzle-orm/mysql2'
import mysql from 'mysql2/promise'
import type { Open } from '../setting.js'

export const open: Open = async ({ url, connections, logger }) => {
  const client = mysql.createPool({ uri: url, connectionLimit: connections })
  return { db: drizzle({ client, logger }), close: () => client.end() }
}
