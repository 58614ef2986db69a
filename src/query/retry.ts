import type { Awaitable } from './drizzle.js'
import type { Failure, Purpose } from './errors.js'

/**
 * How often a statement is tried at most, and for how many milliseconds after its start. With a driver that blocks, these count from its
 * first failure.
 */
export interface RetryLimits {
  tries?: number
  within?: number
}

const longestWait = 1_000

/**
 * Runs a statement again after a failure that allows it. `limits` is `false` for a single try.
 *
 * @param run Runs the statement once. What it throws is a `Failure`.
 */
export function withRetry<Parameters>(
  run: (parameters: Parameters) => Awaitable<unknown>,
  purpose: Purpose,
  limits: RetryLimits | false,
): (parameters: Parameters) => Awaitable<unknown> {
  if (limits === false) return run
  // A cluster needs seconds to exclude a node that died, and refuses statements meanwhile.
  const { tries: most = 15, within = 6_000 } = limits

  const retry = async (parameters: Parameters, failure: Failure, started: number) => {
    for (let tries = 1; ; tries++) {
      // postgres.js 3.4 loses a statement that is sent between an error of the socket and its end.
      if (failure.retry === 'reads') await pause(1)
      const isAllowed = failure.retry === 'always' || (failure.retry === 'reads' && (purpose === 'read' || purpose === 'repeatable-delete'))
      const wait = backoff(tries)
      if (!isAllowed || tries >= most || Date.now() + wait > started + within) throw failure
      await pause(wait)
      try {
        return await run(parameters)
      } catch (next) {
        failure = next as Failure
      }
    }
  }

  // A statement that succeeds costs no promise with a synchronous driver.
  return (parameters) => {
    try {
      const result = run(parameters) as PromiseLike<unknown> | null | undefined
      if (!result?.then) return result
      const started = Date.now()
      return result.then(undefined, (failure) => retry(parameters, failure, started))
    } catch (failure) {
      return retry(parameters, failure as Failure, Date.now())
    }
  }
}

/** Exponential backoff with jitter. */
function backoff(tries: number): number {
  return Math.min(longestWait, 10 * 2 ** tries) * (0.5 + Math.random() / 2)
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
