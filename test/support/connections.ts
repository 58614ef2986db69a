import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import type { DialectName } from './dialects.js'
import { scratchFolder } from './servers/scratch.js'

export interface NewDatabase {
  url: string
  drop(): Promise<void>
}

export interface ConnectOptions {
  logger?: { logQuery(query: string, params: unknown[]): void }
  /** The size of the connection pool. With 1, statements run one after another. */
  connections?: number
}

/** The URL of one database on a server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Creates a database with a unique name: on a server, or for SQLite as a file in a folder. `settings` is appended to CREATE DATABASE. */
export async function createDatabase(dialect: DialectName, server = '', settings = ''): Promise<NewDatabase> {
  const name = `t${crypto.randomUUID().replaceAll('-', '')}`
  if (dialect === 'sqlite') {
    const url = join(server || scratchFolder(), `${name}.sqlite`)
    const drop = async () => void (await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(url + suffix, { force: true }))))
    return { url, drop }
  }
  const { exec, close } = await connect[dialect](server, { connections: 1 })
  await exec(`create database ${name} ${settings}`)
  return {
    url: databaseUrl(server, name),
    async drop() {
      await exec(`drop database ${name}${dialect === 'pg' ? ' with (force)' : ''}`)
      await close()
    },
  }
}

/** Calls `work` with the URL of a new database, and drops the database afterwards. `settings` is appended to CREATE DATABASE. */
export async function withDatabase<T>(
  dialect: DialectName,
  urls: Partial<Record<string, string>>,
  work: (url: string) => Promise<T>,
  settings = '',
): Promise<T> {
  const { url, drop } = await createDatabase(dialect, urls[dialect], settings)
  return work(url).finally(drop)
}

type Row = Record<string, unknown>

/** Connects to a database. `run` returns the rows of a statement, `exec` runs statements that have none. */
export const connect = {
  async sqlite(url: string, { logger }: ConnectOptions = {}) {
    const client = new Database(url)
    client.pragma('foreign_keys = on')
    client.pragma('journal_mode = wal')
    client.pragma('synchronous = off')
    return {
      db: drizzleSqlite({ client, ...(logger && { logger }) }),
      client,
      url,
      run: async (statement: string) => client.prepare(statement).all() as Row[],
      exec: async (statement: string) => void client.exec(statement),
      close: async () => void client.close(),
    }
  },

  async pg(url: string, { logger, connections = 20 }: ConnectOptions = {}) {
    const client = postgres(url, { max: connections, onnotice: () => {} })
    return {
      db: drizzlePg({ client, ...(logger && { logger }) }),
      client,
      url,
      run: async (statement: string) => [...(await client.unsafe(statement))] as Row[],
      exec: async (statement: string) => void (await client.unsafe(statement)),
      close: () => client.end(),
    }
  },

  async mysql(url: string, { logger, connections = 20 }: ConnectOptions = {}) {
    const client = mysql.createPool({ uri: url, connectionLimit: connections })
    return {
      db: drizzleMysql({ client, ...(logger && { logger }) }),
      client,
      url,
      run: async (statement: string) => (await client.query(statement))[0] as Row[],
      exec: async (statement: string) => void (await client.query(statement)),
      close: () => client.end(),
    }
  },
}
