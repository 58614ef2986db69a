import type { Cell } from '../cell.js'
import type { RuntimeName } from '../runtimes.js'

/** One driver for each dialect, which is run on each runtime. */
const drivers = [
  { dialect: 'pg', title: 'postgres.js', driver: 'postgres-js', package: 'postgres', server: 'PostgreSQL' },
  { dialect: 'mysql', title: 'mysql2 pool', driver: 'mysql2', package: 'mysql2', server: 'MariaDB' },
  { dialect: 'sqlite', title: 'libSQL', driver: 'libsql', package: '@libsql/client', setting: 'file' },
] as const

const runtimes: RuntimeName[] = ['Node.js 20', 'Node.js 22', 'Node.js 24', 'Node.js 26', 'Bun', 'Deno']

/** Drivers that use the sockets of a Worker. D1 is among the cells of SQLite. */
const workers: Cell[] = [
  { dialect: 'pg', title: 'postgres.js', driver: 'postgres-js', package: 'postgres', server: 'PostgreSQL', runtime: 'workerd' },
  { dialect: 'mysql', title: 'mysql2 pool', driver: 'mysql2-worker', package: 'mysql2', server: 'MariaDB', runtime: 'workerd' },
]

export const runtimeCells: Cell[] = [
  ...runtimes.flatMap((runtime) =>
    drivers.map((driver): Cell => ({ ...driver, runtime, ...(runtime === 'Deno' && driver.dialect === 'pg' && { ci: '0.45.4' }) })),
  ),
  ...workers,
]
