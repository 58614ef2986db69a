import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { SqlDialect, Values } from '../../src/query/dialect.js'
import { Failure } from '../../src/query/errors.js'
import { open } from './people.js'

const ada = { id: '1', email: 'ada@example.com', name: 'Ada', age: 36 }
const eva = { id: '3', email: 'eva@example.com' }
const session = { sessionToken: 'token', userId: '1', expires: new Date(4e12) }

describe('a statement', () => {
  test('reads rows as values of their columns', () => {
    const { users, sessions } = open()
    expect(users.select({ id: '1' })).toMatchObject([ada])
    expect(sessions.select({ sessionToken: 'token' })).toEqual([session])
    expect(users.select({ id: '1', email: 'bob@example.com' })).toEqual([])
  })

  test('reads a row with its user', () => {
    const { users, sessions } = open()
    expect(sessions.selectWithUser({ sessionToken: 'token' }, users)).toMatchObject([{ auth_row: session, auth_user: ada }])
    expect(sessions.selectWithUser({ sessionToken: 'other' }, users)).toEqual([])
  })

  test('returns what it wrote', () => {
    const { users } = open()
    expect(users.insert({ ...eva, age: 7 })).toMatchObject([{ ...eva, age: 7, name: null }])
    expect(users.update({ id: '3' }, { age: 8 })).toMatchObject([{ ...eva, age: 8 }])
    expect(users.delete({ id: '3' })).toMatchObject([eva])
    expect(users.delete({ id: '3' })).toEqual([])
  })

  test('finds a column without a value, and a value that can have several forms', () => {
    const { users } = open()
    const ids = (where: Values) => (users.select(where) as { id: string }[]).map(({ id }) => id)
    // In turn, because the statements are kept.
    for (const _ of [1, 2]) {
      expect(ids({ name: 'Ada' })).toEqual(['1'])
      expect(ids({ name: null })).toEqual(['2'])
      expect(ids({ name: ['Eva', 'Ada'] })).toEqual(['1'])
      expect(ids({ name: [null, 'Ada'] })).toEqual(['1', '2'])
      expect(ids({ name: ['Ada', null] })).toEqual(['1', '2'])
      expect(ids({ name: [null, 'Eva'] })).toEqual(['2'])
      expect(ids({ id: ['1', '2'], age: ['50', 36] })).toEqual(['1', '2'])
      expect(ids({ id: ['1', '2'], name: null })).toEqual(['2'])
    }
  })

  test('may change a column that its condition is about', () => {
    const { users } = open()
    expect(users.update({ id: '2', name: null }, { id: '4', name: 'Bob' })).toMatchObject([{ id: '4', name: 'Bob' }])
    expect(users.select({ id: '2' })).toEqual([])
  })

  test('tells other statements of the same table from itself', () => {
    const { users } = open()
    expect(users.update({ id: '1' }, { name: 'Eva' })).toMatchObject([{ name: 'Eva', age: 36 }])
    expect(users.update({ id: '1' }, { age: 37 })).toMatchObject([{ name: 'Eva', age: 37 }])
    expect(users.update({ email: 'bob@example.com' }, { age: 51 })).toMatchObject([{ id: '2', age: 51 }])
    expect(users.select({ email: 'bob@example.com' })).toMatchObject([{ id: '2' }])
    expect(users.delete({ email: 'bob@example.com' })).toMatchObject([{ id: '2' }])
  })

  test('passes no null to the encoder of a column', () => {
    const { users } = open()
    expect(users.insert({ ...eva, code: null, nick: null })).toMatchObject([{ code: null, nick: null }])
    expect(users.update({ id: '3' }, { code: 'abc' })).toMatchObject([{ code: 'ABC' }])
    expect(users.update({ id: '3', code: 'abc' }, { code: null })).toMatchObject([{ code: null }])
  })

  test('takes no value of a column from the prototype of all objects', () => {
    const { users, rows } = open()
    Object.defineProperty(Object.prototype, 'name', { value: 'Mallory', configurable: true, enumerable: true, writable: true })
    try {
      users.insert(eva)
      users.update({ id: '1' }, { age: 37 })
    } finally {
      Reflect.deleteProperty(Object.prototype, 'name')
    }
    expect(rows('select name, age from people order by person_id')).toEqual([
      { name: 'Ada', age: 37 },
      { name: null, age: 50 },
      { name: null, age: null },
    ])
  })

  test('deletes without reporting the rows', () => {
    const { sessions, rows } = open()
    expect(sessions.deleteAll({ userId: '2' })).toMatchObject({ changes: 0 })
    expect(sessions.deleteAll({ userId: '1' })).toMatchObject({ changes: 1 })
    expect(rows('select * from sessions')).toEqual([])
  })

  test('deletes the rows of a user who does not exist', () => {
    const { sessions, users, client, rows } = open()
    client.pragma('foreign_keys = off')
    client.exec(`insert into sessions values ('one', '7', 1), ('two', '7', 1), ('three', '8', 1)`)
    expect(sessions.deleteOrphans({ userId: '1' }, users)).toMatchObject({ changes: 0 })
    expect(sessions.deleteOrphans({ userId: '7' }, users)).toMatchObject({ changes: 2 })
    expect(rows('select sessionToken from sessions')).toEqual([{ sessionToken: 'three' }, { sessionToken: 'token' }])
  })

  test('compares columns with values without reading a row', () => {
    const { users, built } = open()
    expect(users.compare({ id: '1', name: 'Ada' })).toEqual([])
    expect(built).toEqual({ prepared: 0, once: 1 })
    expect(() => users.compare({ id: sql`no_such_function()` })).toThrow(Failure)
  })

  test('may be any that the caller builds', () => {
    const { users, db } = open()
    const build = () =>
      db
        .select({ id: users.columns.id })
        .from(users.table)
        .where(users.matches({ name: 'Ada', code: null }))
    expect(users.run('read', build)).toEqual([{ id: '1' }])
  })
})

