import { drizzle } from 'drizzle-orm/singlestore'
import { createPool } from 'mysql2/promise'

export const db = drizzle({ client: createPool('') })
