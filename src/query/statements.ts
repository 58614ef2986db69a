import type { Column, SQL, Table } from 'drizzle-orm'
import { failureIn, toFailure } from './classify.js'
import type { Codec } from './codec.js'
import { exactColumnsOf, isSql, isText } from './columns.js'
import type { Compiler, Condition, Shape } from './conditions.js'
import { compile, describe, equal, keyIn } from './conditions.js'
import type { Dialect, JoinedRow, Run, Statements, Which } from './dialect.js'
import type { Awaitable, Database, Query, Row, Values } from './drizzle.js'
import { asc, desc, eq, getTableName, sql } from './drizzle.js'
import type { Purpose } from './errors.js'
import { Failure } from './errors.js'
import { isTransaction, withoutEncoder } from './internals.js'
import type { RetryLimits } from './retry.js'
import { withRetry } from './retry.js'

/** What all tables of an adapter share. */
export interface Connection {
  readonly db: Database
  readonly dialect: Dialect
  readonly retry: RetryLimits | false
  /** Whether PostgreSQL keeps prepared statements under names. */
  readonly namedStatements: boolean
}

/** A connection with its options. Nothing is retried in a transaction, because a conflict aborts it and only the app can restart it. */
export function connect(
  dialect: Dialect,
  db: Database,
  { retry = {}, namedStatements = false }: { retry?: RetryLimits | false; namedStatements?: boolean } = {},
): Connection {
  return { db, dialect, retry: isTransaction(db) ? false : retry, namedStatements }
}

type Parameter = Compiler['parameter']

// Values are encoded by the codec. Drizzle would encode them again, and 0.45 even those that are null.
const asParameter: Parameter = (column, value) => sql`${sql.param(value, withoutEncoder(column))}`

/** Placeholders that are numbered in the order of the values of a `Shape`. */
function numbered(): Parameter {
  let next = 0
  return (column) => asParameter(column, sql.placeholder(`${next++}`))
}

