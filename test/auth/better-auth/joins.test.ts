import type { BetterAuthOptions } from '@better-auth/core'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { logOf } from './log.js'
import { openStore } from './store.js'

const options: BetterAuthOptions = {
  advanced: { database: { joins: true } },
  plugins: [
    {
      id: 'profiles',
      schema: {
        profile: {
          fields: { userId: { type: 'string', unique: true, references: { model: 'user', field: 'id' } }, bio: { type: 'string' } },
        },
      },
    },
  ],
}
const now = new Date()
const dates = { createdAt: now, updatedAt: now }
const names = ['Ada', 'Bob', 'Eve']

interface Person {
  id: string
  name: string
  session: { token: string }[]
  account: { accountId: string }[]
  profile: { bio: string } | null
}

describe.each(inject('dialects'))('a join on %s', (dialect) => {
  let adapter: ReturnType<ReturnType<typeof drizzleAdapter>>
  let log: ReturnType<typeof logOf>

  beforeAll(async () => {
    const store = await openStore(dialect)
    await store.migrate(options)
    adapter = drizzleAdapter(store.db, { schema: await store.schemaFor(options) })(options)
    for (const name of names) {
      const user = { name, email: `${name}@example.com`, emailVerified: true, ...dates }
      const { id: userId } = await adapter.create({ model: 'user', data: user })
      const count = name === 'Eve' ? 0 : 4
      for (let at = 0; at < count; at++) {
        const session = { userId, token: `${name} ${at}`, expiresAt: now, ...dates }
        await adapter.create({ model: 'session', data: session })
        await adapter.create({ model: 'account', data: { userId, providerId: 'p', accountId: `${name} ${at}`, ...dates } })
      }
      if (name === 'Ada') await adapter.create({ model: 'profile', data: { userId, bio: 'first' } })
    }
    log = logOf(store.db)
    return store.close
  })
  beforeEach(() => void log.splice(0))

  const byToken = (value: string) => adapter.findOne({ model: 'session', where: [{ field: 'token', value }], join: { user: true } })

  test('reads a session with its user in one statement, and one that does not exist', async () => {
    expect(await byToken('Ada 1')).toMatchObject({ token: 'Ada 1', user: { name: 'Ada' } })
    expect(log).toHaveLength(1)
    // No casts, conversions, collations or functions.
    expect(log[0]?.statement).not.toMatch(/::|\b(cast|convert|collate|binary|lower)\b|\w\((?!\d+\))/i)
    expect(await byToken('nobody')).toBeNull()
    expect(log).toHaveLength(2)
  })

  test('reads any number of rows with one statement for each model', async () => {
    const join = { session: { limit: 3 }, account: true, profile: true } as const
    const users = await adapter.findMany<Person>({ model: 'user', sortBy: { field: 'name', direction: 'asc' }, join })
    expect(users.map(({ name }) => name)).toEqual(names)
    expect(users.map(({ session }) => session.length)).toEqual([3, 3, 0])
    expect(users.map(({ account }) => account.length)).toEqual([4, 4, 0])
    expect(users.map(({ profile }) => profile?.bio)).toEqual(['first', undefined, undefined])
    expect(users[2]?.profile).toBeNull()
    for (const { name, session } of users) for (const { token } of session) expect(token).toMatch(name)
    expect(log).toHaveLength(4)
  })

  test('reads one row with one statement for each model', async () => {
    const join = { session: { limit: 3 }, account: true, profile: true } as const
    const find = (field: string, value: string) => adapter.findOne<Person>({ model: 'user', where: [{ field, value }], join })
    for (const [field, value] of [
      ['email', 'Ada@example.com'],
      ['name', 'Ada'],
    ] as const) {
      log.splice(0)
      const user = await find(field, value)
      expect([user?.session.length, user?.account.length, user?.profile?.bio]).toEqual([3, 4, 'first'])
      expect(log.length).toBeLessThanOrEqual(4)
    }
    log.splice(0)
    expect(await find('email', 'Bob@example.com')).toMatchObject({ name: 'Bob', profile: null })
    expect(await find('name', 'nobody')).toBeNull()
  })

  test('selects fields of the row beside the joined ones', async () => {
    const [member] = await adapter.findMany<Person>({ model: 'session', select: ['token'], limit: 1, join: { user: true } })
    expect(member).toMatchObject({ token: expect.any(String), user: { name: expect.any(String) } })
  })

  test.each([-1, 1.5, Number.NaN])('refuses the limit %s', async (limit) => {
    const finding = adapter.findMany({ model: 'user', join: { session: { limit } } })
    await expect(finding).rejects.toMatchObject({ kind: 'invalid' })
  })
})
