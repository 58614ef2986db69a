import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { db } from '../drivers/mysql/mysql2.js'
import * as tables from '../written/mysql.js'

export const adapter = DrizzleAdapter(db, tables)
