import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { Table } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { openDatabase } from './databases.js'
import { createTable } from './ddl.js'
import type { DialectName } from './dialects.js'

type Columns = Record<string, object>

/** The users table of an app with these columns, and the tables of `defineTables` for it. */
const tablesOf: Record<DialectName, (columns: Columns) => object> = {
  pg(columns) {
    const others = { email: pg.text().notNull().unique(), emailVerified: pg.timestamp({ withTimezone: true, precision: 3 }) }
    return definePg({ usersTable: pg.pgTable('people', { ...others, name: pg.text(), image: pg.text(), ...columns } as never) as never })
  },
  mysql(columns) {
    const others = { email: my.varchar({ length: 255 }).notNull().unique(), emailVerified: my.datetime({ fsp: 3 }) }
    return defineMysql({
      usersTable: my.mysqlTable('people', { ...others, name: my.text(), image: my.longtext(), ...columns } as never) as never,
    })
  },
  sqlite(columns) {
    const others = { email: lite.text().notNull().unique(), emailVerified: lite.integer({ mode: 'timestamp_ms' }) }
    return defineSqlite({
      usersTable: lite.sqliteTable('people', { ...others, name: lite.text(), image: lite.text(), ...columns } as never) as never,
    })
  },
}

/** A database whose users table is the app's own, `people`, with an `id` and other columns of the app. `before` runs before its tables are created. */
export async function openOwnUsers(dialect: DialectName, columns: Columns & { id: object }, before: string[] = []) {
  const tables = tablesOf[dialect](columns) as Record<string, Table>
  const quote = dialect === 'mysql' ? '`' : '"'
  const q = (...names: string[]) => names.map((name) => quote + name + quote).join(', ')
  const user = `foreign key (${q('userId')}) references people (id) on delete cascade`
  const constraints: Record<string, string[]> = {
    accountsTable: [`primary key (${q('provider', 'providerAccountId')})`, user],
    sessionsTable: [user],
    verificationTokensTable: [`primary key (${q('identifier', 'token')})`],
    authenticatorsTable: [`unique (${q('credentialID')})`, user],
  }
  const migrations = [...before, ...Object.entries(tables).map(([name, table]) => createTable(table, quote, constraints[name]))]
  // MariaDB creates databases in latin1 unless it is told otherwise.
  const settings = dialect === 'mysql' ? { settings: 'character set utf8mb4' } : {}
  const opened = await openDatabase(dialect, { tables, migrations, ...settings })
  return { ...opened, tables, adapter: opened.adapter() }
}
