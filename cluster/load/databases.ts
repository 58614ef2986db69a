import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { migrationsOf } from '../../test/support/migrations.js'
import { createMysqlDatabase, createPgDatabase } from '../../test/support/new-database.js'

/** A database to put under load. */
export interface LoadDatabase {
  name: string
  dialect: 'sqlite' | 'pg' | 'mysql'
  version: string
  location: string
  processes: number
  /** The bytes that the driver itself keeps for each query while it is busy, with or without an adapter. */
  bytesKept: number
  count(table: string): Promise<number>
  close(): Promise<void>
}

export async function openSqlite(): Promise<LoadDatabase> {
  const location = join(tmpdir(), `auth-load-${crypto.randomUUID()}.sqlite`)
  const client = new Database(location)
  client.pragma('journal_mode = wal')
  for (const statement of await migrationsOf('sqlite')) client.exec(statement)
  return {
    name: 'SQLite',
    dialect: 'sqlite',
    version: String(client.prepare('select sqlite_version()').pluck().get()),
    location,
    processes: 2,
    bytesKept: 0,
    count: async (table) => client.prepare(`select count(*) from "${table}"`).pluck().get() as number,
    async close() {
      client.close()
      await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(location + suffix, { force: true })))
    },
  }
}

export async function openPg(server: string): Promise<LoadDatabase> {
  const { url: location, drop } = await createPgDatabase(server)
  const client = postgres(location, { max: 1, onnotice: () => {} })
  for (const statement of await migrationsOf('pg')) await client.unsafe(statement)
  return {
    name: 'PostgreSQL',
    dialect: 'pg',
    version: String((await client`show server_version`)[0]?.server_version),
    location,
    processes: 1,
    // postgres.js 3.4.9 keeps them in its queues of connections.
    bytesKept: 10,
    count: async (table) => Number((await client.unsafe(`select count(*) from "${table}"`))[0]?.count),
    async close() {
      await client.end()
      await drop()
    },
  }
}

export async function openMysql(server: string): Promise<LoadDatabase> {
  const { url: location, drop } = await createMysqlDatabase(server)
  const client = await mysql.createConnection(location)
  for (const statement of await migrationsOf('mysql')) await client.query(statement)
  const value = async (query: string) => Object.values(((await client.query(query))[0] as object[])[0] as object)[0] as unknown
  const version = String(await value('select version()'))
  return {
    name: /mariadb/i.test(version) ? 'MariaDB' : 'MySQL',
    dialect: 'mysql',
    version,
    location,
    processes: 1,
    bytesKept: 0,
    count: async (table) => Number(await value(`select count(*) from \`${table}\``)),
    async close() {
      await client.end()
      await drop()
    },
  }
}
