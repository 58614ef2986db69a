import type Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { planMove } from '../../../src/planning/index.js'
import type { Source } from '../../../src/planning/match.js'

/** The plan for a SQLite database with the tables of Auth.js. */
export async function planOf(client: Database.Database, tables: object, source: Source = 'official') {
  const all = tables as never
  const request = { source, tables: { authjs: all, others: {}, all }, schemaSource: '', expiresIn: 0 }
  const plan = await planMove(drizzle({ client }) as never, 'sqlite', request)
  return { ...plan, steps: plan.plan }
}
