import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { createMysqlDatabase, createPgDatabase } from '../test/helpers/new-database.js'
import { startServers } from '../test/servers/index.js'
import { atEnd } from './cleanup.js'
import type { DatabaseName } from './databases.js'
import { databaseTitles } from './databases.js'
import { filledToken } from './keys.js'
import { say } from './progress.js'

/** A database of its own for one contender, and a connection to it for what is not measured. */
export interface Store {
  /** Where contenders connect to: a URL, or a file. */
  location: string
  run(statement: string): Promise<unknown>
  drop(): Promise<void>
}

/** A server, or SQLite, with as many new databases as wanted. */
export interface Site {
  version: string
  create(): Promise<Store>
  /** Removes its databases, and the server where it was started for this. */
  close(): Promise<void>
}

/** Starts what a database needs, as the tests do. */
export const openSite: Record<DatabaseName, () => Promise<Site>> = {
  sqlite: openSqlite,
  pg: openPg,
  mariadb: () => openMysql('mariadb'),
  mysql: () => openMysql('mysql'),
}

let count = 0
const newName = () => `bench_${process.pid}_${++count}`

async function openSqlite(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'auth-bench-'))
  const remove = atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const version = new Database(':memory:').prepare('select sqlite_version() as version').get() as { version: string }

  async function create(): Promise<Store> {
    const location = join(folder, `${newName()}.sqlite`)
    const client = new Database(location)
    client.pragma('journal_mode = wal')
    // It fills in, and is not measured.
    client.pragma('synchronous = off')
    client.pragma('cache_size = -500000')
    client.function('token', { deterministic: true }, (session) => filledToken(session as number))
    const end = atEnd(() => client.close())
    const drop = async () => {
      await end()
      for (const suffix of ['', '-wal', '-shm']) rmSync(location + suffix, { force: true })
    }
    return { location, run: async (statement) => client.exec(statement), drop }
  }
  return siteOf(version.version, create, [remove])
}

async function openPg(): Promise<Site> {
  const servers = await startServers(['pg'], { log: say })
  const stop = atEnd(servers.stop)
  const admin = postgres(servers.urls.pg as string, { max: 1, onnotice: () => {} })
  const leave = atEnd(() => admin.end())
  const [row] = await admin`show server_version`

  async function create(): Promise<Store> {
    const { url: location, drop: dropDatabase } = await createPgDatabase(servers.urls.pg as string, '', newName())
    const client = postgres(location, { max: 1, onnotice: () => {} })
    const drop = atEnd(async () => {
      await client.end()
      await dropDatabase()
    })
    return { location, run: (statement) => client.unsafe(statement), drop }
  }
  return siteOf(String(row?.server_version).replace(/ .*/, ''), create, [leave, stop])
}

async function openMysql(product: 'mariadb' | 'mysql'): Promise<Site> {
  process.env.MYSQL_SERVER = product
  const servers = await startServers(['mysql'], { log: say })
  const stop = atEnd(servers.stop)
  const url = servers.urls.mysql as string
  const admin = await mysql.createConnection(url)
  const leave = atEnd(() => admin.end())
  const [[row]] = await admin.query<mysql.RowDataPacket[]>('select version() as version')
  const version = String(row?.version)
  if (/mariadb/i.test(version) !== (product === 'mariadb'))
    throw new Error(
      `MYSQL_URL leads to ${version}, which is not ${databaseTitles[product]}: unset it, or leave that one out with --dialects`,
    )

  async function create(): Promise<Store> {
    const { url: location, drop: dropDatabase } = await createMysqlDatabase(url, newName())
    const client = await mysql.createConnection(location)
    const drop = atEnd(async () => {
      await client.end()
      await dropDatabase()
    })
    return { location, run: (statement) => client.query(statement), drop }
  }
  return siteOf(version.replace(/-.*/, ''), create, [leave, stop])
}

function siteOf(version: string, create: () => Promise<Store>, ends: (() => Promise<void>)[]): Site {
  const stores: Store[] = []
  return {
    version,
    async create() {
      const store = await create()
      stores.push(store)
      return store
    },
    async close() {
      for (const store of stores) await store.drop()
      for (const end of ends) await end()
    },
  }
}
