import Database from 'better-sqlite3'
import { defineRelations } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqlite } from '../../tables.js'

const relations = defineRelations({ ...sqlite.defined }, (r) => ({
  usersTable: { sessions: r.many.sessionsTable({ from: r.usersTable.id, to: r.sessionsTable.userId }) },
}))
export const db = drizzle({ client: new Database(), relations })
