import { createHash } from 'node:crypto'

/** The token of a session that was filled in, by its number: as long as a UUID, and the databases make the same. */
export const filledToken = (session: number) => createHash('sha256').update(String(session)).digest('hex').slice(0, 36)

/** The tokens of so many sessions, picked at random of all that were filled in. */
export function someTokens(count: number, sessions: number): string[] {
  return Array.from({ length: count }, () => filledToken(Math.floor(Math.random() * sessions)))
}

/** The id of a user that was filled in, by its number. */
export const filledUser = (user: number) => `user-${user}`

export const sessionsPerUser = 10
