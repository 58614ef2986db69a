import { access } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { DialectName } from '../dialect.js'
import type { Database } from '../statements.js'
import { Problem } from './command.js'

export interface Opened {
  db: Database
  dialect: DialectName
  /** The address without a name, password or token. */
  address: string
  close(): Promise<void>
}

/** A driver that Drizzle knows: the package to install, and how it wants to be told the address. */
interface Driver {
  module: string
  package: string
  connection(url: string): object
}

const postgresJs: Driver = {
  module: 'postgres-js',
  package: 'postgres',
  connection: (url) => ({ url, max: 1, onnotice: () => {} }),
}
const nodePostgres: Driver = { module: 'node-postgres', package: 'pg', connection: (url) => ({ connectionString: url, max: 1 }) }
const mysql2: Driver = {
  module: 'mysql2',
  package: 'mysql2',
  connection: (url) => ({ uri: url, connectionLimit: 1, supportBigNumbers: true }),
}
const betterSqlite: Driver = {
  module: 'better-sqlite3',
  package: 'better-sqlite3',
  connection: (url) => ({ source: pathOf(url), fileMustExist: true }),
}
const libsql: Driver = {
  module: 'libsql',
  package: '@libsql/client',
  connection: (url) => ({
    url: /^\w{2,}:/.test(url) ? url : `file:${url}`,
    authToken: process.env.DATABASE_AUTH_TOKEN ?? process.env.TURSO_AUTH_TOKEN,
  }),
}

const sqliteFile: [DialectName, Driver[]] = ['sqlite', [betterSqlite, libsql]]
const schemes: Record<string, [DialectName, Driver[]]> = {
  postgres: ['pg', [postgresJs, nodePostgres]],
  postgresql: ['pg', [postgresJs, nodePostgres]],
  mysql: ['mysql', [mysql2]],
  mariadb: ['mysql', [mysql2]],
  file: sqliteFile,
  libsql: ['sqlite', [libsql]],
  http: ['sqlite', [libsql]],
  https: ['sqlite', [libsql]],
}

/** The database at a URL or in a file, through the first of its drivers that is installed. */
export async function openDatabase(url: string): Promise<Opened> {
  // One letter is a drive of Windows.
  const scheme = /^(\w{2,}):/.exec(url)?.[1]?.toLowerCase() ?? 'file'
  const [dialect, drivers] = schemes[scheme] ?? []
  if (!dialect || !drivers)
    throw new Problem(`a database at ${scheme}: is not one of those it knows: ${Object.keys(schemes).join(', ')}, or a path.`, 2)
  if (scheme === 'file') await checkFile(pathOf(url))
  else if (!URL.canParse(url))
    throw new Problem(`the URL of the database is none; it looks like ${scheme}://user:password@host/database.`, 2)
  for (const driver of drivers) {
    const drizzle = await load(driver)
    if (!drizzle) continue
    const db = drizzle({ connection: driver.connection(url.replace(/^mariadb:/, 'mysql:')) })
    return { db, dialect, address: addressOf(url, scheme), close: () => closeClient(db.$client) }
  }
  const [first, ...others] = drivers.map((driver) => driver.package)
  const or = others.length > 0 ? ` (or ${others.join(', ')})` : ''
  throw new Problem(`${scheme}: needs a driver, and your project has none. Run: npm install ${first}${or}`)
}

type Client = { end?: () => unknown; close?: () => unknown }
type Drizzle = (config: { connection: object }) => Database & { $client: Client }

/** Drizzle's function for a driver, which imports the driver itself; nothing where that is not installed. */
async function load({ module, package: name }: Driver): Promise<Drizzle | undefined> {
  try {
    return (await import(`drizzle-orm/${module}`)).drizzle
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`)) return undefined
    throw new Problem(`the package ${name} is installed, but cannot be loaded: ${message}`)
  }
}

async function closeClient(client: Client): Promise<void> {
  await (client.end ? client.end() : client.close?.())
}

// A driver would make an empty database where there is none.
async function checkFile(path: string): Promise<void> {
  await access(path).catch(() => {
    throw new Problem(`there is no file ${path}. Pass the path of the database with --url, or in DATABASE_URL.`)
  })
}

function pathOf(url: string): string {
  if (url.startsWith('file://')) return fileURLToPath(url)
  return url.replace(/^file:/i, '').replace(/\?.*$/, '')
}

function addressOf(url: string, scheme: string): string {
  if (scheme === 'file') return pathOf(url)
  const { host, pathname } = new URL(url)
  return `${scheme}://${host}${pathname}`
}
