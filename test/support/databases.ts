import type { AdapterOptions } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { inject } from 'vitest'
import type { ConnectOptions } from './connections.js'
import { connect, createDatabase } from './connections.js'
import type { DialectName } from './dialects.js'
import { migrationsOf } from './migrations.js'
import * as mysqlSchema from './schema/mysql.js'
import * as pgSchema from './schema/pg.js'
import * as sqliteSchema from './schema/sqlite.js'

interface Options extends ConnectOptions {
  /** Statements to run on the new database; by default the committed migrations. */
  migrations?: string[]
  /** Added to CREATE DATABASE, such as an encoding. */
  settings?: string
}

async function create(dialect: DialectName, settings?: string) {
  const server = dialect === 'sqlite' ? '' : inject('urls')[dialect]
  if (server === undefined) throw new Error(`no ${dialect} server was started; is it in DIALECTS?`)
  return createDatabase(dialect, server, settings)
}

/** Creates the tables of a new database, which is dropped when it is closed. */
async function prepare<Opened extends { exec(statement: string): Promise<void>; close(): Promise<void> }>(
  dialect: DialectName,
  opened: Opened,
  drop: () => Promise<void>,
  migrations?: string[],
): Promise<Opened> {
  for (const statement of migrations ?? (await migrationsOf(dialect))) await opened.exec(statement)
  const close = async () => {
    await opened.close()
    await drop()
  }
  return { ...opened, close }
}

/** A new SQLite file. */
export async function openSqlite({ migrations, ...options }: Options = {}) {
  const { url, drop } = await create('sqlite')
  return prepare('sqlite', await connect.sqlite(url, options), drop, migrations)
}

/** A new database on the PostgreSQL server. */
export async function openPg({ migrations, settings, ...options }: Options = {}) {
  const { url, drop } = await create('pg', settings)
  return prepare('pg', await connect.pg(url, options), drop, migrations)
}

/** A new database on the MySQL server. */
export async function openMysql({ migrations, settings, ...options }: Options = {}) {
  const { url, drop } = await create('mysql', settings)
  return prepare('mysql', await connect.mysql(url, options), drop, migrations)
}

const openers = { sqlite: openSqlite, pg: openPg, mysql: openMysql }
const schemas = { sqlite: sqliteSchema, pg: pgSchema, mysql: mysqlSchema }

/** An adapter for any dialect. All dialects have the same operations, so tests that run on each of them use PostgreSQL's types. */
export type AnyAdapter = ReturnType<typeof DrizzleAdapter<typeof pgSchema>>

export function makeAdapter(db: unknown, tables: object, options?: AdapterOptions): AnyAdapter {
  return DrizzleAdapter(db as never, tables as typeof pgSchema, options)
}

/** Opens a new database of a dialect. Its `adapter()` uses the tables of test/support/schema unless `tables` names others. */
export async function openDatabase(dialect: DialectName, { tables = schemas[dialect], ...options }: Options & { tables?: object } = {}) {
  const opened = await openers[dialect](options)
  return {
    ...opened,
    dialect,
    tables,
    adapter: (options?: AdapterOptions) => makeAdapter(opened.db, tables, options),
    quote: (name: string) => (dialect === 'mysql' ? `\`${name}\`` : `"${name}"`),
  }
}
