import type { Cell } from '../cell.js'
import { mysqlCells } from './mysql.js'
import { pgCells } from './pg.js'
import { runtimeCells } from './runtimes.js'
import { sqliteCells } from './sqlite.js'

/** The parts of the table, in order. */
export const parts: Record<string, Cell[]> = {
  PostgreSQL: pgCells,
  'MySQL and MariaDB': mysqlCells,
  SQLite: sqliteCells,
  Runtimes: runtimeCells,
}

export const cells: Cell[] = Object.values(parts).flat()
