import { defineRelations } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/mysql2'
import { createPool } from 'mysql2/promise'
import { mysql } from '../../tables.js'

const relations = defineRelations({ ...mysql.defined }, (r) => ({
  usersTable: { sessions: r.many.sessionsTable({ from: r.usersTable.id, to: r.sessionsTable.userId }) },
}))
export const db = drizzle({ client: createPool(''), relations })
