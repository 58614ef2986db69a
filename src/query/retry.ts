import type { Awaitable } from './awaitable.js'
import { settle } from './awaitable.js'
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
  /** Whether it has returned a result. Then a connection that cannot be made is part of a failover; otherwise it is a mistake in the settings. */
  hasAnswered = false

  /** Remembers that the client has answered. Returns the result. */
  readonly noteAnswer = <T>(result: T): T => {
    this.hasAnswered = true
    return result
  }
}

/** Something that the database does as a whole or not at all, such as a statement. */
export interface Work<T> {
  readonly purpose: Purpose
  readonly client: Client
  /** Whether Drizzle has a cache. It passes on errors of the cache as those of a write, so nobody knows whether the write happened. */
  readonly hasCache: boolean
  run(): Awaitable<T>
  /** Does it in another way, unless `mayRepeat` is false, or throws the error, or one that says more. */
  recover?: ((error: unknown, mayRepeat: boolean) => Awaitable<T>) | undefined
  /** What an error of it means. */
  toFailure(error: unknown): Failure
}

/** Does the work, and again if a failure allows it. Fails with a `Failure`. `limits` is `false` for a single try. */
export function withRetry<T>(work: Work<T>, limits: RetryLimits | false): Awaitable<T> {
  let started: number | undefined
  return settle(
    () => {
      const result = work.run()
      started = Date.now()
      return result
    },
    work.client.noteAnswer,
    // If it threw at once, the driver blocked while it waited for locks. That time does not count.
    (error) => retry(work, error, started ?? Date.now(), limits),
  )
}

async function retry<T>(work: Work<T>, firstError: unknown, started: number, limits: RetryLimits | false): Promise<T> {
  const { client } = work
  const { tries: mostTries = defaults.tries, within = defaults.within } = limits || {}
  let error = firstError
  for (let tries = 1; ; tries++) {
    let failure: Failure
    try {
      return client.noteAnswer(await (work.recover ? work.recover(error, isAllowed('always', work)) : Promise.reject(error)))
    } catch (unrecovered) {
      failure = work.toFailure(unrecovered)
    }
    if (limits === false) throw failure
    // postgres.js 3.4 loses a statement that is sent between an error of the socket and its end. The caller may send the next one at once, so
    // wait also before the failure is thrown.
    if (failure.retry === 'reads') await pause(1)
    const wait = backoff(tries)
    if (!isAllowed(failure.retry, work) || tries >= mostTries || Date.now() + wait > started + within) throw failure
    await pause(wait)
    try {
      return client.noteAnswer(await work.run())
    } catch (next) {
      error = next
    }
  }
}

function isAllowed(allowed: Retry | undefined, { purpose, client, hasCache }: Work<unknown>): boolean {
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
