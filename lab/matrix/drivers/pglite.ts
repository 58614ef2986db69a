import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import type { Open } from '../setting.js'

export const open: Open = async ({ statements, logger }) => {
  const client = new PGlite()
  for (const statement of statements) await client.exec(statement)
  return { db: drizzle({ client, logger }), close: () => client.close() }
}
