import type { Database, Query } from '../query/drizzle.js'
import { driverOf, replaceClient } from '../query/internals.js'

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
  batch(statements: readonly Statement[], mode: 'deferred' | 'write'): Promise<Result[]>
  executeMultiple(sql: string): Promise<void>
  transaction(mode: 'deferred' | 'write'): Promise<Transaction>
  reconnect(): Promise<void>
}

interface Transaction extends Pick<Client, 'execute' | 'executeMultiple'> {
  readonly closed: boolean
  close(): void
}

type ExecuteAll = (statements: readonly Statement[]) => Promise<Result[]>

const executors = new WeakMap<Client, ExecuteAll>()

/**
 * Makes a query of libSQL succeed only if it was committed.
 *
 * On a file, @libsql/client 0.18 leaves a statement that met SQLITE_BUSY unfinished, whoever ran it (tursodatabase/libsql-client-ts#352).
 * From then on its connection commits nothing outside of transactions, while every write seems to succeed. COMMIT fails on such a
 * connection, so each statement runs in a transaction, and after such a failure the client opens new connections.
 */
export function committing(query: Query): Query {
  if (!isLibsqlFile(query)) return query
  const executeAll = executorOf(driverOf(query).client as Client)
  return replaceClient(query, { execute: async (statement: Statement) => (await executeAll([statement]))[0] })
}

/**
 * The database with transactions that leave no statement unfinished if they cannot begin. Drizzle's BEGIN would, and COMMIT would fail in
 * the next transaction on that connection.
 */
export function withSafeTransactions(db: Database): Database {
  if (!isLibsqlFile(db)) return db
  const client = driverOf(db).client as Client
  const { openTransactions, canBeLocked, renewIfDue } = connectionsOf(client)
  const transaction = async () => {
    if (!(await canBeLocked())) return client.transaction('write')
    await renewIfDue()
    const begun = await beginSafely(client)
    openTransactions.add(begun)
    try {
      await begun.executeMultiple('rollback; begin immediate')
    } catch (error) {
      begun.close()
      throw error
    }
    return begun
  }
  return replaceClient(Object.create(db) as Database & { session?: object }, { transaction })
}

/** Runs queries that contain their values in one transaction. Returns how many rows each returned. */
export async function executeTogether(db: { session?: object }, queries: readonly Query[]): Promise<number[]> {
  const statements = queries.map((query) => query.toSQL()).map(({ sql, params }) => ({ sql, args: params }))
  const results = await executorOf(driverOf(db).client as Client)(statements)
  return results.map(({ rows }) => rows.length)
}

/** Whether this is a database of libSQL on a file, outside of a transaction. A transaction of the app fails at its COMMIT by itself. */
export function isLibsqlFile(db: { session?: object }): boolean {
  const { kind, client, isInTransaction } = driverOf(db)
  return kind === 'LibSQLSession' && (client as Client | undefined)?.protocol === 'file' && !isInTransaction
}

/** Runs one call after the other: a client whose connections are all in transactions rejects calls. */
function executorOf(client: Client): ExecuteAll {
  let executor = executors.get(client)
  if (!executor) {
    let strategy: ExecuteAll | undefined
    let last: Promise<unknown> = Promise.resolve()
    executor = (statements) => {
      const next = last.then(async () => {
        await connectionsOf(client).renewIfDue()
        strategy ??= await strategyOf(client)
        return strategy(statements)
      })
      last = next.catch(() => {})
      return next
    }
    executors.set(client, executor)
  }
  return executor
}

async function strategyOf(client: Client): Promise<ExecuteAll> {
  if (!(await connectionsOf(client).canBeLocked())) return (statements) => directly(client, statements)
  const transaction = await connectionsOf(client).transaction()
  try {
    await client.execute('select 1')
    return (statements) => inTransaction(client, statements)
  } catch (error) {
    // The client was created with `concurrency: 1`.
    if (codeOf(error) === 'TRANSACTION_ACTIVE') return (statements) => onOnlyConnection(client, statements)
    throw error
  } finally {
    transaction.close()
  }
}

async function directly(client: Client, statements: readonly Statement[]): Promise<Result[]> {
  const [first, second] = statements
  return first && !second ? [await client.execute(first)] : client.batch(statements, 'write')
}

/**
 * Whether another process can lock the database. Nobody locks one in memory, nor an embedded replica. Both have one connection, so a
 * transaction would make statements of the app fail.
 */
