import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/node-postgres'
import { inject } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { openPool } from '../../support/pool.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'

type Row = Record<string, unknown>

export interface Opened {
  adapter: Adapter
  /** A new adapter for the same tables, which has not built any statement yet. */
  another(): Adapter
  /** Runs a statement and returns the rows of the driver. */
  run(statement: string): Promise<Row[]>
  close(): Promise<void>
}

interface Options {
  /** Tables to use instead of the default ones, and the statements that create them. */
  tables?: object
  migrations?: string[]
}

interface Driver {
  driver: string
  dialect: DialectName
  open(options?: Options): Promise<Opened>
}

// An adapter has only the operations for its tables. Each test calls only operations that it has tables for.
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

/** Passes a value of another type where the types require a string. */
export const asText = (value: unknown) => value as string
