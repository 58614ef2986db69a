import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DialectName } from 'drizzle-auth-adapter/internal'
import type { Context } from './command.js'
import { Problem } from './command.js'

/** A database to open. */
export interface Target {
  /** Where it was named, for messages. */
  source: string
  /** What may be printed of it. */
  address: string
  /** How to open it: the file of the app that exports `db`, or the first of the drivers that is installed. */
  from: { module: string } | { drivers: Driver[]; credentials: Credentials }
}

/** A URL, the path of a file, or the fields of `dbCredentials`. */
export interface Credentials {
  url?: string
  authToken?: string | undefined
  [field: string]: unknown
}

/** A driver that Drizzle knows. It gets a URL or fields as they are, and what the commands need beside them. */
export interface Driver {
  package: string
  dialect: DialectName
  /** Drizzle's module for it, which imports the driver itself. */
  load(): Promise<{ drizzle: unknown }>
  connection(credentials: Credentials): object
}

const postgres: Driver[] = [
  {
    package: 'postgres',
    dialect: 'pg',
    load: () => import('drizzle-orm/postgres-js'),
    // A server that dies while types are fetched would end the process.
    connection: (credentials) => ({ ...credentials, max: 1, onnotice: () => {}, fetch_types: false }),
  },
  {
    package: 'pg',
    dialect: 'pg',
    load: () => import('drizzle-orm/node-postgres'),
    // By itself, it waits forever.
    connection: ({ url, ...fields }) => ({ connectionTimeoutMillis: 10_000, ...fields, ...(url && { connectionString: url }), max: 1 }),
  },
]

const mysql: Driver[] = [
  {
    package: 'mysql2',
    dialect: 'mysql',
    load: () => import('drizzle-orm/mysql2'),
    connection: ({ url, ...fields }) => ({ ...fields, ...(url && { uri: url }), connectionLimit: 1, supportBigNumbers: true }),
  },
]

const libsql: Driver[] = [
  {
    package: '@libsql/client',
    dialect: 'sqlite',
    load: () => import('drizzle-orm/libsql'),
    connection: ({ url = '', authToken }) => ({
      url: isAbsolute(url) ? `file:${url}` : url,
      authToken,
      // Without a timeout, a connection to a locked file acknowledges writes that it never commits.
      timeout: 5_000,
      fetch: (...[input, init]: Parameters<typeof fetch>) => fetch(input, { ...init, signal: AbortSignal.timeout(30_000) }),
    }),
  },
]

const files: Driver[] = [
  {
    package: 'better-sqlite3',
    dialect: 'sqlite',
    load: () => import('drizzle-orm/better-sqlite3'),
    connection: ({ url }) => ({ source: url, fileMustExist: true }),
  },
  ...libsql,
]

/** The drivers for each scheme, in order of preference. */
const driversOf = new Map(Object.entries({ postgres, postgresql: postgres, mysql, mariadb: mysql, libsql, http: libsql, https: libsql }))

/** The target of a URL, of which only the scheme is read. Error messages never contain any part of it. */
export function targetOfUrl(url: string, source: string, { env, cwd }: Pick<Context, 'env' | 'cwd'>, fields: Credentials = {}): Target {
  // A single letter is a Windows drive.
  const drivers = driversOf.get(/^(\w{2,}):/.exec(url)?.[1]?.toLowerCase() ?? '')
  if (drivers) {
    const token = drivers === libsql && { authToken: env.DATABASE_AUTH_TOKEN ?? env.TURSO_AUTH_TOKEN }
    return { source, address: addressOf(url, drivers) ?? source, from: { drivers, credentials: { ...token, ...fields, url } } }
  }
  const path = pathOf(url, cwd)
  if (path === undefined || !existsSync(path))
    throw new Problem(
      `${source} is neither a supported URL nor an existing file. Expected postgres://user:password@host/database, mysql://…, libsql://…, file:app.db or the path of a file. For any other database, pass --db with the file that exports db.`,
      2,
    )
  return { source, address: path, from: { drivers: files, credentials: { url: path } } }
}

/** The target of `dbCredentials` without a URL, if the dialect has a server. */
export function targetOfFields(dialect = '', credentials: Credentials, source: string): Target | undefined {
  const drivers = /^(postgresql|mysql)$/.test(dialect) ? driversOf.get(dialect) : undefined
  return drivers && { source, address: source, from: { drivers, credentials } }
}

/** Scheme, host and database. It is printed after the driver has connected, so none of them is part of a password. The path of a libsql server may contain a token. */
function addressOf(url: string, drivers: Driver[]): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${drivers === libsql ? '' : pathname}`
}

function pathOf(url: string, cwd: string): string | undefined {
  try {
    return /^file:\/\//i.test(url) ? fileURLToPath(url) : resolve(cwd, url.replace(/^file:/i, ''))
  } catch {
    return undefined
  }
}
