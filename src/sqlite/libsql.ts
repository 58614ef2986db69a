import type { Database } from '../query/drizzle.js'
import { toFailure } from '../query/failures.js'
import { driverOf, replaceClient } from '../query/internals.js'
import { failures } from './failures.js'

interface Statement {
  readonly sql: string
}

interface Result {
  readonly rows: Record<string, unknown>[]
}

/** A client of @libsql/client, as far as it is used. */
interface Client {
  readonly protocol: string
  execute(statement: Statement | string): Promise<Result>
  executeMultiple(sql: string): Promise<void>
  batch(statements: readonly Statement[], mode: 'deferred' | 'write'): Promise<Result[]>
  transaction(mode: 'deferred' | 'write'): Promise<Transaction>
  reconnect(): Promise<void>
}

/** It owns a connection until it ends. Its methods have done their work when they return their promise. */
interface Transaction {
  execute(statement: Statement): Promise<Result>
  executeMultiple(sql: string): Promise<void>
  /** Rolls back what was not committed, and gives the connection back. */
  close(): void
}

/**
 * Makes a query of libSQL, or all queries of a database, succeed only if they were committed. Changes its argument.
 *
 * On a file, @libsql/client 0.18 leaves a statement that met SQLITE_BUSY unfinished, whoever ran it (tursodatabase/libsql-client-ts#352).
 * From then on its connection commits nothing outside of transactions, while every write seems to succeed. COMMIT fails on such a
 * connection, so each statement runs in a transaction, on a connection without an unfinished statement. `executeMultiple` locks and
 * commits, because it leaves nothing unfinished. Inside of a transaction of the app nothing is changed: its COMMIT fails by itself.
 */
export function committing<T extends { session?: object }>(target: T): T {
  const { kind, client, isInTransaction } = driverOf(target) as { kind: unknown; client: Client | undefined; isInTransaction: boolean }
  if (kind !== 'LibSQLSession' || client?.protocol !== 'file' || isInTransaction) return target
  const committingClient = committingClients.get(client) ?? new CommittingClient(client)
  committingClients.set(client, committingClient)
  return replaceClient(target, committingClient)
}

/** The database with batches and transactions that take their lock before they begin, so that they can be tried again. */
export function withSafeTransactions(db: Database): Pick<Database, 'batch' | 'transaction'> {
  // Drizzle's session has the same methods. Those of `db` may be bound to the database that it stands for, and to its client.
  const { session } = committing({ session: db.session as object })
  return session === db.session ? db : (session as Database)
}

const committingClients = new WeakMap<Client, CommittingClient>()

const codeOf = (error: unknown) => String((error as { code?: unknown }).code)
const isRead = ({ sql }: Statement) => /^select\b/i.test(sql)

/** What a client works on: a database that nobody else can lock, or a file with one connection or several. */
type Kind = 'private' | 'single' | 'pool'

/** Takes the place of a client in Drizzle's sessions. */
class CommittingClient {
  #kind: Kind | undefined
  #lastCall: Promise<unknown> = Promise.resolve()

  constructor(private readonly client: Client) {}

  async execute(statement: Statement): Promise<Result | undefined> {
    return (await this.batch([statement]))[0]
  }

