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

/** Reads the TLS parameters of a MySQL URL. */
export function mysqlTls(parameters: URLSearchParams, hosts: string[], source: string, cwd: string): MysqlTls {
  let asked: Level | undefined
  let [own, ca]: (object | string | undefined)[] = []
  for (const [index, [name, value]] of [...parameters].entries()) {
    const [key, word] = [name.toLowerCase().replace(/[-_]/g, ''), value.toLowerCase().replaceAll('_', '-')]
    const values = Object.hasOwn(parameterValues, key) ? parameterValues[key] : undefined
    if (values && Object.hasOwn(values, word)) asked = strongest(asked, values[word])
    else if (key === 'ssl' && value !== '') own = sslOption(value)
    else if (key === 'sslca') ca = readFile(value, name, source, cwd)
    else if (values) throw new Problem(`${name} in ${source} has an unknown value. Expected ${Object.keys(values).join(', ')}.`, 2)
    else refuseProtection(name, index, source, 'this command does not support. Remove it from the URL.')
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

function readFile(path: string, name: string, source: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8')
  } catch {
    throw new Problem(`cannot read the file of ${name} in ${source}.`, 2)
  }
}

// If it does not look like a name, it may be part of a password.
const titleOf = (name: string, index: number) =>
  /^[a-z][a-zA-Z]*([-_][a-zA-Z]+)*$/.test(name) ? `the parameter ${name}` : `parameter ${index + 1} after the ?`

/**
 * Rejects an unknown parameter that may ask for more protection than the connection would get. All other parameters, such as those of
 * connection pools and other libraries, are ignored.
 */
function refuseProtection(name: string, index: number, source: string, why: string): void {
  if (/ssl|tls|cert|encrypt|gssencmode/i.test(name)) throw new Problem(`${source} has ${titleOf(name, index)}, which ${why}`, 2)
}

/** Writes the folder of a Unix socket as the host of a PostgreSQL URL. */
export const encodeSocket = (host: string) => (host.startsWith('/') ? encodeURIComponent(host) : host)
const isSocket = (host: string) => /^%2f/i.test(host)

/** The TLS settings of a PostgreSQL URL. */
export interface PgTls {
  mode: PgMode
  /** `uselibpqcompat`: node-postgres, too, gives the modes the meaning that they have in libpq. */
  isCompatible: boolean
  /** The certificate of an authority, and a certificate and key of the client. */
  files: { ca?: string; cert?: string; key?: string }
  isDirect: boolean
}

/** In the order of their protection. */
const pgModes = ['disable', 'allow', 'prefer', 'no-verify', 'require', 'verify-ca', 'verify-full'] as const

type PgMode = (typeof pgModes)[number]

const pgBooleans: Record<string, PgMode> = { true: 'verify-full', 1: 'verify-full', false: 'disable', 0: 'disable' }
const pgFiles = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const
const unneeded = /^(sslcompression|sslsni|gssencmode)$/

/** Reads the TLS parameters of a PostgreSQL URL. Returns undefined if it asks for nothing, or for a Unix socket, which has no TLS. */
export function pgTls(parameters: URLSearchParams, hosts: string[], source: string, cwd: string): PgTls | undefined {
  const tls: PgTls = { mode: 'disable', isCompatible: parameters.get('uselibpqcompat') === 'true', files: {}, isDirect: false }
  const asked: Partial<Record<'ssl' | 'sslmode', PgMode>> = {}
  for (const [index, [name, value]] of [...parameters].entries()) {
    const file = Object.hasOwn(pgFiles, name) ? pgFiles[name as keyof typeof pgFiles] : undefined
    if (name === 'sslmode' || name === 'ssl') asked[name] = pgModeOf(name, value, asked[name], source)
    else if (file && !(file === 'ca' && value === 'system')) tls.files[file] = readFile(value, name, source, cwd)
    else if (name === 'sslnegotiation') tls.isDirect = value === 'direct'
    else if (!file && !(unneeded.test(name) && value !== 'require'))
      refuseProtection(name, index, source, 'PostgreSQL does not support. Use sslmode.')
  }
  const isImplied = tls.isDirect || Object.keys(pgFiles).some((name) => parameters.has(name))
  const mode = parameters.get('sslrootcert') === 'system' ? 'verify-full' : (asked.sslmode ?? asked.ssl ?? (isImplied && 'verify-full'))
  if (!mode || hosts.every(isSocket)) return undefined
  if (mode === 'verify-full' && asked.sslmode === mode) refuseAddress(hosts, source)
  return { ...tls, mode }
}

/** The strongest mode, if a parameter is given several times. */
function pgModeOf(name: string, value: string, other: PgMode | undefined, source: string): PgMode {
  const word = value.toLowerCase()
  const mode = (name === 'ssl' && pgBooleans[word]) || pgModes.find((one) => one === word)
  if (!mode) throw new Problem(`${name} in ${source} has an unknown value. Expected ${pgModes.join(', ')}.`, 2)
  return pgModes[Math.max(pgModes.indexOf(mode), pgModes.indexOf(other ?? 'disable'))] as PgMode
}

/**
 * The TLS options of a PostgreSQL driver. Every mode has the meaning of libpq, unless `isStrict`: then every mode that does not turn
 * verification off verifies the certificate and the name of the server.
 */
export function pgSsl({ mode, files }: PgTls, isStrict: boolean): object | false {
  if (mode === 'disable') return false
  if (mode === 'verify-full' || (isStrict && mode !== 'no-verify')) return files
  if (mode === 'verify-ca' || (mode === 'require' && files.ca)) return files.ca ? { ...files, checkServerIdentity: () => undefined } : files
  return { ...files, rejectUnauthorized: false }
}

// For an IP address, the drivers compare the certificate with the name localhost.
function refuseAddress(hosts: string[], source: string): void {
  if (hosts.some((host) => host.startsWith('[') || isIP(host.replace(/:\d+$/, ''))))
    throw new Problem(`${source} verifies the identity of the server, but has its IP address. Use the host name instead.`, 2)
}