describe('a statement that is built once', () => {
  test('is run many times', () => {
    const { users, built } = open()
    for (const id of ['1', '2', '3']) users.select({ id })
    expect(built).toEqual({ prepared: 1, once: 0 })
    users.select({ email: 'ada@example.com' })
    users.delete({ id: '3' })
    for (const age of [5, 6, null]) users.update({ id: '1' }, { age })
    expect(built).toEqual({ prepared: 4, once: 0 })
  })

  test('is kept for 64 combinations of columns that are written, and for all that are looked for', () => {
    const { users, db, built } = open()
    const names = ['email', 'name', 'age', 'code', 'friend', 'city', 'id']
    const combinations = Array.from({ length: 2 ** names.length - 1 }, (_, index) => names.filter((_, bit) => (index + 1) & (1 << bit)))
    const write = (columns: string[]) => users.update({ id: 'nobody' }, Object.fromEntries(columns.map((name) => [name, '5'])))
    for (const columns of combinations.slice(0, 70)) write(columns)
    expect(built).toEqual({ prepared: 64, once: 6 })
    for (const columns of combinations.slice(63, 65)) write(columns)
    expect(built).toEqual({ prepared: 64, once: 7 })
    for (const id of ['1', '2']) users.select({ id })
    expect(built).toEqual({ prepared: 65, once: 7 })
    const compile = (prepare: SqlDialect['prepare']) => prepare(db.delete(users.table).where(users.condition({ id: '' })), false)
    for (const id of ['3', '4']) users.runOnRows('remove', 'delete', [[users, { id }]], compile)
    expect(built).toEqual({ prepared: 66, once: 7 })
  })

  test('may delete from several tables', () => {
    const { users, sessions, db, built } = open()
    const compile = (prepare: SqlDialect['prepare']) => {
      const queries = [
        db.delete(sessions.table).where(sessions.condition({ userId: '' })),
        db.delete(users.table).where(users.condition({ id: '' })),
      ]
      const runs = queries.map((query) => prepare(query, false))
      return (parameters: Values) => runs.map((run) => (run(parameters) as { changes: number }).changes)
    }
    const remove = (id: unknown) =>
      users.runOnRows(
        'remove',
        'delete',
        [
          [sessions, { userId: id }],
          [users, { id }],
        ],
        compile,
      )
    expect(remove('1')).toEqual([1, 1])
    expect(remove('2')).toEqual([0, 1])
    expect(built).toEqual({ prepared: 2, once: 0 })
  })
})

describe('a value that is part of the statement', () => {
  test('may be an SQL expression', () => {
    const { users, built } = open()
    expect(users.update({ id: '1' }, { age: sql`age + 1`, name: 'Eva' })).toMatchObject([{ age: 37, name: 'Eva' }])
    expect(users.update({ id: '1' }, { name: 'Ada', age: sql`age * 2` })).toMatchObject([{ age: 74, name: 'Ada' }])
    expect(users.select({ id: '1', age: sql`70 + 4` })).toHaveLength(1)
    expect(users.select({ age: sql`70 + 5`, id: '1' })).toHaveLength(0)
    expect(users.compare({ age: sql`70 + 5` })).toEqual([])
    expect(built).toEqual({ prepared: 0, once: 5 })
  })

  test('may be what a custom type sends', () => {
    const { users, built } = open()
    expect(users.insert({ ...eva, nick: 'EVA' })).toMatchObject([{ nick: 'eva' }])
    expect(users.select({ nick: 'Eva' })).toMatchObject([eva])
    expect(users.select({ nick: ['Ada', 'EVA'] })).toMatchObject([eva])
    expect(built).toEqual({ prepared: 0, once: 3 })
  })

  test('may be the literal that the dialect asks for', () => {
    const literal: SqlDialect['literal'] = (column, value) => (column.name === 'name' ? sql.raw(`'<${value}>'`) : undefined)
    const { users, built } = open({ dialect: { literal } })
    expect(users.insert({ ...eva, name: 'Eva', age: 5 })).toMatchObject([{ name: '<Eva>', age: 5 }])
    expect(built).toEqual({ prepared: 0, once: 1 })
    expect(users.insert({ id: '4', email: 'x@example.com' })).toMatchObject([{ id: '4' }])
    expect(built).toEqual({ prepared: 1, once: 1 })
  })

  test('is not needed where the dialect sends another parameter', () => {
    const toParameter: SqlDialect['toParameter'] = (_column, value) => (value === 'Eva' ? 'Eva (encoded)' : undefined)
    const { users, built } = open({ dialect: { toParameter } })
    expect(users.insert({ ...eva, name: 'Eva', code: 'abc' })).toMatchObject([{ name: 'Eva (encoded)', code: 'ABC' }])
    expect(built).toEqual({ prepared: 1, once: 0 })
  })
})
