import type { AuthContext } from '@better-auth/core'
import { getCurrentAdapter } from '@better-auth/core/context'

/** A session as Better Auth returns it. */
export type Session = NonNullable<AuthContext['session']>['session']

/** A row of `verification`. Rows are not read through the internal adapter, which may hash identifiers, or look in the secondary storage. */
export interface Row {
  identifier: string
  value: string
  expiresAt: Date
}

/** The session to which an old cookie may belong. */
export interface Candidate {
  /** The possible tokens of the session. */
  tokens: string[]
  /** The rows of `verification` that decide whether it is accepted. */
  identifiers: string[]
  /** Returns the session if it is accepted. `sessions` and `rows` are those that exist. */
  admit(sessions: readonly Session[], rows: readonly Row[]): Promise<Session | undefined>
}

export const isLive = ({ expiresAt }: Session) => expiresAt > new Date()

export const findSessions = (context: AuthContext, tokens: string[]) => findIn<Session>(context, 'session', 'token', tokens)

export const findRows = (context: AuthContext, identifiers: string[]) => findIn<Row>(context, 'verification', 'identifier', identifiers)

async function findIn<Found>(context: AuthContext, model: string, field: string, value: string[]): Promise<Found[]> {
  if (value.length === 0) return []
  const where = [{ field, operator: 'in' as const, value }]
  // Anyone can create rows whose identifiers look like marks. Sign-outs sort before them, so the limit never cuts them off.
  const sortBy = { field, direction: 'desc' as const }
  return (await getCurrentAdapter(context.adapter)).findMany<Found>({ model, where, sortBy, limit: 100 })
}
