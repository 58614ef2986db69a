import type { Cell } from '../cell.js'

const cell = { dialect: 'sqlite', runtime: 'Node.js' } as const
const better = { ...cell, title: 'better-sqlite3', driver: 'better-sqlite3', package: 'better-sqlite3' } as const
const libsql = { ...cell, title: 'libSQL', driver: 'libsql', package: '@libsql/client' } as const
const sqljs = {
  ...cell,
  title: 'sql.js',
  driver: 'sql-js',
  package: 'sql.js',
} as const
const bun = { ...cell, title: 'bun:sqlite', driver: 'bun-sqlite', runtime: 'Bun' } as const
const d1 = { ...cell, title: 'Cloudflare D1, miniflare', package: 'miniflare' } as const
const on = { setting: 'foreign keys on', foreignKeys: true }
const off = { setting: 'foreign keys off', foreignKeys: false }

export const sqliteCells: Cell[] = [
  { ...better, ...on },
  { ...better, ...off },
  { ...libsql, ...on, setting: 'file, foreign keys on', ci: '1.0.0-rc.5' },
  { ...libsql, ...off, setting: 'file, foreign keys off' },
  { ...libsql, server: 'sqld' },
  { ...d1, driver: 'd1', setting: 'binding from Node.js' },
  { ...d1, driver: 'd1-worker', runtime: 'workerd', setting: 'the adapter in a Worker', ci: '1.0.0-rc.5' },
  {
    ...cell,
    title: 'Durable Objects, miniflare',
    driver: 'durable-sqlite',
    package: 'miniflare',
    runtime: 'workerd',
    inObject: true,
    ci: '0.45.4',
  },
  { ...sqljs, ...on },
  { ...sqljs, ...off },
  { ...bun, ...on, ci: '0.45.4' },
  { ...bun, ...off },
  {
    ...cell,
    title: 'sqlite-proxy',
    driver: { '0.45.4': 'sqlite-proxy', '1.0.0-rc.5': 'sqlite-proxy-v1' },
    setting: 'HTTP and JSON',
  },
  {
    ...cell,
    title: 'node:sqlite',
    driver: 'node-sqlite',
    runtime: 'Node.js 24',
    missing: { '0.45.4': 'drizzle-orm/node-sqlite' },
    ci: '1.0.0-rc.5',
  },
  {
    ...cell,
    title: 'Turso Database',
    driver: 'tursodatabase',
    package: '@tursodatabase/database',
    setting: 'snake_case tables',
    snakeCase: true,
    missing: { '0.45.4': 'drizzle-orm/tursodatabase/database' },
    ci: '1.0.0-rc.5',
  },
  {
    ...cell,
    title: 'Bun SQL',
    driver: 'bun-sql-sqlite',
    runtime: 'Bun',
    missing: { '0.45.4': 'drizzle-orm/bun-sql/sqlite' },
  },
]
