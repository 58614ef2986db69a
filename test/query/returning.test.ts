import type { Column } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import { describe, expect, test } from 'vitest'
import { models } from '../../src/contract.js'
import { pg as postgres } from '../../src/pg/dialect.js'
import { createCodec } from '../../src/query/codec.js'
import type { Database as AnyDatabase } from '../../src/query/drizzle.js'
import { firstOf, removeUserInTurn, returningWrites } from '../../src/query/returning.js'
import { createStatements } from '../../src/query/statements.js'
import { open } from './people.js'

const writes = returningWrites(sql``)

test('the first row of several, of one and of none', () => {
  expect(firstOf([{ id: '1' }, { id: '2' }])).toEqual({ id: '1' })
  expect(firstOf([{ id: '2' }])).toEqual({ id: '2' })
  expect(firstOf([])).toBeNull()
})

describe('a write', () => {
  test('returns the row that it wrote', async () => {
    const { users } = open()
    expect(await writes.insert(users, { id: '3', email: 'eva@example.com' })).toMatchObject({ id: '3', email: 'eva@example.com' })
    expect(await writes.update(users, { id: '3' }, { name: 'Eva' })).toMatchObject({ id: '3', name: 'Eva' })
    expect(await writes.remove(users, { id: '3' })).toMatchObject({ id: '3', name: 'Eva' })
  })

  test('returns null if there is no row', async () => {
    const { users } = open()
    expect(await writes.update(users, { id: '3' }, { name: 'Eva' })).toBeNull()
    expect(await writes.remove(users, { id: '3' })).toBeNull()
  })

  test('tells whether it changed a row', async () => {
    const { users, rows } = open()
    expect(await writes.change(users, { id: '1', name: 'Bob' }, { age: 5 })).toBe(false)
    expect(await writes.change(users, { id: '1', name: 'Ada' }, { age: 6 })).toBe(true)
    expect(rows('select age from people order by person_id')).toEqual([{ age: 6 }, { age: 50 }])
  })
})

describe('deleting many rows', () => {
  /** Sessions that expire after so many milliseconds, in no order. */
  function openSessions() {
    const opened = open()
    opened.client.exec(`insert into sessions values ('c', '1', 3), ('a', '1', 1), ('d', '2', 4), ('b', '2', 2)`)
    const tokens = () =>
      (opened.rows('select sessionToken from sessions order by 1') as { sessionToken: string }[]).map((row) => row.sessionToken)
    return { ...opened, tokens, expires: opened.sessions.columns.expires as Column }
  }

  test('counts them', async () => {
    const { sessions, tokens, expires } = openSessions()
    expect(await writes.deleteEvery(sessions, sql`${expires} < 4`)).toBe(3)
    expect(tokens()).toEqual(['d', 'token'])
    expect(await writes.deleteEvery(sessions, sql`${expires} < 4`)).toBe(0)
  })

  test('fails if other rows refer to one of them', async () => {
    const { users } = open()
    const email = users.columns.email as Column
    const stillReferenced = expect.objectContaining({ kind: 'still-referenced' })
    await expect(writes.deleteEvery(users, sql`${email} like '%'`)).rejects.toThrow(stillReferenced)
    await expect(writes.deleteSome(users, sql`${email} like '%'`, email, 1)).rejects.toThrow(stillReferenced)
  })

  test('stops at the limit, in the order of a column', async () => {
    const { sessions, tokens, expires } = openSessions()
    expect(await writes.deleteSome(sessions, sql`${expires} < 4`, expires, 2)).toBe(2)
    expect(tokens()).toEqual(['c', 'd', 'token'])
    expect(await writes.deleteSome(sessions, sql`${expires} < 4`, expires, 2)).toBe(1)
    expect(tokens()).toEqual(['d', 'token'])
  })

  test('works with a key of several columns', async () => {
    const { sessions, tokens, expires } = openSessions()
    const table = { ...sessions, key: ['sessionToken', 'userId'] }
    expect(await writes.deleteSome(table, sql`${expires} < 9`, expires, 3)).toBe(3)
    expect(tokens()).toEqual(['d', 'token'])
  })

  test('locks the rows that it selects, and checks the condition again on what it deletes', async () => {
    const statements: string[] = []
    const db = drizzlePg(async (text) => {
      statements.push(text)
      return { rows: [] }
    })
    const table = pg.pgTable('sessions', { sessionToken: pg.text().primaryKey(), expires: pg.timestamp().notNull() })
    const codec = createCodec(models.sessions, table, postgres.sql)
    const sessions = createStatements(db as unknown as AnyDatabase, table, ['sessionToken'], codec, postgres.sql, false)
    await returningWrites(sql` for update skip locked`).deleteSome(sessions, sql`${table.expires} < now()`, table.expires, 100)
    expect(statements).toHaveLength(1)
    expect(statements[0]).toMatch(
      /^delete .*\(with .* as \(select .* < now\(\) order by .* limit 100 for update skip locked\).*\) and .* < now\(\)/,
    )
  })
})

describe('a user who is deleted before what belongs to them', () => {
  /** Without foreign keys, so that nothing else deletes the rows. */
  function openUnrelated() {
    const opened = open()
    opened.client.pragma('foreign_keys = off')
    opened.client.exec(`insert into sessions values ('other', '2', 1)`)
    const { users, sessions, rows } = opened
    const remove = (id: string) => removeUserInTurn(writes, users, { id }, [[sessions, { userId: id }]])
    return { ...opened, remove, left: () => [rows('select person_id as id from people'), rows('select owner as id from sessions')] }
  }

  test('is returned, and all of it is deleted', async () => {
    const { remove, left } = openUnrelated()
    expect(await remove('1')).toMatchObject({ id: '1', email: 'ada@example.com' })
    expect(left()).toEqual([[{ id: '2' }], [{ id: '2' }]])
  })

  test('may be gone already: what is left is deleted', async () => {
    const { remove, left, client } = openUnrelated()
    client.exec(`delete from people where person_id = '1'`)
    expect(await remove('1')).toBeNull()
    expect(left()).toEqual([[{ id: '2' }], [{ id: '2' }]])
  })

  test('may be kept by a trigger: everything stays', async () => {
    const { remove, left, client } = openUnrelated()
    client.exec('create trigger keep before delete on people begin select raise(ignore); end')
    const before = left()
    expect(await remove('1')).toBeNull()
    expect(left()).toEqual(before)
  })
})
