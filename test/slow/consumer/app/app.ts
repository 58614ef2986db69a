import type { Adapter, AdapterSession, AdapterUser, VerificationToken } from '@auth/core/adapters'

/** The app on one dialect: its adapter, and functions that read the rows without the adapter. */
export interface App {
  adapter: Adapter
  users(): Promise<AdapterUser[]>
  sessions(): Promise<AdapterSession[]>
  tokens(): Promise<VerificationToken[]>
  close(): Promise<void>
}

/** Opens a database and applies these migrations. */
export type Open = (url: string, migrationsFolder: string) => Promise<App>
