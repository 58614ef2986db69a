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

/** A statement that has failed once. */
interface FailedStatement {
  readonly purpose: Purpose
  /** When it was started. */
  readonly started: number
  /** The driver's client. Only if it has answered before is a connection that was not made part of a failover. */
  readonly client: { readonly hasAnswered: boolean }
  /** Runs it once more. */
  run(): Awaitable<unknown>
  /** Fails with this error or with a better one, unless another way of running it succeeds. */
  recover(error: unknown): Awaitable<unknown>
  /** What an error of it means. */
  toFailure(error: unknown): Failure
}

/** Runs a statement again after a failure that allows it. `limits` is `false` for no other try. */
export async function retry(error: unknown, statement: FailedStatement, limits: RetryLimits | false): Promise<unknown> {
  const { tries: mostTries, within } = { ...defaults, ...limits }
  let latest = error
  for (let tries = 1; ; tries++) {
    let failure: Failure
    try {
      return await statement.recover(latest)
    } catch (better) {
      failure = statement.toFailure(better)
    }
    if (limits === false) throw failure
    // postgres.js 3.4 loses a statement that is sent between an error of the socket and its end.
    if (failure.retry === 'reads') await pause(1)
    const wait = backoff(tries)
    if (!isAllowed(failure.retry, statement) || tries >= mostTries || Date.now() + wait > statement.started + within) throw failure
    await pause(wait)
    try {
      return await statement.run()
    } catch (next) {
      latest = next
    }
  }
}

function isAllowed(allowed: Retry | undefined, { purpose, client }: FailedStatement): boolean {
  if (allowed === 'connected') return client.hasAnswered
  return allowed === 'always' || (allowed === 'reads' && (purpose === 'read' || purpose === 'repeatable-delete'))
}

/** Exponential backoff with jitter. */
function backoff(tries: number): number {
  return Math.min(longestWait, 10 * 2 ** tries) * (0.5 + Math.random() / 2)
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
