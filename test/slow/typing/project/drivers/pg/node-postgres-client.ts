import { drizzle } from 'drizzle-orm/node-postgres'
import { Client } from 'pg'

export const db = drizzle({ client: new Client() })
