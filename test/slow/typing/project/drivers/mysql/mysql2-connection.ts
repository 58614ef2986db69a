import { drizzle } from 'drizzle-orm/mysql2'
import { createConnection } from 'mysql2/promise'

export const db = drizzle({ client: await createConnection('') })
