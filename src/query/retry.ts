import type { Awaitable } from './drizzle.js'
import type { Failure, Purpose, Retry } from './errors.js'

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
 * @param run Runs the statement once.
 * @param toFailure What an error of it means.
 * @param client The driver's client. A connection that was not made counts as a failover only after the client has had one.
 */
export function withRetry(
  run: () => Awaitable<unknown>,
  toFailure: (error: unknown) => Failure,
  purpose: Purpose,
  limits: RetryLimits | false,
  client: object,
): Awaitable<unknown> {
  const succeed = <T>(result: T): T => {
    connected.add(client)
    return result
  }
  // A statement that succeeds costs no promise with a synchronous driver.
  try {
    const result = run() as PromiseLike<unknown> | null | undefined
    if (!result?.then) return succeed(result)
    const started = Date.now()
    return result.then(succeed, (error) => retry(error, started))
  } catch (error) {
    return retry(error, Date.now())
  }

  async function retry(error: unknown, started: number): Promise<unknown> {
    let failure = toFailure(error)
    if (limits === false) throw failure
    // A cluster needs seconds to exclude a node that died, and refuses statements meanwhile.
    const { tries: most = 15, within = 6_000 } = limits
    for (let tries = 1; ; tries++) {
      // postgres.js 3.4 loses a statement that is sent between an error of the socket and its end.
      if (failure.retry === 'reads') await pause(1)
      const wait = backoff(tries)
      if (!isAllowed(failure.retry) || tries >= most || Date.now() + wait > started + within) throw failure
      await pause(wait)
      try {
        return succeed(await run())
      } catch (next) {
        failure = toFailure(next)
      }
    }
  }

  function isAllowed(allowed: Retry | undefined): boolean {
    if (allowed === 'connected') return connected.has(client)
    return allowed === 'always' || (allowed === 'reads' && (purpose === 'read' || purpose === 'repeatable-delete'))
  }
}

/** The clients that have answered at least once. */
const connected = new WeakSet<object>()

/** Exponential backoff with jitter. */
function backoff(tries: number): number {
  return Math.min(longestWait, 10 * 2 ** tries) * (0.5 + Math.random() / 2)
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
