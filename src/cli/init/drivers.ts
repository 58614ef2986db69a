import type { DialectName } from '../core.js'

/** A driver that `init` can write an app for. */
export interface DriverChoice {
  /** The package, or what people call it where there is none. */
  name: string
  dialect: DialectName
  /** What drizzle-kit calls the dialect. */
  kitDialect: string
  /** Drizzle's module for it, below `drizzle-orm/`. */
  module: string
  /** The types, where they are a package of their own. */
  types?: string
  /** What goes into `drizzle(…)`, with the URL in `url`. */
  connection: string
  /** An address to start with, for `.env`. */
  url: string
  /** A token that goes with the URL. */
  token?: string
  /** What drizzle-kit calls the driver, where it must be told. */
  kitDriver?: string
  /** The database may refuse foreign keys. */
  hasNoForeignKeys?: true
  /** It is there in a request alone, as a property of `env`. */
  perRequest?: true
}

const server = { connection: 'url' }
const pg = { ...server, dialect: 'pg', kitDialect: 'postgresql', url: 'postgres://user:password@localhost:5432/database' } as const
const mysql = { ...server, dialect: 'mysql', kitDialect: 'mysql', url: 'mysql://user:password@localhost:3306/database' } as const
const sqlite = { ...server, dialect: 'sqlite', kitDialect: 'sqlite', url: 'app.db' } as const

/** For each dialect, the one to prefer first. */
export const drivers: readonly DriverChoice[] = [
  { ...pg, name: 'postgres', module: 'postgres-js' },
  { ...pg, name: 'pg', module: 'node-postgres', types: '@types/pg' },
  { ...pg, name: '@neondatabase/serverless', module: 'neon-http' },
  { ...pg, name: '@electric-sql/pglite', module: 'pglite', kitDriver: 'pglite', url: './pgdata' },
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
    connection: `{ connection: { url, authToken: ENV.DATABASE_AUTH_TOKEN ?? '' } }`,
  },
  { ...sqlite, name: 'd1', module: 'd1', connection: 'env.DB', perRequest: true },
]

/** The names that drizzle-kit has for the dialects. */
export const dialectNames = ['postgresql', 'mysql', 'sqlite'] as const

export const dialectOf: Record<(typeof dialectNames)[number], DialectName> = { postgresql: 'pg', mysql: 'mysql', sqlite: 'sqlite' }
