import type { Adapter } from '@auth/core/adapters'

export type Operations = Required<Adapter>
export type OperationName = keyof Operations

export const contenderNames = ['ours', 'official', 'kysely', 'drizzle', 'hand'] as const

export type ContenderName = (typeof contenderNames)[number]

/** The contenders that have most operations. */
export const wholeContenders = contenderNames.filter((name) => name !== 'drizzle')

export const contenderTitles: Record<ContenderName, string> = {
  ours: 'drizzle-auth-adapter',
  official: '@auth/drizzle-adapter',
  kysely: '@auth/kysely-adapter',
  drizzle: 'Drizzle, prepared',
  hand: 'hand-written',
}

export interface ClientOptions {
  /** The maximum number of connections. */
  connections: number
  /** Called for each statement, if the contender supports it. */
  onStatement?: () => void
}

/** The connections of a contender to one database. */
interface Client {
  /** Creates an adapter on these connections. Only this package's adapter has `options`. */
  make(options?: object): Partial<Operations>
  close(): unknown
}

/** Connects the contenders of one dialect, each with its own connections. */
export type Connect = Record<ContenderName, (location: string, options: ClientOptions) => Client>

/** A contender that is ready to be measured. */
export interface Contender extends Client {
  name: ContenderName
  adapter: Partial<Operations>
}

/** Drizzle's own prepared query of a session and its user, on the tables of this package. It is a contender for this one operation. */
export function preparedSession(query: { execute(placeholders: { sessionToken: string }): PromiseLike<unknown[]> }): Partial<Operations> {
  const find = async (sessionToken: string) => (await query.execute({ sessionToken }))[0] ?? null
  return { getSessionAndUser: find as Operations['getSessionAndUser'] }
}

/** Drizzle's option for a logger that reports each statement. */
export function statementLogger({ onStatement }: ClientOptions) {
  return onStatement ? { logger: { logQuery: onStatement } } : {}
}
