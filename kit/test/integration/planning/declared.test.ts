import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { expect, test } from 'vitest'
import { declare } from '../../../src/planning/declared.js'

// The tables of the code, with the names that drizzle-kit gives to keys without one.

async function declareUsers(usersTable: object) {
  // A new one for each test: Drizzle 0.45 remembers the columns of a table by its name.
  const db = drizzle(async () => ({ rows: [] }))
  const [users] = declare(db as never, 'pg', [{ model: 'users', table: usersTable as never }])
  if (!users) throw new Error('no table')
  return users
}

test.each([
  [pg.text().default("it's"), "'it''s'"],
  [pg.integer().default(0), '0'],
  [pg.timestamp().defaultNow(), 'now()'],
  [pg.text().default(sql`'a'`.append(sql` || 'b'`)), "'a' || 'b'"],
  // What has parameters, or is made in JavaScript, is not a default of the database.
  [pg.text().default(sql`lower(${'A'})`), undefined],
  [pg.text().$defaultFn(() => 'x'), undefined],
])('a default as SQL: %#', async (column, expected) => {
  const { columns } = await declareUsers(pg.pgTable('user', { x: column as ReturnType<typeof pg.text> }))
  expect(columns[0]?.default).toBe(expected)
})

test('keys and indexes have the names that drizzle-kit gives them', async () => {
  const primary = { kind: 'primary', isConstraint: true, isPlain: true }
  const unique = { kind: 'unique', isConstraint: true, isPlain: true }
  const table = pg.pgTable('user', { a: pg.text('A'), b: pg.text('B') }, (t) => [
    pg.primaryKey({ columns: [t.b, t.a] }),
    pg.unique().on(t.a, t.b),
    pg.index().on(t.a, t.b),
    pg.uniqueIndex('by_b').on(t.b),
    pg.index('sorted').on(t.b.desc()),
    // Indexes of expressions or of some rows are left to drizzle-kit.
    pg.index('lower').on(sql`lower(${t.a})`),
    pg.uniqueIndex('some').on(t.a).where(sql`b is null`),
  ])
  expect((await declareUsers(table)).keys).toEqual([
    { ...primary, name: 'user_B_A_pk', columns: ['B', 'A'] },
    { ...unique, name: 'user_A_B_unique', columns: ['A', 'B'] },
    { kind: 'index', name: 'user_A_B_index', columns: ['A', 'B'], isConstraint: false, isPlain: true },
    { kind: 'unique', name: 'by_b', columns: ['B'], isConstraint: false, isPlain: true },
    { kind: 'index', name: 'sorted', columns: ['B'], isConstraint: false, isPlain: true },
  ])
})

test('foreign keys have the names that drizzle-kit gives them, and rules', async () => {
  const team = pg.pgSchema('app').table('team', { a: pg.text('A'), b: pg.text('B') })
  const table = pg.pgTable(
    'user',
    { x: pg.text('X').references(() => team.a), y: pg.text('Y').references(() => team.b, { onDelete: 'cascade', onUpdate: 'set null' }) },
    (t) => [pg.foreignKey({ columns: [t.x, t.y], foreignColumns: [team.a, team.b], name: 'both' })],
  )
  const target = { schema: 'app', name: 'team' }
  const [at, rules] = [{ schema: '', name: 'user' }, ' ON DELETE NO ACTION ON UPDATE NO ACTION']
  expect((await declareUsers(table)).foreignKeys).toEqual([
    { name: 'user_X_team_A_fk', table: at, columns: ['X'], target, targetColumns: ['A'], rules },
    { name: 'user_Y_team_B_fk', table: at, columns: ['Y'], target, targetColumns: ['B'], rules: ' ON DELETE CASCADE ON UPDATE SET NULL' },
    { name: 'both', table: at, columns: ['X', 'Y'], target, targetColumns: ['A', 'B'], rules },
  ])
})
