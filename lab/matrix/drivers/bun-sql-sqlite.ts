import { SQL } from 'bun'
import { drizzle } from 'drizzle-orm-v1/bun-sql/sqlite'
import type { Open } from '../setting.js'

export const open: Open = async ({ file, statements, foreignKeys, logger }) => {
  const client = new SQL(`sqlite://${file}`)
  await client.unsafe('pragma synchronous = off')
  await client.unsafe(`pragma foreign_keys = ${foreignKeys}`)
  for (const statement of statements) await client.unsafe(statement)
  return { db: drizzle({ client, logger }), close: () => client.close() }
}
