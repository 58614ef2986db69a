import { DrizzleAdapter as OfficialAdapter } from '@auth/drizzle-adapter'
import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { withReplicas as mysqlReplicas } from 'drizzle-orm/mysql-core'
import { withReplicas as pgReplicas } from 'drizzle-orm/pg-core'
import { withReplicas as sqliteReplicas } from 'drizzle-orm/sqlite-core'
import { connect, createDatabase } from '../../test/support/connections.js'
import type { DialectName } from '../../test/support/dialects.js'
import { migrationsOf } from '../../test/support/migrations.js'
import * as mysqlTables from '../../test/support/schema/mysql.js'
import * as pgTables from '../../test/support/schema/pg.js'
import * as sqliteTables from '../../test/support/schema/sqlite.js'
import { officialTables } from './tables.js'

export type Side = 'official' | 'ours'

/** One adapter on a new database with the adapter's own default tables. */
export interface Opened {
  adapter: Adapter
  /** Creates the adapter for a database of `withReplicas`. */
  overReplicas(): Adapter
  /** Runs a query that returns a number. */
  number(query: string): Promise<number>
  close(): Promise<void>
}

const ourTables = { sqlite: sqliteTables, pg: pgTables, mysql: mysqlTables }
const withReplicas: Record<DialectName, (primary: never, replicas: never) => unknown> = {
  sqlite: sqliteReplicas,
  pg: pgReplicas,
  mysql: mysqlReplicas,
}

/** A function that opens an adapter on a new database of a server. */
export async function openTarget(dialect: DialectName, server: string) {
  const statements = { official: await officialTables(dialect), ours: await migrationsOf(dialect) }

  return async (side: Side, { foreignKeys = true } = {}): Promise<Opened> => {
    // The character set that has all characters, with the server's default collation for it.
    const { url, drop } = await createDatabase(dialect, server, dialect === 'mysql' ? 'character set utf8mb4' : '')
    const { db, run, exec, close } = await connect[dialect](url)
    if (dialect === 'sqlite') await exec(`pragma foreign_keys = ${foreignKeys}`)
    for (const statement of statements[side]) if (foreignKeys || !/ADD CONSTRAINT .* FOREIGN KEY/.test(statement)) await exec(statement)
    const adapterOf = (database: unknown) =>
      (side === 'official' ? OfficialAdapter(database as never) : DrizzleAdapter(database as never, ourTables[dialect] as never)) as Adapter
    return {
      adapter: adapterOf(db),
      overReplicas: () => adapterOf(withReplicas[dialect](db as never, [db] as never)),
      number: async (query) => Number(Object.values((await run(query))[0] ?? {})[0]),
      async close() {
        await close()
        await drop()
      },
    }
  }
}
