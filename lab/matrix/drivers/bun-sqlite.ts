import { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { Open } from '../setting.js'

export const open: Open = async ({ file, statements, foreignKeys, logger, driver }) => {
  const client = new Database(file, { create: true, readwrite: true, ...driver })
  client.run('pragma synchronous = off')
  client.run(`pragma foreign_keys = ${foreignKeys}`)
  for (const statement of statements) client.run(statement)
  return { db: drizzle({ client, logger }), close: () => client.close() }
}
