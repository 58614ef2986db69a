import { isTransaction } from './detection.js'
import type { Dialect } from './dialect.js'
import { classify } from './errors.js'
import type { Values } from './statements.js'
import type { AdapterOptions } from './types.js'

const longestWait = 1_000

/** The dialect, with statements that are run again after failures where that is safe. */
export function retrying(dialect: Dialect, db: object, retry: AdapterOptions['retry']): Dialect {
  // A conflict ends the transaction, or leaves it unusable: only whoever began it can begin it again.
  if (retry === false || isTransaction(db)) return dialect
  // Clusters need seconds to leave out a node that died, and refuse statements meanwhile.
  const { tries: most = 15, within = 6_000 } = retry ?? {}

  const patient =
    (build: Dialect['prepare']): Dialect['prepare'] =>
    (query, answers) => {
      const run = build(query, answers)

      const again = async (values: Values, error: unknown, started: number) => {
        for (let tries = 1; ; tries++) {
          const wait = waitAfter(tries)
          const { aftermath } = classify(error, dialect.failures)
          // postgres.js 3.4 forgets a statement that comes between a socket's error and its end: who hears of the error may call at once.
          if (aftermath === 'unclear') await pause(1)
          // Twice is the same as once for reads, and for deletes that nobody asks what they deleted.
          const isRepeatable = () => !answers || /^select\b/i.test(query.toSQL().sql)
          const isSafe = aftermath === 'nothing' || (aftermath === 'unclear' && isRepeatable())
          if (!isSafe || tries >= most || Date.now() + wait > started + within) throw error
          await pause(wait)
          try {
            return await run(values)
          } catch (next) {
            error = next
          }
        }
      }

      // A statement that succeeds at once costs no promise where the driver makes none.
      return (values) => {
        try {
          const answer = run(values) as PromiseLike<unknown> | null | undefined
          if (!answer?.then) return answer
          // What answers at once reads no clock, which can cost as much as a good part of the answer.
          const started = Date.now()
          return answer.then(undefined, (error) => again(values, error, started))
        } catch (error) {
          return again(values, error, Date.now())
        }
      }
    }

  return { ...dialect, prepare: patient(dialect.prepare), once: patient(dialect.once) }
}

// Rivals that failed together must not meet again.
function waitAfter(tries: number): number {
  return Math.min(longestWait, 10 * 2 ** tries) * (0.5 + Math.random() / 2)
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
