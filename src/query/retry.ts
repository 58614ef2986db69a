import type { Awaitable } from './awaitable.js'
import type { Failure, Purpose, Retry } from './errors.js'

/**
 * How often a statement is tried at most, and for how many milliseconds after its start. With a driver that blocks, these count from its
 * first failure.
 */
export interface RetryLimits {
  tries?: number
  within?: number
}

// A cluster needs seconds to exclude a node that died, and refuses statements meanwhile.
const defaults: Required<RetryLimits> = { tries: 15, within: 6_000 }

const longestWait = 1_000

/** What is known about a driver's client. */
export class Client {
  /** A connection that was not made is part of a failover if there was one before. */
  hasAnswered = false

  /** Called with each result. */
  readonly answer = <T>(result: T): T => {
    this.hasAnswered = true
    return result
  }
}

/** A statement, or anything else that the database does as a whole or not at all. */
interface Repeatable<T> {
  readonly purpose: Purpose
  readonly client: Client
  /** Whether Drizzle has a cache. It passes on errors of the cache as those of a write, so nobody knows whether the write happened. */
  readonly hasCache: boolean
  run(): Awaitable<T>
  /** What an error of it means. */
  toFailure(error: unknown): Failure
  /** When it was run first. */
  readonly started: number
}

/** Runs a statement that has failed again, if the failure allows it. `limits` is `false` for a single try. */
export async function runAgain<T>(statement: Repeatable<T>, error: unknown, limits: RetryLimits | false): Promise<T> {
  const { tries: mostTries = defaults.tries, within = defaults.within } = limits || {}
  let failure = statement.toFailure(error)
  for (let tries = 1; ; tries++) {
    if (limits === false) throw failure
    // Also before the failure is thrown: postgres.js 3.4 loses a statement that is sent between an error of the socket and its end.
    if (failure.retry === 'reads') await pause(1)
    const wait = backoff(tries)
    if (!isAllowed(failure.retry, statement) || tries >= mostTries || Date.now() + wait > statement.started + within) throw failure
    await pause(wait)
    try {
      return statement.client.answer(await statement.run())
    } catch (next) {
      failure = statement.toFailure(next)
    }
  }
}

function isAllowed(allowed: Retry | undefined, { purpose, client, hasCache }: Repeatable<unknown>): boolean {
  const isRepeatable = purpose === 'read' || purpose === 'repeatable-delete'
  if (hasCache && !isRepeatable) return false
  if (allowed === 'connected') return client.hasAnswered
  return allowed === 'always' || (allowed === 'reads' && isRepeatable)
}

/** Exponential backoff with jitter. */
function backoff(tries: number): number {
  return Math.min(longestWait, 10 * 2 ** tries) * (0.5 + Math.random() / 2)
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
