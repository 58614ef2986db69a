import { kindOf } from '../query/detection.js'
import type { Query } from '../query/drizzle.js'

interface Statement {
  readonly sql: string
  readonly args?: unknown[]
}

interface Result {
  readonly rows: Record<string, unknown>[]
}

/** A client of @libsql/client, as far as it is used. */
interface Client {
  readonly protocol: string
  execute(statement: Statement | string): Promise<Result>
  batch(statements: readonly Statement[], mode: 'write'): Promise<Result[]>
  executeMultiple(sql: string): Promise<void>
  transaction(mode: 'deferred'): Promise<Pick<Client, 'execute' | 'executeMultiple'> & { close(): void }>
  reconnect?(): Promise<void>
}

/** Runs statements in one transaction. */
type ExecuteAll = (statements: readonly Statement[]) => Promise<Result[]>

interface Executor {
  execute(statement: Statement): Promise<unknown>
  executeAll: ExecuteAll
}

const executors = new WeakMap<Client, Executor>()

/**
 * Makes a query of libSQL succeed only if it was committed.
 *
 * On a file, @libsql/client leaves a statement that met SQLITE_BUSY unfinished, whoever ran it (tursodatabase/libsql-client-ts#352).
 * Until the garbage collector finalizes that statement, its connection commits nothing, and then it rolls back everything written
 * since. Reads on that connection do not see what other connections commit. Seen in 0.14 to 0.18.
 *
 * Private detail: Drizzle 0.45 and 1.0 keep the client in `query.session.client`, and an open transaction in `query.session.tx`. The query,
 * which is ours, gets a session with another client; the app's session stays as it is. test/processes fails if this changes.
 */
export function committing(query: Query): Query {
  if (!isLibsqlFile(query)) return query
  const session = query.session as { readonly client: Client }
  query.session = Object.create(session, { client: { value: executorOf(session.client) } })
  return query
}

/** Runs queries that contain their values in one transaction. Returns how many rows each returned. */
export async function executeTogether(db: { session?: object }, queries: readonly Query[]): Promise<number[]> {
  const statements = queries.map((query) => query.toSQL()).map(({ sql, params }) => ({ sql, args: params }))
  const results = await executorOf((db.session as { client: Client }).client).executeAll(statements)
  return results.map(({ rows }) => rows.length)
}

function executorOf(client: Client): Executor {
  let executor = executors.get(client)
  if (!executor) {
    const executeAll = inTurn(client)
    executor = { executeAll, execute: async (statement) => (await executeAll([statement]))[0] }
    executors.set(client, executor)
  }
  return executor
}

/** Whether this is a database of libSQL on a file, outside of a transaction. A transaction of the app fails at its COMMIT by itself. */
export function isLibsqlFile({ session }: { session?: object }): boolean {
  const { client, tx } = (session ?? {}) as { readonly client?: Client; readonly tx?: unknown }
  return kindOf(session) === 'LibSQLSession' && client?.protocol === 'file' && !tx
}

/** Runs one statement after the other: a client whose connections are all in transactions rejects calls. */
function inTurn(client: Client): ExecuteAll {
  let execute: Promise<ExecuteAll> | undefined
  let last: Promise<unknown> = Promise.resolve()
  return (statements) => {
    const next = last.then(async () => {
      execute ??= executeOn(client).catch((error) => {
        execute = undefined
        throw error
      })
      return (await execute)(statements)
    })
    last = next.catch(() => {})
    return next
  }
}

async function executeOn(client: Client): Promise<ExecuteAll> {
  const run: ExecuteAll = async (statements) => {
    const [first, second] = statements
    return first && !second ? [await client.execute(first)] : client.batch(statements, 'write')
  }
  if (!(await isFile(client))) return run
  return (await hasOneConnection(client))
    ? (statements) => afterCheck(client, () => run(statements))
    : (statements) => inTransaction(client, statements)
}

/** Databases in memory and embedded replicas never meet SQLITE_BUSY. A replica would ask its primary at each statement of a transaction. */
async function isFile(client: Client): Promise<boolean> {
  const { rows } = await client.execute(`select file from pragma_database_list where name = 'main'`)
  if (!rows[0]?.file) return false
  // SQLite fails because there is no such savepoint. A replica fails before it asks SQLite, because it is in no transaction.
  return client.execute('release auth_adapter').then(
    () => false,
    ({ code }) => /^SQLITE_/.test(code),
  )
}

async function hasOneConnection(client: Client): Promise<boolean> {
  // Before 0.18 every client had one, which a transaction took away from it for good. Their constructor has four parameters.
  if (client.constructor.length === 4) return true
  const transaction = await client.transaction('deferred')
  try {
    await client.execute('select 1')
    return false
  } catch (error) {
    if ((error as { code?: unknown }).code === 'TRANSACTION_ACTIVE') return true
    throw error
  } finally {
    transaction.close()
  }
}

// SQLite opens no savepoint while a statement that writes is unfinished on the connection. Nothing is locked by then.
const check = 'savepoint auth_adapter; rollback'

/**
 * Runs statements in a transaction. `executeMultiple` begins and commits it, because that finishes its statements even if they meet
 * SQLITE_BUSY. If it cannot begin, the calls after it do nothing.
 *
 * The calls do their work before they return a promise, so with one statement nothing else in this process meets the lock.
 */
async function inTransaction(client: Client, statements: readonly Statement[]): Promise<Result[]> {
  const begin = statements.every(({ sql }) => /^select\b/i.test(sql)) ? 'select 1 from sqlite_master limit 1; begin' : 'begin immediate'
  const transaction = await client.transaction('deferred')
  const begun = transaction.executeMultiple(`rollback; ${check}; ${begin}`)
  const results = Promise.all(statements.map((statement) => transaction.execute(statement)))
  const end = (command: 'commit' | 'rollback') => {
    const ended = transaction.executeMultiple(command)
    transaction.close()
    return ended
  }
  // One statement is committed before its promise is there. Several are committed if all of them succeed.
  const ended =
    statements.length === 1
      ? end('commit')
      : results.then(
          () => end('commit'),
          () => end('rollback'),
        )
  try {
    return (await Promise.all([begun, results, ended]))[1]
  } catch (error) {
    // Either a statement of the app is unfinished, or this one, a read that met a lock taken after the transaction had begun.
    const isUnfinished = await begun.then(
      () => results.then(() => false, isBusy),
      () => /SQL statements in progress/.test(`${error}`),
    )
    if (isUnfinished) await reconnect(client)
    throw error
  }
}

/** Runs statements after a check on the same connection: the only one, which takes calls in their order. */
async function afterCheck(client: Client, run: () => Promise<Result[]>): Promise<Result[]> {
  try {
    await client.executeMultiple(`begin; ${check}`)
    // Once more, in case the app ran a statement in between.
    const checked = client.executeMultiple(`begin; ${check}`)
    return (await Promise.all([run(), checked]))[0]
  } catch (error) {
    if (isBusy(error as object)) await reconnect(client)
    throw error
  }
}

function isBusy({ code }: { code?: unknown }): boolean {
  return /^SQLITE_BUSY/.test(`${code}`)
}

/** Opens new connections. With 0.18, transactions that the app has open fail. */
async function reconnect(client: Client): Promise<void> {
  // In a later turn of the event loop, no call of the app is half done.
  await new Promise((resolve) => setTimeout(resolve))
  if (client.reconnect) await client.reconnect()
  else (await client.transaction('deferred')).close()
}
