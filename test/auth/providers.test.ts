import Passkey from '@auth/core/providers/passkey'
import Strava from '@auth/core/providers/strava'
import WordPress from '@auth/core/providers/wordpress'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { AnyAdapter } from '../support/databases.js'
import { openDatabase } from '../support/databases.js'
import { openApp, origin, usePasskey, whoIs } from './app.js'
import { openDevice } from './device.js'
import { builtIn, openNextAuth } from './next-auth.js'
import type { Provider } from './provider.js'
import { startProvider } from './provider.js'
import { tablesOf } from './tables.js'

// Real responses of profile and token endpoints, which differ from what the types of Auth.js promise. The libraries pass them on unchanged.

let provider: Provider
beforeAll(async () => {
  provider = await startProvider()
})
afterAll(() => provider.close())

/** An OAuth provider whose options can replace `profile` and `account`. */
const stub = (options: object = {}) => ({ id: 'stub', name: 'Stub', type: 'oauth', ...provider.endpoints, ...options }) as never

describe.each(inject('dialects'))('on %s', (dialect) => {
  let adapter: AnyAdapter
  let close: () => Promise<void>
  let people = 0
  beforeAll(async () => {
    const opened = await openDatabase(dialect, tablesOf(dialect))
    adapter = opened.adapter()
    close = opened.close
  })
  afterAll(() => close())

  const person = () => ({ id: `person ${++people}`, email: `${people}@example.com` })

  /** Signs in twice, which must be the same user. */
  async function signInTwice({
    signIn,
    errors,
  }: {
    signIn(): Promise<{ path: string; user?: { id: string } | undefined }>
    errors: unknown[]
  }) {
    const first = await signIn()
    expect({ errors, path: first.path }).toEqual({ errors: [], path: '/' })
    expect(await signIn()).toEqual(first)
    return first.user?.id ?? ''
  }

  type App = Parameters<typeof signInTwice>[0]
  const athlete = { firstname: 'Ada', lastname: 'Lovelace', profile: 'avatar/athlete/large.png' }
  const blogger = (ID: number) => ({ ID, display_name: 'Ada', email: `Ada@${ID}.example`, avatar_URL: null })

  /** What real providers answer, and the account that is stored. */
  const signIns: [title: string, open: () => App, profile: object, tokens: object, account: object][] = [
    [
      'Auth.js signs in a person whose id is a number',
      () => openApp(adapter, [WordPress(provider.endpoints)]),
      blogger(78972699),
      {},
      { provider: 'wordpress', providerAccountId: '78972699' },
    ],
    [
      'Auth.js signs in a person without an address',
      () => openApp(adapter, [Strava(provider.endpoints)]),
      { ...athlete, id: 134815 },
      {},
      { provider: 'strava', providerAccountId: '134815' },
    ],
    [
      'next-auth 4 signs in a person whose id is a number',
      () => openNextAuth(adapter, builtIn('wordpress')(provider.endpoints)),
      blogger(88972699),
      { blog_id: '0', expires_in: '3600' },
      { provider: 'wordpress', providerAccountId: '88972699', expires_at: expect.any(Number) },
    ],
    [
      'next-auth 4 signs in a person without an address, with other types and additional properties in the token response',
      () => openNextAuth(adapter, builtIn('strava')(provider.endpoints)),
      { ...athlete, id: 234815 },
      { expires_at: '1900000000', refresh_token: null, scope: ['read', 'activity'], session_state: 7, athlete: { clubs: [{ id: 1 }] } },
      { provider: 'strava', providerAccountId: '234815', scope: 'read activity', expires_at: 1_900_000_000, session_state: '7' },
    ],
  ]
  test.each(signIns)('%s', async (_, open, profile, tokens, account) => {
    provider.answer(profile, tokens)
    const userId = await signInTwice(open())
    const { provider: id, providerAccountId } = account as Record<'provider' | 'providerAccountId', string>
    const expected = { userId, type: 'oauth', access_token: 'access', token_type: 'bearer', ...account }
    expect(await adapter.getAccount(providerAccountId, id)).toEqual(expected)
    const email = 'email' in profile ? String(profile.email).toLowerCase() : null
    expect(await adapter.getUserByAccount({ provider: id, providerAccountId })).toMatchObject({
      id: userId,
      email,
      name: expect.stringMatching(/^Ada/),
    })
  })

  test('additional properties of a profile are stored if there is a column, and dropped otherwise', async () => {
    const joined = new Date('2020-01-01T12:00:00.123Z')
    provider.answer(person())
    const profile = (given: object) => ({ ...given, name: 42, list: ['a'], nested: { a: 1 }, role: 'editor', joined: joined.toJSON() })
    const { path, user } = await openApp(adapter, [stub({ profile })]).signIn()
    expect(path).toBe('/')
    const stored = await adapter.getUser(user?.id ?? '')
    expect(Object.keys(stored ?? {}).sort()).toEqual(['email', 'emailVerified', 'id', 'image', 'joined', 'name', 'role'])
    expect(stored).toMatchObject({ name: '42', image: null, role: 'editor', joined })
  })

  test.each([
    ['name', { first: 'SECRET_123' }],
    ['joined', 'SECRET_123'],
  ])('a profile with a wrong %s signs nobody in, and the error does not show the value', async (field, value) => {
    const given = person()
    provider.answer(given)
    const { signIn, errors } = openApp(adapter, [stub({ profile: () => ({ ...given, [field]: value }) })])
    expect(await signIn()).toEqual({ path: '/problem?error=Configuration', user: undefined })
    const err = (errors[0]?.cause as { err?: unknown } | undefined)?.err
    expect(err).toBeInstanceOf(AdapterOperationError)
    expect(err).toMatchObject({ operation: 'createUser', kind: 'invalid', column: field })
    expect(JSON.stringify(err) + String(err)).not.toContain('SECRET_123')
    expect(await adapter.getUserByEmail(given.email)).toBeNull()
  })

  test('a token response can have other types and additional properties', async () => {
    const profile = person()
    const kept = { refresh_token: 'refresh', scope: 'a b' }
    provider.answer(profile, { ...kept, expires_in: '3600', session_state: 7, athlete: { id: 1 } })
    const now = Math.floor(Date.now() / 1000)
    expect((await openApp(adapter, [stub({ account: (tokens: object) => tokens })]).signIn()).path).toBe('/')
    const { expires_at, ...account } = (await adapter.getAccount(profile.id, 'stub')) ?? {}
    expect(account).toEqual({
      userId: expect.any(String),
      type: 'oauth',
      provider: 'stub',
      providerAccountId: profile.id,
      access_token: 'access',
      token_type: 'bearer',
      ...kept,
      session_state: '7',
      expires_in: 3600,
    })
    expect(expires_at).toBeGreaterThanOrEqual(now + 3600)
  })

  // During the registration of a passkey, Auth.js keeps the new user in a cookie as JSON. So the adapter gets dates as text.
  test('a user with dates from getUserInfo signs up by a passkey, and the dates are stored', async () => {
    const verified = new Date('2020-01-01T12:00:00.123Z')
    const user = { email: 'dora@example.com', name: 'Dora', emailVerified: verified, joined: new Date(0) }
    const app = openApp(adapter, [Passkey({ getUserInfo: async () => ({ user, exists: false }) })])
    const client = app.open()
    await usePasskey(client, 'register', openDevice(origin), 'dora@example.com')
    expect(app.errors).toEqual([])
    expect(await adapter.getUserByEmail('dora@example.com')).toMatchObject({ ...user, id: (await whoIs(client))?.id })
  })

  test('the default tables reject a user without an address', async () => {
    const opened = await openDatabase(dialect)
    onTestFinished(opened.close)
    provider.answer({ id: 7 })
    const app = openApp(opened.adapter(), [stub()])
    expect(await app.signIn()).toEqual({ path: '/problem?error=Configuration', user: undefined })
    expect(app.errors[0]?.cause).toMatchObject({ err: { operation: 'createUser', kind: 'missing-value' } })
    expect(await opened.adapter().getAccount('7', 'stub')).toBeNull()
  })
})
