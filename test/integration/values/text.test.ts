import type { AdapterAccountType } from 'drizzle-auth-adapter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Opened } from './drivers.js'
import { asText, drivers } from './drivers.js'
import { neitherTextNorWhole, wholeNumbers } from './values.js'

// Where the contract has a string, a whole number is accepted as its decimal text, because several providers return numeric ids.

describe.each(drivers)('a whole number in place of text, with $driver,', ({ open }) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())

  describe.each(wholeNumbers)('%s', (number, text) => {
    const given = asText(number)
    const expires = new Date('2030-01-01T12:00:00.123Z')
    const user = { id: text, email: text, name: text, image: text, emailVerified: null }
    const createUser = () => opened.adapter.createUser({ id: given, email: given, name: given, image: given, emailVerified: null })

    test('is accepted in all fields and keys of a user', async () => {
      const { adapter } = opened
      expect(await createUser()).toEqual(user)
      for (const id of [given, text]) {
        expect(await adapter.getUser(id)).toEqual(user)
        expect(await adapter.getUserByEmail(id)).toEqual(user)
      }
      expect(await adapter.updateUser({ id: given, name: 'Ada', image: given })).toEqual({ ...user, name: 'Ada' })
      expect(await adapter.updateUser({ id: text, name: given })).toEqual(user)
      expect(await adapter.deleteUser(given)).toEqual(user)
      expect(await adapter.getUser(text)).toBeNull()
    })

    test('is accepted in all fields and keys of an account', async () => {
      const { adapter } = opened
      await createUser()
      const names = ['userId', 'type', 'provider', 'providerAccountId', 'access_token', 'refresh_token', 'id_token', 'scope', 'token_type']
      const account = (value: string) =>
        Object.fromEntries([...names, 'session_state'].map((name) => [name, value])) as Parameters<typeof adapter.linkAccount>[0]
      expect(await adapter.linkAccount(account(given))).toEqual(account(text))
      for (const key of [given, text]) {
        expect(await adapter.getAccount(key, key)).toEqual(account(text))
        expect(await adapter.getUserByAccount({ provider: key, providerAccountId: key })).toEqual(user)
      }
      await expect(adapter.linkAccount(account(text))).rejects.toMatchObject({ kind: 'duplicate' })
      expect(await adapter.unlinkAccount({ provider: given, providerAccountId: given })).toEqual(account(text))
      expect(await adapter.getAccount(text, text)).toBeNull()
      await adapter.deleteUser(given)
    })

    test('is accepted in all fields and keys of a session', async () => {
      const { adapter } = opened
      await createUser()
      const session = { sessionToken: text, userId: text, expires }
      expect(await adapter.createSession({ sessionToken: given, userId: given, expires })).toEqual(session)
      for (const token of [given, text]) expect(await adapter.getSessionAndUser(token)).toEqual({ session, user })
      const later = { ...session, expires: new Date('2031-01-01T12:00:00.123Z') }
      expect(await adapter.updateSession({ sessionToken: given, expires: later.expires })).toEqual(later)
      expect(await adapter.deleteSession(given)).toEqual(later)
      expect(await adapter.getSessionAndUser(text)).toBeNull()
      await adapter.deleteUser(given)
    })

    test('is accepted in all fields and keys of a verification token', async () => {
      const { adapter } = opened
      const token = { identifier: text, token: text, expires }
      for (const key of [given, text]) {
        expect(await adapter.createVerificationToken({ identifier: given, token: given, expires })).toEqual(token)
        expect(await adapter.useVerificationToken({ identifier: key, token: key })).toEqual(token)
        expect(await adapter.useVerificationToken({ identifier: key, token: key })).toBeNull()
      }
    })

    test('is accepted in all fields and keys of a passkey', async () => {
      const { adapter } = opened
      await createUser()
      const names = ['credentialID', 'userId', 'providerAccountId', 'credentialPublicKey', 'credentialDeviceType', 'transports']
      const passkey = (value: string) =>
        ({
          ...Object.fromEntries(names.map((name) => [name, value])),
          counter: 0,
          credentialBackedUp: true,
        }) as Parameters<typeof adapter.createAuthenticator>[0]
      expect(await adapter.createAuthenticator(passkey(given))).toEqual(passkey(text))
      for (const key of [given, text]) {
        expect(await adapter.getAuthenticator(key)).toEqual(passkey(text))
        expect(await adapter.listAuthenticatorsByUserId(key)).toEqual([passkey(text)])
      }
      expect(await adapter.updateAuthenticatorCounter(given, 7)).toEqual({ ...passkey(text), counter: 7 })
      await adapter.deleteUser(given)
      expect(await adapter.getAuthenticator(text)).toBeNull()
    })
  })

  test('finds nobody if no key equals it as text', async () => {
    const { adapter } = opened
    await adapter.createUser({ id: '4711.0', email: '4711.0' })
    for (const id of [4711, 4711n, '04711', '+4711', '4711 ']) expect(await adapter.getUser(asText(id))).toBeNull()
    const account = { userId: asText(4711), type: 'oauth' as AdapterAccountType, provider: 'p', providerAccountId: 'x' }
    await expect(adapter.linkAccount(account)).rejects.toMatchObject({ kind: 'unknown-user' })
    expect(await adapter.getUser('4711.0')).toMatchObject({ email: '4711.0' })
  })
})

