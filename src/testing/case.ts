import { ContractViolation, fail, OperationFailure } from './expect.js'
import { show } from './show.js'
import type { OperationName, Subject } from './subject.js'
import { operationOf, subjectOf } from './subject.js'

/** What a case is about. A topic can be left out of a run by its name. */
export type Topic =
  /** What each operation does, and what it must leave alone. */
  | 'operations'
  /** The row is returned where the contract allows to return nothing. */
  | 'returned rows'
  /** An optional field that has no value is left out of a row, and is not `null`. */
  | 'absent fields'
  /** Expired rows stay until they are deleted. */
  | 'expired rows'
  /** No lookup gives what was true before a change. */
  | 'freshness'
  /** Calls that are made at once. */
  | 'races'
  /** A key stands for itself alone, and for nothing that looks alike. */
  | 'exactness'
  /** The columns hold what the default tables hold. */
  | 'storage'
  /** Keys and texts that no honest caller sends. */
  | 'hostile input'
  /** Values that are not of the contract's type. */
  | 'wrong types'
  /** What an error, or a user, gives away. */
  | 'errors'
  /** Operations that the contract does not have; asked by `casesFor` of adapters that have them. */
  | 'beyond the contract'
  /** What the database holds of tokens; asked where the option `stored` is given. */
  | 'secrets at rest'

/** How the rows of an adapter that protects its secrets look in the database. */
export interface StoredRows {
  /** All stored sessions, by the names of the fields, as a query of your own reads them. */
  sessions?(): Promise<readonly object[]>
  /** All stored accounts. */
  accounts?(): Promise<readonly object[]>
  /** What a stored session token looks like, as in `/^s1\.[\w-]{43}$/`. */
  sessionToken: RegExp
  /** What a stored OAuth token looks like, as in `/^e1\./`. */
  accountToken: RegExp
}

/** How cases are run. */
export interface RunOptions {
  /**
   * A second adapter over the same data with connections of its own, as another server has it.
   * Races then run between the two, and a change made by one must be seen by the other.
   */
  peer?: object
  /** Milliseconds after which a call counts as unanswered. 20,000 by default. */
  timeout?: number
  /** Given to `casesFor`, it adds the cases about `secrets at rest`. */
  stored?: StoredRows
}

/** Operations of which all are needed; of a list inside, one. */
export type Needs = readonly (OperationName | readonly OperationName[])[]

/** One thing that an adapter must do, with rows of its own. */
export interface ContractCase {
  /** A sentence. */
  readonly name: string
  /** What it is about, for leaving out all cases of a topic. */
  readonly topic: Topic
  /** The operations that it is about: an adapter without them is not asked. */
  readonly needs: Needs
  /** Throws a `ContractViolation` where the adapter does not do it. */
  run(adapter: object, options?: RunOptions): Promise<void>
}

/** What a case may know beside the adapter. */
interface Surroundings<Needed extends OperationName> extends Omit<RunOptions, 'peer' | 'timeout'> {
  /** Another adapter over the same data, or the same one. */
  peer: Subject<Needed>
  /** The adapter as it was given. */
  original: object
  timeout: number
}

/** The operations that are surely there for a case that needs these. */
export type Needed<N extends Needs> = Extract<N[number], OperationName>

type Run<N extends Needs> = (adapter: Subject<Needed<N>>, surroundings: Surroundings<Needed<N>>) => Promise<void>

/** Makes the cases of one topic. */
export function casesAbout(topic: Topic) {
  return <const N extends Needs>(name: string, needs: N, run: Run<N>): ContractCase => ({
    name,
    topic,
    needs,
    async run(adapter, { peer, timeout = 20_000, ...options } = {}) {
      const subjectWith = (given: object) => {
        const missing = missingIn(given, needs)
        if (missing.length > 0) fail(`the adapter has no ${missing.join(', no ')}; casesFor(adapter) leaves such cases out`)
        return subjectOf(given, timeout) as Subject<Needed<N>>
      }
      try {
        const subject = subjectWith(adapter)
        await run(subject, { ...options, peer: peer ? subjectWith(peer) : subject, original: adapter, timeout })
      } catch (error) {
        throw violationOf(error, needs)
      }
    },
  })
}

/** What a case threw, in words of the contract. */
function violationOf(error: unknown, needs: Needs): ContractViolation {
  if (error instanceof ContractViolation) return error
  if (error instanceof OperationFailure) return new ContractViolation(error.message, { cause: error.thrown })
  // The getters and proxies of an answer may throw wherever it is read.
  const operations = needs.flat().join(' or ') || 'an operation'
  return new ContractViolation(`${operations}: expected an answer that can be read, but reading it threw ${show(error)}`, { cause: error })
}

/** What an adapter lacks of the operations that are needed. */
export function missingIn(adapter: object, needs: Needs): string[] {
  return needs.flatMap((need) => {
    const names = typeof need === 'string' ? [need] : need
    return names.some((name) => operationOf(adapter, name)) ? [] : [names.join(' or ')]
  })
}
