import { DatabaseSync } from 'node:sqlite'
import { drizzle } from 'drizzle-orm-v1/node-sqlite'
import type { Open } from '../setting.js'

export const open: Open = async ({ file, statements, foreignKeys, logger, driver }) => {
  const client = new DatabaseSync(file, { ...driver })
  client.exec('pragma synchronous = off')
  client.exec(`pragma foreign_keys = ${foreignKeys}`)
  for (const statement of statements) client.exec(statement)
  return { db: drizzle({ client, logger }), close: () => client.close() }
}
