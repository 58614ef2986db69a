import { drizzle } from 'drizzle-orm/mysql2'
import { createPool } from 'mysql2/promise'

export const db = drizzle({ client: createPool('') })
