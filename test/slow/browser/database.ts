import type { openSqlite } from '../../support/databases.js'
import { openDatabase as openAnyDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import type * as sqliteSchema from '../../support/schema/sqlite.js'

/** A new database, with functions that read its rows. Pass empty `migrations` if the demo applies them itself. */
export async function openDatabase(dialect: DialectName, options?: { migrations: string[] }) {
  const { db, url, tables, close } = await openAnyDatabase(dialect, options)
  return { url: dialect === 'sqlite' ? `file:${url}` : url, close, ...rowsOf(db, tables) }
}

/** Functions that read the rows. The queries are the same for all three dialects, so they use SQLite's types. */
function rowsOf(anyDb: unknown, anySchema: unknown) {
  const db = anyDb as Awaited<ReturnType<typeof openSqlite>>['db']
  const tables = anySchema as typeof sqliteSchema
  const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = tables
  return {
    db,
    tables: { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable },
    users: async () => db.select().from(usersTable),
    accounts: async () => db.select().from(accountsTable),
    sessions: async () => db.select().from(sessionsTable),
    sessionTokens: async () => (await db.select().from(sessionsTable)).map(({ sessionToken }) => sessionToken),
    tokens: async () => db.select().from(verificationTokensTable),
    authenticators: async () => db.select().from(authenticatorsTable),
    /** Sets the expiry of every session. */
    expireSessions: async (expires: Date) => void (await db.update(sessionsTable).set({ expires })),
    /** Sets the expiry of every magic link and code. */
    expireLinks: async (expires: Date) => void (await db.update(verificationTokensTable).set({ expires })),
    async clear() {
      // Users last: the others refer to them.
      for (const table of [accountsTable, sessionsTable, authenticatorsTable, verificationTokensTable, usersTable]) await db.delete(table)
    },
  }
}

export type DatabaseRows = ReturnType<typeof rowsOf>

const betterAuthSchemas = {
  pg: () => import('../../../demo/better-auth/schema/pg.js'),
  mysql: () => import('../../../demo/better-auth/schema/mysql.js'),
  sqlite: () => import('../../../demo/better-auth/schema/sqlite.js'),
}

/** A new database for the demo with Better Auth. */
export async function openBetterAuthDatabase(dialect: DialectName) {
  const { db: anyDb, url, close } = await openAnyDatabase(dialect, { migrations: [] })
  const db = anyDb as Awaited<ReturnType<typeof openSqlite>>['db']
  const { user, account, session, organization, member, invitation } = (await betterAuthSchemas[
    dialect
  ]()) as typeof import('../../../demo/better-auth/schema/sqlite.js')
  return {
    url: dialect === 'sqlite' ? `file:${url}` : url,
    close,
    users: async () => db.select().from(user),
    accounts: async () => db.select().from(account),
    sessionTokens: async () => (await db.select().from(session)).map(({ token }) => token),
    organizations: async () => db.select().from(organization),
    members: async () => db.select().from(member),
    invitations: async () => db.select().from(invitation),
    async clear() {
      // The foreign keys delete the rest.
      for (const table of [organization, user]) await db.delete(table)
    },
  }
}

export type BetterAuthRows = Awaited<ReturnType<typeof openBetterAuthDatabase>>
