import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Problem } from './command.js'
import type { DialectName } from './core.js'

/** A database to open. */
export interface Target {
  /** Where it was named, for messages. */
  source: string
  scheme: string
  dialect: DialectName
  /** The URL, or the path of a file. */
  url: string
  /** Scheme, hosts and database name: all that may be printed. */
  address: string
  hosts: string[]
  parameters: URLSearchParams
  ssl?: unknown
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

/** Reads a URL as people paste it, with quotes or spaces around. Nothing of one that cannot be read is printed. */
export function parseUrl(text: string, source: string, cwd: string): Target {
  const url = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim()
  // A single letter is a drive of Windows.
  const scheme = /^(\w{2,}):/.exec(url)?.[1]?.toLowerCase()
  const dialect = scheme && Object.hasOwn(dialects, scheme) ? dialects[scheme] : undefined
  if (scheme && dialect) return { source, scheme, dialect, url, ...partsOf(url, source, dialect) }
  const path = pathOf(url, cwd)
  if (path === undefined || !existsSync(path)) throw new Problem(`${source} is neither a URL of a known kind nor a file. ${forms}.`, 2)
  return { source, scheme: 'file', dialect: 'sqlite', url: path, address: path, hosts: [], parameters: new URLSearchParams() }
}

function partsOf(url: string, source: string, dialect: DialectName): Pick<Target, 'address' | 'hosts' | 'parameters'> {
  const [, scheme = '', user = '', hosts = '', path = '', query] = shape.exec(url) ?? []
  if (!canDecode(user) || !hosts.split(',').every((host) => URL.canParse(`${scheme}://${user}${host}${path}`)))
    throw new Problem(
      `${source} is not a valid URL. Expected scheme://user:password@host/database; write @ : / ? # and % in a password as %40 %3A %2F %3F %23 and %25.`,
      2,
    )
  if (dialect === 'mysql' && path.length < 2)
    throw new Problem(`${source} names no database. Add it after the host: mysql://…/database.`, 2)
  // A path of a server for SQLite may hold a token.
  const database = dialect === 'sqlite' ? '' : path
  return { address: `${scheme.toLowerCase()}://${hosts}${database}`, hosts: hosts.split(','), parameters: new URLSearchParams(query) }
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
