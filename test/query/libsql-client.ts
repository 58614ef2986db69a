import { entityKind } from 'drizzle-orm'

export const sqliteError = (code: string, message = code) => Object.assign(new Error(message), { code })

interface Behaviour {
  protocol?: string
  /** Where the database is. */
  file?: string | null
  /** What `release` fails with: SQLite knows no such savepoint, and a replica knows no transaction. */
  release?: Error | undefined
  /** Whether a transaction takes the only connection away. */
  hasOneConnection?: boolean
  canReconnect?: boolean
  /** The calls that fail. */
  failing?: Record<string, Error>
}

/** A client of 0.18, whose connections are as described. */
export class Client {
  readonly calls: string[] = []
  readonly protocol: string
  readonly reconnect?: () => Promise<void>
  failing: Record<string, Error>
  #inTransaction = false

  constructor(private readonly behaviour: Behaviour = {}) {
    this.protocol = behaviour.protocol ?? 'file'
    this.failing = behaviour.failing ?? {}
    if (behaviour.canReconnect !== false) this.reconnect = () => this.#call('reconnect', undefined)
  }

  async #call<T>(call: string, result: T): Promise<T> {
    this.calls.push(call)
    const error = this.failing[call]
    if (error) throw error
    return result
  }

  async execute(statement: string | { sql: string; args: unknown[] }) {
    const text = typeof statement === 'string' ? statement : statement.sql
    const { file = '/data/auth.db', hasOneConnection = false } = this.behaviour
    const release = 'release' in this.behaviour ? this.behaviour.release : sqliteError('SQLITE_ERROR')
    if (text.includes('pragma_database_list')) return { rows: file === null ? [] : [{ file }] }
    if (text.startsWith('release')) {
      if (release) throw release
      return { rows: [] }
    }
    if (hasOneConnection && this.#inTransaction) throw sqliteError('TRANSACTION_ACTIVE')
    return this.#call(text, { rows: [{ text }] })
  }

  batch(statements: { sql: string }[], mode: string) {
    const texts = statements.map(({ sql }) => sql)
    return this.#call(
      `${mode}: ${texts.join(', ')}`,
      texts.map((text) => ({ rows: [{ text }] })),
    )
  }

  executeMultiple = (text: string) => this.#call(text, undefined)

  async transaction(mode: string) {
    await this.#call(`transaction ${mode}`, undefined)
    this.#inTransaction = true
    return {
      execute: ({ sql }: { sql: string }) => this.#call(sql, { rows: sql.startsWith('select') ? [{}, {}] : [{}] }),
      executeMultiple: this.executeMultiple,
      close: () => {
        this.#inTransaction = false
        this.calls.push('close')
      },
    }
  }
}

/** Before 0.18, a client had one connection, and another constructor. */
export class OldClient extends Client {
  constructor(behaviour: Behaviour, _second?: unknown, _third?: unknown, _fourth?: unknown) {
    super(behaviour)
  }
}

export class Session {
  static readonly [entityKind] = 'LibSQLSession'
  constructor(
    readonly client: Client,
    readonly tx?: object,
  ) {}
}
