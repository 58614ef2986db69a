import { sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import * as lite from 'drizzle-orm/sqlite-core'
import { drizzle as drizzleSqlite } from 'drizzle-orm/sqlite-proxy'
import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../../../src/cli/core.js'
import { inspectors } from '../../../../src/cli/core.js'
import { declaredTables } from '../../../../src/cli/moving/declared.js'

// The tables of the code, with the names that drizzle-kit gives to keys without one.

const noRows = async () => ({ rows: [] })
// A new one for each test: Drizzle 0.45 remembers the columns of a table by its name.
const dbs = { pg: () => drizzlePg(noRows), mysql: () => drizzleMysql(noRows), sqlite: () => drizzleSqlite(noRows) }

const declare = (dialect: DialectName, tables: object, db: object = dbs[dialect]()) =>
  declaredTables(db as never, dialect, inspectors[dialect], tables as never)
const declareUsers = async (dialect: DialectName, usersTable: object, db?: object) => {
  const [users] = await declare(dialect, { usersTable }, db)
  if (!users) throw new Error('no table')
  return users
}

describe('tables', () => {
  test('come in the order of the contract, with their schema', async () => {
    const sessionsTable = pg.pgSchema('auth').table('sessions', { id: pg.text() })
    const tables = await declare('pg', { sessionsTable, usersTable: pg.pgTable('people', { id: pg.text() }) })
    expect(tables.map(({ model, path }) => [model, path])).toEqual([
      ['users', { schema: '', name: 'people' }],
      ['sessions', { schema: 'auth', name: 'sessions' }],
    ])
  })
})

describe('columns', () => {
  const expressions: [unknown, string][] = [
    [pg.timestamp().defaultNow(), 'now()'],
    [pg.text().default(sql`'a' || 'b'`), "'a' || 'b'"],
    [pg.text().default(sql.raw('current_user')), 'current_user'],
    [pg.text().default(sql`'a'`.append(sql` || 'b'`)), "'a' || 'b'"],
  ]

  test.each([
    ['pg', pg.pgTable('user', { theId: pg.integer('the id').notNull(), when: pg.timestamp({ precision: 3 }) }), 'integer', 'timestamp (3)'],
    ['mysql', my.mysqlTable('user', { theId: my.int('the id').notNull(), when: my.datetime({ fsp: 3 }) }), 'int', 'datetime(3)'],
    [
      'sqlite',
      lite.sqliteTable('user', { theId: lite.integer('the id').notNull(), when: lite.integer({ mode: 'timestamp' }) }),
      'integer',
      'integer',
    ],
  ] as const)('on %s have a name, a type and what it holds', async (dialect, table, integer, date) => {
    expect((await declareUsers(dialect, table)).columns).toMatchObject([
      { field: 'theId', name: 'the id', type: integer, holds: { holds: 'integer' }, notNull: true, column: table.theId },
      { field: 'when', name: 'when', type: date, holds: { fraction: dialect === 'sqlite' ? 0 : 3 }, notNull: false, column: table.when },
    ])
  })

  test.each([
    [pg.text().default("it's"), "'it''s'"],
    [pg.integer().default(0), '0'],
    [pg.boolean().default(false), 'false'],
    [pg.text().default(sql`lower(${'A'})`), undefined],
    [pg.jsonb().default({ a: 1 }), undefined],
    [pg.text().$defaultFn(() => 'x'), undefined],
    [pg.text(), undefined],
    ...expressions,
  ])('have a default of the database: %#', async (column, expected) => {
    const { columns } = await declareUsers('pg', pg.pgTable('user', { x: column as ReturnType<typeof pg.text> }))
    expect(columns[0]?.default).toBe(expected)
  })
})

describe('keys', () => {
  const primary = { kind: 'primary', isConstraint: true, isPlain: true }
  const unique = { kind: 'unique', isConstraint: true, isPlain: true }

  test.each([
    ['pg', pg.pgTable('user', { a: pg.text().primaryKey(), b: pg.text().unique(), c: pg.text().unique('the c') })],
    [
      'mysql',
      my.mysqlTable('user', {
        a: my.varchar({ length: 9 }).primaryKey(),
        b: my.varchar({ length: 9 }).unique(),
        c: my.varchar({ length: 9 }).unique('the c'),
      }),
    ],
    ['sqlite', lite.sqliteTable('user', { a: lite.text().primaryKey(), b: lite.text().unique(), c: lite.text().unique('the c') })],
  ] as const)('of one column on %s', async (dialect, table) => {
    expect((await declareUsers(dialect, table)).keys).toEqual([
      { ...primary, name: '', columns: ['a'] },
      { ...unique, name: 'user_b_unique', columns: ['b'] },
      { ...unique, name: 'the c', columns: ['c'] },
    ])
  })

  test.each([
    [
      'pg',
      pg.pgTable('user', { a: pg.text('A'), b: pg.text('B') }, (t) => [
        pg.primaryKey({ columns: [t.b, t.a] }),
        pg.unique().on(t.a, t.b),
        pg.unique('both').on(t.b, t.a),
        pg.index().on(t.a, t.b),
        pg.uniqueIndex('by_b').on(t.b),
        pg.index('sorted').on(t.b.desc()),
      ]),
    ],
    [
      'sqlite',
      lite.sqliteTable('user', { a: lite.text('A'), b: lite.text('B') }, (t) => [
        lite.primaryKey({ columns: [t.b, t.a] }),
        lite.unique().on(t.a, t.b),
        lite.unique('both').on(t.b, t.a),
        lite.index('user_A_B_index').on(t.a, t.b),
        lite.uniqueIndex('by_b').on(t.b),
        lite.index('sorted').on(t.b),
      ]),
    ],
  ] as const)('of several columns on %s', async (dialect, table) => {
    expect((await declareUsers(dialect, table)).keys).toEqual([
      { ...primary, name: 'user_B_A_pk', columns: ['B', 'A'] },
      { ...unique, name: expect.stringMatching(/^user_A_B_unique$/), columns: ['A', 'B'] },
      { ...unique, name: 'both', columns: ['B', 'A'] },
      { kind: 'index', name: 'user_A_B_index', columns: ['A', 'B'], isConstraint: false, isPlain: true },
      { kind: 'unique', name: 'by_b', columns: ['B'], isConstraint: false, isPlain: true },
      { kind: 'index', name: 'sorted', columns: ['B'], isConstraint: false, isPlain: true },
    ])
  })

  test('a unique column to which Drizzle gives no name, as 1.0 does, has the one of drizzle-kit', async () => {
    const table = pg.pgTable('user', { a: pg.text('A').unique() })
    Object.assign(table.a, { uniqueName: undefined })
    expect((await declareUsers('pg', table)).keys).toEqual([{ ...unique, name: 'user_A_unique', columns: ['A'] }])
  })

  test('a primary key may have a name', async () => {
    const table = pg.pgTable('user', { a: pg.text(), b: pg.text() }, (t) => [pg.primaryKey({ columns: [t.a, t.b], name: 'the key' })])
    expect((await declareUsers('pg', table)).keys).toEqual([{ ...primary, name: 'the key', columns: ['a', 'b'] }])
  })

  test('indexes of expressions or of some rows are left to drizzle-kit', async () => {
    const table = pg.pgTable('user', { a: pg.text(), b: pg.text() }, (t) => [
      pg.index('lower').on(sql`lower(${t.a})`),
      pg.index('mixed').on(t.b, sql`lower(${t.a})`),
      pg.uniqueIndex('some').on(t.a).where(sql`b is null`),
    ])
    expect((await declareUsers('pg', table)).keys).toEqual([])
  })
})

describe('foreign keys', () => {
  const team = pg.pgSchema('app').table('team', { a: pg.text('A'), b: pg.text('B') })

  test('have the names that drizzle-kit gives them, and rules', async () => {
    const table = pg.pgTable(
      'user',
      { x: pg.text('X').references(() => team.a), y: pg.text('Y').references(() => team.b, { onDelete: 'cascade', onUpdate: 'set null' }) },
      (t) => [pg.foreignKey({ columns: [t.x, t.y], foreignColumns: [team.a, team.b], name: 'both' })],
    )
    const target = { schema: 'app', name: 'team' }
    const rules = { onDelete: 'no action', onUpdate: 'no action' }
    expect((await declareUsers('pg', table)).foreignKeys).toEqual([
      { name: 'user_X_team_A_fk', columns: ['X'], target, targetColumns: ['A'], ...rules },
      { name: 'user_Y_team_B_fk', columns: ['Y'], target, targetColumns: ['B'], onDelete: 'cascade', onUpdate: 'set null' },
      { name: 'both', columns: ['X', 'Y'], target, targetColumns: ['A', 'B'], ...rules },
    ])
  })
})
