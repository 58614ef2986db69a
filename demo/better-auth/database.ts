import { join } from 'node:path'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { connect, dialectOf } from '../database/index.js'
import type { LiveTables } from '../database/store.js'
import type { Operation } from '../operations.js'
import { openOperationLog } from '../operations.js'

type Database = ReturnType<typeof drizzleAdapter>

export interface Store extends LiveTables {
  /** The adapter for Better Auth. */
  database: Database
  /** The calls to the adapter. */
  operations: Operation[]
  migrate(): Promise<void>
  close(): Promise<void>
}

// What `npx auth generate` writes for the options in auth.ts.
const schemas = {
  pg: () => import('./schema/pg.js'),
  mysql: () => import('./schema/mysql.js'),
  sqlite: () => import('./schema/sqlite.js'),
}

const tableNames = ['user', 'account', 'session', 'verification', 'organization', 'member', 'invitation'] as const

/** Opens the database of a URL with the tables of Better Auth. */
export async function openStore(url: string): Promise<Store> {
  const dialect = dialectOf(url)
  const schema = await schemas[dialect]()
  const { name, db, migrate, rows, close } = await connect(url)
  const { database, operations } = withModelLog(drizzleAdapter(db, { schema }))
  return {
    name,
    database,
    operations,
    keys: Object.fromEntries(tableNames.map((table) => [table, ['id']])),
    rows: (table: (typeof tableNames)[number]) => rows(schema[table]),
    migrate: () =>
      migrate([{ migrationsFolder: join(import.meta.dirname, 'migrations', dialect), migrationsTable: '__better_auth_migrations' }]),
    close,
  }
}

const methods = [
  'create',
  'findOne',
  'findMany',
  'count',
  'update',
  'updateMany',
  'delete',
  'deleteMany',
  'consumeOne',
  'incrementOne',
] as const

type Method = (parameters: { model: string }) => Promise<unknown>

/** Makes an adapter list its calls. */
function withModelLog(open: Database): { database: Database; operations: Operation[] } {
  const { operations, record } = openOperationLog()
  const database: Database = (options) => {
    const adapter = open(options)
    const wrapped = methods.map((name) => {
      const method = adapter[name] as Method
      return [name, (parameters: { model: string }) => record(`${name} ${parameters.model}`, () => method(parameters))]
    })
    // The same object, by which Better Auth knows the check of its tables.
    return Object.assign(adapter, Object.fromEntries(wrapped))
  }
  return { database, operations }
}
