import { createHash } from 'node:crypto'

/** The token of a seeded session by its number. It is as long as a UUID, and bench/fill.ts computes the same in SQL. */
export const seededToken = (session: number) => createHash('sha256').update(String(session)).digest('hex').slice(0, 36)

/** The tokens of random seeded sessions. */
export function randomTokens(count: number, sessions: number): string[] {
  return Array.from({ length: count }, () => seededToken(Math.floor(Math.random() * sessions)))
}

/** The id of a seeded user by its number. */
export const seededUser = (user: number) => `user-${user}`

export const sessionsPerUser = 10
