import { betterSQLite3Codecs } from 'drizzle-orm-v1/better-sqlite3'
import { drizzle } from 'drizzle-orm-v1/sqlite-proxy'
import type { Open } from '../setting.js'
import { openSqliteFile } from './sqlite-file.js'

// Drizzle 1.0 takes a function for each way to ask, and reads the answers with the codecs that it is given.
export const open: Open = async (setting) => {
  const { ask, trips, close } = await openSqliteFile(setting)
  const executors = {
    all: (sql: string, params: unknown[], mode = 'array') => ask(sql, params, mode),
    get: async (sql: string, params: unknown[], mode = 'array') => (await ask(sql, params, mode))[0],
    run: (sql: string, params: unknown[]) => ask(sql, params, 'run'),
  }
  return { db: drizzle(executors, { codecs: betterSQLite3Codecs, logger: setting.logger }), trips, close }
}
