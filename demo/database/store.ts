import { join } from 'node:path'
import type { Adapter } from 'drizzle-auth-adapter'
import type { Table } from 'drizzle-orm'
import type { MigrationConfig } from 'drizzle-orm/migrator'
import type { tables } from './sqlite.js'

export type Row = Record<string, unknown>

/** An open database, for the tables of any library. */
export interface Connection {
  /** The name of the database, for people. */
  name: string
  db: object
  /** Applies the committed migrations that were not applied yet. */
  migrate(migrations: MigrationConfig[]): Promise<void>
  rows(table: Table): Promise<Row[]>
  close(): Promise<void>
}

/** The tables that the live view shows. */
export interface LiveTables {
  name: string
  /** The columns that identify a row, by table. */
  keys: Readonly<Record<string, string[]>>
  rows(table: string): Promise<Row[]>
}

export const keys = {
  user: ['id'],
  account: ['provider', 'providerAccountId'],
  session: ['sessionToken'],
  verificationToken: ['identifier', 'token'],
  authenticator: ['credentialID'],
}
type TableName = keyof typeof keys

/** All operations, with the columns that the demo adds. They have the same types on each database. */
export type DemoAdapter = Adapter<typeof tables>

/** The database of the demo: the adapter for Auth.js, and the queries of the demo's own pages. */
export interface Store extends LiveTables {
  adapter: DemoAdapter
  migrate(): Promise<void>
  rows(table: TableName): Promise<Row[]>
  /** Deletes the authenticator of a passkey. Auth.js has no operation for this, and unlinking the account does not do it. */
  deletePasskey(credentialID: string): Promise<void>
  close(): Promise<void>
}

/** The committed migrations: the default tables, and the columns that the demo adds. */
export const migrationsOf = (dialect: string): MigrationConfig[] => [
  { migrationsFolder: join(import.meta.dirname, '../../migrations', dialect) },
  { migrationsFolder: join(import.meta.dirname, '../migrations', dialect), migrationsTable: '__demo_migrations' },
]
