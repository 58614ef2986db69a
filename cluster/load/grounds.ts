import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { migrationsOf } from '../../test/helpers/migrations.js'

/** A database to put under load. */
export interface Ground {
  name: string
  dialect: 'sqlite' | 'pg' | 'mysql'
  version: string
  location: string
  processes: number
  /** What the driver itself keeps of each query for as long as it is busy, with an adapter or without. */
  bytesKept: number
  count(table: string): Promise<number>
  close(): Promise<void>
}

export async function openSqlite(): Promise<Ground> {
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

const newName = () => `load${crypto.randomUUID().replaceAll('-', '')}`

function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

export async function openPg(server: string): Promise<Ground> {
  const name = newName()
  const admin = postgres(server, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name}`)
  const location = databaseUrl(server, name)
  const client = postgres(location, { max: 1, onnotice: () => {} })
  for (const statement of await migrationsOf('pg')) await client.unsafe(statement)
  return {
    name: 'PostgreSQL',
    dialect: 'pg',
    version: String((await client`show server_version`)[0]?.server_version),
    location,
    processes: 1,
    // postgres.js 3.4.9, in its queues of connections.
    bytesKept: 10,
    count: async (table) => Number((await client.unsafe(`select count(*) from "${table}"`))[0]?.count),
    async close() {
      await client.end()
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

export async function openMysql(server: string): Promise<Ground> {
  const name = newName()
  const client = await mysql.createConnection(server)
  await client.query(`create database ${name}`)
  await client.query(`use ${name}`)
  for (const statement of await migrationsOf('mysql')) await client.query(statement)
  const value = async (query: string) => Object.values(((await client.query(query))[0] as object[])[0] as object)[0] as unknown
  const version = String(await value('select version()'))
  return {
    name: /mariadb/i.test(version) ? 'MariaDB' : 'MySQL',
    dialect: 'mysql',
    version,
    location: databaseUrl(server, name),
    processes: 1,
    bytesKept: 0,
    count: async (table) => Number(await value(`select count(*) from \`${table}\``)),
    async close() {
      await client.query(`drop database ${name}`)
      await client.end()
    },
  }
}
