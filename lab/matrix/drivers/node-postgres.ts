import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import type { Open } from '../setting.js'

export const open: Open = async ({ url, connections, logger }) => {
  const client = new pg.Pool({ connectionString: url, max: connections })
  return { db: drizzle({ client, logger }), close: () => client.end() }
}
