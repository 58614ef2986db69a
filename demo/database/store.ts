import { join } from 'node:path'
import type { Adapter } from '@auth/core/adapters'

export type Row = Record<string, unknown>

export const tableNames = ['user', 'account', 'session', 'verificationToken', 'authenticator'] as const
export type TableName = (typeof tableNames)[number]

/** The database of the demo: the adapter for Auth.js, and the few queries of its own pages. */
export interface Store {
  name: string
  adapter: Required<Adapter>
  /** Applies the committed migrations that were not applied yet. */
  migrate(): Promise<void>
  rows(table: TableName): Promise<Row[]>
  accountsOf(userId: string): Promise<{ provider: string; providerAccountId: string }[]>
  sessionsOf(userId: string): Promise<{ sessionToken: string; expires: Date }[]>
  /** Deletes a session by its stored token, whose raw form nobody knows where it is a hash. */
  deleteSession(stored: string): Promise<void>
  /** Auth.js has no operation for this: unlinking a passkey's account leaves its key behind. */
  deletePasskey(credentialID: string): Promise<void>
  close(): Promise<void>
}

/** The folder of the committed migrations. */
export const migrationsOf = (dialect: string) => join(import.meta.dirname, '../../migrations', dialect)
