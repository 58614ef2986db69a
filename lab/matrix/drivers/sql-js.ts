import { drizzle } from 'drizzle-orm/sql-js'
import initSqlJs from 'sql.js'
import type { Open } from '../setting.js'

export const open: Open = async ({ statements, foreignKeys, logger }) => {
  const { Database } = await initSqlJs()
  const client = new Database()
  client.run(`pragma foreign_keys = ${foreignKeys}`)
  for (const statement of statements) client.run(statement)
  return { db: drizzle(client, { logger }), close: () => client.close() }
}
