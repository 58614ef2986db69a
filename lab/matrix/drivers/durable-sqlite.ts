import { drizzle } from 'drizzle-orm/durable-sqlite'
import type { Open } from '../setting.js'

type Storage = Parameters<typeof drizzle>[0]

export const open: Open = async ({ bindings, statements, logger }) => {
  const storage = bindings.storage as Storage
  for (const statement of statements) storage.sql.exec(statement)
  return { db: drizzle(storage, { logger }), close: () => storage.deleteAll() }
}
