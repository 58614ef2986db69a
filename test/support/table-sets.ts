import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { SQL, Table } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { onTestFinished } from 'vitest'
import { dialects } from '../../src/dialects.js'
import { connect } from '../../src/query/connection.js'
import { openTable } from '../../src/query/table.js'
import { openDatabase } from './databases.js'
import { createTable } from './ddl.js'
import type { DialectName } from './dialects.js'
import type * as pgSchema from './schema/pg.js'

// Drizzle's builders of the three dialects have no type in common, but the methods that tests use.
export interface ColumnBuilder {
  notNull(): ColumnBuilder
  primaryKey(): ColumnBuilder
  unique(name?: string): ColumnBuilder
  default(value: unknown): ColumnBuilder
  $defaultFn(make: () => unknown): ColumnBuilder
  $onUpdate(make: () => unknown): ColumnBuilder
  generatedAlwaysAs(value: SQL): ColumnBuilder
}

interface CustomType {
  dataType(): string
  toDriver?(value: never): unknown
  fromDriver?(value: never): unknown
}

/** The column types that every dialect has. */
interface Types {
  text(name?: string): ColumnBuilder
  integer(name?: string): ColumnBuilder
  bigint(name?: string): ColumnBuilder
  flag(name?: string): ColumnBuilder
  date(name?: string): ColumnBuilder
  json(name?: string): ColumnBuilder
  custom(type: CustomType, name?: string): ColumnBuilder
}

const custom = (customType: unknown) => (type: CustomType, name?: string) =>
  (customType as (type: CustomType) => (name?: string) => ColumnBuilder)(type)(name)

export const typesOf = {
  pg: {
    text: pg.text,
    integer: pg.integer,
    bigint: (name = '') => pg.bigint(name, { mode: 'bigint' }),
    flag: pg.boolean,
    date: (name = '') => pg.timestamp(name, { precision: 3 }),
    json: pg.jsonb,
    custom: custom(pg.customType),
  },
  mysql: {
    text: (name = '') => my.varchar(name, { length: 99 }),
    integer: my.int,
    bigint: (name = '') => my.bigint(name, { mode: 'bigint' }),
    flag: my.boolean,
    date: (name = '') => my.datetime(name, { fsp: 3 }),
    json: my.json,
    custom: custom(my.customType),
  },
  sqlite: {
    text: lite.text,
    integer: lite.integer,
    bigint: lite.integer,
    flag: (name = '') => lite.integer(name, { mode: 'boolean' }),
    date: (name = '') => lite.integer(name, { mode: 'timestamp_ms' }),
    json: (name = '') => lite.text(name, { mode: 'json' }),
    custom: custom(lite.customType),
  },
} as unknown as Record<DialectName, Types>

type Columns = Record<string, object>

type CreateTable = (name: string, columns: Columns) => Table
const creators = { pg: pg.pgTable, mysql: my.mysqlTable, sqlite: lite.sqliteTable } as unknown as Record<DialectName, CreateTable>
const prefixed = { pg: pg.pgTableCreator, mysql: my.mysqlTableCreator, sqlite: lite.sqliteTableCreator }

/** A table of a dialect. */
export const tableOf = (dialect: DialectName, name: string, columns: Columns) => creators[dialect](name, columns)

const quoteOf = (dialect: DialectName) => (dialect === 'mysql' ? '`' : '"')

/** The statement that creates a table. */
export const creationOf = (dialect: DialectName, table: unknown, constraints: string[] = []) =>
  createTable(table as Table, quoteOf(dialect), constraints)

/** A new database with a table of these columns, whose key is `id`, as Better Auth's adapter opens it. `before` runs first, and `rowsWith` opens the table with another driver. */
export async function openRows(
  dialect: DialectName,
  columns: Columns,
  before: string[] = [],
  connections = 20,
  whenDone: (close: () => Promise<void>) => void = onTestFinished,
) {
  const table = tableOf(dialect, 'thing', columns)
  const opened = await openDatabase(dialect, { migrations: [...before, creationOf(dialect, table)], connections })
  whenDone(opened.close)
  const rowsWith = (db: unknown) => openTable(connect('test', dialects[dialect], db as never), table, {}, ['id'])
  return { ...opened, rows: rowsWith(opened.db), rowsWith }
}

interface Options {
  casing?: 'snake_case'
  /** Columns that the app adds, by the name of the table. */
  columns?: Record<string, Columns>
  /** What the names of the tables begin with. */
  prefix?: string
  /** The ON DELETE action of the foreign keys to the users table. Without, there are no foreign keys. */
  onDelete?: string | undefined
}

const define = { pg: definePg, mysql: defineMysql, sqlite: defineSqlite } as unknown as Record<DialectName, (options: object) => object>

export type DefaultTables = typeof pgSchema

/** The tables of `defineTables` with these options, and the statements that create them. */
export function tableSet(dialect: DialectName, { prefix, onDelete, ...options }: Options = {}) {
  const table = prefix === undefined ? {} : { table: prefixed[dialect]((name) => prefix + name) }
  const tables = define[dialect]({ foreignKeys: false, ...options, ...table }) as DefaultTables
  const q = quoteOf(dialect)
  const names = (...columns: string[]) =>
    columns.map((name) => q + (options.casing ? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name) + q).join(', ')
  const user = onDelete ? [`foreign key (${names('userId')}) references ${q}${prefix ?? ''}user${q} (id) on delete ${onDelete}`] : []
  // SET NULL needs a column that can be null.
  const isNullable = onDelete === 'set null'
  const owned = (name: 'accountsTable' | 'sessionsTable' | 'authenticatorsTable', keys: string[] = []) => {
    const statement = creationOf(dialect, tables[name], [...keys, ...user])
    return isNullable ? statement.replace(/(userId. \S+) not null/, '$1') : statement
  }
  const migrations = [
    creationOf(dialect, tables.usersTable),
    owned('accountsTable', [`primary key (${names('provider', 'providerAccountId')})`]),
    owned('sessionsTable'),
    creationOf(dialect, tables.verificationTokensTable, [`primary key (${names('identifier', 'token')})`]),
    owned('authenticatorsTable'),
  ]
  return { tables, migrations }
}
