import { join } from 'node:path'
import type { Adapter } from 'drizzle-auth-adapter'
import type { tables } from './sqlite.js'

export type Row = Record<string, unknown>

export const tableNames = ['user', 'account', 'session', 'verificationToken', 'authenticator'] as const
export type TableName = (typeof tableNames)[number]

/** All operations, with the columns that the demo adds. They have the same types on each database. */
export type DemoAdapter = Adapter<typeof tables>

/** The database of the demo: the adapter for Auth.js, and the queries of the demo's own pages. */
export interface Store {
  name: string
  adapter: DemoAdapter
  /** Applies the committed migrations that were not applied yet. */
  migrate(): Promise<void>
  rows(table: TableName): Promise<Row[]>
  /** Deletes the authenticator of a passkey. Auth.js has no operation for this, and unlinking the account does not do it. */
  deletePasskey(credentialID: string): Promise<void>
  close(): Promise<void>
}

/** The committed migrations: the default tables, and the columns that the demo adds. */
export const migrationsOf = (dialect: string) => [
  { migrationsFolder: join(import.meta.dirname, '../../migrations', dialect) },
  { migrationsFolder: join(import.meta.dirname, '../migrations', dialect), migrationsTable: '__demo_migrations' },
]
