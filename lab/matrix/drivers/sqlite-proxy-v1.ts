import { betterSQLite3Codecs } from 'drizzle-orm-v1/better-sqlite3'
import { drizzle } from 'drizzle-orm-v1/sqlite-proxy'
import type { Open } from '../setting.js'
import { openSqliteFile } from './sqlite-file.js'

// Drizzle 1.0 takes one function for each method, and codecs to decode the rows.
export const open: Open = async (setting) => {
  const { send, close } = await openSqliteFile(setting)
  const executors = {
    all: (sql: string, params: unknown[], mode = 'array') => send(sql, params, mode),
    get: async (sql: string, params: unknown[], mode = 'array') => (await send(sql, params, mode))[0],
    run: (sql: string, params: unknown[]) => send(sql, params, 'run'),
  }
  return { db: drizzle(executors, { codecs: betterSQLite3Codecs, logger: setting.logger }), close }
}
