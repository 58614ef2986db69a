import { drizzle } from 'drizzle-orm/cockroach'
import { Pool } from 'pg'

export const db = drizzle({ client: new Pool() })
