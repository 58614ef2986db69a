import type { DialectName } from 'drizzle-auth-adapter/internal'

/** A driver that `init` can write an app for. */
export interface DriverChoice {
  /** The package, or `d1`, which has none. */
  name: string
  dialect: DialectName
  /** The dialect in drizzle.config.ts. */
  kitDialect: string
  /** Drizzle's module for it: `drizzle-orm/<module>`. */
  module: string
  /** The package with its types, if that is a separate one. */
  types?: string
  /** The argument of `drizzle(…)`. The URL is in `url`. */
  connection: string
  /** The first DATABASE_URL in `.env`. */
  url: string
  /** The environment variable with an access token. */
  token?: string
  /** Files of the database, for `.gitignore`. */
  dataFiles?: string
  /** The driver in drizzle.config.ts, if it must be named. */
  kitDriver?: string
  /** The database may reject foreign keys. */
  hasNoForeignKeys?: true
  /** The database is available only inside a request, as a property of `env`. */
  perRequest?: true
}

const server = { connection: 'url' }
const pg = { ...server, dialect: 'pg', kitDialect: 'postgresql', url: 'postgres://user:password@localhost:5432/database' } as const
const mysql = { ...server, dialect: 'mysql', kitDialect: 'mysql', url: 'mysql://user:password@localhost:3306/database' } as const
const sqlite = { ...server, dialect: 'sqlite', kitDialect: 'sqlite', url: 'app.db', dataFiles: 'app.db*' } as const

/** For each dialect, the default comes first. */
export const drivers: readonly DriverChoice[] = [
  { ...pg, name: 'postgres', module: 'postgres-js' },
  { ...pg, name: 'pg', module: 'node-postgres', types: '@types/pg' },
  { ...pg, name: '@neondatabase/serverless', module: 'neon-http' },
  { ...pg, name: '@electric-sql/pglite', module: 'pglite', kitDriver: 'pglite', url: './pgdata', dataFiles: 'pgdata' },
  { ...mysql, name: 'mysql2', module: 'mysql2' },
  { ...mysql, name: '@planetscale/database', module: 'planetscale-serverless', hasNoForeignKeys: true },
  { ...sqlite, name: 'better-sqlite3', module: 'better-sqlite3', types: '@types/better-sqlite3' },
  {
    ...sqlite,
    name: '@libsql/client',
    module: 'libsql',
    kitDialect: 'turso',
    url: 'file:app.db',
    token: 'DATABASE_AUTH_TOKEN',
    connection: `{ connection: { url, authToken: ENV.DATABASE_AUTH_TOKEN } }`,
  },
  { ...sqlite, name: 'd1', module: 'd1', connection: 'env.DB', perRequest: true, dataFiles: '.wrangler' },
]

/** The dialects, as drizzle.config.ts names them. */
export const dialectNames = ['postgresql', 'mysql', 'sqlite'] as const

export const dialectOf: Record<(typeof dialectNames)[number], DialectName> = { postgresql: 'pg', mysql: 'mysql', sqlite: 'sqlite' }

/** Other names for the dialects. */
export const dialectAliases: Record<string, (typeof dialectNames)[number]> = {
  pg: 'postgresql',
  postgres: 'postgresql',
  mariadb: 'mysql',
  sqlite3: 'sqlite',
  libsql: 'sqlite',
  turso: 'sqlite',
  d1: 'sqlite',
}
