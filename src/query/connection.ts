import type { Table } from 'drizzle-orm'
import type { Awaitable, Database } from './drizzle.js'
import type { Purpose, Retry } from './errors.js'
import { Failure } from './errors.js'
import { toFailure } from './failures.js'
import { checkDatabase, isKnown, isTransaction, primaryOf } from './internals.js'
import type { Problem, StatementDialect } from './statement-dialect.js'

/** Limits of tries of a statement, and of their time in milliseconds: from its start or, with a blocking driver, from its first failure. */
export interface RetryLimits {
  tries?: number
  within?: number
}

// A cluster needs seconds to exclude a node that died, and refuses statements meanwhile.
const defaults: Required<RetryLimits> = { tries: 15, within: 6_000 }

/** The database of an adapter, and its settings for retries. */
export interface Connection<D = StatementDialect> {
  /** The function that the app called. */
  readonly caller: string
  readonly dialect: D
  /** How often a statement is tried. `false` for a single try. */
  readonly retry: RetryLimits | false
  /** The current database. `db` may resolve to a different one per request. */
  current(): Database
}

/** Checks the dialect of the database, unless `db` is a proxy that has no database before the first request. */
export function connect<D extends StatementDialect>(
  caller: string,
  dialect: D,
  db: unknown,
  { retry = {} }: { retry?: RetryLimits | false | undefined } = {},
): Connection<D> {
  if (Object(db) !== db || isKnown(db)) checkDatabase(caller, db, dialect.name)
  return { caller, dialect, retry, current: () => primaryOf(db, caller) }
}

/** The state of a driver's client. */
interface Client {
  /** The dialect of its databases. */
  readonly dialect: string
  /** Whether it has returned a result. If so, a failed connection is part of a failover, and otherwise a mistake in the settings. */
  hasAnswered: boolean
  /** Whether its settings have passed the check. */
  isChecked: boolean
  /** A running check, which concurrent requests share. */
  check?: Promise<readonly Problem[]> | undefined
}

// By client, because each request may have its own database object, and by dialect object, which transactions share with their database.
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

/** Fails if the connection has an unsupported setting. Only a check that has passed is remembered. */
export async function requireSettings(db: Database, dialect: StatementDialect, client = knownClient(db, dialect)): Promise<void> {
  if (client.isChecked) return
  // Read now, because `db` may resolve to another database after the check.
  const isInTransaction = isTransaction(db)
  client.check ??= dialect.findProblems?.(db)?.finally(() => {
    client.check = undefined
  })
  const problems = (await client.check) ?? []
  const problem = problems.find(({ isHarmlessInTransactions }) => !(isHarmlessInTransactions && isInTransaction))
  if (problem) throw new Failure('settings', { hint: `${problem.message}. ${problem.fix}` })
  client.isChecked = problems.length === 0
}

/** A unit of work that the database does completely or not at all, such as a statement. `call` has the parameters of one call. */
export interface Task<Call = undefined, T = unknown> {
  readonly table?: Table
  readonly purpose: Purpose
  /** Prepared statements belong to `sessionKey`. */
  run(db: Database, sessionKey: object, call: Call): Awaitable<T>
}

/** Runs a task in the current database, after a check of its settings, and again if that is safe. Fails with a `Failure`. */
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
        // `db` may now resolve to a database that has not been checked.
        passed = sessionKey
        continue
      }
      const result = task.run(db, sessionKey, call)
      started ??= Date.now()
      const answer = await result
      client.hasAnswered = true
      return answer
    } catch (error) {
      // A blocking driver throws synchronously. The time for which it waited for locks does not count.
      started ??= Date.now()
      const failure = toFailure(error, connection.dialect.failures, task.table, task.purpose)
      // A conflict aborts a transaction, and only the app can restart it.
      if (connection.retry === false || isTransaction(db)) throw failure
      const { tries: mostTries = defaults.tries, within = defaults.within } = connection.retry
      // postgres.js 3.4 loses a statement that is sent between the socket's `error` and `close` events. Wait even before throwing, because the
      // caller may send its next statement at once.
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
  // If a cache of Drizzle fails after a write, the error looks like one of the write. Drivers set `$cache` even without a cache; only a cache
  // has `onMutate`.
  const hasCache = typeof $cache?.onMutate === 'function'
  const allowed: Record<Retry, boolean> = { always: true, reads: isRead, connected: hasAnswered }
  return retry !== undefined && allowed[retry] && (isRead || !hasCache)
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
