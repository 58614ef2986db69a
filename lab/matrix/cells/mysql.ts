import type { Cell } from '../cell.js'

const cell = { dialect: 'mysql', runtime: 'Node.js' } as const
const pool = { ...cell, title: 'mysql2 pool', driver: 'mysql2', package: 'mysql2' } as const
const connection = { ...cell, title: 'mysql2 connection', driver: 'mysql2-connection', package: 'mysql2' } as const
const proxy = {
  ...cell,
  title: 'mysql-proxy',
  driver: { '0.45.4': 'mysql-proxy', '1.0.0-rc.5': 'mysql-proxy-v1' },
  setting: 'HTTP and JSON',
} as const

export const mysqlCells: Cell[] = [
  { ...pool, server: 'MariaDB' },
  { ...pool, server: 'MySQL' },
  { ...connection, server: 'MariaDB' },
  { ...connection, server: 'MySQL' },
  { ...proxy, server: 'MariaDB' },
  { ...proxy, server: 'MySQL' },
  {
    ...cell,
    title: 'Bun SQL',
    driver: 'bun-sql-mysql',
    server: 'MySQL',
    runtime: 'Bun',
    missing: { '0.45.4': 'drizzle-orm/bun-sql/mysql' },
  },
]
