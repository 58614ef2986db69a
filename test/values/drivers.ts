import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/node-postgres'
import { inject } from 'vitest'
import { openMysql, openPg, openSqlite } from '../helpers/databases.js'
import type { DialectName } from '../helpers/dialects.js'
import { openPool } from '../helpers/pool.js'
import * as mysqlSchema from '../schema/mysql.js'
import * as pgSchema from '../schema/pg.js'
import * as sqliteSchema from '../schema/sqlite.js'

type Row = Record<string, unknown>

export interface Opened {
  adapter: Adapter
  /** Another adapter of the same tables, which has built no statement yet. */
  another(): Adapter
  /** The rows of a statement, as the driver gives them. */
  run(statement: string): Promise<Row[]>
  close(): Promise<void>
}

interface Options {
  /** Tables in place of the default ones, and the statements that make them. */
  tables?: object
  migrations?: string[]
}

interface Driver {
  driver: string
  dialect: DialectName
  open(options?: Options): Promise<Opened>
}

// The tables decide which operations there are; the tests call those that they have tables for.
function adaptersOf(db: unknown, tables: object): Pick<Opened, 'adapter' | 'another'> {
  const another = () => DrizzleAdapter(db as never, tables as never) as unknown as Adapter
  return { adapter: another(), another }
}

const all: Driver[] = [
  {
    driver: 'better-sqlite3',
    dialect: 'sqlite',
    async open({ tables = sqliteSchema, ...options } = {}) {
      const { db, run, close } = await openSqlite(options)
      return { ...adaptersOf(db, tables), run, close }
    },
  },
  {
    driver: 'postgres.js',
    dialect: 'pg',
    async open({ tables = pgSchema, ...options } = {}) {
      const { db, run, close } = await openPg({ connections: 4, ...options })
      return { ...adaptersOf(db, tables), run, close }
    },
  },
  {
    driver: 'node-postgres',
    dialect: 'pg',
    async open({ tables = pgSchema, ...options } = {}) {
      const { url, run, close } = await openPg({ connections: 1, ...options })
      const client = openPool({ connectionString: url, max: 4 })
      const closeAll = async () => {
        await client.end()
        await close()
      }
      return { ...adaptersOf(drizzle({ client }), tables), run, close: closeAll }
    },
  },
  {
    driver: 'mysql2',
    dialect: 'mysql',
    async open({ tables = mysqlSchema, ...options } = {}) {
      const { db, run, close } = await openMysql({ connections: 4, ...options })
      return { ...adaptersOf(db, tables), run, close }
    },
  },
]

/** The drivers of the dialects under test. */
export const drivers = all.filter(({ dialect }) => inject('dialects').includes(dialect))

/** One of them for each dialect, where the driver makes no difference. */
export const driverOfEachDialect = drivers.filter(({ driver }) => driver !== 'node-postgres')

/** A value where the types want another one. */
export const asText = (value: unknown) => value as string
