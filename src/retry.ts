import { isTransaction } from './detection.js'
import type { Dialect } from './dialect.js'
import { interpret } from './errors.js'
import type { Query, Statement } from './statements.js'
import type { AdapterOptions } from './types.js'

const defaults = { tries: 10, within: 5_000 }
const longestWait = 1_000

/** The dialect, with statements that are run again after failures where that is safe. */
export function retrying(dialect: Dialect, db: object, retry: AdapterOptions['retry']): Dialect {
  // A conflict ends the transaction, or leaves it unusable: only whoever began it can begin it again.
  if (retry === false || isTransaction(db)) return dialect
  const limits = { tries: retry?.tries ?? defaults.tries, within: retry?.within ?? defaults.within }
  const retried =
    (build: Dialect['prepare']): Dialect['prepare'] =>
    (query, answers) =>
      statement(build(query, answers), limits, (error) => maySucceed(error, dialect, query, answers))
  return { ...dialect, prepare: retried(dialect.prepare), once: retried(dialect.once) }
}

// Where the connection was lost nobody knows what became of the statement: it is run again only where twice is the same as once.
// So are reads, and deletes that nobody asks what they deleted.
function maySucceed(error: unknown, dialect: Dialect, query: Query, answers: boolean): boolean {
  const { meaning } = interpret(error, dialect.aftermath)
  return meaning === 'nothing' || (meaning === 'unclear' && (!answers || /^select\b/i.test(query.toSQL().sql)))
}

// A statement that succeeds at once costs no promise where the driver makes none.
function statement(run: Statement, limits: typeof defaults, mayRepeat: (error: unknown) => boolean): Statement {
  return (values) => {
    const started = Date.now()
    const again = async (error: unknown) => {
      for (let tries = 1; ; tries++) {
        const wait = waitAfter(tries)
        if (tries >= limits.tries || Date.now() + wait > started + limits.within || !mayRepeat(error)) throw error
        await new Promise((resolve) => setTimeout(resolve, wait))
        try {
          return await run(values)
        } catch (next) {
          error = next
        }
      }
    }
    try {
      const answer = run(values)
      return isPromise(answer) ? answer.then(undefined, again) : answer
    } catch (error) {
      return again(error)
    }
  }
}

// Rivals that failed together must not meet again.
function waitAfter(tries: number): number {
  return Math.min(longestWait, 10 * 2 ** tries) * (0.5 + Math.random() / 2)
}

function isPromise(answer: unknown): answer is PromiseLike<unknown> {
  return typeof (answer as { then?: unknown } | null | undefined)?.then === 'function'
}
