import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DialectName } from 'drizzle-auth-adapter/internal'
import { Problem } from './command.js'
import type { MysqlTls, PgTls } from './tls.js'
import { encodeSocket, mysqlTls, pgTls } from './tls.js'

/** A database to open. */
export interface Target {
  /** Where it was named, for messages. */
  source: string
  scheme: string
  dialect: DialectName
  /** The URL, or the path of a file. PostgreSQL drivers get its parts, because each of them reads a URL differently. */
  url: string
  user?: string | undefined
  password?: string | undefined
  /** Scheme, hosts and database name: all that may be printed. */
  address: string
  /** With their ports, as the URL writes them. */
  hosts: string[]
  /** The name of the database, decoded. */
  database: string
  parameters: URLSearchParams
  /** PostgreSQL: what the URL says about TLS. */
  tls?: PgTls | undefined
  /** TLS options of the driver. */
  ssl?: unknown
  /** TLS is used only if the server supports it. */
  isTlsOptional?: boolean
  authToken?: string | undefined
}

const dialects: Record<string, DialectName> = {
  postgres: 'pg',
  postgresql: 'pg',
  mysql: 'mysql',
  mariadb: 'mysql',
  libsql: 'sqlite',
  http: 'sqlite',
  https: 'sqlite',
}

const forms = 'Expected postgres://user:password@host/database, mysql://…, libsql://…, file:app.db or the path of an existing file'

// An @, / or # in a password that is not percent-encoded would make a part of it look like a host or a database.
const shape = /^(\w+):\/\/([^/?#]*@)?([^@/?#\s\p{C}]*)(\/[^@?#\s\p{C}]*)?(\?[^@#]*)?$/u

/** Parses a URL, with or without quotes or spaces around it. Error messages never contain any part of it. */
export function parseUrl(text: string, source: string, cwd: string): Target {
  const url = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim()
  // A single letter is a Windows drive.
  const scheme = /^(\w{2,}):/.exec(url)?.[1]?.toLowerCase()
  const dialect = scheme && Object.hasOwn(dialects, scheme) ? dialects[scheme] : undefined
  if (scheme && dialect) return { source, scheme, dialect, url, ...partsOf(url, source, dialect, cwd) }
  const path = pathOf(url, cwd)
  if (path === undefined || !existsSync(path)) throw new Problem(`${source} is neither a supported URL nor an existing file. ${forms}.`, 2)
  return { source, scheme: 'file', dialect: 'sqlite', url: path, address: path, hosts: [], database: '', parameters: new URLSearchParams() }
}

type Parts = Pick<Target, 'address' | 'hosts' | 'database' | 'parameters' | 'user' | 'password' | 'tls'> & MysqlTls

function partsOf(url: string, source: string, dialect: DialectName, cwd: string): Parts {
  const [, scheme = '', login = '', names = '', path = '', query] = shape.exec(url) ?? []
  const parameters = new URLSearchParams(query)
  const isPg = dialect === 'pg'
  const hosts = isPg ? pgHosts(names, parameters) : names.split(',')
  if (!canDecode(login + names + path) || !hosts.every((host) => URL.canParse(`${scheme}://${login}${host}${path}`)))
    throw new Problem(
      `${source} is not a valid URL. Expected scheme://user:password@host/database; write @ : / ? # and % in a password as %40 %3A %2F %3F %23 and %25, and a space in a name as %20.`,
      2,
    )
  if (dialect === 'mysql' && path.length < 2)
    throw new Problem(`${source} has no database name. Add it after the host: mysql://…/database.`, 2)
  const [, user, password] = /^([^:]*)(?::(.*))?@$/s.exec(login) ?? []
  return {
    // The path of a libsql server may contain a token.
    address: `${scheme.toLowerCase()}://${hosts.join(',')}${dialect === 'sqlite' ? '' : path}`,
    hosts,
    database: decodeURIComponent(path.slice(1)) || (isPg && parameters.get('dbname')) || '',
    parameters,
    ...(isPg && {
      user: user ? decodeURIComponent(user) : (parameters.get('user') ?? undefined),
      password: password ? decodeURIComponent(password) : (parameters.get('password') ?? undefined),
      tls: pgTls(parameters, hosts, source, cwd),
    }),
    // Several hosts are rejected later, with the name of the driver.
    ...(dialect === 'mysql' && hosts.length === 1 && mysqlTls(parameters, hosts, source, cwd)),
  }
}

/** The hosts of a PostgreSQL URL, as they are written before the path. They may also be parameters. */
function pgHosts(names: string, parameters: URLSearchParams): string[] {
  const ports = (parameters.get('port') ?? '').split(',')
  const given = names === '' ? (parameters.get('host') ?? '').split(',').map(encodeSocket) : names.split(',')
  return given.map((host, index) => {
    const port = ports[index] ?? ports[0]
    return port && !/:\d+$/.test(host) ? `${host}:${port}` : host
  })
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function pathOf(url: string, cwd: string): string | undefined {
  try {
    if (/^file:\/\//i.test(url)) return fileURLToPath(url)
    const path = url.replace(/^file:/i, '').replace(/\?.*$/, '')
    return path === '' ? undefined : resolve(cwd, path)
  } catch {
    return undefined
  }
}
