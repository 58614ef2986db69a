import type { Table } from 'drizzle-orm'
import type { Awaitable } from './awaitable.js'
import { andThen } from './awaitable.js'
import type { Database } from './drizzle.js'
import type { Purpose } from './errors.js'
import { toFailure } from './failures.js'
import { checkDatabase, isTransaction, notDatabase } from './internals.js'
import type { RetryLimits } from './retry.js'
import { Client, withRetry } from './retry.js'
import type { StatementDialect } from './statement-dialect.js'

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

interface ConnectionOptions {
  retry?: RetryLimits | false | undefined
  namedStatements?: boolean | undefined
}

/** Describes the database for later calls. Nothing of it is read now: it may not be there before the first request. */
export function connect<D extends StatementDialect>(
  caller: string,
  dialect: D,
  db: unknown,
  { retry = {}, namedStatements = false }: ConnectionOptions = {},
): Connection<D> {
  if (Object(db) !== db) notDatabase(caller)
  // With `withReplicas` the primary, so that no read is stale.
  const current = () => (db as { $primary?: Database }).$primary ?? (db as Database)
  return { caller, dialect, retry, namedStatements, current }
}

/** What is known about a session. Transactions and requests may have sessions of their own. */
interface Session {
  /** What statements are prepared for. */
  readonly key: object
  /** The dialect that it was checked for. */
  readonly dialect: string
  readonly client: Client
  /** What is left to check before the first value of a caller is sent. */
  check: (() => Promise<void>) | undefined
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
    const client = clients.get(owner) ?? new Client()
    clients.set(owner, client)
    session = { key, dialect: dialect.name, client, check: dialect.checkSettings?.(db) }
    sessions.set(key, session)
  }
  return session
}

/**
 * What statements are prepared for: Drizzle's session, because `db` may stand for another database in each request. With a single connection, a
 * transaction has the session of the database around it. It has a key of its own, because autocommit does not matter there, and a failed
 * statement may have aborted it.
 */
function keyOf(db: Database): object {
  const own = db.session ?? db
  if (!isTransaction(db)) return own
  const key = transactionKeys.get(own) ?? {}
  transactionKeys.set(own, key)
  return key
}

/** What is done in a database. `session` is what prepared statements belong to. */
interface Task {
  readonly table: Table
  readonly purpose: Purpose
  readonly run: (db: Database, session: object) => Awaitable<unknown>
  /** Handles an error: returns a result, or throws this error or one that says more. */
  recover?: ((error: unknown, mayRepeat: boolean, db: Database, session: object) => Awaitable<unknown>) | undefined
}

/** Does something in the database of this moment. Fails with a `Failure`, and tries again where that is safe. */
export function attempt(connection: Connection, task: Task): Awaitable<unknown> {
  const { dialect, retry } = connection
  const db = connection.current()
  const session = sessionOf(db, connection)
  const { key, client, check } = session
  const start = ({ table, purpose, run, recover }: Task) =>
    withRetry(
      {
        purpose,
        client,
        // Drivers set `$cache` even if there is no cache. Only one with `onMutate` is a cache.
        hasCache: typeof db.$cache?.onMutate === 'function',
        run: () => run(db, key),
        // By now, `db` may stand for another database.
        recover: recover && ((error, mayRepeat) => (keyOf(db) === key ? recover(error, mayRepeat, db, key) : Promise.reject(error))),
        toFailure: (error) => toFailure(error, dialect.failures, table, purpose),
      },
      // A conflict aborts a transaction, and only the app can restart it.
      isTransaction(db) ? false : retry,
    )
  if (!check) return start(task)
  // Nothing that a caller gave is sent before the connection has been checked.
  return andThen(start({ table: task.table, purpose: 'read', run: check }), () => {
    session.check = undefined
    return attempt(connection, task)
  })
}
