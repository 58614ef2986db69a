import type { Column, Table } from 'drizzle-orm'
import { getTableColumns, getTableName } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { defineTables as defineMysql } from '../../src/mysql/tables.js'
import { defineTables as definePg } from '../../src/pg/tables.js'
import { defineTables as defineSqlite } from '../../src/sqlite/tables.js'

// The tables as Drizzle Kit gets them. That databases accept them is tested by test/package/migrations.test.ts.

interface Config {
  columns: Column[]
  primaryKeys: { columns: Column[] }[]
  indexes: { config: { name?: string; columns: unknown[] } }[]
  foreignKeys: { onDelete?: string; reference(): { columns: Column[]; foreignColumns: Column[] } }[]
}

const configOf = {
  pg: (table: unknown) => pg.getTableConfig(table as pg.PgTable) as unknown as Config,
  mysql: (table: unknown) => my.getTableConfig(table as my.MySqlTable) as unknown as Config,
  sqlite: (table: unknown) => lite.getTableConfig(table as lite.SQLiteTable) as unknown as Config,
}
type Name = keyof typeof configOf

const define: Record<Name, (options?: object) => object> = { pg: definePg, mysql: defineMysql, sqlite: defineSqlite }

const list = (columns: unknown[]) => columns.map((column) => (column as Column).name).join(', ')

/** A table's columns and keys, a line for each. */
function linesOf(name: Name, table: unknown): string[] {
  const { columns, primaryKeys, indexes, foreignKeys } = configOf[name](table)
  return [
    ...columns.map((column) =>
      [column.name, column.getSQLType(), column.notNull && 'not null', column.primary && 'primary key', column.isUnique && 'unique']
        .filter(Boolean)
        .join(' '),
    ),
    ...primaryKeys.map((key) => `primary key (${list(key.columns)})`),
    ...indexes.map(({ config }) => `index ${config.name} (${list(config.columns)})`),
    ...foreignKeys.map(({ onDelete, reference }) => {
      const { columns, foreignColumns } = reference()
      const [id] = foreignColumns as [Column]
      return `${list(columns)} references ${getTableName(id.table)} (${id.name}) on delete ${onDelete}`
    }),
  ]
}

const describeTables = (name: Name, options?: object) =>
  Object.fromEntries(
    Object.entries(define[name](options)).map(([key, table]) => [key, [getTableName(table as Table), ...linesOf(name, table)]]),
  )

/** What the tables are on one database: its types for ids, for other keys, for text, dates, numbers and booleans. */
const types = {
  pg: { key: 'text', long: 'text', text: 'text', date: 'timestamp (3)', number: 'bigint', counter: 'bigint', boolean: 'boolean' },
  mysql: {
    key: 'varbinary(1020)',
    long: 'varbinary(2048)',
    text: 'longtext character set utf8mb4',
    date: 'datetime(3)',
    number: 'bigint',
    counter: 'int unsigned',
    boolean: 'boolean',
  },
  sqlite: { key: 'text', long: 'text', text: 'text', date: 'integer', number: 'integer', counter: 'integer', boolean: 'integer' },
}

const expected = ({ key, long, text, date, number, counter, boolean }: (typeof types)[Name]) => ({
  usersTable: [
    'user',
    `id ${key} not null primary key`,
    `name ${text}`,
    `email ${key} not null unique`,
    `emailVerified ${date}`,
    `image ${text}`,
  ],
  accountsTable: [
    'account',
    `userId ${key} not null`,
    `type ${text} not null`,
    `provider ${key} not null`,
    `providerAccountId ${long} not null`,
    `refresh_token ${text}`,
    `access_token ${text}`,
    `expires_at ${number}`,
    `expires_in ${number}`,
    `token_type ${text}`,
    `scope ${text}`,
    `id_token ${text}`,
    `session_state ${text}`,
    'primary key (provider, providerAccountId)',
    'index account_userId_idx (userId)',
    'userId references user (id) on delete cascade',
  ],
  sessionsTable: [
    'session',
    `sessionToken ${key} not null primary key`,
    `userId ${key} not null`,
    `expires ${date} not null`,
    'index session_userId_idx (userId)',
    'index session_expires_idx (expires)',
    'userId references user (id) on delete cascade',
  ],
  verificationTokensTable: [
    'verificationToken',
    `identifier ${key} not null`,
    `token ${key} not null`,
    `expires ${date} not null`,
    'primary key (identifier, token)',
    'index verificationToken_expires_idx (expires)',
  ],
  authenticatorsTable: [
    'authenticator',
    `userId ${key} not null`,
    `credentialID ${long} not null unique`,
    `providerAccountId ${long} not null`,
    `credentialPublicKey ${text} not null`,
    `counter ${counter} not null`,
    `credentialDeviceType ${text} not null`,
    `credentialBackedUp ${boolean} not null`,
    `transports ${text}`,
    'primary key (userId, credentialID)',
    'userId references user (id) on delete cascade',
  ],
})

const names = ['pg', 'mysql', 'sqlite'] as const
const columnsOf = (table: unknown) => getTableColumns(table as Table) as Record<string, Column>

