import { createClient } from '@libsql/client'
import { drizzle } from 'drizzle-orm/libsql'
import type { Open } from '../setting.js'

export const open: Open = async ({ url, file, statements, foreignKeys, connections, logger, driver }) => {
  const client = createClient({ url: url || `file:${file}`, concurrency: connections, ...driver })
  if (!url) {
    await client.execute('pragma synchronous = off')
    await client.execute(`pragma foreign_keys = ${foreignKeys}`)
    for (const statement of statements) await client.execute(statement)
  }
  return { db: drizzle({ client, logger }), close: () => client.close() }
}
