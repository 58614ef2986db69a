import { pgSsl } from './tls.js'
import type { Target } from './url.js'

/** A driver that Drizzle knows: the package to install, and its options for a target. */
export interface Driver {
  package: string
  /** Drizzle's module for it, which imports the driver itself. */
  load(): Promise<{ drizzle: unknown }>
  takesSeveralHosts?: boolean
  connection(target: Target): object
  end(client: Client): Promise<unknown>
}

/** The methods of the drivers' clients. Each driver has some of them. */
export interface Client {
  on?: (event: 'error', listener: () => void) => unknown
  end(options?: object): Promise<unknown>
  promise?: () => Client
  close(): unknown
}

const seconds = ({ parameters }: Target) => Number(parameters.get('connect_timeout')) || 10

/** The login and the parameters of a PostgreSQL URL that both drivers take. All other parameters are ignored. */
function pgOptions({ user, password, database, parameters, tls }: Target) {
  const session = ['application_name', 'options', 'search_path'].flatMap((name) => {
    const value = parameters.get(name)
    return value === null ? [] : [[name, value]]
  })
  return {
    login: { ...(user && { user }), ...(password !== undefined && { password }), ...(database !== '' && { database }) },
    session: Object.fromEntries(session) as Partial<Record<'application_name' | 'options' | 'search_path', string>>,
    negotiation: tls?.isDirect ? { sslnegotiation: 'direct' } : {},
  }
}

/** A host and its port. */
function hostAndPort(text: string): { host?: string; port?: number } {
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/s.exec(text) ?? []
  return { ...(host !== '' && { host: decodeURIComponent(host).replace(/^\[(.*)\]$/, '$1') }), ...(port && { port: Number(port) }) }
}

const sslOf = (ssl: unknown) => (ssl === undefined ? {} : { ssl })

const postgresJs: Driver = {
  package: 'postgres',
  load: () => import('drizzle-orm/postgres-js'),
  takesSeveralHosts: true,
  connection(target) {
    const { login, session, negotiation } = pgOptions(target)
    const hosts = target.hosts.map(hostAndPort)
    const [first = {}] = hosts
    const attributes = target.parameters.get('target_session_attrs') ?? (hosts.length > 1 ? 'primary' : 'any')
    // postgres.js splits a text at commas and colons, which an IPv6 address has.
    const isList = hosts.length > 1 || first.host?.includes(':')
    const list = { host: hosts.map(({ host = 'localhost' }) => host), port: hosts.map(({ port = 5432 }) => port) }
    return {
      ...login,
      ...(isList ? list : first),
      connection: session,
      max: 1,
      onnotice: () => {},
      connect_timeout: seconds(target),
      backoff: () => 0.2,
      // A server that dies while types are fetched would end the process.
      fetch_types: false,
      ...(attributes !== 'any' && { target_session_attrs: attributes }),
      ...negotiation,
      ...sslOf(target.ssl ?? (target.tls && (target.tls.mode === 'prefer' ? 'prefer' : pgSsl(target.tls, false)))),
    }
  },
  end: (client) => client.end({ timeout: 5 }),
}

const nodePostgres: Driver = {
  package: 'pg',
  load: () => import('drizzle-orm/node-postgres'),
  connection(target) {
    const { login, session, negotiation } = pgOptions(target)
    const { search_path: searchPath, options, ...rest } = session
    const settings = [options, searchPath && `-c search_path=${searchPath.replaceAll(/[\\ ]/g, '\\$&')}`].filter(Boolean).join(' ')
    const ssl = typeof target.ssl === 'string' ? { rejectUnauthorized: target.ssl === 'verify-full' } : target.ssl
    return {
      ...login,
      ...hostAndPort(target.hosts[0] ?? ''),
      ...rest,
      ...(settings && { options: settings }),
      max: 1,
      connectionTimeoutMillis: seconds(target) * 1_000,
      ...negotiation,
      // node-postgres itself gives the modes the meaning of libpq only with uselibpqcompat.
      ...sslOf(ssl ?? (target.tls && pgSsl(target.tls, !target.tls.isCompatible))),
    }
  },
  end: (client) => client.end(),
}

const mysql2: Driver = {
  package: 'mysql2',
  load: () => import('drizzle-orm/mysql2'),
  connection: (target) => ({
    // mysql2 prints unknown parameters of the URL, so the supported ones are passed as options.
    uri: target.url.replace(/^mariadb:/i, 'mysql:').replace(/\?.*$/s, ''),
    ...socketOf(target),
    connectionLimit: 1,
    supportBigNumbers: true,
    connectTimeout: seconds(target) * 1_000,
    ...sslOf(target.ssl),
  }),
  // Drizzle 0.45 creates a client with callbacks, 1.0 one with promises.
  end: (client) => (client.promise?.() ?? client).end(),
}

/** The parameter of a Unix socket, as mysql2, Prisma and others name it. */
function socketOf({ parameters }: Target): { socketPath?: string } {
  const socketPath = parameters.get('socketPath') ?? parameters.get('socket') ?? parameters.get('unix_socket')
  return socketPath ? { socketPath } : {}
}

const betterSqlite: Driver = {
  package: 'better-sqlite3',
  load: () => import('drizzle-orm/better-sqlite3'),
  connection: ({ url }) => ({ source: url, fileMustExist: true }),
  end: async (client) => client.close(),
}

const libsql: Driver = {
  package: '@libsql/client',
  load: () => import('drizzle-orm/libsql'),
  connection: ({ scheme, url, authToken }) => ({
    url: scheme === 'file' ? `file:${url}` : url,
    authToken,
    // Without a timeout, a connection to a locked file acknowledges writes that it never commits.
    timeout: 5_000,
    fetch: (...[input, init]: Parameters<typeof fetch>) => fetch(input, { ...init, signal: AbortSignal.timeout(30_000) }),
  }),
  end: async (client) => client.close(),
}

/** The drivers for a database, in order of preference. */
export const driversOf = ({ scheme, dialect }: Target): Driver[] =>
  ({ pg: [postgresJs, nodePostgres], mysql: [mysql2], sqlite: scheme === 'file' ? [betterSqlite, libsql] : [libsql] })[dialect]
