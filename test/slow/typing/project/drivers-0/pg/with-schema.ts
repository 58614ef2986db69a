import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { pg } from '../../tables.js'

export const db = drizzle(postgres(''), { schema: { ...pg.defined } })
