import type { Column, SQL, Table } from 'drizzle-orm'
import type { Codec } from './codec.js'
import { dataOf, isSql } from './columns.js'
import type { Compile, JoinedRow, Row, Run, Shape, SqlDialect, TableStatements, Values } from './dialect.js'
import type { Awaitable, Database, Query } from './drizzle.js'
import { and, or, sql } from './drizzle.js'
import type { Purpose } from './errors.js'
import { toFailure } from './failures.js'
import type { RetryLimits } from './retry.js'
import { withRetry } from './retry.js'

// Callers choose which columns they write, so there may be more shapes of inserts and updates than are worth keeping.
const keptShapes = 64

/**
 * Marks the values of a condition among the parameters. An update may set a column that its condition is about. Where a value can have
 * two forms, the second is marked twice.
 */
const keyPrefix = 'key.'

const none: Values = {}

/** Creates the statements of a table. Each is built when it is first used, and then kept. */
export function createStatements(
  db: Database,
  table: Table,
  key: readonly string[],
  { columns, fields }: Codec,
  dialect: SqlDialect,
  limits: RetryLimits | false,
): TableStatements {
  const kept = new Map<string, Run>()

  const fail = (error: unknown, purpose: Purpose): never => {
    throw toFailure(error, dialect.failures, table, purpose)
  }

  /** Fails with a `Failure`, and tries again where that is safe. */
  const attempting = (purpose: Purpose, run: Run): Run =>
    withRetry(
      (parameters) => {
        try {
          const result = run(parameters) as PromiseLike<unknown> | null | undefined
          return result?.then ? result.then(undefined, (error) => fail(error, purpose)) : result
        } catch (error) {
          return fail(error, purpose)
        }
      },
      purpose,
      limits,
    )

  const once = (purpose: Purpose, compile: Compile): Run => attempting(purpose, (parameters) => compile(dialect.once)(parameters))

  const repeatedly = (purpose: Purpose, compile: Compile): Run => {
    let compiled: Run | undefined
    return attempting(purpose, (parameters) => {
      compiled ??= compile(dialect.prepare)
      return compiled(parameters)
    })
  }

  const encode = (column: Column, value: unknown) => dialect.toParameter?.(column, value) ?? column.mapToDriverValue(value)

  // Drizzle 0.45 passes the null of a placeholder to the column's encoder, and many encoders cannot take it.
  const encoderOf = (column: Column): Column =>
    Object.create(column, { mapToDriverValue: { value: (value: unknown) => (value === null ? null : encode(column, value)) } })

  /** A value that must be part of the statement. */
  const inline = (name: string, value: unknown): SQL | undefined => {
    if (value === null || isSql(value)) return value ?? undefined
    const column = columns[name] as Column
    // A custom type may send SQL.
    const sent = dataOf(column) === 'custom' ? column.mapToDriverValue(value) : undefined
    return isSql(sent) ? sent : dialect.literal?.(column, value)
  }

  const parameter = (name: string, value: unknown): SQL =>
    inline(name, value) ?? sql`${sql.param(value, encoderOf(columns[name] as Column))}`

  const placeholder = (name: string, value: unknown, prefix: string): SQL =>
    inline(name, value) ?? sql`${sql.param(sql.placeholder(prefix + name), encoderOf(columns[name] as Column))}`

  // Drizzle asks for the value of every column, and would find one that somebody put on Object.prototype.
  const cells = (values: Values, absent: (name: string) => SQL | undefined): Values =>
    Object.fromEntries(
      Object.keys(columns).map((name) => [name, Object.hasOwn(values, name) ? placeholder(name, values[name], '') : absent(name)]),
    )
  const unchanged = (name: string) => (name in Object.prototype ? sql`${columns[name]}` : undefined)

  const isSame = (name: string, form: unknown, value: () => SQL): SQL =>
    form === null ? sql`${columns[name]} is null` : dialect.same(columns[name] as Column, value())

  const condition = (where: Values, value: (name: string, value: unknown, prefix: string) => SQL = placeholder): SQL =>
    and(
      dialect.guard,
      ...Object.entries(where).map(([name, asked]) =>
        or(...formsOf(asked).map((form, index) => isSame(name, form, () => value(name, form, keyPrefix.repeat(index + 1))))),
      ),
    ) as SQL

  const matches = (where: Values): SQL => condition(where, parameter)

  const describe = (where: Values, shape: Shape): void => {
    for (const column of Object.keys(where)) {
      let prefix = ''
      for (const form of formsOf(where[column])) {
        prefix += keyPrefix
        shape.isInline ||= inline(column, form) !== undefined
        shape.parameters[prefix + column] = form
        shape.name += `\n${prefix}${column}${form === null ? ' null' : ''}`
      }
    }
  }

  /** Runs the statement of this shape. One with an inline value is built for this one run. */
  const runShape = ({ name, parameters, isInline }: Shape, purpose: Purpose, compile: Compile, isKept = true): Awaitable<unknown> => {
    let statement = isInline ? undefined : kept.get(name)
    if (!statement) {
      if (isInline || !(isKept || kept.size < keptShapes)) return once(purpose, compile)(parameters)
      statement = repeatedly(purpose, compile)
      kept.set(name, statement)
    }
    return statement(parameters)
  }

  const run = (
    name: string,
    purpose: Purpose,
    where: Values,
    values: Values,
    build: () => Query,
    returnsRows = true,
  ): Awaitable<unknown> => {
    const shape: Shape = { name, parameters: {}, isInline: false }
    for (const column of Object.keys(values)) {
      shape.isInline ||= inline(column, values[column]) !== undefined
      shape.parameters[column] = values[column]
      shape.name += `\n${column}`
    }
    describe(where, shape)
    return runShape(shape, purpose, preparing(build, returnsRows), values === none)
  }

  const one = { one: sql`1` }

  return {
    db,
    table,
    key,
    columns,
    fields,
    matches,
    parameter,
    condition,
    describe,

    // Drizzle's cache is bypassed in every read: it may be stale, and a revoked session must not be.
    select: (where) =>
      run('select', 'read', where, none, () => db.select(fields()).from(table).where(condition(where)).$withCache(false)) as Awaitable<
        Row[]
      >,

    selectWithUser: (where, users) =>
      run('selectWithUser', 'read', where, none, () =>
        db
          .select({ auth_row: fields(), auth_user: users.fields() })
          .from(table)
          .innerJoin(users.table, dialect.same(users.columns.id as Column, columns.userId as Column))
          .where(condition(where))
          .$withCache(false),
      ) as Awaitable<JoinedRow[]>,

    insert: (values) =>
      run('insert', purposeOf(values), none, values, () =>
        dialect.withReturning(db.insert(table).values(cells(values, () => undefined)), fields(dialect.guard)),
      ),

    update: (where, values) =>
      run('update', purposeOf(values), where, values, () =>
        dialect.withReturning(db.update(table).set(cells(values, unchanged)).where(condition(where)), fields()),
      ),

    delete: (where) =>
      run('delete', 'delete', where, none, () => dialect.withReturning(db.delete(table).where(condition(where)), fields())),

    deleteAll: (where) => run('deleteAll', 'repeatable-delete', where, none, () => db.delete(table).where(condition(where)), false),

    deleteOrphans: (where, users) => {
      const isUser = () => dialect.same(users.columns.id as Column, placeholder('userId', where.userId, keyPrefix))
      const isOrphan = () => sql`${condition(where)} and not exists (select 1 from ${users.table} where ${isUser()})`
      return run('deleteOrphans', 'repeatable-delete', where, none, () => db.delete(table).where(isOrphan()), false)
    },

    compare: (where) =>
      once(
        'read',
        preparing(() => db.select(one).from(table).where(matches(where)).limit(0).$withCache(false)),
      )(none),

    checkConnection: () =>
      dialect.guard &&
      once(
        'read',
        preparing(() => db.select(one).from(table).where(condition(none)).limit(1).$withCache(false)),
      )(none),

    run: (purpose, build) => repeatedly(purpose, preparing(build))(none),

    runOnRows: (name, purpose, rows, compile) => {
      const shape: Shape = { name, parameters: {}, isInline: false }
      for (const [each, where] of rows) each.describe(where, shape)
      return runShape(shape, purpose, compile)
    },

    attempt: (purpose, run) => attempting(purpose, run)(none),
  }
}

/** Compiles a single statement. */
function preparing(build: () => Query, returnsRows = true): Compile {
  return (prepare) => prepare(build(), returnsRows)
}

/** The forms that a value of a condition can have. */
function formsOf(asked: unknown): unknown[] {
  return Array.isArray(asked) ? asked : [asked]
}

function purposeOf(values: Values): Purpose {
  return Object.hasOwn(values, 'userId') ? 'write-for-user' : 'write'
}
