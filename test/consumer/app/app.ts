import type { Adapter, AdapterSession, AdapterUser, VerificationToken } from '@auth/core/adapters'

/** The app on one dialect: its adapter, and a look at the rows behind the adapter's back. */
export interface App {
  adapter: Adapter
  users(): Promise<AdapterUser[]>
  sessions(): Promise<AdapterSession[]>
  tokens(): Promise<VerificationToken[]>
  close(): Promise<void>
}

/** Opens a database whose tables come from these migrations. */
export type Open = (url: string, migrationsFolder: string) => Promise<App>