/** Creates the statements of a table. */
export function createStatements(
  { db, dialect, retry, namedStatements }: Connection,
  table: Table,
  key: readonly string[],
  { columns, fields }: Codec,
): Statements {
  const { sql: sqlDialect } = dialect
  const client = Object(db.$client ?? db.session ?? db) as object
  const exact = new Set(exactColumnsOf(table))

  /** Fails with a `Failure`, and tries again where that is safe. */
  const attempt = (purpose: Purpose, run: () => Awaitable<unknown>): Awaitable<unknown> =>
    withRetry(run, (error) => toFailure(error, sqlDialect.failures, table, purpose), purpose, retry, client)

  /** Nothing that a caller gave is sent before the connection has been checked. */
  const afterCheck = (run: () => Awaitable<unknown>): Awaitable<unknown> => {
    const check = dialect.checkSettings?.(db)
    return check ? Promise.resolve(attempt('read', check)).then(run) : run()
  }

  /** If the rows of a write cannot be decoded, the write has happened. */
  const attemptStatement = (purpose: Purpose, run: () => Awaitable<unknown>): Awaitable<unknown> =>
    attempt(purpose, () => (purpose === 'read' ? run() : withWritten(run)))

  const kept = new Map<string, Run>()
  // Callers choose limits and conditions. A statement for each of them must not fill the memory.
  const isFull = () => kept.size >= 500

  /** Runs the prepared statement of this shape, which is built when it is first used. */
  const runKept = ({ name, parameters, isKept }: Shape, purpose: Purpose, build: (parameter: Parameter) => Query): Awaitable<unknown> =>
    afterCheck(() =>
      attemptStatement(purpose, () => {
        let run = isKept ? kept.get(name) : undefined
        if (!run) {
          run = sqlDialect.prepare(build(numbered()), true, namedStatements && isKept)
          if (isKept && !isFull()) kept.set(name, run)
        }
        return run(parameters)
      }),
    )

  const exactForm: Compiler['exactForm'] = (column) => (exact.has(column) || !isText(column) ? undefined : sqlDialect.exactForm(column))
  const { bytesOf, hasText } = sqlDialect
  const lookup = (where: Condition, parameter: Parameter): SQL => compile(where, { columns, parameter, bytesOf, hasText })
  const exactly = (where: Condition, parameter: Parameter): SQL => compile(where, { columns, parameter, bytesOf, hasText, exactForm })
  const matches: Statements['matches'] = (where, equality) => (equality ? lookup : exactly)(where, asParameter)

  const uniqueKeys = [key, ...Object.keys(columns).flatMap((name) => (columns[name]?.isUnique ? [[name]] : []))]
  const uniqueKeyIn = (where: Condition): Values | undefined => {
    for (const each of uniqueKeys) {
      const found = keyIn(where, each)
      if (found) return found
    }
    return undefined
  }

  /** The conditions of which `choose` makes a statement's own. */
  const chosen = (where: Condition, which: Which): Condition[] => (which === 'all' || uniqueKeyIn(where) ? [where] : [where, where])
  const choose = (where: Condition, which: Which, parameter: Parameter): SQL => {
    const condition = () => exactly(where, parameter)
    if (chosen(where, which).length === 1) return condition()
    const keys = key.map((name) => columns[name] as Column)
    return isAmongFirst(table, keys, condition, keys[0] as Column, 1, sql``)
  }

  const shapeOf = (name: string, values: Values, ...conditions: Condition[]): Shape => {
    const shape: Shape = { name, parameters: [], isKept: true }
    for (const column of Object.keys(values)) {
      shape.name += ` ${column}`
      if (isSql(values[column])) shape.isKept = false
      else shape.parameters.push(values[column])
    }
    for (const each of conditions) describe(each, shape)
    return shape
  }

  const cells = (values: Values, parameter: Parameter): Values =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, isSql(value) ? value : parameter(columns[name] as Column, value)]),
    )

  const runOnce: Statements['run'] = (purpose, build, returnsRows = true) =>
    afterCheck(() => attemptStatement(purpose, () => sqlDialect.runOnce(build(), returnsRows)))

  return {
    db,
    table,
    columns,
    key,
    fields,
    uniqueKeyIn,
    matches,
    attempt: (purpose, run) => afterCheck(() => attempt(purpose, run)),
    run: runOnce,

    // Drizzle's cache is bypassed in every read: it may be stale, and a revoked session must not be.
    find: (key) =>
      runKept(shapeOf('find', key), 'read', (parameter) =>
        db
          .select(fields)
          .from(table)
          .where(lookup(equal(key), parameter))
          .$withCache(false),
      ) as Awaitable<Row[]>,

    findWith: (key, other, { from, to }) =>
      runKept(shapeOf(`find with ${getTableName(other.table)} ${from} ${to}`, key), 'read', (parameter) =>
        db
          .select({ row: fields, other: other.fields })
          .from(table)
          .innerJoin(other.table, eq(other.columns[to] as Column, columns[from] as Column))
          .where(lookup(equal(key), parameter))
          .$withCache(false),
      ) as Awaitable<JoinedRow[]>,

    list: (where, options = {}) => {
      const { orderBy, descending, limit, offset } = options
      const isLocking = options.forUpdate && isTransaction(db)
      const build = (parameter: Parameter) => {
        let query = db.select(fields).from(table).where(exactly(where, parameter))
        if (orderBy !== undefined) query = query.orderBy((descending ? desc : asc)(columns[orderBy] as Column))
        if (limit !== undefined) query = query.limit(limit)
        if (offset) query = query.offset(offset)
        if (isLocking) query = query.for('update')
        return query.$withCache(false)
      }
      // Pages of a list have many offsets.
      const run = offset
        ? runOnce('read', () => build(asParameter))
        : runKept(shapeOf(`list ${orderBy} ${descending} ${limit} ${isLocking}`, {}, where), 'read', build)
      return run as Awaitable<Row[]>
    },

    count: async (where) => {
      const build = () => db.select({ count: sql`count(*)` }).from(table).where(exactly(where, asParameter)).$withCache(false)
      return Number(((await runOnce('read', build)) as [{ count: unknown }])[0].count)
    },

    insert: (values) =>
      runKept(shapeOf('insert', values), 'write', (parameter) =>
        sqlDialect.withReturning(db.insert(table).values(cells(values, parameter)), fields),
      ),

    update: (where, values, which = 'all') =>
      runKept(shapeOf(`update ${which}`, values, ...chosen(where, which)), 'write', (parameter) =>
        sqlDialect.withReturning(
          db
            .update(table)
            .set(cells(values, parameter))
            .where(choose(where, which, parameter)),
          fields,
        ),
      ),

    delete: (where, which = 'all') =>
      runKept(shapeOf(`delete ${which}`, {}, ...chosen(where, which)), 'delete', (parameter) =>
        sqlDialect.withReturning(db.delete(table).where(choose(where, which, parameter)), fields),
      ),
  }
}

/**
 * Whether a row is among the first that satisfy the condition. The outer condition is checked again on the row that is written, which may
 * have changed meanwhile. The rows are selected in a common table expression, because PostgreSQL may run a plain sub-select more than once
 * and then write more rows than it selected.
 */
export function isAmongFirst(table: Table, key: Column[], condition: () => SQL, orderBy: Column, limit: number, lockClause: SQL): SQL {
  const keys = sql.join(key, sql`, `)
  const first = sql`select ${keys} from ${table} where ${condition()} order by ${orderBy} limit ${sql.raw(`${limit}`)}${lockClause}`
  return sql`(${keys}) in (with first_rows as (${first}) select * from first_rows) and ${condition()}`
}

/** Runs a write. Says that it happened if what comes after it fails in the codec. */
export function withWritten<T>(run: () => Awaitable<T>): Awaitable<T> {
  const rethrow = (error: unknown): never => {
    const failure = failureIn(error)
    if (!failure) throw error
    throw new Failure(failure.kind, { ...failure.details, isWritten: true }, { cause: failure.cause })
  }
  try {
    const result = run() as PromiseLike<T> | null | undefined
    return (result?.then ? result.then(undefined, rethrow) : result) as Awaitable<T>
  } catch (error) {
    return rethrow(error)
  }
}
