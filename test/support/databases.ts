import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { AdapterOptions } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { inject } from 'vitest'
import type { DialectName } from './dialects.js'
import { migrationsOf } from './migrations.js'
import { createMysqlDatabase, createPgDatabase, newName } from './new-database.js'
import * as mysqlSchema from './schema/mysql.js'
import * as pgSchema from './schema/pg.js'
import * as sqliteSchema from './schema/sqlite.js'
import { scratchFolder } from './servers/scratch.js'

interface Logger {
  logQuery(query: string, params: unknown[]): void
}

interface Options {
  logger?: Logger
  /** The size of the connection pool. With 1, statements run one after another. */
  connections?: number
  /** Statements to run on the new database; by default the committed migrations. */
  migrations?: string[]
  /** Added to CREATE DATABASE, such as an encoding. PostgreSQL only. */
  settings?: string
}

function serverUrl(server: 'pg' | 'mysql'): string {
  const url = inject('urls')[server]
  if (!url) throw new Error(`no ${server} server was started; is it in DIALECTS?`)
  return url
}

/** A new SQLite file. */
export async function openSqlite({ logger, migrations }: Options = {}) {
  const file = join(scratchFolder(), `${newName()}.sqlite`)
  const client = new Database(file)
  client.pragma('foreign_keys = on')
  client.pragma('journal_mode = wal')
  client.pragma('synchronous = off')
  for (const statement of migrations ?? (await migrationsOf('sqlite'))) client.exec(statement)
  return {
    db: drizzleSqlite({ client, ...(logger && { logger }) }),
    client,
    url: file,
    run: async (statement: string) => client.prepare(statement).all() as Record<string, unknown>[],
    exec: async (statement: string) => void client.exec(statement),
    async close() {
      client.close()
      await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(file + suffix, { force: true })))
    },
  }
}

/** A new database on the PostgreSQL server. */
export async function openPg({ logger, connections = 20, migrations, settings = '' }: Options = {}) {
  const { url, drop } = await createPgDatabase(serverUrl('pg'), settings)
  const client = postgres(url, { max: connections, onnotice: () => {} })
  for (const statement of migrations ?? (await migrationsOf('pg'))) await client.unsafe(statement)
  return {
    db: drizzlePg({ client, ...(logger && { logger }) }),
    client,
    url,
    run: async (statement: string) => [...(await client.unsafe(statement))] as Record<string, unknown>[],
    exec: async (statement: string) => void (await client.unsafe(statement)),
    async close() {
      await client.end()
      await drop()
    },
  }
}

/** A new database on the MySQL server. */
export async function openMysql({ logger, connections = 20, migrations }: Options = {}) {
  const { url, drop } = await createMysqlDatabase(serverUrl('mysql'))
  const client = mysql.createPool({ uri: url, connectionLimit: connections })
  for (const statement of migrations ?? (await migrationsOf('mysql'))) await client.query(statement)
  return {
    db: drizzleMysql({ client, ...(logger && { logger }) }),
    client,
    url,
    run: async (statement: string) => (await client.query(statement))[0] as Record<string, unknown>[],
    exec: async (statement: string) => void (await client.query(statement)),
    async close() {
      await client.end()
      await drop()
    },
  }
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
