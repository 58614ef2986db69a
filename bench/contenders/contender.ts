import type { Adapter } from '@auth/core/adapters'

export type Operations = Required<Adapter>
export type OperationName = keyof Operations

export const contenderNames = ['ours', 'official', 'kysely', 'hand'] as const

export type ContenderName = (typeof contenderNames)[number]

export const contenderTitles: Record<ContenderName, string> = {
  ours: 'drizzle-auth-adapter',
  official: '@auth/drizzle-adapter',
  kysely: '@auth/kysely-adapter',
  hand: 'hand-written',
}

export interface ClientOptions {
  /** At most so many connections. */
  connections: number
  /** Called for each statement, where the contender can tell. */
  onStatement?: () => void
}

/** What a contender needs of one database: its connections, and adapters over them. */
interface Client {
  /** `options` are for this adapter alone. */
  make(options?: object): Partial<Operations>
  close(): unknown
}

/** Connects the contenders of one dialect, each with a driver of its own. */
export type Connect = Record<ContenderName, (location: string, options: ClientOptions) => Client>

/** A contender that is ready to be measured. */
export interface Contender extends Client {
  name: ContenderName
  adapter: Partial<Operations>
}

/** Drizzle's logger that only counts. */
export function counting({ onStatement }: ClientOptions) {
  return onStatement ? { logger: { logQuery: onStatement } } : {}
}
