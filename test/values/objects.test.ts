import type { Adapter, FailureKind } from 'drizzle-auth-adapter'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectFailure } from '../helpers/fails.js'
import { account, accountKey, call, objectKinds, operations, session, token, tokenKey, unreadables, user } from './arguments.js'
import type { Opened } from './drivers.js'
import { drivers } from './drivers.js'

// Only the own enumerable properties of an argument matter, as they are at the time of the call, whatever kind of object it is.

describe.each(drivers)('arguments, with $driver,', ({ open }) => {
  let opened: Opened
  let adapter: Adapter
  beforeAll(async () => {
    opened = await open()
    adapter = opened.adapter
  })
  afterAll(() => opened.close())
  afterEach(() => adapter.deleteUser('ada'))

  test.each(Object.entries(objectKinds))('may be %s, and are not changed', async (_, convert) => {
    for (const [name, argument, answer] of operations) {
      const given = convert(argument())
      const before = { ...given }
      expect(await call(adapter, name, given), name).toEqual(answer)
      expect({ ...given }).toEqual(before)
    }
  })

  test('are read once, synchronously during the call', async () => {
    for (const [name, argument, answer] of operations) {
      const row = argument()
      const reads: string[] = []
      const given = new Proxy(row, {
        get(target, field) {
          reads.push(String(field))
          return Reflect.get(target, field)
        },
      })
      const calling = call(adapter, name, given)
      expect([...new Set(reads)].sort(), name).toEqual(expect.arrayContaining(Object.keys(row).sort()))
      const readsDuringCall = reads.length
      expect(await calling, name).toEqual(answer)
      expect(reads.length, `${name} reads its argument later`).toBe(readsDuringCall)
      expect(reads.filter((field) => field in row).sort(), `${name} reads a property again`).toEqual(Object.keys(row).sort())
    }
  })

  test('may be changed by the caller after the call', async () => {
    for (const [name, argument, answer] of operations) {
      const given = argument()
      const calling = call(adapter, name, given)
      for (const [field, value] of Object.entries(given)) {
        if (value instanceof Date) value.setTime(1)
        given[field] = field === 'expires' ? new Date(2) : 'mallory'
      }
      expect(await calling, name).toEqual(answer)
    }
  })

  describe('that cannot be read', () => {
    beforeEach(async () => {
      const { createUser, linkAccount, createSession, createVerificationToken } = adapter
      await createUser(user)
      await linkAccount(account)
      await createSession(session())
      await createVerificationToken(token())
    })
    afterEach(() => adapter.useVerificationToken(tokenKey))

    test.each(Object.entries(unreadables))('are rejected: %s', async (_, make) => {
      const kind: FailureKind = 'invalid'
      for (const [name, argument] of operations) {
        const row = argument()
        for (const field of Object.keys(row))
          await expectFailure(call(adapter, name, make(row, field)), name, kind, undefined, ['SECRET_123'])
      }
      expect(await adapter.getUser('ada')).toEqual(user)
      expect(await adapter.getAccount('1', 'github')).toEqual(account)
      expect((await adapter.getSessionAndUser('session'))?.session).toEqual(session())
      expect(await adapter.useVerificationToken(tokenKey)).toEqual(token())
    })
  })

  test('are read by their own enumerable properties only', async () => {
    class Person {
      id = 'ada'
      email = 'ada@example.com'
      get name() {
        return 'Mallory'
      }
    }
    expect(await adapter.createUser(new Person())).toEqual({ ...user, name: null })
    await adapter.linkAccount(account)
    await adapter.createVerificationToken(token())
    expect(await adapter.updateUser(Object.assign(Object.create({ name: 'Mallory' }), { id: 'ada', image: 'x' }))).toMatchObject({
      name: null,
    })

    for (const inherited of [Object.create(accountKey), Object.defineProperty({ ...accountKey }, 'provider', { enumerable: false })]) {
      expect(await adapter.getUserByAccount(inherited)).toBeNull()
      expect(await adapter.unlinkAccount(inherited)).toBeUndefined()
    }
    expect(await adapter.useVerificationToken(Object.create(tokenKey))).toBeNull()
    await expect(adapter.updateUser(Object.create({ id: 'ada', name: 'Mallory' }))).rejects.toMatchObject({ kind: 'not-found' })
    expect(await adapter.useVerificationToken(tokenKey)).toEqual(token())
  })
})

// Some apps and old libraries add an enumerable property to Object.prototype. It must not become part of any row, key or option.

