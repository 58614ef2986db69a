import { openMysql, openPg, openSqlite } from '../helpers/databases.js'
import type { DialectName } from '../helpers/dialects.js'
import * as mysqlSchema from '../schema/mysql.js'
import * as pgSchema from '../schema/pg.js'
import * as sqliteSchema from '../schema/sqlite.js'

interface Options {
  /** No statements, where the demo applies the migrations itself. */
  migrations?: string[]
}

type Opened = { url: string; close(): Promise<void> } & ReturnType<typeof lookInto>

/** A new database, and a look into it. */
export const openDatabase: Record<DialectName, (options?: Options) => Promise<Opened>> = {
  async sqlite(options) {
    const { db, client, close } = await openSqlite(options)
    return { url: `file:${client.name}`, close, ...lookInto(db, sqliteSchema) }
  },
  async pg(options) {
    const { db, url, close } = await openPg(options)
    return { url, close, ...lookInto(db, pgSchema) }
  },
  async mysql(options) {
    const { db, url, close } = await openMysql(options)
    return { url, close, ...lookInto(db, mysqlSchema) }
  },
}

/** The rows, whatever the dialect: these queries read the same in all three, and one of them lends its types. */
function lookInto(anyDb: unknown, anySchema: unknown) {
  const db = anyDb as Awaited<ReturnType<typeof openSqlite>>['db']
  const tables = anySchema as typeof sqliteSchema
  const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = tables
  return {
    db,
    tables: { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable },
    users: async () => db.select().from(usersTable),
    accounts: async () => db.select().from(accountsTable),
    sessions: async () => db.select().from(sessionsTable),
    tokens: async () => db.select().from(verificationTokensTable),
    authenticators: async () => db.select().from(authenticatorsTable),
    /** Moves the expiry of every session. */
    expireSessions: async (expires: Date) => void (await db.update(sessionsTable).set({ expires })),
    /** Moves the expiry of every link. */
    expireLinks: async (expires: Date) => void (await db.update(verificationTokensTable).set({ expires })),
    async clear() {
      // Users last: the others refer to them.
      for (const table of [accountsTable, sessionsTable, authenticatorsTable, verificationTokensTable, usersTable]) await db.delete(table)
    },
  }
}

export type Look = ReturnType<typeof lookInto>
