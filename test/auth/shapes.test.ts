import type { AdapterAccount } from 'drizzle-auth-adapter'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Opened } from '../integration/values/drivers.js'
import { driverOfEachDialect } from '../integration/values/drivers.js'
import { openApp } from './app.js'
import { builtIn, openNextAuth } from './next-auth.js'
import type { Provider } from './provider.js'
import { startProvider } from './provider.js'
import { tablesOf } from './tables.js'

// Real responses of profile and token endpoints, which differ from what the types of Auth.js promise.

type Overrides = { profile?: (profile: Record<string, unknown>) => object; account?: (tokens: object) => object }

describe.each(driverOfEachDialect)('with $driver,', ({ dialect, open }) => {
  let opened: Opened
  let provider: Provider
  let people = 0
  beforeAll(async () => {
    opened = await open(tablesOf(dialect))
    provider = await startProvider()
  })
  afterAll(async () => {
    await provider.close()
    await opened.close()
  })

  const person = () => ({ id: `person ${++people}`, email: `${people}@example.com` })

  /** Signs in with a provider that returns this profile and this token response. */
  async function signIn(profile: object, token: object = {}, overrides: Overrides = {}, adapter: object = opened.adapter) {
    provider.answer(profile, token)
    const app = openApp(adapter, { id: 'stub', name: 'Stub', type: 'oauth', ...provider.endpoints, ...overrides } as never)
    const answer = await app.signIn()
    return { ...answer, causes: app.errors.map(({ cause }) => (cause as { err?: unknown } | undefined)?.err) }
  }

  const accountOf = async (id: string) => (await opened.adapter.getAccount(id, 'stub')) as AdapterAccount

  test('a profile without an address creates a user without one, and finds the same user again', async () => {
    for (const email of [null, undefined]) {
      const profile = { ...person(), email }
      const { path, user } = await signIn(profile)
      expect(path).toBe('/')
      expect(await opened.adapter.getUser(user?.id ?? '')).toMatchObject({ email: null })
      expect((await signIn(profile)).user?.id).toBe(user?.id)
    }
  })

  test('a name and an image may be missing, null or a number', async () => {
    for (const [given, kept] of [
      [undefined, null],
      [null, null],
      [42, '42'],
      ['', ''],
    ]) {
      const { user } = await signIn({ ...person(), name: given, picture: given })
      expect(await opened.adapter.getUser(user?.id ?? '')).toMatchObject({ name: kept, image: kept })
    }
  })

  test('additional properties of a profile are stored if there is a column, and dropped otherwise', async () => {
    const joined = new Date('2020-01-01T12:00:00.123Z')
    const more = {
      list: ['a'],
      nested: { a: { b: 1 } },
      date: new Date(0),
      flag: true,
      nothing: undefined,
      call: () => 1,
      big: 5n,
      nan: Number.NaN,
    }
    const profile = (given: Record<string, unknown>) => ({
      ...given,
      ...more,
      symbol: Symbol('x'),
      role: 'editor',
      joined: joined.toJSON(),
    })
    const { path, user } = await signIn(person(), {}, { profile })
    expect(path).toBe('/')
    const stored = await opened.adapter.getUser(user?.id ?? '')
    expect(Object.keys(stored ?? {}).sort()).toEqual(['email', 'emailVerified', 'id', 'image', 'joined', 'name', 'role'])
    expect(stored).toMatchObject({ role: 'editor', joined })
  })

  test('a profile with values of other types signs nobody in, and the error does not show the values', async () => {
    for (const [field, value] of [
      ['name', { first: 'SECRET_123' }],
      ['image', ['SECRET_123']],
      ['name', true],
      ['joined', 'SECRET_123'],
    ] as const) {
      const given = person()
      const { path, user, causes } = await signIn(given, {}, { profile: () => ({ ...given, [field]: value }) })
      expect({ path, user }).toEqual({ path: '/problem?error=Configuration', user: undefined })
      expect(causes).not.toEqual([])
      for (const cause of causes) {
        expect(cause).toBeInstanceOf(AdapterOperationError)
        expect(cause).toMatchObject({ operation: 'createUser', kind: 'invalid', column: field })
        expect(JSON.stringify(cause) + String(cause)).not.toContain('SECRET_123')
      }
      expect(await opened.adapter.getUserByEmail(given.email)).toBeNull()
    }
  })

  const tokenAnswers: [title: string, answer: object, kept: Record<string, unknown>][] = [
    ['only the token', {}, { expires_at: undefined, refresh_token: undefined, scope: undefined }],
    ['a lifetime', { expires_in: 3600 }, { expires_at: 3600 }],
    ['a lifetime as text', { expires_in: '3600' }, { expires_at: 3600 }],
    ['an empty scope', { scope: '' }, { scope: '', expires_at: undefined }],
    ['a session state that is a number', { session_state: 7 }, { session_state: '7', expires_at: undefined }],
    [
      'properties that the specification does not have',
      { athlete: { id: 1, bikes: [] }, user_id: 7, ok: true },
      { expires_at: undefined, athlete: undefined },
    ],
  ]
  test.each(tokenAnswers)('a token endpoint may answer %s', async (_, token, kept) => {
    const profile = person()
    const now = Math.floor(Date.now() / 1000)
    expect((await signIn(profile, token)).path).toBe('/')
    const { expires_at, ...others } = await accountOf(profile.id)
    expect(others).toMatchObject({ access_token: 'access', token_type: 'bearer' })
    // Auth.js adds the lifetime to the current time in seconds, so the difference is rounded.
    const account = { ...others, expires_at: expires_at && Math.floor((expires_at - now) / 60) * 60 }
    for (const [name, value] of Object.entries(kept)) expect(account[name as keyof typeof account], name).toBe(value)
  })

  test('an app may pass on the whole token response', async () => {
    const profile = person()
    const token = { expires_in: '3600', refresh_token: 'refresh', scope: 'a b', session_state: 7, athlete: { id: 1 }, lucky: 7n.toString() }
    expect((await signIn(profile, token, { account: (tokens) => tokens })).path).toBe('/')
    const kept = { refresh_token: 'refresh', scope: 'a b', session_state: '7', expires_in: 3600, expires_at: expect.any(Number) }
    expect(await accountOf(profile.id)).toEqual({
      userId: expect.any(String),
      type: 'oauth',
      provider: 'stub',
      providerAccountId: profile.id,
      access_token: 'access',
      token_type: 'bearer',
      ...kept,
    })
  })
})

