import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqlite } from '../../tables.js'

export const db = drizzle(new Database(), { schema: { ...sqlite.defined } })
