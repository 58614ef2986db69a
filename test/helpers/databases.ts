import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { inject } from 'vitest'
import { migrationsOf } from './migrations.js'

interface Logger {
  logQuery(query: string, params: unknown[]): void
}

interface Options {
  logger?: Logger
  /** How many connections at most; one makes what happens on it a sequence. */
  connections?: number
  /** Statements to run on the new database, or none. */
  migrations?: string[]
  /** What CREATE DATABASE says of the new database, such as its encoding. */
  settings?: string
}

const newName = () => `t${crypto.randomUUID().replaceAll('-', '')}`

function urlOf(server: 'pg' | 'mysql', database?: string): string {
  const url = inject('urls')[server]
  if (!url) throw new Error(`no ${server} server was started; is it in DIALECTS?`)
  const parsed = new URL(url)
  if (database) parsed.pathname = `/${database}`
  return parsed.href
}

/** A new SQLite file. */
export async function openSqlite({ logger, migrations }: Options = {}) {
  const file = join(tmpdir(), `${newName()}.sqlite`)
  const client = new Database(file)
  client.pragma('foreign_keys = on')
  client.pragma('journal_mode = wal')
  client.pragma('synchronous = off')
  for (const statement of migrations ?? (await migrationsOf('sqlite'))) client.exec(statement)
  return {
    db: drizzleSqlite({ client, ...(logger && { logger }) }),
    client,
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
  const name = newName()
  const admin = postgres(urlOf('pg'), { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name} ${settings}`)
  const url = urlOf('pg', name)
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
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

/** A new database on the MySQL server. */
export async function openMysql({ logger, connections = 20, migrations }: Options = {}) {
  const name = newName()
  const admin = await mysql.createConnection(urlOf('mysql'))
  await admin.query(`create database ${name}`)
  const url = urlOf('mysql', name)
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
      await admin.query(`drop database ${name}`)
      await admin.end()
    },
  }
}
