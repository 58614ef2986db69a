import type { Adapter } from '@auth/core/adapters'
import type { Kysely } from 'kysely'

export type Operations = Required<Adapter>
export type OperationName = keyof Operations

export const contenderNames = ['ours', 'official', 'kysely', 'drizzle', 'hand'] as const

export type ContenderName = (typeof contenderNames)[number]

/** The contenders that have most operations. The others have only `getSessionAndUser`, which every signed-in request calls. */
export const wholeContenders = ['ours', 'official', 'kysely'] as const

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

export interface ClientOptions {
  /** The maximum number of connections. */
  connections: number
  /** Called for each statement that goes through Drizzle. */
  onStatement?: () => void
  /** The tables and relations for Drizzle's relational queries. */
  schema?: Record<string, unknown>
}

interface Closing {
  close(): unknown
}

export type FindSession = Operations['getSessionAndUser']

/** How the contenders of one dialect connect, each with its own connections. */
export interface Clients {
  tables: object
  /** The default tables of @auth/drizzle-adapter. */
  officialTables: object
  /** Connects. `newDb` creates a database of Drizzle on this connection. */
  drizzle(url: string, options: ClientOptions): Closing & { newDb(): unknown }
  kysely(url: string, options: ClientOptions): Kysely<never>
  /** `getSessionAndUser` as one would write it by hand for the tables of this package, without a layer above the driver. */
  hand(url: string, options: ClientOptions): Closing & { find: FindSession }
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

/** The options of Drizzle's database. */
export function drizzleOptions({ onStatement, schema = {} }: ClientOptions) {
  return { schema, ...(onStatement && { logger: { logQuery: onStatement } }) }
}
