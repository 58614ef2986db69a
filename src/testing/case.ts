import { ContractViolation, fail, OperationFailure } from './expect.js'
import { show } from './show.js'
import type { OperationName, Subject } from './subject.js'
import { operationOf, subjectOf } from './subject.js'

/** `contract` is what the specification says, operation by operation. `strict` is what a sign-in needs beyond it. */
export type Group = 'contract' | 'strict'

/** The topic of a case. A topic can be left out of a run by its name. */
export type Topic =
  /** What each operation does, and which rows it must not touch. */
  | 'operations'
  /** Expired rows stay until they are deleted. */
  | 'expired rows'
  /** The row is returned even where the contract allows an operation to return nothing. */
  | 'returned rows'
  /** An optional field without a value is left out of the row. It is not `null`. */
  | 'absent fields'
  /** No lookup returns what was true before a change. */
  | 'freshness'
  /** Calls that run at the same time. */
  | 'races'
  /** A key matches itself, and nothing that looks alike. */
  | 'exactness'
  /** Columns hold what the default tables hold. */
  | 'storage'
  /** Keys and texts that no honest caller sends. */
  | 'hostile input'
  /** Values that do not have the type of the contract. */
  | 'wrong types'
  /** Errors and users contain no secrets. */
  | 'errors'
  /** Operations that the contract does not have. `casesFor` adds them for adapters that have them. */
  | 'beyond the contract'
  /** What the database holds of tokens. `casesFor` adds them if the option `stored` is given. */
  | 'secrets at rest'

const contractTopics: readonly Topic[] = ['operations', 'expired rows']

/** How an adapter that protects its secrets stores its rows. */
export interface StoredRows {
  /** Reads all stored sessions, by field names, with a query of your own. */
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
   * A second adapter on the same data with connections of its own, as another server has it.
   * Races then run between the two, and each must see what the other changed.
   */
  peer?: object
  /** Milliseconds after which a call counts as unanswered. 20,000 by default. */
  timeout?: number
  /** Given to `casesFor`, it adds the cases of the topic `secrets at rest`. */
  stored?: StoredRows
}

/** The operations that a case needs. Of a list inside, one is enough. */
export type Needs = readonly (OperationName | readonly OperationName[])[]

/** One rule for adapters. Each case creates its own rows. */
export interface ContractCase {
  /** The rule, as a sentence. */
  readonly name: string
  /** Whether the rule is part of the specification, or goes beyond it. */
  readonly group: Group
  /** What it is about, for leaving out all cases of a topic. */
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
