import type { Table } from 'drizzle-orm'
import { Cache } from 'drizzle-orm/cache/core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import type { Model } from '../../src/contract.js'
import { models } from '../../src/contract.js'
import { mysql } from '../../src/mysql/dialect.js'
import { pg } from '../../src/pg/dialect.js'
import { createCodec } from '../../src/query/codec.js'
import type { Database } from '../../src/query/drizzle.js'
import type { RetryLimits } from '../../src/query/retry.js'
import { createStatements } from '../../src/query/statements.js'

/** What the server answers to a statement: rows, the header of a write on MySQL, or an error. */
export type Answer = unknown[][] | { affectedRows?: number; insertId?: unknown } | Error

const dialects = {
  mysql: { ...mysql, drizzle: drizzleMysql as (send: unknown) => unknown },
  pg: { ...pg, drizzle: drizzlePg as (send: unknown) => unknown },
}

/** A database whose driver is a function, which gives these answers, one after the other, and remembers the statements. */
export function scripted(name: keyof typeof dialects, ...answers: Answer[]) {
  const { drizzle, sql } = dialects[name]
  const statements: string[] = []
  const parameters: unknown[][] = []
  const db = drizzle(async (text: string, params: unknown[]) => {
    statements.push(text)
    parameters.push(params)
    const answer = answers.shift()
    if (!answer) throw new Error(`no answer to ${text}`)
    if (answer instanceof Error) throw answer
    return { rows: Array.isArray(answer) ? answer : [answer] }
  }) as Database
  return {
    db,
    statements,
    parameters,
    /** The first word of each statement. */
    commands: () => statements.map((text) => /^\w+/.exec(text)?.[0]),
    statementsOf: (table: unknown, key: string[], model: Model = models.users, database = db, limits: RetryLimits | false = false) =>
      createStatements(database, table as Table, key, createCodec(model, table as Table, sql), sql, limits),
  }
}

class StaleCache extends Cache {
  constructor(private readonly rows: unknown[][]) {
    super()
  }
  override strategy = () => 'all' as const
  override get = async () => this.rows
  override put = async () => {}
  override onMutate = async () => {}
}

/** Gives a database a cache that answers every query with these rows. Not every driver has an option for it. */
export function cache<DB extends Database>(db: DB, rows: unknown[][]): DB {
  Object.assign(db.session as object, { cache: new StaleCache(rows) })
  return db
}

/** What a promise is rejected with. */
export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'nothing',
    (failure: unknown) => failure,
  )
