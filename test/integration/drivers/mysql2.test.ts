// Needs MySQL or MariaDB.
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/mysql'
import * as columns from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import type { Pool, PoolOptions } from 'mysql2/promise'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql } from '../../support/databases.js'
import * as tables from '../../support/schema/mysql.js'

// A custom `queryFormat` of an app, as in mysql2's documentation.
function queryFormat(this: { escape(value: unknown): string }, statement: string, values: unknown[] = []): string {
  let index = 0
  return statement.replace(/\?/g, () => this.escape(values[index++]))
}

async function openPool(options: PoolOptions = {}): Promise<Pool> {
  const { url: uri, close } = await openMysql()
  onTestFinished(close)
  const client = mysql.createPool({ uri, connectionLimit: 2, ...options })
  onTestFinished(() => client.end())
  return client
}

describe.runIf(inject('dialects').includes('mysql'))('with mysql2', () => {
  test.each([
    ['stringifyObjects', { stringifyObjects: true }],
    ['namedPlaceholders', { namedPlaceholders: true }],
    ['a queryFormat', { queryFormat }],
  ] as [string, PoolOptions][])('any text is kept with %s', async (_, options) => {
    const adapter = DrizzleAdapter(drizzle({ client: await openPool(options) }), tables)
    const email = `o'ne"\\ü😀@example.com`
    const user = await adapter.createUser({ name: "Robert'); drop table user;--", email, emailVerified: null })
    expect(await adapter.getUserByEmail(email)).toEqual(user)
    expect(user).toMatchObject({ name: "Robert'); drop table user;--", email })
  })

  test('an object or a list that a custom type passes on is refused, because mysql2 would make SQL of it', async () => {
    const note = columns.customType<{ data: unknown }>({ dataType: () => 'varchar(99)' })
    const own = defineTables({ columns: { users: { note: note('note') } } })
    const { db, exec, run, close } = await openMysql()
    onTestFinished(close)
    await exec('alter table user add note varchar(99)')
    const adapter = DrizzleAdapter(db, own)
    const { id } = await adapter.createUser({ email: 'ada@example.com', note: 'text' })
    for (const value of [{ email: 'ada@example.com' }, ['a'], [{ email: 1 }]]) {
      await expect(adapter.createUser({ email: 'eve@example.com', note: value })).rejects.toMatchObject({ kind: 'invalid', column: 'note' })
      await expect(adapter.updateUser({ id, note: value })).rejects.toMatchObject({ kind: 'invalid', column: 'note' })
    }
    expect(await run('select note from user')).toEqual([{ note: 'text' }])
  })

  const seed = { id: 'ada', email: 'ada@example.com', emailVerified: null }
  test('an error has its code, and a transaction of the app is rolled back as a whole', async () => {
    const client = await openPool()
    const db = drizzle({ client })
    const causes: unknown[] = []
    const adapter = DrizzleAdapter(db, tables, { onError: (_, cause) => void causes.push(cause) })
    await adapter.createUser(seed)
    await expect(adapter.createUser({ ...seed, id: 'eva' })).rejects.toMatchObject({ kind: 'duplicate', code: '1062' })
    expect(causes).toEqual([expect.objectContaining({ code: 'ER_DUP_ENTRY', errno: 1062, sqlState: '23000' })])
    const undone = db.transaction(async (tx) => {
      const inner = DrizzleAdapter(tx, tables)
      await inner.updateUser({ id: 'ada', name: 'Ada' })
      expect(await inner.getUser('ada')).toMatchObject({ name: 'Ada' })
      expect(await adapter.getUser('ada')).toMatchObject({ name: null })
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    expect(await adapter.getUser('ada')).toMatchObject({ name: null })
  })
})
