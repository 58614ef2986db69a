import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Operations } from '../../bench/contenders/contender.js'
import { inDays, someSession, someToken } from '../people.js'
import { Histogram } from './histogram.js'

/** The number of users that exist before the load starts. */
export const residents = 1_000

export const residentUser = (number: number) => ({
  id: `user-${number}`,
  email: `user-${number}@example.com`,
  emailVerified: null,
  name: 'Ada',
  image: null,
})
export const residentAccount = (number: number) => ({
  userId: `user-${number}`,
  type: 'oauth' as const,
  provider: 'github',
  providerAccountId: `account-${number}`,
})
export const residentSession = (number: number) => ({ sessionToken: `session-${number}`, userId: `user-${number}`, expires: inDays(30) })

/** How many rows the calls have left in the tables, not counting the residents. */
interface Left {
  sessions: number
  tokens: number
}

export interface Slice {
  counts: readonly (number | null)[]
  seconds: number
  errors: string[]
  left: Left
}

/** Runs this number of clients, each of which makes its next call when it has the answer to the last: 95 reads to 5 writes. */
export async function load(adapter: Operations, clients: number, seconds: number): Promise<Slice> {
  const times = new Histogram()
  const errors: string[] = []
  const left: Left = { sessions: 0, tokens: 0 }
  const begin = performance.now()
  const end = begin + seconds * 1000

  async function client(): Promise<void> {
    const sessions: string[] = []
    const tokens: { identifier: string; token: string }[] = []
    while (performance.now() < end) {
      const asked = performance.now()
      // Like a request from the network, the call waits for the next turn of the event loop.
      await nextTurn()
      try {
        await call(adapter, sessions, tokens, left)
      } catch (error) {
        errors.push(String(error))
      }
      times.add(performance.now() - asked)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { counts: times.counts, seconds: (performance.now() - begin) / 1000, errors: errors.slice(0, 1_000), left }
}

async function call(adapter: Operations, sessions: string[], tokens: { identifier: string; token: string }[], left: Left): Promise<void> {
  const number = Math.floor(Math.random() * residents)
  const chance = Math.random() * 100
  if (chance < 85) return expectRow(await adapter.getSessionAndUser(`session-${number}`))
  if (chance < 90) return expectRow(await adapter.getUser(`user-${number}`))
  if (chance < 95) return expectRow(await adapter.getUserByAccount({ provider: 'github', providerAccountId: `account-${number}` }))
  if (chance < 97) return expectRow(await adapter.updateSession({ sessionToken: `session-${number}`, expires: inDays(30) }))
  if (chance < 98.5) {
    const token = sessions.shift()
    if (token) {
      expectRow(await adapter.deleteSession(token))
      left.sessions--
      return
    }
    const session = someSession(`user-${number}`)
    expectRow(await adapter.createSession(session))
    left.sessions++
    sessions.push(session.sessionToken)
    return
  }
  const token = tokens.shift()
  if (token) {
    expectRow(await adapter.useVerificationToken(token))
    left.tokens--
    return
  }
  const created = someToken()
  expectRow(await adapter.createVerificationToken(created))
  left.tokens++
  tokens.push(created)
}

function expectRow(row: unknown): void {
  if (!row) throw new Error('a row was not found')
}
