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
  /** The first DATABASE_URL in `.env`. */
  url: string
  /** The database takes an access token beside the URL. */
  token?: true
  /** Files of the database, for `.gitignore`. */
  dataFiles?: string
  /** The driver in drizzle.config.ts, if it must be named. */
  kitDriver?: string
  /** The database may reject foreign keys. */
  hasNoForeignKeys?: true
  /** The database is available only inside a request, as a property of `env`. */
  perRequest?: true
}

const pg = { dialect: 'pg', kitDialect: 'postgresql', url: 'postgres://user:password@localhost:5432/database' } as const
const mysql = { dialect: 'mysql', kitDialect: 'mysql', url: 'mysql://user:password@localhost:3306/database' } as const
const sqlite = { dialect: 'sqlite', kitDialect: 'sqlite', url: 'app.db', dataFiles: 'app.db*' } as const

/** For each dialect, the default comes first. */
export const drivers: readonly DriverChoice[] = [
  { ...pg, name: 'postgres', module: 'postgres-js' },
  { ...pg, name: 'pg', module: 'node-postgres', types: '@types/pg' },
  { ...pg, name: '@neondatabase/serverless', module: 'neon-http' },
  { ...pg, name: '@electric-sql/pglite', module: 'pglite', kitDriver: 'pglite', url: './pgdata', dataFiles: 'pgdata' },
  { ...mysql, name: 'mysql2', module: 'mysql2' },
  { ...mysql, name: '@planetscale/database', module: 'planetscale-serverless', hasNoForeignKeys: true },
  { ...sqlite, name: 'better-sqlite3', module: 'better-sqlite3', types: '@types/better-sqlite3' },
  { ...sqlite, name: '@libsql/client', module: 'libsql', kitDialect: 'turso', url: 'file:app.db', token: true },
  { ...sqlite, name: 'd1', module: 'd1', perRequest: true, dataFiles: '.wrangler' },
]

/** The dialects, as drizzle.config.ts names them. */
export const dialectOf = { postgresql: 'pg', mysql: 'mysql', sqlite: 'sqlite' } as const
export const dialectNames = Object.keys(dialectOf) as (keyof typeof dialectOf)[]

/** Other names for the dialects. */
export const dialectAliases: Record<string, keyof typeof dialectOf> = {
  pg: 'postgresql',
  postgres: 'postgresql',
  mariadb: 'mysql',
  libsql: 'sqlite',
  turso: 'sqlite',
  d1: 'sqlite',
}