/** Runs a function with enumerable properties on Object.prototype, and removes them afterwards. */
async function withPrototype<T>(properties: Record<string, unknown>, run: () => Promise<T>): Promise<T> {
  const prototype = Object.prototype as unknown as Record<string, unknown>
  for (const [name, value] of Object.entries(properties))
    Object.defineProperty(prototype, name, { value, enumerable: true, configurable: true, writable: true })
  try {
    return await run()
  } finally {
    for (const name of Object.keys(properties)) delete prototype[name]
  }
}

const answerOf = (call: Promise<unknown>) => call.catch((error: { kind?: string }) => error.kind)

describe.each(drivers)('with enumerable properties on Object.prototype, with $driver,', ({ open }) => {
  let opened: Opened
  let adapter: Adapter
  beforeAll(async () => {
    // The adapter is created with such a property, too.
    opened = await withPrototype({ extend: () => {} }, open)
    adapter = opened.adapter
    await adapter.createUser({ id: 'ada', email: 'ada@example.com' })
  })
  afterAll(() => opened.close())

  test('every operation works', async () => {
    const failed: string[] = []
    // Cases about concurrency depend on the database, and take the longest.
    for (const c of adapterContract.filter(({ topic, name }) => topic === 'operations' && !name.includes('at once')))
      await withPrototype({ extend: () => {}, inherited: 'SECRET_123' }, () => c.run(adapter)).catch((error) =>
        failed.push(`${c.name}: ${error}`),
      )
    expect(failed).toEqual([])
  })

  test('none of them is stored', async () => {
    const user = { id: 'bob', email: 'bob@example.com', name: null, image: null, emailVerified: null }
    const account = { userId: 'bob', type: 'oauth' as const, provider: 'github', providerAccountId: '2' }
    const inherited = { name: 'Mallory', image: 'x', emailVerified: new Date(0), access_token: 'x', expires_at: 5, scope: 'x' }
    const { createUser, updateUser, linkAccount } = opened.another()
    expect(await withPrototype(inherited, async () => ({ ...(await createUser({ id: 'bob', email: 'bob' })) }))).toEqual({
      ...user,
      email: 'bob',
    })
    expect(await withPrototype(inherited, async () => ({ ...(await updateUser({ id: 'bob', email: user.email })) }))).toEqual(user)
    expect(await withPrototype(inherited, async () => ({ ...(await linkAccount(account)) }))).toEqual(account)
    expect(await adapter.getUser('bob')).toEqual(user)
    expect(await adapter.getAccount('2', 'github')).toEqual(account)
  })

  test('none of them is used as a key', async () => {
    const key = { provider: 'github', providerAccountId: '1' }
    await adapter.linkAccount({ ...key, userId: 'ada', type: 'oauth' })
    await adapter.createVerificationToken({ identifier: 'ada@example.com', token: 'token', expires: new Date(0) })
    await withPrototype({ ...key, identifier: 'ada@example.com', token: 'token', id: 'ada' }, async () => {
      expect(await answerOf(adapter.getUserByAccount({} as never))).toBeNull()
      expect(await answerOf(adapter.unlinkAccount({ provider: 'github' } as never))).toBeUndefined()
      expect(await answerOf(adapter.useVerificationToken({ token: 'token' } as never))).toBeNull()
      expect(await answerOf(adapter.updateUser({ name: 'Mallory' } as never))).toBe('not-found')
    })
    expect(await adapter.getUserByAccount(key)).toMatchObject({ id: 'ada', name: null })
    expect(await adapter.useVerificationToken({ identifier: 'ada@example.com', token: 'token' })).not.toBeNull()
  })

  test('none of them is used as the missing userId of a session', async () => {
    const session = { sessionToken: 'session', expires: new Date(0) } as never
    const { createSession } = opened.another()
    expect(await withPrototype({ userId: 'ada' }, () => answerOf(createSession(session)))).toBe('missing-value')
    expect(await adapter.getSessionAndUser('session')).toBeNull()
  })

  test('none of them replaces a value that was read', async () => {
    const expires = new Date('2030-01-01T12:00:00.123Z')
    await adapter.createSession({ sessionToken: 'session', userId: 'ada', expires })
    const { getSessionAndUser } = opened.another()
    const inherited = { user: { id: 'mallory' }, session: { userId: 'mallory' } }
    const found = await withPrototype(inherited, async () => ({ ...(await getSessionAndUser('session')) }))
    expect(found).toMatchObject({ session: { userId: 'ada', expires }, user: { id: 'ada' } })
    expect(inherited).toEqual({ user: { id: 'mallory' }, session: { userId: 'mallory' } })
  })
})
