import { ContractViolation, fail, OperationFailure } from './expect.js'
import { show } from './show.js'
import type { OperationName, Subject } from './subject.js'
import { operationOf, subjectOf } from './subject.js'

/** `contract` cases check the specification, operation by operation. `strict` cases check what safe sign-ins need beyond it. */
export type Group = 'contract' | 'strict'

/** The topic of a case. The option `leaveOut` can skip a whole topic. */
export type Topic =
  /** What each operation does, and which rows it must not touch. */
  | 'operations'
  /** Expired rows stay until they are deleted. */
  | 'expired rows'
  /** The row is returned even where the contract allows an operation to return nothing. */
  | 'returned rows'
  /** An optional field without a value is left out of the row. It is not `null`. */
  | 'absent fields'
  /** Lookups never return outdated rows. */
  | 'freshness'
  /** Concurrent calls. */
  | 'races'
  /** A key matches only itself, and no similar text. */
  | 'exactness'
  /** Columns can store everything that the default tables can. */
  | 'storage'
  /** Malformed and malicious keys and texts. */
  | 'hostile input'
  /** Values of other types than the contract has. */
  | 'wrong types'
  /** Errors and users contain no secrets. */
  | 'errors'
  /** Operations that the contract does not have. `casesFor` adds these cases for adapters that have them. */
  | 'beyond the contract'
  /** How tokens are stored. `casesFor` adds these cases if the option `stored` is given. */
  | 'secrets at rest'

const contractTopics: readonly Topic[] = ['operations', 'expired rows']

/** How an adapter that protects its secrets stores its rows. */
export interface StoredRows {
  /** Reads all stored sessions, keyed by field names, with your own query. */
  sessions?(): Promise<readonly object[]>
  /** Reads all stored accounts. */
  accounts?(): Promise<readonly object[]>
  /** The form of a stored session token, such as `/^s1\.[\w-]{43}$/`. */
  sessionToken: RegExp
  /** The form of a stored OAuth token, such as `/^e1\./`. */
  accountToken: RegExp
}

/** How cases are run. */
export interface RunOptions {
  /**
   * A second adapter on the same data with its own connections, as on another server. Races then run between the two, and each must see the
   * other's changes.
   */
  peer?: object
  /**
   * Milliseconds after which a call has failed.
   *
   * @default 20000
   */
  timeout?: number
  /** How rows are stored. If it is passed to `casesFor`, the cases of the topic `secrets at rest` are added. */
  stored?: StoredRows
}

/** The operations that a case needs. Of a nested list, one is enough. */
export type Needs = readonly (OperationName | readonly OperationName[])[]

/** One rule for adapters. Each case creates its own rows. */
export interface ContractCase {
  /** The rule, as a sentence. */
  readonly name: string
  /** Whether the rule is part of the specification, or goes beyond it. */
  readonly group: Group
  /** The topic, by which the case can be left out. */
  readonly topic: Topic
  /** The operations that the case calls. `casesFor` leaves the case out for adapters without them. */
  readonly needs: Needs
  /** Throws a `ContractViolation` if the adapter breaks the rule. */
  run(adapter: object, options?: RunOptions): Promise<void>
}

/** The operations that certainly exist in a case with these needs. */
export type Needed<N extends Needs> = Extract<N[number], OperationName>

interface Context<Name extends OperationName> {
  /** A second adapter on the same data, or the same adapter again. */
  peer: Subject<Name>
  /** The adapter as it was given to the suite. */
  original: object
  stored?: StoredRows | undefined
}

type Run<N extends Needs> = (adapter: Subject<Needed<N>>, context: Context<Needed<N>>) => Promise<void>

/** Returns a function that defines cases of one topic. */
export function casesAbout(topic: Topic) {
  return <const N extends Needs>(name: string, needs: N, run: Run<N>): ContractCase => ({
    name,
    group: contractTopics.includes(topic) ? 'contract' : 'strict',
    topic,
    needs,
    async run(adapter, { peer, timeout = 20_000, stored } = {}) {
      const subjectFor = (given: object) => {
        const missing = missingOperations(given, needs)
        if (missing.length > 0) fail(`the adapter has no ${missing.join(', no ')}: casesFor(adapter) leaves such cases out`)
        return subjectOf(given, timeout) as Subject<Needed<N>>
      }
      try {
        const subject = subjectFor(adapter)
        await run(subject, { peer: peer ? subjectFor(peer) : subject, original: adapter, stored })
      } catch (error) {
        if (error instanceof ContractViolation) throw error
        if (error instanceof OperationFailure) throw new ContractViolation(error.message, { cause: error.thrown })
        const operations = needs.flat().join(' or ') || 'an operation'
        throw new ContractViolation(`${operations}: expected a readable result, but reading it threw ${show(error)}`, { cause: error })
      }
    },
  })
}

/** The needed operations that an adapter does not have. */
export function missingOperations(adapter: object, needs: Needs): string[] {
  return needs.flatMap((need) => {
    const names = typeof need === 'string' ? [need] : need
    return names.some((name) => operationOf(adapter, name)) ? [] : [names.join(' or ')]
  })
}
