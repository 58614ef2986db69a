import type { BetterAuthOptions } from '@better-auth/core'
import type { Where } from '@better-auth/core/db/adapter'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openStore } from './store.js'

const fields = {
  phone: { type: 'string', unique: true, required: false },
  word: { type: 'string', required: false },
  rank: { type: 'number', required: false },
} as const
const options: BetterAuthOptions = { plugins: [{ id: 'items', schema: { item: { fields } } }] }

describe.each(inject('dialects'))('a statement of Better Auth that is kept on %s', (dialect) => {
  // New tables for each test, so that no statement is kept yet.
  async function open() {
    const store = await openStore(dialect)
    onTestFinished(store.close)
    await store.migrate(options)
    const adapter = (await store.adapterFor(options))(options)
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

  test('takes the limit and writes the value that were given, whatever alternatives a condition has', async () => {
    const adapter = await open()
    for (const [rank, where] of [words, alternatives, words].entries()) {
      expect(await adapter.findMany({ model: 'item', where, limit: 1, sortBy: { field: 'id', direction: 'asc' } })).toHaveLength(1)
      expect(await adapter.updateMany({ model: 'item', where, update: { rank } })).toBe(3)
      expect(await adapter.count({ model: 'item', where: [{ field: 'rank', value: rank }] })).toBe(3)
    }
  })

  const update = (adapter: Awaited<ReturnType<typeof open>>, phone: string, values: object) =>
    adapter.update({ model: 'item', where: [{ field: 'phone', value: phone }], update: values as Record<string, unknown> })

  test('returns the row that it changed, when its unique key becomes null', async () => {
    const adapter = await open()
    expect(await update(adapter, 'a', { phone: null })).toMatchObject({ id: 'a', phone: null })
    expect(await update(adapter, 'b', { word: 'y' })).toMatchObject({ id: 'b', phone: 'b', word: 'y' })
    expect(await update(adapter, 'b', { phone: null })).toMatchObject({ id: 'b', phone: null, word: 'y' })
  })
})
