import { SQL } from 'bun'
import { drizzle } from 'drizzle-orm/bun-sql'
import type { Open } from '../setting.js'

export const open: Open = async ({ url, connections, logger }) => {
  const client = new SQL({ url, max: connections })
  return { db: drizzle({ client, logger }), close: () => client.close() }
}
