import { connect } from '@tursodatabase/database'
import { drizzle } from 'drizzle-orm-v1/tursodatabase/database'
import type { Open } from '../setting.js'

export const open: Open = async ({ file, statements, foreignKeys, logger }) => {
  const client = await connect(file)
  await client.exec('pragma synchronous = off')
  await client.exec(`pragma foreign_keys = ${foreignKeys}`)
  for (const statement of statements) await client.exec(statement)
  return { db: drizzle({ client, logger }), close: () => client.close() }
}
