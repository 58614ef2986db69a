import type { Column, SQL, Table } from 'drizzle-orm'
import type { Bind } from './codec.js'
import type { Task } from './connection.js'
import type { Awaitable, Database, Query, Row } from './drizzle.js'
import type { Purpose } from './errors.js'
import type { Reusable } from './internals.js'
import { returnArrays, reusable } from './internals.js'
import type { StatementDialect } from './statement-dialect.js'

/** The columns that a statement returns. Rows arrive as arrays of their values, in this order. */
export interface SelectedColumns {
  readonly fields: Readonly<Record<string, Column | SQL>>
  /** Whether the driver's values can be used without Drizzle's mapping. */
  readonly isRaw: boolean
}

/** Builds a query. It calls `bind` with the place of each value to get its SQL. */
export type Build = (db: Database, bind: Bind) => Query

/** The parameters of one call of a statement, which does not keep them: `build` refers to the caller's database and values. */
export interface Call {
  readonly build: Build
  readonly values: readonly unknown[]
}

/** Runs a statement that was built before, with the values of its placeholders `0`, `1`, … */
type Run = (values: readonly unknown[]) => Awaitable<unknown>

/** A statement of a table. If it is kept, its SQL is built once, and prepared once for each session. */
export class Statement implements Task<Call> {
  // By session, because two sessions may be connected to different databases.
  readonly #prepared = new WeakMap<object, Run>()
  #reusable: Reusable | undefined

  constructor(
    readonly table: Table,
    readonly purpose: Purpose,
    private readonly dialect: StatementDialect,
    private readonly selected: SelectedColumns | undefined,
    private readonly isKept: boolean,
    /** Whether the server may keep it, too. */
    private readonly isOnServer: boolean,
  ) {}

  run(db: Database, sessionKey: object, call: Call): Awaitable<unknown> {
    const prepared = this.#prepared.get(sessionKey)
    if (prepared) return prepared(call.values)
    const execute = this.dialect.runUnprepared?.(db, this.purpose) ?? (this.isKept ? undefined : (query: Query) => query.execute())
    return execute ? this.#runOnce(execute, db, call) : this.#prepare(db, sessionKey, call.build)(call.values)
  }

  #runOnce(execute: (query: Query) => Awaitable<unknown>, db: Database, { build, values }: Call): Awaitable<unknown> {
    const query = build(db, (binder, place) => binder.parameter(values[place]))
    return this.selected ? toArrays(execute(query), this.selected) : execute(query)
  }

  #prepare(db: Database, sessionKey: object, build: Build): Run {
    const { dialect, selected } = this
    let run: Run
    try {
      const reused = this.#reusable?.for(db)
      const query = reused ?? build(db, (binder, place) => binder.placeholder(place))
      if (!reused) this.#reusable = reusable(query)
      const { prepared, method } = dialect.prepare(query, selected !== undefined, this.isOnServer)
      const areArrays = !selected || (selected.isRaw && returnArrays(prepared))
      run = areArrays ? (values) => prepared[method](values) : (values) => toArrays(prepared[method](values), selected)
    } finally {
      // Otherwise, the query would keep the session and its connection.
      this.#reusable?.forget()
    }
    this.#prepared.set(sessionKey, run)
    return run
  }
}

/** Turns the rows that Drizzle has mapped into arrays, synchronously if the driver is synchronous. */
export function toArrays(rows: Awaitable<unknown>, { fields }: SelectedColumns): Awaitable<unknown[][]> {
  const names = Object.keys(fields)
  const convert = (all: unknown) => (all as Row[]).map((row) => names.map((name) => row[name]))
  return Array.isArray(rows) ? convert(rows) : (rows as PromiseLike<unknown>).then(convert)
}

// Callers choose conditions and sets of columns, so the number of statements must be bounded: in the process, and on the server, where
// prepared statements stay until the connection ends. There, only the first hundred of a table are prepared.
export const mostKept = 100

/** Returns the statement with this id, or creates and keeps it. The least recently used statement is removed first. */
export function keep(kept: Map<string, Statement>, id: string, create: () => Statement): Statement {
  const statement = kept.get(id) ?? create()
  // The last in the map is the most recently used.
  kept.delete(id)
  kept.set(id, statement)
  if (kept.size > mostKept) kept.delete(kept.keys().next().value as string)
  return statement
}
