import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/mysql'
import type { Secrets } from 'drizzle-auth-adapter/secrets'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/mysql2'
import { migrate } from 'drizzle-orm/mysql2/migrator'
import mysql from 'mysql2/promise'
import type { Store } from './store.js'
import { migrationsOf } from './store.js'

const tables = defineTables()
const { accountsTable, sessionsTable, authenticatorsTable } = tables
const byName = {
  user: tables.usersTable,
  account: accountsTable,
  session: sessionsTable,
  verificationToken: tables.verificationTokensTable,
  authenticator: authenticatorsTable,
}

export function openMysql(url: string, secrets?: Secrets): Store {
  const client = mysql.createPool({ uri: url, connectTimeout: 5_000 })
  const db = drizzle({ client })
  return {
    name: 'MySQL',
    adapter: DrizzleAdapter(db, tables, { secrets }),
    migrate: () => migrate(db, { migrationsFolder: migrationsOf('mysql') }),
    rows: async (name) => db.select().from(byName[name]),
    accountsOf: async (userId) => db.select().from(accountsTable).where(eq(accountsTable.userId, userId)),
    sessionsOf: async (userId) => db.select().from(sessionsTable).where(eq(sessionsTable.userId, userId)),
    async deleteSession(stored) {
      await db.delete(sessionsTable).where(eq(sessionsTable.sessionToken, stored))
    },
    async deletePasskey(credentialID) {
      await db.delete(authenticatorsTable).where(eq(authenticatorsTable.credentialID, credentialID))
    },
    close: () => client.end(),
  }
}