// Every other value is rejected: neither the adapter nor Drizzle nor a driver may convert it to text.

const expires = new Date('2030-01-01T12:00:00.123Z')
const rows = {
  user: { id: 'victim', email: 'victim', name: 'victim', image: 'victim', emailVerified: null },
  account: {
    userId: 'victim',
    type: 'oauth' as const,
    provider: 'victim',
    providerAccountId: 'victim',
    access_token: 'victim',
    refresh_token: 'victim',
    id_token: 'victim',
    scope: 'victim',
    token_type: 'victim' as const,
    session_state: 'victim',
  },
  session: { sessionToken: 'victim', userId: 'victim', expires },
  token: { identifier: 'victim', token: 'victim', expires },
  passkey: {
    credentialID: 'victim',
    userId: 'victim',
    providerAccountId: 'victim',
    credentialPublicKey: 'victim',
    credentialDeviceType: 'victim',
    transports: 'victim',
    counter: 1,
    credentialBackedUp: true,
  },
}

/** The names of the text fields of a row. */
const textFields = (row: object) => Object.entries(row).flatMap(([name, value]) => (value === 'victim' ? [name] : []))

/** The row with other keys, so that only the value under test can be the reason to reject it. */
const withOtherKeys = <Row extends object>(row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === 'victim' && name !== 'userId' ? 'other' : value])) as Row

describe.each(drivers)('a value that is neither text nor a whole number, with $driver,', ({ open }) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
    const { adapter } = opened
    await adapter.createUser(rows.user)
    await adapter.linkAccount(rows.account)
    await adapter.createSession(rows.session)
    await adapter.createVerificationToken(rows.token)
    await adapter.createAuthenticator(rows.passkey)
  })
  afterAll(() => opened.close())

  test.each(Object.entries(neitherTextNorWhole))('%s is rejected in each text field of each row', async (_, value) => {
    const { adapter } = opened
    const writes: [operation: (row: never) => Promise<unknown>, row: object][] = [
      [adapter.createUser, rows.user],
      [adapter.linkAccount, rows.account],
      [adapter.createSession, rows.session],
      [adapter.createVerificationToken, rows.token],
      [adapter.createAuthenticator, rows.passkey],
    ]
    for (const [write, row] of writes) {
      for (const field of textFields(row)) {
        const answer = await write({ ...withOtherKeys(row), [field]: value } as never).catch((error) => error)
        expect(answer, field).toMatchObject({ name: 'AdapterOperationError', kind: 'invalid', column: field })
      }
    }
    for (const field of ['email', 'name', 'image'])
      await expect(adapter.updateUser({ id: 'victim', [field]: value }), field).rejects.toMatchObject({ kind: 'invalid', column: field })
    await expect(adapter.updateSession({ sessionToken: 'victim', userId: asText(value) })).rejects.toMatchObject({ kind: 'invalid' })
  })

  test.each(Object.entries({ ...neitherTextNorWhole, undefined: undefined, null: null }))(
    '%s finds and deletes nothing',
    async (_, value) => {
      const { adapter } = opened
      const key = asText(value)
      for (const found of [
        await adapter.getUser(key),
        await adapter.getUserByEmail(key),
        await adapter.getUserByAccount({ provider: 'victim', providerAccountId: key }),
        await adapter.getUserByAccount({ provider: key, providerAccountId: 'victim' }),
        await adapter.getAccount(key, 'victim'),
        await adapter.getAccount('victim', key),
        await adapter.getSessionAndUser(key),
        await adapter.updateSession({ sessionToken: key, expires: new Date(0) }),
        await adapter.getAuthenticator(key),
        await adapter.deleteUser(key),
        await adapter.deleteSession(key),
        await adapter.useVerificationToken({ identifier: 'victim', token: key }),
        await adapter.useVerificationToken({ identifier: key, token: 'victim' }),
      ])
        expect(found).toBeNull()
      expect(await adapter.unlinkAccount({ provider: 'victim', providerAccountId: key })).toBeUndefined()
      expect(await adapter.unlinkAccount({ provider: key, providerAccountId: 'victim' })).toBeUndefined()
      expect(await adapter.listAuthenticatorsByUserId(key)).toEqual([])
      await expect(adapter.updateUser({ id: key, name: 'Mallory' })).rejects.toMatchObject({ kind: 'not-found' })
      await expect(adapter.updateAuthenticatorCounter(key, 9)).rejects.toMatchObject({ kind: 'not-found' })
    },
  )

  test('stores, changes and deletes nothing', async () => {
    const { adapter } = opened
    expect(await adapter.getUserByEmail('other')).toBeNull()
    expect(await adapter.getAccount('other', 'other')).toBeNull()
    expect(await adapter.getUserByAccount({ provider: 'victim', providerAccountId: 'victim' })).toEqual(rows.user)
    expect(await adapter.getAccount('victim', 'victim')).toEqual(rows.account)
    expect(await adapter.getSessionAndUser('victim')).toEqual({ session: rows.session, user: rows.user })
    expect(await adapter.listAuthenticatorsByUserId('victim')).toEqual([rows.passkey])
    expect(await adapter.useVerificationToken({ identifier: 'victim', token: 'victim' })).toEqual(rows.token)
  })
})
