import type { Adapter } from '@auth/core/adapters'
import type { Kysely } from 'kysely'

export type Operations = Required<Adapter>
export type OperationName = keyof Operations

export const contenderNames = ['ours', 'official', 'kysely', 'drizzle', 'hand'] as const

export type ContenderName = (typeof contenderNames)[number]

export const contenderTitles: Record<ContenderName, string> = {
  ours: 'drizzle-auth-adapter',
  official: '@auth/drizzle-adapter',
  kysely: '@auth/kysely-adapter',
  drizzle: 'Drizzle, prepared',
  hand: 'hand-written',
}

export const betterAuthTitles = {
  ours: 'drizzle-auth-adapter',
  official: '@better-auth/drizzle-adapter',
  kysely: '@better-auth/kysely-adapter',
}

/** The adapters for Better Auth. */
export type BetterAuthName = keyof typeof betterAuthTitles

/** The tables and relations for Drizzle's relational queries. */
type Schema = Record<string, unknown>

interface Closing {
  close(): unknown
}

export type FindSession = Operations['getSessionAndUser']

/** How the contenders of one dialect connect, each with a connection of its own. */
export interface Clients {
  tables: object
  /** The default tables of @auth/drizzle-adapter. */
  officialTables: object
  /** Connects. `newDb` creates a database of Drizzle on this connection. */
  drizzle(url: string, schema?: Schema): Closing & { newDb(): unknown }
  kysely(url: string): Kysely<never>
  /** `getSessionAndUser` as one would write it by hand for the tables of this package, without a layer above the driver. */
  hand(url: string): Closing & { find: FindSession }
}

/** A contender that is ready to be measured. */
export interface Contender extends Closing {
  name: ContenderName
  /** Creates an adapter on these connections. Only this package's adapter has `options`. */
  make(options?: object): Partial<Operations>
  adapter: Partial<Operations>
  /** Creates an adapter on a new database of Drizzle, with tables that exist already, as an app on Cloudflare does for each request. */
  makeForRequest(): Partial<Operations>
}
