import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrationsOf, statementsOf } from '../../test/support/migrations.js'
import { onExit } from '../cleanup.js'
import type { DatabaseName, DialectName } from '../databases.js'
import { dialectOf } from '../databases.js'
import { seed } from '../fill.js'
import type { DatabaseServer, Store } from '../stores.js'
import type { ClientOptions, Connect, Contender, ContenderName } from './contender.js'
import { mysql } from './mysql.js'
import { pg } from './pg.js'
import { sqlite } from './sqlite.js'

const connect: Record<DialectName, Connect> = { sqlite, pg, mysql }

/** Creates a database for a contender, with its tables and this number of sessions. */
export async function prepareStore(
  server: DatabaseServer,
  database: DatabaseName,
  name: ContenderName,
  sessions: number,
  expiryYear?: string,
): Promise<Store> {
  const store = await server.create()
  for (const statement of await tablesOf(name, dialectOf[database])) await store.run(statement)
  await seed(store, dialectOf[database], name, sessions, expiryYear)
  return store
}

/** Connects a contender to a database. */
export function openContender(store: Store, database: DatabaseName, name: ContenderName, options: ClientOptions): Contender {
  const client = connect[dialectOf[database]][name](store.location, options)
  return { name, make: client.make, adapter: client.make(), close: onExit(() => client.close()) }
}

// The hand-written code uses the same tables as this package.
async function tablesOf(name: ContenderName, dialect: DialectName): Promise<string[]> {
  if (name !== 'official' && name !== 'kysely') return migrationsOf(dialect)
  return statementsOf(await readFile(join(import.meta.dirname, '..', 'schema', name, `${dialect}.sql`), 'utf8'))
}
