import type { Table } from 'drizzle-orm'
import type { Awaitable, Database } from './drizzle.js'
import type { Purpose, Retry } from './errors.js'
import { Failure } from './errors.js'
import { toFailure } from './failures.js'
import { checkDatabase, isKnown, isTransaction, primaryOf } from './internals.js'
import type { Problem, StatementDialect } from './statement-dialect.js'

/** The most tries of a statement, and their time in milliseconds: from its start or, with a driver that blocks, from its first failure. */
export interface RetryLimits {
  tries?: number
  within?: number
}

// A cluster needs seconds to exclude a node that died, and refuses statements meanwhile.
const defaults: Required<RetryLimits> = { tries: 15, within: 6_000 }

/** The database of an adapter, and how statements are run in it. */
export interface Connection<D = StatementDialect> {
  /** The function that the app called. */
  readonly caller: string
  readonly dialect: D
  /** How often a statement is tried. `false` for a single try. */
  readonly retry: RetryLimits | false
  /** The current database: what the app passed may stand for another one in each request. */
  current(): Database
}

/** Describes the database for later calls. It may not be there before the first request, but if it is, it has the dialect of the tables. */
export function connect<D extends StatementDialect>(
  caller: string,
  dialect: D,
  db: unknown,
  { retry = {} }: { retry?: RetryLimits | false | undefined } = {},
): Connection<D> {
  if (Object(db) !== db || isKnown(db)) checkDatabase(caller, db, dialect.name)
  return { caller, dialect, retry, current: () => primaryOf(db, caller) }
}

/** What is known about a driver's client. */
interface Client {
  /** The dialect that its databases were seen to have. */
  readonly dialect: string
  /** Whether it has returned a result. Then a connection that cannot be made is part of a failover; otherwise it is a mistake in the settings. */
  hasAnswered: boolean
  /** Whether its settings have passed, so that a value of a caller may be sent. */
  isChecked: boolean
  /** A check that is under way: one statement finds out for all requests that come at once. */
  check?: Promise<readonly Problem[]> | undefined
}

// By the client, for requests with a database object each, and by the dialect object, which transactions have in common with their database.
const clients = new WeakMap<object, Client>()

function clientOf(db: Database, sessionKey: object, { caller, dialect }: Connection): Client {
  const known = clients.get(sessionKey)
  if (known?.dialect === dialect.name) return known
  checkDatabase(caller, db, dialect.name)
  return knownClient(db, dialect)
}

function knownClient(db: Database, { name, findProblems }: StatementDialect): Client {
  const keys = [db.$client, db.dialect, db.session ?? db].filter((key): key is object => Object(key) === key)
  const known = keys.map((key) => clients.get(key)).find(Boolean)
  const client = known ?? { dialect: name, hasAnswered: false, isChecked: !findProblems }
  for (const key of keys) clients.set(key, client)
  return client
}

/** Fails if the connection has a setting with which promises cannot be kept. What has passed is remembered, what has failed is checked again. */
export async function requireSettings(db: Database, dialect: StatementDialect, client = knownClient(db, dialect)): Promise<void> {
  if (client.isChecked) return
  // By the time of the answer, `db` may stand for another database.
  const isInTransaction = isTransaction(db)
  client.check ??= dialect.findProblems?.(db)?.finally(() => {
    client.check = undefined
  })
  const problems = (await client.check) ?? []
  const problem = problems.find(({ isHarmlessInTransactions }) => !(isHarmlessInTransactions && isInTransaction))
  if (problem) throw new Failure('settings', { hint: `${problem.message}. ${problem.fix}` })
  client.isChecked = problems.length === 0
}

/** Something that the database does as a whole or not at all, such as a statement. `call` is what one call of it needs. */
export interface Task<Call = undefined, T = unknown> {
  readonly table?: Table
  readonly purpose: Purpose
  /** `sessionKey` is what prepared statements belong to. */
  run(db: Database, sessionKey: object, call: Call): Awaitable<T>
}

/** Does something in the current database, whose settings are checked first. Fails with a `Failure`, and tries again where that is safe. */
export async function attempt<Call, T>(connection: Connection, task: Task<Call, T>, call: Call): Promise<T> {
  let started: number | undefined
  let passed: object | undefined
  for (let tries = 1; ; ) {
    const db = connection.current()
    const sessionKey = db.session ?? db
    const client = clientOf(db, sessionKey, connection)
    const isCheck = !client.isChecked && sessionKey !== passed
    try {
      if (isCheck) {
        await requireSettings(db, connection.dialect, client)
        // By now, `db` may stand for a database that has not been checked.
        passed = sessionKey
        continue
      }
      const result = task.run(db, sessionKey, call)
      started ??= Date.now()
      const answer = await result
      client.hasAnswered = true
      return answer
    } catch (error) {
      // If it threw at once, the driver blocked while it waited for locks. That time does not count.
      started ??= Date.now()
      const failure = toFailure(error, connection.dialect.failures, task.table, task.purpose)
      // A conflict aborts a transaction, and only the app can restart it.
      if (connection.retry === false || isTransaction(db)) throw failure
      const { tries: mostTries = defaults.tries, within = defaults.within } = connection.retry
      // postgres.js 3.4 loses a statement that is sent between an error of the socket and its end. The caller may send the next one at once,
      // so wait also before the failure is thrown.
      if (failure.retry === 'reads') await pause(1)
      // Exponential backoff with jitter, of at most a second.
      const wait = Math.min(1_000, 10 * 2 ** tries) * (0.5 + Math.random() / 2)
      const isLast = tries++ >= mostTries || Date.now() + wait > started + within
      if (isLast || !mayRepeat(failure, isCheck || task.purpose === 'read', db, client)) throw failure
      await pause(wait)
    }
  }
}

/** Whether a failed task may run again. */
function mayRepeat({ retry }: Failure, isRead: boolean, { $cache }: Database, { hasAnswered }: Client): boolean {
  // Drizzle passes on errors of its cache as those of a write that may have happened. Drivers set `$cache` even if there is no cache: only
  // one with `onMutate` is.
  const hasCache = typeof $cache?.onMutate === 'function'
  const allowed: Record<Retry, boolean> = { always: true, reads: isRead, connected: hasAnswered }
  return retry !== undefined && allowed[retry] && (isRead || !hasCache)
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
