import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { Problem } from './command.js'

/** The TLS options of a MySQL URL, as mysql2 takes them. */
export interface MysqlTls {
  ssl?: object | string
  /** Falls back to a connection without TLS if the server does not support it. */
  isTlsOptional?: boolean
}

/** Levels of protection. Each includes the ones before it. */
const levels = ['none', 'preferred', 'required', 'trusted', 'identified'] as const

type Level = (typeof levels)[number]

const booleans: Record<string, Level> = { true: 'identified', 1: 'identified', false: 'none', 0: 'none' }

/** The parameters of MySQL's own clients, Connector/J, Prisma, Go and mysql2, without hyphens and underscores, and the meanings of their values. */
const parameterValues: Record<string, Record<string, Level>> = {
  sslmode: {
    disabled: 'none',
    preferred: 'preferred',
    required: 'required',
    'verify-ca': 'trusted',
    'verify-identity': 'identified',
    disable: 'none',
    prefer: 'preferred',
    require: 'required',
    'verify-full': 'identified',
  },
  sslaccept: { strict: 'identified', 'accept-invalid-certs': 'required' },
  tls: { ...booleans, preferred: 'preferred', 'skip-verify': 'required' },
  ssl: booleans,
}

/** Reads the parameters of a MySQL URL. Rejects unknown parameters, because they may require more protection than the connection would get. */
export function mysqlTls(parameters: URLSearchParams, hosts: string[], source: string, cwd: string): MysqlTls {
  let asked: Level | undefined
  let [own, ca]: (object | string | undefined)[] = []
  for (const [index, [name, value]] of [...parameters].entries()) {
    const [key, word] = [name.toLowerCase().replace(/[-_]/g, ''), value.toLowerCase().replaceAll('_', '-')]
    const values = Object.hasOwn(parameterValues, key) ? parameterValues[key] : undefined
    if (values && Object.hasOwn(values, word)) asked = strongest(asked, values[word])
    else if (key === 'ssl' && value !== '') own = sslOption(value)
    else if (key === 'sslca') ca = readCa(value, name, source, cwd)
    else if (values) throw new Problem(`${name} in ${source} has an unknown value. Expected ${Object.keys(values).join(', ')}.`, 2)
    else if (name !== 'connect_timeout' && name !== 'socketPath')
      throw new Problem(`${source} has ${titleOf(name, index)}, which this command does not support. Remove it from the URL.`, 2)
  }
  if (own && (asked ?? ca)) throw new Problem(`${source} configures TLS both with ssl and with other parameters. Keep one of them.`, 2)
  const level = ca ? strongest(asked, 'trusted') : asked
  if (own || level === undefined || level === 'none') return own ? { ssl: own } : {}
  if (level === 'identified') refuseAddress(hosts, source)
  return {
    ssl: {
      rejectUnauthorized: level === 'trusted' || level === 'identified',
      verifyIdentity: level === 'identified',
      ...(ca !== undefined && { ca }),
    },
    isTlsOptional: level === 'preferred',
  }
}

const strongest = (one: Level | undefined, other: Level | undefined): Level =>
  levels[Math.max(levels.indexOf(one ?? 'none'), levels.indexOf(other ?? 'none'))] as Level

/** The options of mysql2 in JSON, or the name of one of its profiles. */
function sslOption(value: string): object | string {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function readCa(path: string, name: string, source: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8')
  } catch {
    throw new Problem(`cannot read the file of ${name} in ${source}.`, 2)
  }
}

// If it does not look like a name, it may be part of a password.
const titleOf = (name: string, index: number) =>
  /^[a-z][a-zA-Z]*([-_][a-zA-Z]+)*$/.test(name) ? `the parameter ${name}` : `parameter ${index + 1} after the ?`

/** Rejects parameters of a PostgreSQL URL that look like TLS options but are unknown to the drivers. */
export function checkPgTls(parameters: URLSearchParams, hosts: string[], source: string): void {
  const known = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation']
  for (const [index, name] of [...parameters.keys()].entries())
    if (/ssl|tls/i.test(name) && !known.includes(name))
      throw new Problem(`${source} has ${titleOf(name, index)}, which PostgreSQL does not support. Use sslmode.`, 2)
  if (parameters.getAll('sslmode').includes('verify-full')) refuseAddress(hosts, source)
}

// For an IP address, the drivers compare the certificate with the name localhost.
function refuseAddress(hosts: string[], source: string): void {
  if (hosts.some((host) => host.startsWith('[') || isIP(host.replace(/:\d+$/, ''))))
    throw new Problem(`${source} verifies the identity of the server, but has its IP address. Use the host name instead.`, 2)
}
