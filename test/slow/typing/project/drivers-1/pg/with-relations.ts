import { defineRelations } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { pg } from '../../tables.js'

const relations = defineRelations({ ...pg.defined }, (r) => ({
  usersTable: { sessions: r.many.sessionsTable({ from: r.usersTable.id, to: r.sessionsTable.userId }) },
}))
export const db = drizzle({ client: postgres(''), relations })
