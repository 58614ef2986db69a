import type { BetterAuthOptions } from '@better-auth/core'
import type { Where } from '@better-auth/core/db/adapter'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { openStore } from './store.js'

const options: BetterAuthOptions = {
  rateLimit: { storage: 'database' },
  user: { additionalFields: { rank: { type: ['admin', 'member'], required: false }, scores: { type: 'number[]', required: false } } },
}

// A character outside latin1, and numbers that an integer column cannot contain.
const emoji = '\u{1F600}'

const now = new Date()

describe.each(inject('dialects'))('a where on %s', (dialect) => {
  let store: Awaited<ReturnType<typeof openStore>>
  let adapter: ReturnType<Awaited<ReturnType<typeof store.adapterFor>>>

  beforeAll(async () => {
    store = await openStore(dialect)
    await store.migrate(options)
    if (dialect === 'mysql') await store.exec('alter table `user` modify `name` varchar(255) character set latin1')
    adapter = (await store.adapterFor(options))(options)
    for (const [name, image, rank] of [
      ['Ada', 'x', 'admin'],
      ['Eve', 'y', 'member'],
      ['Bob', null, null],
    ] as const) {
      const data = { name, image, rank, email: `${name}@example.com`, emailVerified: true, createdAt: now, updatedAt: now }
      await adapter.create({ model: 'user', data })
    }
    for (const count of [1, 2, 3]) await adapter.create({ model: 'rateLimit', data: { key: `${count}`, count, lastRequest: 0 } })
    return store.close
  })

  const users = async (...where: Where[]) =>
    (await adapter.findMany<{ name: string }>({ model: 'user', where })).map(({ name }) => name).sort()
  const counts = async (...where: Where[]) =>
    (await adapter.findMany<{ count: number }>({ model: 'rateLimit', where })).map(({ count }) => count).sort()
  const on =
    (field: string) =>
    (operator: Where['operator'], value: unknown, connector: Where['connector'] = 'AND') =>
      ({ field, operator, value, connector }) as Where
  const [name, image, rank, created, count] = [on('name'), on('image'), on('rank'), on('createdAt'), on('count')]

  test('finds the members of a list, exactly or in any case', async () => {
    expect(await users(name('in', ['Ada', 'eve']))).toEqual(['Ada'])
    expect(await users({ ...name('in', ['Ada', 'eve']), mode: 'insensitive' })).toEqual(['Ada', 'Eve'])
    expect(await users(name('not_in', ['Ada', 'eve']))).toEqual(['Bob', 'Eve'])
    expect(await users({ ...name('not_in', ['Ada', 'eve']), mode: 'insensitive' })).toEqual(['Bob'])
  })

  test('finds a part of a text, and one in another case, also in an enum, a number or a date', async () => {
    const inAnyCase = (where: Where): Where => ({ ...where, mode: 'insensitive' })
    expect(await users(rank('starts_with', 'adm'))).toEqual(['Ada'])
    expect(await users(rank('ends_with', ''))).toEqual(['Ada', 'Eve'])
    expect(await users(inAnyCase(rank('eq', 'ADMIN')))).toEqual(['Ada'])
    expect(await users(inAnyCase(rank('ne', 'ADMIN')))).toEqual(['Eve'])
    expect(await users(inAnyCase(rank('in', ['ADMIN', '?'])))).toEqual(['Ada'])
    expect(await counts(count('contains', 2))).toEqual([2])
    expect(await users(inAnyCase(created('eq', now.toISOString())))).toEqual(['Ada', 'Bob', 'Eve'])
  })

  test('takes null in a list for no value', async () => {
    expect(await users(image('in', [null, 'x']))).toEqual(['Ada', 'Bob'])
    expect(await users(image('in', [null]))).toEqual(['Bob'])
    expect(await users(image('not_in', [null, 'x']))).toEqual(['Eve'])
    expect(await users(image('not_in', [null]))).toEqual(['Ada', 'Eve'])
  })

  test.each(['lt', 'lte', 'gt', 'gte', 'contains', 'starts_with', 'ends_with'] as const)('finds nobody by %s null', async (operator) => {
    expect(await users(image(operator, null))).toEqual([])
    expect(await adapter.deleteMany({ model: 'user', where: [image(operator, null)] })).toBe(0)
  })

  test('takes an empty list for nobody, or for everybody', async () => {
    expect(await users(image('in', []))).toEqual([])
    expect(await users(image('not_in', []))).toEqual(['Ada', 'Bob', 'Eve'])
  })

  test.runIf(dialect === 'mysql')('refuses to look for a text outside the character set of a column that is no key', async () => {
    await expect(users(name('eq', emoji))).rejects.toMatchObject({ kind: 'invalid' })
  })

  // Elsewhere a list is stored as text.
  test.runIf(dialect === 'pg')('finds equal lists', async () => {
    await adapter.update({ model: 'user', where: [name('eq', 'Eve')], update: { scores: [1, -2] } })
    expect(await users(on('scores')('eq', [1, -2]))).toEqual(['Eve'])
    expect(await users(on('scores')('ne', [1, -2]))).toEqual([])
    expect(await users(on('scores')('contains', '-2'))).toEqual(['Eve'])
    await expect(users(on('scores')('eq', [1.5]))).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('leaves no clause out', async () => {
    expect(await users(name('eq', 'Ada', 'or' as never))).toEqual(['Ada'])
    for (const operator of ['like', 'constructor'])
      await expect(users(name(operator as never, 'Ada'))).rejects.toThrow('the operator for the field name is unknown')
  })
})
