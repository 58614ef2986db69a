import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import type { Open } from '../setting.js'

export const open: Open = async ({ file, statements, foreignKeys, logger }) => {
  const client = new Database(file)
  client.pragma('synchronous = off')
  client.pragma(`foreign_keys = ${foreignKeys}`)
  for (const statement of statements) client.exec(statement)
  return { db: drizzle({ client, logger }), close: () => client.close() }
}
