import { drizzle } from 'drizzle-orm/d1'
import type { Open } from '../setting.js'

type Client = Parameters<typeof drizzle>[0]

export const open: Open = async ({ file, bindings, statements, logger }) => {
  const client = bindings[file] as Client
  for (const statement of statements) await client.prepare(statement).run()
  return { db: drizzle(client, { logger }), close() {} }
}
