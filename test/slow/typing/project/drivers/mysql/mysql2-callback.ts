import { drizzle } from 'drizzle-orm/mysql2'
import { createPool } from 'mysql2'

export const db = drizzle({ client: createPool('') })
