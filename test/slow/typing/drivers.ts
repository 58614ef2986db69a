/** The code that opens a database with a driver: what it imports, and what it passes to `drizzle`. */
const open = (module: string, argument: string, ...imports: string[]) =>
  [`import { drizzle } from 'drizzle-orm/${module}'`, ...imports, `export const db = drizzle(${argument})`].join('\n')

const replicas = (dialect: string, driver: string) => `import { withReplicas } from 'drizzle-orm/${dialect}-core'
import { db as primary } from './${driver}.js'
export const db = withReplicas(primary, [primary])`

/** A database that knows the tables: by its schema with Drizzle 0.45, by their relations with 1.0. */
const withTables = (dialect: string, module: string, client: string, imports: string, isCurrent: boolean, more = '') =>
  isCurrent
    ? open(
        module,
        `{ client: ${client}, relations: defineRelations({ ...${dialect}.defined }, (r) => ({
  usersTable: { sessions: r.many.sessionsTable({ from: r.usersTable.id, to: r.sessionsTable.userId }) },
})) }`,
        imports,
        `import { defineRelations } from 'drizzle-orm'`,
        `import { ${dialect} } from '../../tables.js'`,
      )
    : open(module, `${client}, { schema: { ...${dialect}.defined }${more} }`, imports, `import { ${dialect} } from '../../tables.js'`)

// The packages of these clients are not needed for their types.
const anyClient = (module: string) => open(module, `{} as Parameters<typeof drizzle>[0]`)

const bun = `import { SQL } from 'bun'`
const mysql2 = `import { createPool } from 'mysql2/promise'`
const postgresJs = `import postgres from 'postgres'`
const better = `import Database from 'better-sqlite3'`
const rows = 'async () => ({ rows: [] })'

/** The code of each driver that a version of Drizzle has, by dialect and name. Those of `refused` are of dialects that are not supported. */
export const driversOf = (isCurrent: boolean): Record<'pg' | 'mysql' | 'sqlite' | 'refused', Record<string, string>> => ({
  pg: {
    'aws-data-api': open('aws-data-api/pg', `{ connection: { database: '', resourceArn: '', secretArn: '' } }`),
    'bun-sql': open('bun-sql', `{ client: new SQL('') }`, bun),
    'neon-http': open('neon-http', `{ client: neon('') }`, `import { neon } from '@neondatabase/serverless'`),
    'neon-serverless': open('neon-serverless', '{ client: new Pool() }', `import { Pool } from '@neondatabase/serverless'`),
    'netlify-db': open('netlify-db', ''),
    'node-postgres': open('node-postgres', '{ client: new Pool() }', `import { Pool } from 'pg'`),
    'node-postgres-client': open('node-postgres', '{ client: new Client() }', `import { Client } from 'pg'`),
    'pg-proxy': open('pg-proxy', rows),
    pglite: open('pglite', '{ client: new PGlite() }', `import { PGlite } from '@electric-sql/pglite'`),
    'postgres-js': open('postgres-js', `{ client: postgres('') }`, postgresJs),
    'postgres-js-url': open('postgres-js', `''`),
    replicas: replicas('pg', 'postgres-js'),
    'vercel-postgres': open('vercel-postgres', '{ client: sql }', `import { sql } from '@vercel/postgres'`),
    'with-tables': withTables('pg', 'postgres-js', `postgres('')`, postgresJs, isCurrent),
    'xata-http': anyClient('xata-http'),
    ...(isCurrent && { 'bun-sql-postgres': open('bun-sql/postgres', `{ client: new SQL('') }`, bun) }),
  },
  mysql: {
    'mysql-proxy': open('mysql-proxy', rows),
    mysql2: open('mysql2', `{ client: createPool('') }`, mysql2),
    'mysql2-callback': open('mysql2', `{ client: createPool('') }`, `import { createPool } from 'mysql2'`),
    'mysql2-connection': open('mysql2', `{ client: await createConnection('') }`, `import { createConnection } from 'mysql2/promise'`),
    'mysql2-url': open('mysql2', `''`),
    'planetscale-serverless': open(
      'planetscale-serverless',
      `{ client: new Client({ url: '' }) }`,
      `import { Client } from '@planetscale/database'`,
    ),
    replicas: replicas('mysql', 'mysql2'),
    'tidb-serverless': open('tidb-serverless', `{ client: connect({ url: '' }) }`, `import { connect } from '@tidbcloud/serverless'`),
    'with-tables': withTables('mysql', 'mysql2', `createPool('')`, mysql2, isCurrent, `, mode: 'default'`),
    ...(isCurrent && { 'bun-sql-mysql': open('bun-sql/mysql', `{ client: new SQL('') }`, bun) }),
  },
  sqlite: {
    'better-sqlite3': open('better-sqlite3', '{ client: new Database() }', better),
    'bun-sqlite': open('bun-sqlite', '{ client: new Database() }', `import { Database } from 'bun:sqlite'`),
    d1: open('d1', '{} as D1Database', `import type { D1Database } from '@cloudflare/workers-types'`),
    'durable-sqlite': open(
      'durable-sqlite',
      '{} as DurableObjectStorage',
      `import type { DurableObjectStorage } from '@cloudflare/workers-types'`,
    ),
    'expo-sqlite': anyClient('expo-sqlite'),
    libsql: open('libsql', `{ client: createClient({ url: '' }) }`, `import { createClient } from '@libsql/client'`),
    'libsql-web': open('libsql/web', `{ connection: { url: '', authToken: '' } }`),
    'op-sqlite': anyClient('op-sqlite'),
    replicas: replicas('sqlite', 'libsql'),
    'sql-js': open('sql-js', '{} as Database', `import type { Database } from 'sql.js'`),
    'with-tables': withTables('sqlite', 'better-sqlite3', 'new Database()', better, isCurrent),
    ...(isCurrent
      ? {
          'bun-sql-sqlite': open('bun-sql/sqlite', `{ client: new SQL('') }`, bun),
          'node-sqlite': open('node-sqlite', `{ client: new DatabaseSync('') }`, `import { DatabaseSync } from 'node:sqlite'`),
          'sqlite-proxy': anyClient('sqlite-proxy'),
        }
      : { 'sqlite-proxy': open('sqlite-proxy', rows) }),
  },
  refused: {
    singlestore: open('singlestore', `{ client: createPool('') }`, mysql2),
    'singlestore-proxy': open('singlestore-proxy', rows),
    ...(isCurrent
      ? {
          cockroach: open('cockroach', '{ client: new Pool() }', `import { Pool } from 'pg'`),
          'node-mssql': open('node-mssql', `''`),
        }
      : { gel: open('gel', `''`) }),
  },
})

