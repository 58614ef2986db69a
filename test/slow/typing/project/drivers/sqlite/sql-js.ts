import { drizzle } from 'drizzle-orm/sql-js'
import type { Database } from 'sql.js'

declare const client: Database
export const db = drizzle(client)
