import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import type { DialectName } from '../../support/dialects.js'
import { tableSet, typesOf } from '../../support/table-sets.js'

// A column for each type that a driver returns differently depending on its settings.
const columnsOf: Record<DialectName, () => Record<string, object>> = {
  pg: () => ({ visits: pg.bigint({ mode: 'number' }), total: pg.bigint({ mode: 'bigint' }), born: pg.date({ mode: 'string' }) }),
  mysql: () => ({ visits: my.bigint({ mode: 'number' }), total: my.bigint({ mode: 'bigint' }), born: my.date({ mode: 'string' }) }),
  sqlite: () => ({ visits: lite.integer() }),
}

const added = { visits: 9_007_199_254_740_991, admin: true, settings: { dark: true, size: 12 } }
const addedExceptSqlite = { total: 9_007_199_254_740_991n, born: '1815-12-10' }

/** Tables with these columns, the statements that create them, and values for the columns. */
export function modeTables(dialect: DialectName) {
  const { flag, json } = typesOf[dialect]
  const columns = { users: { ...columnsOf[dialect](), admin: flag(), settings: json() } }
  return { ...tableSet(dialect, { columns }), added: { ...added, ...(dialect !== 'sqlite' && addedExceptSqlite) } }
}
