import type { Cell } from '../cell.js'

const cell = { dialect: 'pg', runtime: 'Node.js' } as const
const postgresJs = { ...cell, title: 'postgres.js', driver: 'postgres-js', package: 'postgres' } as const
const nodePostgres = { ...cell, title: 'node-postgres', driver: 'node-postgres', package: 'pg' } as const

export const pgCells: Cell[] = [
  { ...postgresJs, server: 'PostgreSQL' },
  { ...postgresJs, server: 'PostgreSQL 18' },
  {
    ...postgresJs,
    server: 'PgBouncer',
    setting: 'transaction mode, prepare: false',
    prepare: false,
  },
  { ...nodePostgres, server: 'PostgreSQL', ci: '1.0.0-rc.5' },
  { ...nodePostgres, server: 'PgBouncer', setting: 'transaction mode', ci: '0.45.4' },
  { ...cell, title: 'PGlite', driver: 'pglite', package: '@electric-sql/pglite' },
  {
    ...cell,
    title: 'neon-serverless',
    driver: 'neon-serverless',
    package: '@neondatabase/serverless',
    server: 'PostgreSQL 18',
    setting: 'WebSocket, through a proxy',
    ci: '0.45.4',
  },
  {
    ...cell,
    title: 'pg-proxy',
    driver: { '0.45.4': 'pg-proxy', '1.0.0-rc.5': 'pg-proxy-v1' },
    server: 'PostgreSQL',
    setting: 'HTTP and JSON',
  },
  { ...cell, title: 'Bun SQL', driver: 'bun-sql', server: 'PostgreSQL', runtime: 'Bun', ci: '0.45.4' },
]
