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

interface Opened {
  adapter: Adapter
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
const adapterOf = (db: unknown, tables: object) => DrizzleAdapter(db as never, tables as never) as unknown as Adapter

const all: Driver[] = [
  {
    driver: 'better-sqlite3',
    dialect: 'sqlite',
    async open({ tables = sqliteSchema, ...options } = {}) {
      const { db, close } = await openSqlite(options)
      return { adapter: adapterOf(db, tables), close }
    },
  },
  {
    driver: 'postgres.js',
    dialect: 'pg',
    async open({ tables = pgSchema, ...options } = {}) {
      const { db, close } = await openPg({ connections: 4, ...options })
      return { adapter: adapterOf(db, tables), close }
    },
  },
  {
    driver: 'node-postgres',
    dialect: 'pg',
    async open({ tables = pgSchema, ...options } = {}) {
      const { url, close } = await openPg({ connections: 1, ...options })
      const client = openPool({ connectionString: url, max: 4 })
      const closeAll = async () => {
        await client.end()
        await close()
      }
      return { adapter: adapterOf(drizzle({ client }), tables), close: closeAll }
    },
  },
  {
    driver: 'mysql2',
    dialect: 'mysql',
    async open({ tables = mysqlSchema, ...options } = {}) {
      const { db, close } = await openMysql({ connections: 4, ...options })
      return { adapter: adapterOf(db, tables), close }
    },
  },
]

/** The drivers of the dialects under test. */
export const drivers = all.filter(({ dialect }) => inject('dialects').includes(dialect))
