import type { Table } from 'drizzle-orm'
import type { Awaitable, Database } from './drizzle.js'
import type { Purpose, Retry } from './errors.js'
import { toFailure } from './failures.js'
import { checkDatabase, isTransaction, notDatabase, primaryOf } from './internals.js'
import type { StatementDialect } from './statement-dialect.js'

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

/** The database of an adapter, and how statements are run in it. */
export interface Connection<D = StatementDialect> {
  /** The function that the app called. */
  readonly caller: string
  readonly dialect: D
  /** How often a statement is tried. `false` for a single try. */
  readonly retry: RetryLimits | false
  /** Whether PostgreSQL keeps prepared statements under names. */
  readonly namedStatements: boolean
  /** The database of this moment: what the app passed may stand for another one in each request. */
  current(): Database
}

/** Describes the database for later calls. Nothing of it is read now: it may not be there before the first request. */
export function connect<D extends StatementDialect>(
  caller: string,
  dialect: D,
  db: unknown,
  { retry = {}, namedStatements = false }: { retry?: RetryLimits | false | undefined; namedStatements?: boolean | undefined } = {},
): Connection<D> {
  if (Object(db) !== db) notDatabase(caller)
  const current = () => primaryOf(db, caller)
  return { caller, dialect, retry, namedStatements, current }
}

/** What is known about a driver's client. */
interface Client {
  /** Whether it has returned a result. Then a connection that cannot be made is part of a failover; otherwise it is a mistake in the settings. */
  hasAnswered: boolean
}

/** What is known about a session. Transactions and requests may have sessions of their own. */
interface Session {
  /** What statements are prepared for. */
  readonly key: object
  /** The dialect that it was checked for. */
  readonly dialect: string
  readonly client: Client
  /** Whether its settings have passed, so that a value of a caller may be sent. */
  isChecked: boolean
}

const sessions = new WeakMap<object, Session>()
const transactionKeys = new WeakMap<object, object>()
const clients = new WeakMap<object, Client>()

function sessionOf(db: Database, { caller, dialect }: Connection): Session {
  const key = keyOf(db)
  let session = sessions.get(key)
  if (session?.dialect !== dialect.name) {
    checkDatabase(caller, db, dialect.name)
    const owner = Object(db.$client ?? key) as object
    const client = clients.get(owner) ?? { hasAnswered: false }
    clients.set(owner, client)
    session = { key, dialect: dialect.name, client, isChecked: !dialect.checkSettings }
    sessions.set(key, session)
  }
  return session
}

/**
 * What statements are prepared for: Drizzle's session, because `db` may stand for another database in each request. A transaction has a key of
 * its own, even if it shares the session of the database around it: its settings check ignores autocommit, and it may be aborted.
 */
function keyOf(db: Database): object {
  const own = db.session ?? db
  if (!isTransaction(db)) return own
  const key = transactionKeys.get(own) ?? {}
  transactionKeys.set(own, key)
  return key
}

/** Something that the database does as a whole or not at all, such as a statement. `call` is what one call of it needs. */
export interface Task<Call = undefined, T = unknown> {
  readonly table?: Table
  readonly purpose: Purpose
  /** `sessionKey` is what prepared statements belong to. */
  run(db: Database, sessionKey: object, call: Call): Awaitable<T>
  /** Called after `run` has failed. Does it in another way if `mayRepeat` is true. Otherwise throws the error, or one that says more. */
  recover?(error: unknown, mayRepeat: boolean, db: Database, sessionKey: object, call: Call): Awaitable<T>
}

/** Does something in the database of this moment. Fails with a `Failure`, and tries again where that is safe. */
export async function attempt<Call, T>(connection: Connection, task: Task<Call, T>, call: Call, checks = 0): Promise<T> {
  const db = connection.current()
  const session = sessionOf(db, connection)
  if (!session.isChecked && checks < mostChecks) {
    await checkSettings(connection)
    // By now, `db` may stand for a database that has not been checked.
    return attempt(connection, task, call, checks + 1)
  }
  let started: number | undefined
  let answer: T
  try {
    const result = task.run(db, session.key, call)
    started = Date.now()
    answer = await result
  } catch (error) {
    // If it threw at once, the driver blocked while it waited for locks. That time does not count.
    answer = await retry(connection, db, session, task, call, error, started ?? Date.now())
  }
  session.client.hasAnswered = true
  return answer
}

// A `db` may also stand for a new database object whenever it is looked at. The dialect then knows its client.
const mostChecks = 3

/** Checks the database of this moment. Sends nothing that a caller gave. */
async function checkSettings(connection: Connection): Promise<void> {
  const run = async () => {
    // When it is tried again, `db` may stand for another database.
    const db = connection.current()
    const session = sessionOf(db, connection)
    await connection.dialect.checkSettings?.(db)
    session.isChecked = true
  }
  // This needs no check of its own.
  await attempt(connection, { purpose: 'read', run }, undefined, mostChecks)
}

async function retry<Call, T>(
  { dialect, retry: limits }: Connection,
  db: Database,
  { client, key }: Session,
  task: Task<Call, T>,
  call: Call,
  firstError: unknown,
  started: number,
): Promise<T> {
  const { table, purpose } = task
  const { tries: mostTries = defaults.tries, within = defaults.within } = limits || {}
  // Drizzle passes on errors of its cache as those of a write, so nobody knows whether the write happened. Drivers set `$cache` even if there
  // is no cache: only one with `onMutate` is.
  const hasCache = typeof db.$cache?.onMutate === 'function'
  const isAllowed = (allowed: Retry | undefined): boolean => {
    if (hasCache && purpose !== 'read') return false
    if (allowed === 'connected') return client.hasAnswered
    return allowed === 'always' || (allowed === 'reads' && purpose === 'read')
  }
  let error = firstError
  for (let tries = 1; ; tries++) {
    try {
      // By now, `db` may stand for another database.
      if (task.recover && keyOf(db) === key) return await task.recover(error, isAllowed('always'), db, key, call)
    } catch (unrecovered) {
      error = unrecovered
    }
    const failure = toFailure(error, dialect.failures, table, purpose)
    // A conflict aborts a transaction, and only the app can restart it.
    if (limits === false || isTransaction(db)) throw failure
    // postgres.js 3.4 loses a statement that is sent between an error of the socket and its end. The caller may send the next one at once, so
    // wait also before the failure is thrown.
    if (failure.retry === 'reads') await pause(1)
    // Exponential backoff with jitter.
    const wait = Math.min(longestWait, 10 * 2 ** tries) * (0.5 + Math.random() / 2)
    if (!isAllowed(failure.retry) || tries >= mostTries || Date.now() + wait > started + within) throw failure
    await pause(wait)
    try {
      return await task.run(db, key, call)
    } catch (next) {
      error = next
    }
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