describe.each(names)('the tables on %s', (name) => {
  test('have the columns of the contract and their keys', () => expect(describeTables(name)).toEqual(expected(types[name])))

  test('in snake_case differ in their names alone', () => {
    const toSnake = (line: string) => line.replace(/ID\b/g, 'Id').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const renamed = Object.entries(expected(types[name])).map(([key, lines]) => [key, lines.map(toSnake)])
    expect(describeTables(name, { casing: 'snake_case' })).toEqual(Object.fromEntries(renamed))
  })

  test('have no foreign keys if the app wants none', () => {
    const others = Object.entries(expected(types[name])).map(([key, lines]) => [key, lines.filter((line) => !/ references /.test(line))])
    expect(describeTables(name, { foreignKeys: false })).toEqual(Object.fromEntries(others))
  })

  test('have names of their own, which no `casing` of a Drizzle database changes', () => {
    const columns = Object.values(define[name]()).flatMap((table) => Object.values(columnsOf(table)))
    expect(columns.filter(({ keyAsName }) => keyAsName)).toEqual([])
  })

  test('hold dates, numbers and booleans', () => {
    const { usersTable, accountsTable, authenticatorsTable } = define[name]() as Record<string, unknown>
    const dataOf = (column: Column | undefined) => column?.dataType.split(' ').find((word) => word !== 'object')
    expect(dataOf(columnsOf(usersTable).emailVerified)).toBe('date')
    expect(dataOf(columnsOf(accountsTable).expires_at)).toBe('number')
    expect(dataOf(columnsOf(authenticatorsTable).credentialBackedUp)).toBe('boolean')
  })
})

/** A text column, a creator of tables with a prefix, and an app's own users table, on each database. */
const app = {
  pg: {
    text: pg.text,
    creator: pg.pgTableCreator((table) => `app_${table}`),
    users: pg.pgTable('people', { id: pg.serial().primaryKey() }),
  },
  mysql: {
    text: my.text,
    creator: my.mysqlTableCreator((table) => `app_${table}`),
    users: my.mysqlTable('people', { id: my.serial().primaryKey() }),
  },
  sqlite: {
    text: lite.text,
    creator: lite.sqliteTableCreator((table) => `app_${table}`),
    users: lite.sqliteTable('people', { id: lite.integer().primaryKey() }),
  },
}

describe.each(names)('what an app changes on %s', (name) => {
  const { text, creator, users } = app[name]

  test('columns are added to each table', () => {
    const models = ['users', 'accounts', 'sessions', 'verificationTokens', 'authenticators']
    const columns = Object.fromEntries(models.map((model) => [model, { [`of_${model}`]: text() }]))
    const tables = define[name]({ columns }) as Record<string, unknown>
    for (const model of models) expect(Object.keys(columnsOf(tables[`${model}Table`])).at(-1)).toBe(`of_${model}`)
  })

  test('a creator names tables and indexes', () => {
    const described = Object.values(describeTables(name, { table: creator }))
    expect(described.map(([table]) => table)).toEqual([
      'app_user',
      'app_account',
      'app_session',
      'app_verificationToken',
      'app_authenticator',
    ])
    const indexes = described.flat().filter((line) => line.startsWith('index '))
    expect(indexes.map((line) => line.split(' ')[1])).toEqual([
      'app_account_userId_idx',
      'app_session_userId_idx',
      'app_session_expires_idx',
      'app_verificationToken_expires_idx',
    ])
  })

  test('an own users table is used as it is, and userId has the type of its id', () => {
    const tables = define[name]({ usersTable: users }) as Record<string, unknown>
    expect(tables.usersTable).toBe(users)
    const type = { pg: 'integer', mysql: 'bigint unsigned', sqlite: 'integer' }[name]
    for (const table of ['accountsTable', 'sessionsTable', 'authenticatorsTable']) {
      const lines = linesOf(name, tables[table])
      expect(lines).toContain(`userId ${type} not null`)
      expect(lines).toContain('userId references people (id) on delete cascade')
    }
    const snake = define[name]({ usersTable: users, casing: 'snake_case' }) as Record<string, unknown>
    expect(linesOf(name, snake.sessionsTable)).toContain(`user_id ${type} not null`)
  })

  test.each(names.filter((other) => other !== name))('what was made for %s is rejected', (other) => {
    for (const options of [
      { table: app[other].creator },
      { usersTable: app[other].users },
      { columns: { users: { nick: app[other].text() } } },
    ])
      expect(() => define[name](options)).toThrow('defineTables: ')
  })

  test('two tables of one name are rejected', () => {
    expect(() => define[name]({ table: (_: string, ...rest: []) => (creator as (...all: unknown[]) => unknown)('same', ...rest) })).toThrow(
      /same name/,
    )
  })
})

test.each([
  ['smallserial', pg.smallserial, 'smallint'],
  ['serial', pg.serial, 'integer'],
  ['bigserial', () => pg.bigserial({ mode: 'number' }), 'bigint'],
  ['uuid', pg.uuid, 'uuid'],
] as const)('userId of an own users table whose id is %s on pg', (_, build, type) => {
  const usersTable = pg.pgTable('people', { id: (build as () => pg.PgColumnBuilder)() })
  expect(linesOf('pg', (define.pg({ usersTable }) as { sessionsTable: unknown }).sessionsTable)).toContain(`userId ${type} not null`)
})

describe('on MySQL', () => {
  test('columns say what they hold, so that drizzle-zod can check it', () => {
    const { usersTable, accountsTable } = defineMysql()
    const { id, name } = columnsOf(usersTable)
    expect(id).toMatchObject({ dataType: 'string', columnType: 'MySqlVarChar', length: 1020 })
    expect(columnsOf(accountsTable).providerAccountId).toMatchObject({ dataType: 'string', columnType: 'MySqlVarChar', length: 2048 })
    expect(name).toMatchObject({ dataType: 'string' })
  })

  test('a key is read from its bytes', () => {
    const { id } = columnsOf(defineMysql().usersTable)
    expect(id?.mapFromDriverValue(new TextEncoder().encode('Zoë'))).toBe('Zoë')
    expect(id?.mapFromDriverValue('Zoë')).toBe('Zoë')
  })
})
