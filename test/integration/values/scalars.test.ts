import type { AdapterAuthenticator } from 'drizzle-auth-adapter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Opened } from './drivers.js'
import { drivers } from './drivers.js'
import { dates, instant, notBooleans, notDates, notNumbers, numbers } from './values.js'

// A number or a boolean is stored unchanged, and every other value is rejected, because drivers convert them differently: postgres.js
// stores 1 as false, SQLite the text 'false' as true, MySQL 1.5 as 2. The decimal text of a whole number is accepted, because some token
// endpoints send it.

const asNumber = (value: unknown) => value as number
const asDate = (value: unknown) => value as Date

describe.each(drivers)('numbers and booleans, with $driver,', ({ open }) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
    await opened.adapter.createUser({ id: 'ada', email: 'ada@example.com' })
  })
  afterAll(() => opened.close())

  let made = 0
  const someAccount = () => ({ userId: 'ada', type: 'oauth' as const, provider: 'p', providerAccountId: `account ${++made}` })
  const somePasskey = (over: object = {}): AdapterAuthenticator => ({
    credentialID: `passkey ${++made}`,
    userId: 'ada',
    providerAccountId: 'p',
    credentialPublicKey: 'key',
    counter: 3,
    credentialDeviceType: 'singleDevice',
    credentialBackedUp: true,
    ...over,
  })

  test.each(numbers)('%s is stored in expires_at and expires_in as %s', async (given, stored) => {
    const { adapter } = opened
    const account = someAccount()
    const expected = { ...account, expires_at: stored, expires_in: stored }
    expect(await adapter.linkAccount({ ...account, expires_at: asNumber(given), expires_in: asNumber(given) })).toEqual(expected)
    expect(await adapter.getAccount(account.providerAccountId, 'p')).toEqual(expected)
  })

  test.each([
    [0, 0],
    ['7', 7],
    [7n, 7],
    [2 ** 32 - 1, 2 ** 32 - 1],
  ])('%s is stored in counter as %s', async (given, stored) => {
    const { adapter } = opened
    const passkey = somePasskey({ counter: given })
    expect(await adapter.createAuthenticator(passkey)).toEqual({ ...passkey, counter: stored })
    await adapter.updateAuthenticatorCounter(passkey.credentialID, 1)
    expect(await adapter.updateAuthenticatorCounter(passkey.credentialID, asNumber(given))).toEqual({ ...passkey, counter: stored })
    expect(await adapter.getAuthenticator(passkey.credentialID)).toEqual({ ...passkey, counter: stored })
  })

  test.each([true, false])('%s is stored in credentialBackedUp', async (credentialBackedUp) => {
    const passkey = somePasskey({ credentialBackedUp })
    expect(await opened.adapter.createAuthenticator(passkey)).toEqual(passkey)
    expect(await opened.adapter.getAuthenticator(passkey.credentialID)).toEqual(passkey)
  })

  test('undefined and null are stored as no value', async () => {
    for (const expires_at of [undefined, null]) {
      const account = someAccount()
      expect(await opened.adapter.linkAccount({ ...account, expires_at: asNumber(expires_at) })).toEqual(account)
    }
  })

  describe('a value that is rejected', () => {
    const countRows = async () => {
      const counts = ['account', 'authenticator'].map((table) => opened.run(`select count(*) as rows_of_it from ${table}`))
      return Promise.all(counts)
    }
    const rejection = (column: string) => ({ name: 'AdapterOperationError', kind: 'invalid', column })
    let before: unknown
    let passkey: AdapterAuthenticator
    beforeAll(async () => {
      passkey = await opened.adapter.createAuthenticator(somePasskey())
      before = await countRows()
    })
    test.each(Object.entries(notNumbers))('%s is not a number', async (_, value) => {
      const { adapter } = opened
      for (const field of ['expires_at', 'expires_in'])
        await expect(adapter.linkAccount({ ...someAccount(), [field]: value }), field).rejects.toMatchObject(rejection(field))
      await expect(adapter.createAuthenticator(somePasskey({ counter: value }))).rejects.toMatchObject(rejection('counter'))
      const counting = adapter.updateAuthenticatorCounter(passkey.credentialID, asNumber(value))
      await expect(counting).rejects.toMatchObject(rejection('counter'))
    })

    test.each(Object.entries(notBooleans))('%s is not a boolean', async (_, value) => {
      const creating = opened.adapter.createAuthenticator(somePasskey({ credentialBackedUp: value }))
      await expect(creating).rejects.toMatchObject(rejection('credentialBackedUp'))
    })

    test('undefined and null are not a counter', async () => {
      for (const value of [undefined, null]) {
        const counting = opened.adapter.updateAuthenticatorCounter(passkey.credentialID, asNumber(value))
        await expect(counting).rejects.toMatchObject({ kind: expect.toBeOneOf(['invalid', 'missing-value']) })
      }
    })

    test('is not stored', async () => {
      expect(await countRows()).toEqual(before)
      expect(await opened.adapter.getAuthenticator(passkey.credentialID)).toEqual(passkey)
    })
  })
})

