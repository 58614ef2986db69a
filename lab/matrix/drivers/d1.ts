import { drizzle } from 'drizzle-orm/d1'
import { Miniflare } from 'miniflare'
import type { Open } from '../setting.js'

export const open: Open = async ({ statements, logger }) => {
  const miniflare = new Miniflare({ modules: true, script: 'export default {}', d1Databases: ['DB'] })
  const client = await miniflare.getD1Database('DB')
  for (const statement of statements) await client.prepare(statement).run()
  return { db: drizzle(client, { logger }), close: () => miniflare.dispose() }
}
