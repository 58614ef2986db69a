import { drizzle } from 'drizzle-orm/mysql2'
import { createPool } from 'mysql2/promise'
import { mysql } from '../../tables.js'

export const db = drizzle(createPool(''), { schema: { ...mysql.defined }, mode: 'default' })