// A date is a valid Date of any realm, or the text that Date.prototype.toJSON returns. Auth.js passes that text after it has kept a new
// user in a cookie, as it does during the registration of a passkey.

describe.each(drivers)('dates, with $driver,', ({ open }) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
    await opened.adapter.createUser({ id: 'ada', email: 'ada@example.com' })
  })
  afterAll(() => opened.close())

  test.each(Object.entries(dates))('%s is stored, and returned as a date', async (name, make) => {
    const { adapter } = opened
    const given = make()
    const date = new Date(instant)
    const user = await adapter.createUser({ id: name, email: name, emailVerified: asDate(given) })
    expect(await adapter.updateUser({ id: 'ada', emailVerified: asDate(given) })).toMatchObject({ emailVerified: date })
    const session = { sessionToken: name, userId: 'ada', expires: date }
    const created = await adapter.createSession({ ...session, expires: asDate(given) })
    const updated = await adapter.updateSession({ sessionToken: name, expires: asDate(given) })
    const token = { identifier: name, token: name, expires: date }
    const kept = await adapter.createVerificationToken({ ...token, expires: asDate(given) })

    expect(user.emailVerified).toEqual(date)
    expect(await adapter.getUser(name)).toEqual(user)
    for (const row of [created, updated, (await adapter.getSessionAndUser(name))?.session]) expect(row).toEqual(session)
    for (const row of [kept, await adapter.useVerificationToken({ identifier: name, token: name })]) expect(row).toEqual(token)
    for (const back of [user.emailVerified, created.expires, updated?.expires, kept.expires]) {
      expect(Object.getPrototypeOf(back)).toBe(Date.prototype)
      expect(back, 'the returned date is a new object').not.toBe(given)
      expect(Object.isFrozen(back)).toBe(false)
    }
  })

  test.each(Object.entries(notDates))('%s is not a date', async (_, value) => {
    const { adapter } = opened
    const rejection = (column: string) => ({ name: 'AdapterOperationError', kind: 'invalid', column })
    const user = { id: 'none', email: 'none', emailVerified: asDate(value) }
    await expect(adapter.createUser(user)).rejects.toMatchObject(rejection('emailVerified'))
    await expect(adapter.updateUser({ ...user, id: 'ada' })).rejects.toMatchObject(rejection('emailVerified'))
    const session = { sessionToken: 'none', userId: 'ada', expires: asDate(value) }
    await expect(adapter.createSession(session)).rejects.toMatchObject(rejection('expires'))
    await expect(adapter.updateSession({ ...session, sessionToken: 'a date' })).rejects.toMatchObject(rejection('expires'))
    const token = { identifier: 'none', token: 'none', expires: asDate(value) }
    await expect(adapter.createVerificationToken(token)).rejects.toMatchObject(rejection('expires'))
  })

  test('none of the invalid dates was stored', async () => {
    const { adapter } = opened
    expect(await adapter.getUser('none')).toBeNull()
    expect(await adapter.getSessionAndUser('none')).toBeNull()
    expect(await adapter.useVerificationToken({ identifier: 'none', token: 'none' })).toBeNull()
    const { session, user } = (await adapter.getSessionAndUser('a date')) ?? {}
    expect({ expires: session?.expires, email: user?.email }).toEqual({ expires: new Date(instant), email: 'ada@example.com' })
  })

  test('null is stored as no date', async () => {
    const { adapter } = opened
    expect(await adapter.createUser({ id: 'bob', email: 'bob@example.com', emailVerified: null })).toMatchObject({ emailVerified: null })
    await adapter.updateUser({ id: 'bob', emailVerified: new Date(instant) })
    expect(await adapter.updateUser({ id: 'bob', emailVerified: null })).toMatchObject({ emailVerified: null })
  })
})
