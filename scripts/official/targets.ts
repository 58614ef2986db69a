import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DrizzleAdapter as OfficialAdapter } from '@auth/drizzle-adapter'
import Database from 'better-sqlite3'
import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as mysqlTables } from 'drizzle-auth-adapter/mysql'
import { defineTables as pgTables } from 'drizzle-auth-adapter/pg'
import { defineTables as sqliteTables } from 'drizzle-auth-adapter/sqlite'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { withReplicas as mysqlReplicas } from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { withReplicas as pgReplicas } from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import { withReplicas as sqliteReplicas } from 'drizzle-orm/sqlite-core'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { openKit, sqlOf } from '../../test/integration/moving/kit.js'
import type { DialectName } from '../../test/support/dialects.js'
import { migrationsOf, statementsOf } from '../../test/support/migrations.js'

export type Side = 'official' | 'ours'

/** One adapter on a new database with the adapter's own default tables. */
export interface Opened {
  adapter: Adapter
  /** Creates the adapter for a database of `withReplicas`. */
  overReplicas(): Adapter
  /** Runs a query that returns a number. */
  number(query: string): Promise<number>
  close(): Promise<void>
}

interface Options {
  foreignKeys?: boolean
}

interface Connected {
  db: unknown
  replicas: unknown
  version: string
  run(statement: string): Promise<void>
  number(query: string): Promise<number>
  close(): Promise<void>
}

const connect: Record<DialectName, (url: string) => Promise<Connected>> = {
  async sqlite() {
    const file = join(tmpdir(), `${randomUUID()}.sqlite`)
    const client = new Database(file)
    const db = drizzleSqlite({ client })
    return {
      db,
      replicas: sqliteReplicas(db as never, [db as never]),
      version: client.prepare('select sqlite_version()').pluck().get() as string,
      run: async (statement) => void client.exec(statement),
      number: async (query) => Number(client.prepare(query).pluck().get()),
      async close() {
        client.close()
        await rm(file)
      },
    }
  },

  async pg(url) {
    const admin = postgres(url, { max: 1 })
    const name = `t${randomUUID().replaceAll('-', '')}`
    await admin.unsafe(`create database ${name}`)
    const client = postgres(Object.assign(new URL(url), { pathname: name }).href, { max: 20, onnotice: () => {} })
    const db = drizzlePg({ client })
    const value = async (query: string) => Object.values((await client.unsafe(query))[0] ?? {})[0]
    return {
      db,
      replicas: pgReplicas(db, [db]),
      version: String(await value('show server_version')),
      run: async (statement) => void (await client.unsafe(statement)),
      number: async (query) => Number(await value(query)),
      async close() {
        await client.end({ timeout: 5 })
        await admin.unsafe(`drop database ${name} with (force)`)
        await admin.end()
      },
    }
  },

  async mysql(url) {
    const admin = await mysql.createConnection(url)
    const name = `t${randomUUID().replaceAll('-', '')}`
    // The character set that has all characters, with the server's default collation for it.
    await admin.query(`create database ${name} character set utf8mb4`)
    const client = mysql.createPool({ uri: Object.assign(new URL(url), { pathname: name }).href, connectionLimit: 20 })
    const db = drizzleMysql({ client })
    const value = async (query: string) => Object.values((await client.query<mysql.RowDataPacket[]>(query))[0][0] ?? {})[0]
    return {
      db,
      replicas: mysqlReplicas(db as never, [db as never]),
      version: String(await value('select version()')),
      run: async (statement) => void (await client.query(statement)),
      number: async (query) => Number(await value(query)),
      async close() {
        await client.end()
        await admin.query(`drop database ${name}`)
        await admin.end()
      },
    }
  },
}

const ourTables = { sqlite: sqliteTables, pg: pgTables, mysql: mysqlTables }

async function statements(side: Side, dialect: DialectName): Promise<string[]> {
  if (side === 'ours') return migrationsOf(dialect)
  const kit = await openKit(dialect, '')
  await kit.generate(`./test/integration/moving/official-${dialect}.ts`)
  const files = await kit.read()
  await kit.remove()
  return sqlOf(files).flatMap((path) => statementsOf(files[path] as string))
}

/** The version of a server, and a function that opens an adapter on a new database there. */
export async function openTarget(dialect: DialectName, url: string) {
  const statementsBySide = { official: await statements('official', dialect), ours: await statements('ours', dialect) }
  const { version, close } = await connect[dialect](url)
  await close()

  return {
    version,
    async open(side: Side, { foreignKeys = true }: Options = {}): Promise<Opened> {
      const { db, replicas, run, ...connected } = await connect[dialect](url)
      if (dialect === 'sqlite') await run(`pragma foreign_keys = ${foreignKeys}`)
      for (const statement of statementsBySide[side])
        if (foreignKeys || !/ADD CONSTRAINT .* FOREIGN KEY/.test(statement)) await run(statement)
      const adapterOf = (database: unknown) =>
        (side === 'official'
          ? OfficialAdapter(database as never)
          : DrizzleAdapter(database as never, (ourTables[dialect] as () => never)())) as unknown as Adapter
      return { ...connected, adapter: adapterOf(db), overReplicas: () => adapterOf(replicas) }
    },
  }
}
