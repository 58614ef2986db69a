import type { BetterAuthOptions } from '@better-auth/core'
import type { Where } from '@better-auth/core/db/adapter'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openUnicode } from './store.js'

const fields = {
  phone: { type: 'string', unique: true, required: false },
  word: { type: 'string', required: false },
  rank: { type: 'number', required: false },
} as const
const options: BetterAuthOptions = { plugins: [{ id: 'items', schema: { item: { fields } } }] }

// Made for each test, so that no statement is kept yet.
const tableOf = {
  pg: () =>
    pg.pgTable('item', {
      id: pg.text('id').primaryKey(),
      phone: pg.text('phone').unique(),
      word: pg.text('word'),
      rank: pg.integer('rank'),
    }),
  mysql: () =>
    my.mysqlTable('item', {
      id: my.varchar('id', { length: 9 }).primaryKey(),
      phone: my.varchar('phone', { length: 9 }).unique(),
      word: my.varchar('word', { length: 9 }),
      rank: my.int('rank'),
    }),
  sqlite: () =>
    lite.sqliteTable('item', {
      id: lite.text('id').primaryKey(),
      phone: lite.text('phone').unique(),
      word: lite.text('word'),
      rank: lite.integer('rank'),
    }),
}

describe.each(inject('dialects'))('a statement of Better Auth that is kept on %s', (dialect) => {
  async function open() {
    const rank = dialect === 'mysql' ? '`rank`' : 'rank'
    const created = `create table item (id varchar(9) primary key, phone varchar(9) unique, word varchar(9), ${rank} integer)`
    const { db, close } = await openUnicode(dialect, [created])
    onTestFinished(close)
    const adapter = drizzleAdapter(db, { schema: { item: tableOf[dialect]() } })(options)
    for (const id of ['a', 'b', 'c'])
      await adapter.create({ model: 'item', data: { id, phone: id, word: 'x', rank: 1 }, forceAllowId: true })
    return adapter
  }

  const words: Where[] = [{ field: 'word', value: 'x' }]
  /** The same rows: every row satisfies the second alternative. */
  const alternatives: Where[] = [
    ...words,
    { field: 'rank', value: 9, connector: 'OR' },
    { field: 'id', operator: 'not_in', value: [], connector: 'OR' },
  ]

  test('takes the limit that was given, whatever alternatives a condition has', async () => {
    const adapter = await open()
    for (const where of [words, alternatives, words])
      expect(await adapter.findMany({ model: 'item', where, limit: 1, sortBy: { field: 'id', direction: 'asc' } })).toHaveLength(1)
  })

  test('writes the value that was given, whatever alternatives a condition has', async () => {
    const adapter = await open()
    for (const [rank, where] of [words, alternatives, words].entries()) {
      expect(await adapter.updateMany({ model: 'item', where, update: { rank } })).toBe(3)
      expect(await adapter.count({ model: 'item', where: [{ field: 'rank', value: rank }] })).toBe(3)
    }
  })

  const update = (adapter: Awaited<ReturnType<typeof open>>, phone: string, values: object) =>
    adapter.update({ model: 'item', where: [{ field: 'phone', value: phone }], update: values as Record<string, unknown> })

  test('returns the row that it changed, after a unique key became null', async () => {
    const adapter = await open()
    expect(await update(adapter, 'a', { phone: null })).toMatchObject({ id: 'a', phone: null })
    expect(await update(adapter, 'b', { word: 'y' })).toMatchObject({ id: 'b', phone: 'b', word: 'y' })
    expect(await update(adapter, 'b', { phone: null })).toMatchObject({ id: 'b', phone: null, word: 'y' })
  })

  test('returns the row that it changed, before a unique key becomes null', async () => {
    const adapter = await open()
    expect(await update(adapter, 'b', { word: 'y' })).toMatchObject({ id: 'b', phone: 'b', word: 'y' })
    expect(await update(adapter, 'a', { phone: null })).toMatchObject({ id: 'a', phone: null })
  })
})