const dialects = ['pg', 'mysql', 'sqlite']

/** Code that makes adapters on the database of a driver: with tables of its dialect, and with others, which must not compile. */
export function usesOf(dialect: string, driver: string): string {
  const refused = (database: string) =>
    dialects
      .filter((other) => other !== dialect)
      .flatMap((other) =>
        ['defined', 'written'].map(
          (kind) => `// @ts-expect-error tables of another dialect\nDrizzleAdapter(${database}, ${other}.${kind})`,
        ),
      )
  const accepted = (database: string) =>
    ['defined', 'written'].map((kind) => `DrizzleAdapter(${database}, ${dialect}.${kind}) satisfies CoreAdapter`)
  const other = dialect === 'pg' ? 'mysql' : 'pg'
  const own = [
    ...accepted('db'),
    `DrizzleAdapter(db, { usersTable: ${dialect}.written.usersTable, accountsTable: ${dialect}.defined.accountsTable }) satisfies CoreAdapter`,
    `// @ts-expect-error one table of another dialect\nDrizzleAdapter(db, { ...${dialect}.defined, sessionsTable: ${other}.defined.sessionsTable })`,
    // Some drivers are synchronous and take no asynchronous function, so the transaction is taken as it is.
    'declare const tx: Parameters<Parameters<typeof db.transaction>[0]>[0]',
    ...accepted('tx'),
    ...refused('tx'),
  ]
  return [
    `import type { Adapter as CoreAdapter } from '@auth/core/adapters'`,
    `import { DrizzleAdapter } from 'drizzle-auth-adapter'`,
    `import { db } from '../drivers/${dialect}/${driver}.js'`,
    `import { mysql, pg, sqlite } from '../tables.js'`,
    ...refused('db'),
    ...(dialects.includes(dialect) ? own : []),
  ].join('\n')
}
