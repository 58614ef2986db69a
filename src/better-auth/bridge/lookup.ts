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

/** The session that an old cookie may stand for. */
export interface Candidate {
  /** The tokens that the session may have. */
  tokens: string[]
  /** The rows of `verification` that decide whether it is let in. */
  identifiers: string[]
  /** Returns the session if it is let in. `sessions` and `rows` are those that exist. */
  admit(sessions: readonly Session[], rows: readonly Row[]): Promise<Session | undefined>
}

export const isLive = ({ expiresAt }: Session) => expiresAt > new Date()

export const findSessions = (context: AuthContext, tokens: string[]) => findIn<Session>(context, 'session', 'token', tokens)

export const findRows = (context: AuthContext, identifiers: string[]) => findIn<Row>(context, 'verification', 'identifier', identifiers)

async function findIn<Found>(context: AuthContext, model: string, field: string, value: string[]): Promise<Found[]> {
  if (value.length === 0) return []
  const where = [{ field, operator: 'in' as const, value }]
  // Anybody can create rows whose identifiers look like marks. Sign-outs sort before them, so that they are never beyond the limit.
  const sortBy = { field, direction: 'desc' as const }
  return (await getCurrentAdapter(context.adapter)).findMany<Found>({ model, where, sortBy, limit: 100 })
}
