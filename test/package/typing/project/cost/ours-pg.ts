import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { db } from '../drivers/pg/postgres-js.js'
import * as tables from '../written/pg.js'

export const adapter = DrizzleAdapter(db, tables)
