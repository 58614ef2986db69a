import type { DialectName } from 'drizzle-auth-adapter/internal'

/** A driver that `init` can write an app for. */
export interface Driver {
  /** The package, or `d1`, which has none. */
  name: string
  dialect: DialectName
  title: string
  /** The dialect in drizzle.config.ts, and the driver, if it must be named. */
  kitDialect: string
  kitDriver?: string
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
  /** The database may reject foreign keys. */
  hasNoForeignKeys?: true
  /** The database is available only inside a request, as a property of `env`. */
  perRequest?: true
}

const pg = {
  dialect: 'pg',
  title: 'PostgreSQL',
  kitDialect: 'postgresql',
  url: 'postgres://user:password@localhost:5432/database',
} as const
const mysql = {
  dialect: 'mysql',
  title: 'MySQL or MariaDB',
  kitDialect: 'mysql',
  url: 'mysql://user:password@localhost:3306/database',
} as const
const sqlite = { dialect: 'sqlite', title: 'SQLite', kitDialect: 'sqlite', url: 'app.db', dataFiles: 'app.db*' } as const

/** For each dialect, the default comes first. */
export const drivers: readonly Driver[] = [
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

/** The values of `--dialect`. */
export const dialectNames = ['postgresql', 'mysql', 'sqlite']
