import type { Column, SQL, Table } from 'drizzle-orm'
import type { Task } from './connection.js'
import type { Awaitable, Database, Query, Row } from './drizzle.js'
import type { Purpose } from './errors.js'
import type { Reusable } from './internals.js'
import { returnArrays, reusable } from './internals.js'
import type { Run, StatementDialect } from './statement-dialect.js'

/** The columns that a statement returns. Rows arrive as arrays of their values, in this order. */
export interface SelectedColumns {
  readonly fields: Readonly<Record<string, Column | SQL>>
  /** Whether the driver's values can be used without Drizzle's mapping. */
  readonly isRaw: boolean
}

/** Builds a query. Its placeholders are named by the places of their values: `0`, `1`, … */
export type Build = (db: Database) => Query

/** What one call of a statement needs. It is not kept with the statement: `build` holds the caller's database and values. */
interface Call {
  readonly build: Build
  readonly values: readonly unknown[]
}

/** A statement of a table. Its SQL is built once, and prepared once for each session. */
export class Statement implements Task<Call> {
  // Two sessions never share what was prepared: they may be connected to different databases.
  readonly #prepared = new WeakMap<object, Run>()
  #reusable: Reusable | undefined

  constructor(
    readonly table: Table,
    readonly purpose: Purpose,
    private readonly dialect: StatementDialect,
    private readonly selected: SelectedColumns | undefined,
    /** Under which PostgreSQL keeps it: a name of ours, `''` if the driver chooses it, `undefined` if the server does not keep it. */
    private readonly name: string | undefined,
  ) {}

  run(db: Database, sessionKey: object, { build, values }: Call): Awaitable<unknown> {
    const run = this.#prepared.get(sessionKey) ?? this.#prepare(db, sessionKey, build, this.name)
    return run(values)
  }

  recover(error: unknown, mayRepeat: boolean, db: Database, sessionKey: object, { build, values }: Call): Awaitable<unknown> {
    const { dialect, name } = this
    if (!dialect.recover) throw error
    const prepareLocally = () => (name === undefined ? undefined : this.#prepare(db, sessionKey, build, undefined))
    return dialect.recover(error, { db, values, mayRepeat, prepareLocally })
  }

  #prepare(db: Database, sessionKey: object, build: Build, name: string | undefined): Run {
    const { dialect, selected } = this
    let run: Run
    try {
      const { prepared, method } = dialect.prepare(this.#queryFor(db, build), name, selected !== undefined)
      run = (values) => prepared[method](values)
      const areArrays = !selected || (selected.isRaw && returnArrays(prepared))
      if (!areArrays) run = inOrder(run, Object.keys(selected.fields))
    } finally {
      // The query would keep the connection of its session.
      this.#reusable?.forget()
    }
    if (dialect.canRunConcurrently?.(db) !== false) this.#prepared.set(sessionKey, run)
    return run
  }

  #queryFor(db: Database, build: Build): Query {
    const reused = this.#reusable?.for(db)
    if (reused) return reused
    const query = build(db)
    this.#reusable = reusable(query)
    return query
  }
}

/** Turns the rows that Drizzle has mapped into arrays: at once if the driver answers at once. */
function inOrder(run: Run, names: readonly string[]): Run {
  const toArrays = (rows: unknown) => (rows as Row[]).map((row) => names.map((name) => row[name]))
  return (values) => {
    const rows = run(values) as Row[] | PromiseLike<Row[]>
    return Array.isArray(rows) ? toArrays(rows) : rows.then(toArrays)
  }
}

// Callers choose conditions and sets of columns. A statement for each of them must not fill the memory of the process or of the server,
// where drivers keep what was prepared until the connection ends.
const mostKept = 100

// Another copy of this package may use the same connections. Workers cannot make random values while they start.
let namePrefix: string | undefined
let nameCount = 0

function newName(): string {
  namePrefix ??= `auth_${crypto.randomUUID().slice(0, 8)}`
  return `${namePrefix}_${(nameCount++).toString(36)}`
}

/** The statements of a table that are kept: the first hundred. Any other is built for its call. */
export class KeptStatements {
  readonly #kept = new Map<string, Statement>()

  constructor(
    private readonly table: Table,
    private readonly dialect: StatementDialect,
    /** Whether PostgreSQL keeps them under names of ours. */
    private readonly areNamed: boolean,
  ) {}

  /** The statement with an id, which tells its SQL and purpose from those of others. Without an id, it is not kept. */
  get(id: string | undefined, purpose: Purpose, selected: SelectedColumns | undefined): Statement {
    const kept = id === undefined ? undefined : this.#kept.get(id)
    if (kept) return kept
    const isKept = id !== undefined && this.#kept.size < mostKept
    const name = isKept ? (this.areNamed ? newName() : '') : undefined
    const statement = new Statement(this.table, purpose, this.dialect, selected, name)
    if (isKept) this.#kept.set(id, statement)
    return statement
  }
}