  /** One call after the other: a client whose connections are all in transactions rejects calls. */
  batch(statements: readonly Statement[]): Promise<Result[]> {
    const call = this.#lastCall.then(async () => {
      this.#kind ??= await this.#findKind()
      if (this.#kind === 'private') return this.#runDirectly(statements)
      return this.#kind === 'single' ? this.#runOnOnlyConnection(statements) : this.#runInTransaction(statements)
    })
    this.#lastCall = call.catch(() => {})
    return call
  }

  /** A transaction that has begun to write. */
  async transaction(): Promise<Transaction> {
    this.#kind ??= await this.#findKind()
    if (this.#kind === 'private') return this.client.transaction('write')
    const transaction = await this.#begin()
    try {
      await transaction.executeMultiple('rollback; begin immediate')
      return transaction
    } catch (error) {
      transaction.close()
      throw error
    }
  }

  /**
   * Nobody locks a database in memory, nor an embedded replica. Both have one connection, so a transaction would make statements of the
   * app fail, and with older clients an in-memory database would be lost.
   */
  async #findKind(): Promise<Kind> {
    const { rows } = await this.client.execute(`select file from pragma_database_list where name = 'main'`)
    if (!rows[0]?.file) return 'private'
    // SQLite fails because there is no such savepoint. A replica fails before it asks SQLite, because it is in no transaction.
    const error: unknown = await this.client.execute('release auth_adapter').catch((each) => each)
    // Nothing was executed: by now, transactions of the app hold all connections, or it has closed them.
    if (/^(TRANSACTION_ACTIVE|CLIENT_CLOSED)$/.test(codeOf(error))) throw error
    if (!codeOf(error).startsWith('SQLITE_')) return 'private'
    const transaction = await this.client.transaction('deferred')
    try {
      await this.client.execute('select 1')
      return 'pool'
    } catch (error) {
      // The client was created with `concurrency: 1`.
      if (connectionsIn(error) === 1) return 'single'
      throw error
    } finally {
      transaction.close()
    }
  }

  async #runDirectly(statements: readonly Statement[]): Promise<Result[]> {
    const [first, second] = statements
    return first && !second ? [await this.client.execute(first)] : this.client.batch(statements, 'write')
  }

  /** A client with `concurrency: 1` rejects the app's calls while its connection is in a transaction. A batch makes them wait. */
  async #runOnOnlyConnection(statements: readonly Statement[]): Promise<Result[]> {
    try {
      await this.client.executeMultiple(`begin; ${failIfUnfinished}; rollback`)
      return await this.client.batch(statements, statements.every(isRead) ? 'deferred' : 'write')
    } catch (error) {
      // A row that cannot be read ends the batch before its COMMIT.
      const failure = toFailure(error, failures)
      if (failure.kind === 'garbled') throw failure
      if (codeOf(error) !== 'SQLITE_BUSY') throw error
      // A statement is unfinished now. In a later turn of the event loop, no call of the app is half done.
      await new Promise((resolve) => setTimeout(resolve))
      // Fails if the app has a transaction, which would end. It is closed with its connection.
      await this.client.transaction('deferred')
      await this.client.reconnect()
      throw error
    }
  }

  /** With one statement everything happens at once, so that nothing else in this process meets the lock. */
  async #runInTransaction(statements: readonly Statement[]): Promise<Result[]> {
    const transaction = await this.#begin()
    const locked = (statements.every(isRead) ? lockToRead : lockToWrite).map((sql) => transaction.executeMultiple(sql))
    const executed = statements.map((statement) => transaction.execute(statement))
    if (executed.length > 1) await Promise.all(executed).catch(() => transaction.close())
    const committed = transaction.executeMultiple('commit')
    transaction.close()
    // All are settled, so the first error counts: a statement can end the transaction, and then COMMIT fails as well.
    await Promise.all([...locked, ...executed, committed])
    return Promise.all(executed)
  }

  /** A transaction on a connection without an unfinished statement. It holds no lock yet. */
  async #begin(): Promise<Transaction> {
    const spoiled: Transaction[] = []
    try {
      for (;;) {
        const transaction = await this.client.transaction('deferred')
        try {
          await transaction.executeMultiple(failIfUnfinished)
          return transaction
        } catch (error) {
          spoiled.push(transaction)
          if (codeOf(error) !== 'SQLITE_BUSY') throw error
        }
      }
    } catch (error) {
      // All connections are held here. New ones end no transaction of the app.
      if (connectionsIn(error) === spoiled.length) await this.client.reconnect()
      throw error
    } finally {
      // The connection that is given back last is the first to be used.
      for (const each of spoiled) each.close()
    }
  }
}

// SQLite opens no savepoint while a statement that writes is unfinished on the connection. This takes no lock: a connection that is closed
// with an unfinished statement keeps its locks until that statement is garbage-collected.
const failIfUnfinished = 'savepoint auth; release auth'
// Without a lock, no transaction may be left: the statement after it must fail before it meets the lock.
const lockToWrite = ['rollback; begin immediate']
// Both savepoints have the same name: the last command releases the second one or, if the select has failed, the first, which ends the
// transaction.
const lockToRead = ['rollback; savepoint auth; select 1 from sqlite_master limit 1; savepoint auth', 'release auth']

/** The number of connections of a client that rejects a call because all of them are in transactions. */
function connectionsIn(error: unknown): number | undefined {
  const { code, message } = error as { code?: unknown; message?: string }
  return code === 'TRANSACTION_ACTIVE' ? Number(/\bAll (\d+)/.exec(message ?? '')?.[1] ?? 1) : undefined
}
