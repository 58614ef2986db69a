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

const postgresJs: Driver = {
  package: 'postgres',
  load: () => import('drizzle-orm/postgres-js'),
  takesSeveralHosts: true,
  connection: (target) => ({
    url: target.url,
    // postgres.js does not decode the name in the URL.
    ...(target.database !== '' && { database: target.database }),
    max: 1,
    onnotice: () => {},
    connect_timeout: seconds(target),
    backoff: () => 0.2,
    // A server that dies while types are fetched would end the process.
    fetch_types: false,
    ...(target.hosts.length > 1 && { target_session_attrs: target.parameters.get('target_session_attrs') ?? 'primary' }),
    ...(target.ssl !== undefined && { ssl: target.ssl }),
  }),
  end: (client) => client.end({ timeout: 5 }),
}

const nodePostgres: Driver = {
  package: 'pg',
  load: () => import('drizzle-orm/node-postgres'),
  connection: (target) => ({
    connectionString: withDecodable(target),
    max: 1,
    connectionTimeoutMillis: seconds(target) * 1_000,
    ...(target.ssl !== undefined && {
      ssl: typeof target.ssl === 'string' ? { rejectUnauthorized: target.ssl === 'verify-full' } : target.ssl,
    }),
  }),
  end: (client) => client.end(),
}

// node-postgres decodes spaces and letters in the database name, but no punctuation.
const withDecodable = ({ url, database }: Target) =>
  url.replace(/^(\w+:\/\/[^/?]*\/)[^?]*/, (_, start) => start + encodeURI(database).replace(/[?#]/g, encodeURIComponent))

const mysql2: Driver = {
  package: 'mysql2',
  load: () => import('drizzle-orm/mysql2'),
  connection: (target) => ({
    // mysql2 prints unknown parameters of the URL, so the supported ones are passed as options.
    uri: target.url.replace(/^mariadb:/i, 'mysql:').replace(/\?.*$/s, ''),
    ...(target.parameters.has('socketPath') && { socketPath: target.parameters.get('socketPath') }),
    connectionLimit: 1,
    supportBigNumbers: true,
    connectTimeout: seconds(target) * 1_000,
    ...(target.ssl !== undefined && { ssl: target.ssl }),
  }),
  // Drizzle 0.45 creates a client with callbacks, 1.0 one with promises.
  end: (client) => (client.promise?.() ?? client).end(),
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
