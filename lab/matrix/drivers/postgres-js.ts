import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import type { Open } from '../setting.js'

export const open: Open = async ({ url, connections, prepare, logger }) => {
  const client = postgres(url, { max: connections, fetch_types: false, prepare })
  return { db: drizzle({ client, logger }), close: () => client.end() }
}
