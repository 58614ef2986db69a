import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { createMysqlDatabase, createPgDatabase } from '../test/support/new-database.js'
import { startServers } from '../test/support/servers/index.js'
import { onExit } from './cleanup.js'
import type { DatabaseName } from './databases.js'
import { databaseTitles } from './databases.js'
import { seededToken } from './keys.js'
import { print } from './progress.js'

/** The database of one contender, with a connection for setup, which is not measured. */
export interface Store {
  /** The URL or the file that contenders connect to. */
  location: string
  run(statement: string): Promise<unknown>
  drop(): Promise<void>
}

/** A database server, or SQLite, on which new databases can be created. */
export interface DatabaseServer {
  version: string
  create(): Promise<Store>
  /** Drops the databases, and stops the server if it was started for the benchmark. */
  close(): Promise<void>
}

/** Opens a server for each database, in the same way as the tests. */
export const openServer: Record<DatabaseName, () => Promise<DatabaseServer>> = {
  sqlite: openSqlite,
  pg: openPg,
  mariadb: () => openMysql('mariadb'),
  mysql: () => openMysql('mysql'),
}

let count = 0
const newName = () => `bench_${process.pid}_${++count}`

async function openSqlite(): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), 'auth-bench-'))
  const remove = onExit(() => rmSync(folder, { recursive: true, force: true }))
  const version = new Database(':memory:').prepare('select sqlite_version() as version').get() as { version: string }

  async function create(): Promise<Store> {
    const location = join(folder, `${newName()}.sqlite`)
    const client = new Database(location)
    client.pragma('journal_mode = wal')
    // This connection only seeds the tables, so it may be fast and unsafe.
    client.pragma('synchronous = off')
    client.pragma('cache_size = -500000')
    client.function('token', { deterministic: true }, (session) => seededToken(session as number))
    const end = onExit(() => client.close())
    const drop = async () => {
      await end()
      for (const suffix of ['', '-wal', '-shm']) rmSync(location + suffix, { force: true })
    }
    return { location, run: async (statement) => client.exec(statement), drop }
  }
  return createServer(version.version, create, [remove])
}

async function openPg(): Promise<DatabaseServer> {
  const servers = await startServers(['pg'], { log: print })
  const stop = onExit(servers.stop)
  const admin = postgres(servers.urls.pg as string, { max: 1, onnotice: () => {} })
  const disconnect = onExit(() => admin.end())
  const [row] = await admin`show server_version`

  async function create(): Promise<Store> {
    const { url: location, drop: dropDatabase } = await createPgDatabase(servers.urls.pg as string, '', newName())
    const client = postgres(location, { max: 1, onnotice: () => {} })
    const drop = onExit(async () => {
      await client.end()
      await dropDatabase()
    })
    return { location, run: (statement) => client.unsafe(statement), drop }
  }
  return createServer(String(row?.server_version).replace(/ .*/, ''), create, [disconnect, stop])
}

async function openMysql(product: 'mariadb' | 'mysql'): Promise<DatabaseServer> {
  process.env.MYSQL_SERVER = product
  const servers = await startServers(['mysql'], { log: print })
  const stop = onExit(servers.stop)
  const url = servers.urls.mysql as string
  const admin = await mysql.createConnection(url)
  const disconnect = onExit(() => admin.end())
  const [[row]] = await admin.query<mysql.RowDataPacket[]>('select version() as version')
  const version = String(row?.version)
  if (/mariadb/i.test(version) !== (product === 'mariadb'))
    throw new Error(`MYSQL_URL points to ${version}, not to ${databaseTitles[product]}. Unset it, or choose others with --dialects`)

  async function create(): Promise<Store> {
    const { url: location, drop: dropDatabase } = await createMysqlDatabase(url, newName())
    const client = await mysql.createConnection(location)
    const drop = onExit(async () => {
      await client.end()
      await dropDatabase()
    })
    return { location, run: (statement) => client.query(statement), drop }
  }
  return createServer(version.replace(/-.*/, ''), create, [disconnect, stop])
}

function createServer(version: string, create: () => Promise<Store>, teardown: (() => Promise<void>)[]): DatabaseServer {
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
      for (const end of teardown) await end()
    },
  }
}
