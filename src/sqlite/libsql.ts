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

/**
 * Makes a query of libSQL succeed only if it was committed.
 *
 * On a file, @libsql/client 0.18 leaves a statement that met SQLITE_BUSY unfinished, whoever ran it (tursodatabase/libsql-client-ts#352).
 * From then on its connection commits nothing outside of transactions, while every write seems to succeed. COMMIT fails on such a
 * connection, so each statement runs in a transaction, and after such a failure the client opens new connections.
 */
export function committing(query: Query): Query {
  const client = fileClientOf(query)
  if (!client) return query
  return replaceClient(query, { execute: async (statement: Statement) => (await client.executeAll([statement]))[0] })
}

/**
 * The database with transactions that leave no statement unfinished if they cannot begin. Drizzle's BEGIN would, and COMMIT would fail in
 * the next transaction on that connection.
 */
export function withSafeTransactions(db: Database): Database {
  const client = fileClientOf(db)
  if (!client) return db
  return replaceClient(Object.create(db) as Database & { session?: object }, { transaction: () => client.transaction() })
}

const fileClients = new WeakMap<Client, FileClient>()

/** The client of libSQL on a file. `undefined` for other databases, and in a transaction: one of the app fails at its COMMIT by itself. */
export function fileClientOf(db: { session?: object }): FileClient | undefined {
  const { kind, client, isInTransaction } = driverOf(db) as { kind: unknown; client: Client | undefined; isInTransaction: boolean }
  if (kind !== 'LibSQLSession' || client?.protocol !== 'file' || isInTransaction) return undefined
  const fileClient = fileClients.get(client) ?? new FileClient(client)
  fileClients.set(client, fileClient)
  return fileClient
}

const codeOf = (error: unknown) => String((error as { code?: unknown }).code)
const isRead = ({ sql }: Statement) => /^select\b/i.test(sql)

// SQLite opens no savepoint while a statement that writes is unfinished on the connection. Nothing is locked by then.
const failIfUnfinished = 'savepoint auth_adapter; release auth_adapter'

/** Runs statements in transactions, on connections without an unfinished statement. */
class FileClient {
  /** The transactions that others may have open. */
  readonly #openTransactions = new Set<Transaction>()
  readonly #begin: Client['transaction']
  #strategy: ExecuteAll | undefined
  #isLockable: boolean | undefined
  #isRenewalDue = false
  #lastCall: Promise<unknown> = Promise.resolve()

  constructor(private readonly client: Client) {
    this.#begin = client.transaction.bind(client)
    // Notes the transactions that the app begins from now on.
    client.transaction = async (mode) => {
      const transaction = await this.#begin(mode)
      this.#openTransactions.add(transaction)
      return transaction
    }
  }

  /** Runs statements together. One call after the other: a client whose connections are all in transactions rejects calls. */
  executeAll(statements: readonly Statement[]): Promise<Result[]> {
    const call = this.#lastCall.then(async () => {
      await this.#renewIfDue()
      this.#strategy ??= await this.#chooseStrategy()
      return this.#strategy(statements)
    })
    this.#lastCall = call.catch(() => {})
    return call
  }

  /** A transaction that has begun to write. */
  async transaction(): Promise<Transaction> {
    if (!(await this.#canBeLocked())) return this.client.transaction('write')
    await this.#renewIfDue()
    const transaction = await this.#beginSafely()
    this.#openTransactions.add(transaction)
    try {
      await transaction.executeMultiple('rollback; begin immediate')
    } catch (error) {
      transaction.close()
      throw error
    }
    return transaction
  }

  async #chooseStrategy(): Promise<ExecuteAll> {
    if (!(await this.#canBeLocked())) return (statements) => this.#directly(statements)
    const transaction = await this.#begin('deferred')
    try {
      await this.client.execute('select 1')
      return (statements) => this.#inTransaction(statements)
    } catch (error) {
      // The client was created with `concurrency: 1`.
      if (codeOf(error) === 'TRANSACTION_ACTIVE') return (statements) => this.#onOnlyConnection(statements)
      throw error
    } finally {
      transaction.close()
    }
  }

  /**
   * Whether another process can lock the database. Nobody locks one in memory, nor an embedded replica. Both have one connection, so a
   * transaction would make statements of the app fail.
   */
  async #canBeLocked(): Promise<boolean> {
    if (this.#isLockable === undefined) {
      const { rows } = await this.client.execute(`select file from pragma_database_list where name = 'main'`)
      // SQLite fails because there is no such savepoint. A replica fails before it asks SQLite, because it is in no transaction.
      const release = () => this.client.execute('release auth_adapter').then(() => '', codeOf)
      this.#isLockable = Boolean(rows[0]?.file) && (await release()).startsWith('SQLITE_')
    }
    return this.#isLockable
  }

  async #directly(statements: readonly Statement[]): Promise<Result[]> {
    const [first, second] = statements
    return first && !second ? [await this.client.execute(first)] : this.client.batch(statements, 'write')
  }

  /** No transaction of the app is open on the only connection, so opening a new one ends none. */
  async #onOnlyConnection(statements: readonly Statement[]): Promise<Result[]> {
    try {
      await this.client.executeMultiple(`begin; ${failIfUnfinished}; rollback`)
      return await this.client.batch(statements, statements.every(isRead) ? 'deferred' : 'write')
    } catch (error) {
      if (codeOf(error) === 'SQLITE_BUSY') await this.#renew()
      throw error
    }
  }

  /**
   * `executeMultiple` begins and commits, because it leaves nothing unfinished. If it cannot begin, the calls after it do nothing.
   * The calls do their work before they return a promise, so with one statement nothing else in this process meets the lock.
   */
  async #inTransaction(statements: readonly Statement[]): Promise<Result[]> {
    const begin = statements.every(isRead) ? 'select 1 from sqlite_master limit 1; begin' : 'begin immediate'
    const transaction = await this.#beginSafely()
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
      if (hasBegun && statements.every(isRead)) await this.#renew()
      throw error
    }
  }

  /** A transaction on a connection without an unfinished statement. It holds no lock yet. */
  async #beginSafely(): Promise<Transaction> {
    const transaction = await this.#begin('deferred')
    try {
      await transaction.executeMultiple(failIfUnfinished)
      return transaction
    } catch (error) {
      // It stays open until there are new connections, so that nobody else gets this one.
      await this.#renew()
      throw error
    }
  }

  /** Opens new connections, now or as soon as no transaction is open: it would end. */
  async #renew(): Promise<void> {
    this.#isRenewalDue = true
    // In a later turn of the event loop, no call of the app is half done.
    await new Promise((resolve) => setTimeout(resolve))
    for (const each of this.#openTransactions) if (each.closed) this.#openTransactions.delete(each)
    if (this.#openTransactions.size > 0 || !this.#isRenewalDue) return
    this.#isRenewalDue = false
    await this.client.reconnect()
  }

  async #renewIfDue(): Promise<void> {
    if (this.#isRenewalDue) await this.#renew()
  }
}
