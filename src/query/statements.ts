import type { Database, Prepared, Query } from './drizzle.js'
import type { Reusable } from './internals.js'
import { returnArrays, reusable } from './internals.js'
import type { Run, StatementDialect } from './statement-dialect.js'

/** The columns that a statement returns of one table. */
export interface RowGroup {
  readonly names: readonly string[]
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
    /** The columns of its rows, in order: those of one table, or of two that are joined. None if it returns no rows. */
    private readonly groups: readonly RowGroup[],
    /** See `Preparation`. */
    private readonly name: string | undefined,
  ) {}

  /** The statement as it is prepared for a session of this database. */
  preparedFor(db: Database, session: object, dialect: StatementDialect, build: Build): Run {
    let run = this.#prepared.get(session)
    if (!run) {
      run = dialect.prepare({
        db,
        name: this.name,
        returnsRows: this.groups.length > 0,
        prepareWith: (prepare, method) => this.#prepare(db, build, prepare, method),
      })
      this.#prepared.set(session, run)
    }
    return run
  }

  #prepare(db: Database, build: Build, prepare: (query: Query) => Prepared, method: keyof Prepared): Run {
    try {
      const prepared = prepare(this.#queryFor(db, build))
      const areArrays = this.groups.length > 0 && this.groups.every(({ isRaw }) => isRaw) && returnArrays(prepared)
      if (areArrays || this.groups.length === 0) return (values) => prepared[method](values)
      return async (values) => ((await prepared[method](values)) as RowObject[]).map((row) => this.#valuesOf(row))
    } finally {
      this.#reusable?.forget()
    }
  }

  #queryFor(db: Database, build: Build): Query {
    const reused = this.#reusable?.for(db)
    if (reused) return reused
    const query = build(db)
    this.#reusable = reusable(query)
    return query
  }

  /** The values of a row that Drizzle has mapped, in the order of their columns. */
  #valuesOf(row: RowObject): unknown[] {
    if (this.groups.length === 1) return this.groups[0]?.names.map((name) => row[name]) ?? []
    return this.groups.flatMap(({ names }, group) => names.map((name) => row[fieldName(group, name)]))
  }
}

type RowObject = Record<string, unknown>

/** The field of a column in a row of joined tables. Not nested: Drizzle 0.45 takes an object for missing if its first column is null. */
export function fieldName(group: number, name: string): string {
  return `${group} ${name}`
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

/** The statements of a table that are kept. The least recently used goes first. */
export class KeptStatements {
  readonly #kept = new Map<string, Statement>()
  #prepared = 0

  constructor(
    /** Whether PostgreSQL keeps them under names of ours. */
    private readonly areNamed: boolean,
  ) {}

  get(id: string, create: (name: string | undefined) => Statement): Statement {
    let statement = this.#kept.get(id)
    if (statement) this.#kept.delete(id)
    else statement = create(this.#nextName())
    this.#kept.set(id, statement)
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value as string)
    return statement
  }

  #nextName(): string | undefined {
    if (this.#prepared >= mostKept) return undefined
    this.#prepared++
    return this.areNamed ? newName() : ''
  }
}
