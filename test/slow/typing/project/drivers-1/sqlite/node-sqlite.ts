import { DatabaseSync } from 'node:sqlite'
import { drizzle } from 'drizzle-orm/node-sqlite'

export const db = drizzle({ client: new DatabaseSync('') })