async function isLockable(client: Client): Promise<boolean> {
  const { rows } = await client.execute(`select file from pragma_database_list where name = 'main'`)
  if (!rows[0]?.file) return false
  // SQLite fails because there is no such savepoint. A replica fails before it asks SQLite, because it is in no transaction.
  return client.execute('release auth_adapter').then(
    () => false,
    (error) => codeOf(error).startsWith('SQLITE_'),
  )
}

const codeOf = (error: unknown) => String((error as { code?: unknown }).code)
const isRead = ({ sql }: Statement) => /^select\b/i.test(sql)

// SQLite opens no savepoint while a statement that writes is unfinished on the connection. Nothing is locked by then.
const failIfUnfinished = 'savepoint auth_adapter; release auth_adapter'

/** No transaction of the app is open on the only connection, so opening a new one ends none. */
async function onOnlyConnection(client: Client, statements: readonly Statement[]): Promise<Result[]> {
  try {
    await client.executeMultiple(`begin; ${failIfUnfinished}; rollback`)
    return await client.batch(statements, statements.every(isRead) ? 'deferred' : 'write')
  } catch (error) {
    if (codeOf(error) === 'SQLITE_BUSY') await connectionsOf(client).renew()
    throw error
  }
}

/** A transaction on a connection without an unfinished statement. It holds no lock yet. */
async function beginSafely(client: Client): Promise<Transaction> {
  const { transaction, renew } = connectionsOf(client)
  const begun = await transaction()
  try {
    await begun.executeMultiple(failIfUnfinished)
    return begun
  } catch (error) {
    // It stays open until there are new connections, so that nobody else gets this one.
    await renew()
    throw error
  }
}

/**
 * `executeMultiple` begins and commits, because it leaves nothing unfinished. If it cannot begin, the calls after it do nothing.
 * The calls do their work before they return a promise, so with one statement nothing else in this process meets the lock.
 */
async function inTransaction(client: Client, statements: readonly Statement[]): Promise<Result[]> {
  const begin = statements.every(isRead) ? 'select 1 from sqlite_master limit 1; begin' : 'begin immediate'
  const transaction = await beginSafely(client)
  const end = (command: 'commit' | 'rollback') => {
    const ended = transaction.executeMultiple(command)
    transaction.close()
    return ended
  }
  const begun = transaction.executeMultiple(`rollback; ${begin}`)
  const done = Promise.all(statements.map((statement) => transaction.execute(statement)))
  const ended =
    statements.length === 1
      ? end('commit')
      : done.then(
          () => end('commit'),
          () => end('rollback'),
        )
  try {
    return (await Promise.all([begun, done, ended]))[1]
  } catch (error) {
    // A read is unfinished that met a lock which was taken after the transaction had begun.
    const hasBegun = await begun.then(
      () => true,
      () => false,
    )
    if (hasBegun && statements.every(isRead)) await connectionsOf(client).renew()
    throw error
  }
}

/** What is known about the connections of a client. */
interface Connections {
  /** The transactions that others may have open. */
  readonly openTransactions: Set<Transaction>
  canBeLocked(): Promise<boolean>
  /** Begins a transaction of ours. */
  transaction(): Promise<Transaction>
  /** Opens new connections, now or as soon as no transaction is open: it would end. */
  renew(): Promise<void>
  renewIfDue(): Promise<void>
}

const connections = new WeakMap<Client, Connections>()

function connectionsOf(client: Client): Connections {
  let known = connections.get(client)
  if (!known) {
    known = watchTransactions(client)
    connections.set(client, known)
  }
  return known
}

/** Notes the transactions that a client begins from now on. */
function watchTransactions(client: Client): Connections {
  const openTransactions = new Set<Transaction>()
  const begin = client.transaction.bind(client)
  client.transaction = async (mode) => {
    const transaction = await begin(mode)
    openTransactions.add(transaction)
    return transaction
  }
  let isDue = false
  const renew = async () => {
    isDue = true
    // In a later turn of the event loop, no call of the app is half done.
    await new Promise((resolve) => setTimeout(resolve))
    for (const each of openTransactions) if (each.closed) openTransactions.delete(each)
    if (openTransactions.size > 0 || !isDue) return
    isDue = false
    await client.reconnect()
  }
  let isKnownLockable: boolean | undefined
  return {
    openTransactions,
    canBeLocked: async () => {
      isKnownLockable ??= await isLockable(client)
      return isKnownLockable
    },
    transaction: () => begin('deferred'),
    renew,
    renewIfDue: async () => {
      if (isDue) await renew()
    },
  }
}