describe.each(driverOfEachDialect)('the default tables, with $driver,', ({ open }) => {
  test('reject a user without an address', async () => {
    const [opened, provider] = [await open(), await startProvider()]
    try {
      provider.answer({ id: 7 })
      const app = openApp(opened.adapter, { id: 'stub', name: 'Stub', type: 'oauth', ...provider.endpoints })
      expect(await app.signIn()).toEqual({ path: '/problem?error=Configuration', user: undefined })
      expect(app.errors[0]?.cause).toMatchObject({ err: { operation: 'createUser', kind: 'missing-value' } })
      expect(await opened.adapter.getAccount('7', 'stub')).toBeNull()
    } finally {
      await provider.close()
      await opened.close()
    }
  })
})

// next-auth 4 converts the provider's id to text, and passes every property of the token response on unchanged.

describe.each(driverOfEachDialect)('next-auth 4, with $driver,', ({ dialect, open }) => {
  let opened: Opened
  let provider: Provider
  beforeAll(async () => {
    opened = await open(tablesOf(dialect))
    provider = await startProvider()
  })
  afterAll(async () => {
    await provider.close()
    await opened.close()
  })

  async function signInTwice(name: Parameters<typeof builtIn>[0]) {
    const { signIn, errors } = openNextAuth(opened.adapter, builtIn(name)(provider.endpoints))
    const first = await signIn()
    expect({ errors, path: first.path }).toEqual({ errors: [], path: '/' })
    expect(await signIn()).toEqual(first)
    return first.user?.id
  }

  test('signs a person with a numeric id in, and again', async () => {
    provider.answer({ ID: 78972699, display_name: 'Ada', email: 'Ada@example.com', avatar_URL: null }, { blog_id: '0', scope: 'auth' })
    const userId = await signInTwice('wordpress')
    expect(await opened.adapter.getUserByEmail('ada@example.com')).toMatchObject({ id: userId, name: 'Ada', emailVerified: null })
    expect(await opened.adapter.getAccount('78972699', 'wordpress')).toEqual({
      userId,
      type: 'oauth',
      provider: 'wordpress',
      providerAccountId: '78972699',
      access_token: 'access',
      token_type: 'bearer',
      scope: 'auth',
    })
  })

  test('signs a person without an address in, with other types and additional properties in the token response', async () => {
    const athlete = { id: 134815, firstname: 'Ada', clubs: [{ id: 1 }] }
    const profile = { id: 134815, firstname: 'Ada', lastname: 'Lovelace', profile: 'avatar.png' }
    provider.answer(profile, { expires_at: '1900000000', refresh_token: null, scope: ['read', 'activity'], session_state: 7, athlete })
    const userId = await signInTwice('strava')
    expect(await opened.adapter.getUser(userId ?? '')).toMatchObject({ email: null, name: 'Ada Lovelace' })
    expect(await opened.adapter.getAccount('134815', 'strava')).toEqual({
      userId,
      type: 'oauth',
      provider: 'strava',
      providerAccountId: '134815',
      access_token: 'access',
      token_type: 'bearer',
      scope: 'read activity',
      expires_at: 1_900_000_000,
      session_state: '7',
    })
  })

  test('accepts expires_in as text', async () => {
    provider.answer({ ID: 4711, display_name: 'Grace', email: 'grace@example.com' }, { expires_in: '3600' })
    await signInTwice('wordpress')
    const account = await opened.adapter.getAccount('4711', 'wordpress')
    expect(account?.expires_at).toBeGreaterThan(Date.now() / 1000 + 3000)
    expect(account).not.toHaveProperty('expires_in')
  })
})
