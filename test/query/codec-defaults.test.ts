import type { Table } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { models } from '../../src/contract.js'
import { mysql } from '../../src/mysql/dialect.js'
import { createCodec } from '../../src/query/codec.js'
import { sqlite } from '../../src/sqlite/dialect.js'

// What a new row gets without being told.

const usersOf = (columns: Record<string, lite.SQLiteColumnBuilderBase>) =>
  createCodec(models.users, lite.sqliteTable('people', { id: lite.text().primaryKey(), ...columns }) as Table, sqlite.sql)
const sessionsOf = (columns: Record<string, lite.SQLiteColumnBuilderBase>) =>
  createCodec(
    models.sessions,
    lite.sqliteTable('sessions', { sessionToken: lite.text('token').primaryKey(), ...columns }) as Table,
    sqlite.sql,
  )

const failure = (kind: string, table: string, column: string) => expect.objectContaining({ kind, details: { table, column } })

describe('the id of a new user', () => {
  const uuid = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)

  test('is kept', () => expect(usersOf({}).encodeInsert({ id: 'ada' })).toEqual({ id: 'ada' }))

  test.each([{}, { id: undefined }, { id: null }])('is random if there is none: %o', (input) => {
    const users = usersOf({})
    expect(users.encodeInsert(input)).toEqual({ id: uuid })
    expect(users.encodeInsert(input)).not.toEqual(users.encodeInsert(input))
  })

  test('is left to a column that generates its own', () => {
    let next = 1
    expect(usersOf({ id: lite.text().$defaultFn(() => `generated ${next++}`) }).encodeInsert({ id: 'ada' })).toEqual({ id: 'generated 1' })
    expect(usersOf({ id: lite.integer().primaryKey({ autoIncrement: true }) }).encodeInsert({ id: '7' })).toEqual({})
  })

  test('is not the id of another row', () => {
    const sessions = sessionsOf({ id: lite.text() })
    expect(sessions.encodeInsert({ sessionToken: 't' })).toEqual({ sessionToken: 't' })
    expect(sessions.encodeInsert({ sessionToken: 't', id: '5' })).toEqual({ sessionToken: 't', id: '5' })
  })
})

describe('a column without a value', () => {
  test('gets the default of the table definition, for each row anew', () => {
    let next = 1
    const users = usersOf({ number: lite.integer().$defaultFn(() => next++) })
    expect([1, 2].map(() => users.encodeInsert({ id: 'ada' }).number)).toEqual([1, 2])
    expect(users.encodeInsert({ id: 'ada', number: 7 }).number).toBe(7)
    expect(users.encodeInsert({ id: 'ada', number: null }).number).toBeNull()
    expect(next).toBe(3)
  })

  test('gets what each update would set, unless the database has a default', () => {
    const users = usersOf({
      changed: lite.text().$onUpdateFn(() => 'now'),
      constant: lite
        .text()
        .default('constant')
        .$onUpdateFn(() => 'now'),
      generated: lite
        .text()
        .$defaultFn(() => 'generated')
        .$onUpdateFn(() => 'now'),
    })
    expect(users.encodeInsert({ id: 'ada' })).toEqual({ id: 'ada', changed: 'now', generated: 'generated' })
    expect(users.encodeUpdate({ constant: 'mine' }, ['id'])).toEqual({ constant: 'mine', changed: 'now', generated: 'now' })
  })

  test('gets null from an update that sets nothing', () => {
    const users = usersOf({ name: lite.text(), note: lite.text().$onUpdateFn(() => undefined as never) })
    expect(users.encodeUpdate({ name: 'Ada' }, ['id'])).toEqual({ name: 'Ada', note: null })
  })

  test('is left to the database', () => {
    const users = usersOf({ name: lite.text(), role: lite.text().notNull(), emailVerified: lite.integer({ mode: 'timestamp' }) })
    expect(users.encodeInsert({ id: 'ada' })).toEqual({ id: 'ada' })
    expect(usersOf({ name: lite.text().notNull() }).encodeInsert({ id: 'ada' })).toEqual({ id: 'ada' })
    expect(usersOf({ email: lite.text().notNull().default('none') }).encodeInsert({ id: 'ada' })).toEqual({ id: 'ada' })
  })

  test('is null if the contract requires it, so that the database rejects the row', () => {
    expect(usersOf({ email: lite.text().notNull() }).encodeInsert({ id: 'ada' })).toEqual({ id: 'ada', email: null })
  })

  test('is rejected if it is part of the key', () => {
    const sessions = sessionsOf({})
    for (const input of [{}, { sessionToken: null }])
      expect(() => sessions.encodeInsert(input)).toThrow(failure('missing-value', 'sessions', 'token'))
  })
})

test('a column that the database generates is never written', () => {
  const users = usersOf({ name: lite.text(), initial: lite.text().generatedAlwaysAs(sql`substr(name, 1, 1)`) })
  expect(users.encodeInsert({ id: 'ada', name: 'Ada', initial: 'X' })).toEqual({ id: 'ada', name: 'Ada' })
  expect(users.encodeUpdate({ name: 'Ada', initial: 'X' }, ['id'])).toEqual({ name: 'Ada' })
})

test('a change to null is rejected where the database would store something else', () => {
  const table = my.mysqlTable('people', {
    id: my.int().primaryKey(),
    email: my.varchar('address', { length: 99 }).notNull(),
    name: my.text(),
  })
  const users = createCodec(models.users, table, mysql.sql)
  expect(() => users.encodeUpdate({ email: null }, ['id'])).toThrow(failure('missing-value', 'people', 'address'))
  expect(users.encodeUpdate({ name: null }, ['id'])).toEqual({ name: null })
})
