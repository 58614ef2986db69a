import type { Column, SQL } from 'drizzle-orm'
import type { Database, Query } from './drizzle.js'
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

/**
 * A statement. Its SQL is built once, and prepared once for each session. `build` is passed with each call and not kept: it holds the
 * caller's database and values, and the statement outlives the call.
 */
export class Statement {
  // Two sessions never share what was prepared: they may be connected to different databases.
  readonly #prepared = new WeakMap<object, Run>()
  #reusable: Reusable | undefined

  constructor(
    private readonly selected: SelectedColumns | undefined,
    /** See `prepare` of `StatementDialect`. */
    private readonly name: string | undefined,
  ) {}

  /** The statement as it is prepared for a session of this database. */
  preparedFor(db: Database, sessionKey: object, dialect: StatementDialect, build: Build): Run {
    return this.#prepared.get(sessionKey) ?? this.#prepare(db, sessionKey, dialect, build, this.name)
  }

  /** Prepares it anew in Drizzle alone: the server does not keep it. `undefined` if the server did not keep it before. */
  prepareLocally(db: Database, sessionKey: object, dialect: StatementDialect, build: Build): Run | undefined {
    return this.name === undefined ? undefined : this.#prepare(db, sessionKey, dialect, build, undefined)
  }

  #prepare(db: Database, sessionKey: object, dialect: StatementDialect, build: Build, name: string | undefined): Run {
    const { selected } = this
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

/** Turns the rows that Drizzle has mapped into arrays. */
function inOrder(run: Run, names: readonly string[]): Run {
  return async (values) => ((await run(values)) as Record<string, unknown>[]).map((row) => names.map((name) => row[name]))
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
    /** Whether PostgreSQL keeps them under names of ours. */
    private readonly areNamed: boolean,
  ) {}

  get(id: string, selected: () => SelectedColumns | undefined): Statement {
    const kept = this.#kept.get(id)
    if (kept) return kept
    if (this.#kept.size === mostKept) return new Statement(selected(), undefined)
    const statement = new Statement(selected(), this.areNamed ? newName() : '')
    this.#kept.set(id, statement)
    return statement
  }
}
