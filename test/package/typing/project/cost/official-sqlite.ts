import { DrizzleAdapter } from '@auth/drizzle-adapter'
import { db } from '../drivers/sqlite/better-sqlite3.js'
import * as tables from '../written/sqlite.js'

export const adapter = DrizzleAdapter(db, tables)
