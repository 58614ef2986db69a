// migrate.ts
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'

const client = new Database(process.env.DATABASE_FILE)
// Outside of the transaction that the migration runs in: inside, SQLite ignores it.
client.pragma('foreign_keys = off')
migrate(drizzle({ client }), { migrationsFolder: './drizzle' })
client.close()
