import { drizzle } from 'drizzle-orm/mysql2'
import mysql from 'mysql2/promise'
import type { Open } from '../setting.js'

export const open: Open = async ({ url, logger }) => {
  const client = await mysql.createConnection(url)
  return { db: drizzle({ client, logger }), close: () => client.end() }
}
