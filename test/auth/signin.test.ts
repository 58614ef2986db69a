import type { OAuthConfig } from '@auth/core/providers'
import Concept2 from '@auth/core/providers/concept2'
import FreshBooks from '@auth/core/providers/freshbooks'
import HubSpot from '@auth/core/providers/hubspot'
import Mailchimp from '@auth/core/providers/mailchimp'
import Passkey from '@auth/core/providers/passkey'
import Strava from '@auth/core/providers/strava'
import Vk from '@auth/core/providers/vk'
import WordPress from '@auth/core/providers/wordpress'
import Zoho from '@auth/core/providers/zoho'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startIdentity } from '../../demo/identity.js'
import { usePasskey, whoIs } from '../browser/app.js'
import { openDevice } from '../browser/device.js'
import type { Opened } from '../integration/values/drivers.js'
import { driverOfEachDialect } from '../integration/values/drivers.js'
import { openApp, origin } from './app.js'
import type { Provider } from './provider.js'
import { startProvider } from './provider.js'
import { tablesOf } from './tables.js'

// Auth.js passes the id of a profile on unchanged. These built-in providers return a number as id, and do not convert it to text.

// Each provider has its own type of profile.
type BuiltIn = (options: object) => OAuthConfig<unknown>

const numericProviders: [make: unknown, id: string, profile: object][] = [
  [WordPress, '78972699', { ID: 78972699, display_name: 'Ada', email: 'Ada@wordpress.example', avatar_URL: 'https://example.com/ada.png' }],
  [Zoho, '10234695', { ZUID: 10234695, First_Name: 'Ada', Last_Name: 'Lovelace', Email: 'ada@zoho.example' }],
  [Strava, '134815', { id: 134815, firstname: 'Ada', lastname: 'Lovelace', profile: 'avatar/athlete/large.png' }],
  [Mailchimp, '9171061', { accountname: 'Ada', login: { login_id: 9171061, email: 'ada@mailchimp.example' }, user_id: 5 }],
  [FreshBooks, '712052', { response: { id: 712052, first_name: 'Ada', last_name: 'Lovelace', email: 'ada@freshbooks.example' } }],
  [HubSpot, '4711', { user_id: 4711, user: 'ada@hubspot.example', hub_id: 62515, scopes: ['oauth'] }],
  [Concept2, '1', { data: { id: 1, username: 'ada', email: 'ada@concept2.example', profile_image: null } }],
  [Vk, '210700286', { response: [{ id: 210700286, first_name: 'Lindsey', last_name: 'Stirling', photo_100: 'https://example.com/1' }] }],
]

let identity: Awaited<ReturnType<typeof startIdentity>>
beforeAll(async () => {
  identity = await startIdentity(origin)
})
afterAll(() => identity.close())

describe.each(driverOfEachDialect)('with $driver,', ({ driver, dialect, open }) => {
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

  // They make no difference for the adapter. So all of them run with one driver, and only three with the others.
  const chosen = driver === driverOfEachDialect[0]?.driver ? numericProviders : numericProviders.slice(0, 3)
  const named = chosen.map(([make, ...rest]) => [(make as BuiltIn)({}).name, make as BuiltIn, ...rest] as const)
  test.each(named)('a person who signs in twice with %s is the same user', async (_, make, providerAccountId, profile) => {
    provider.answer(profile)
    const { signIn, errors } = openApp(opened.adapter, make(provider.endpoints) as never)
    const first = await signIn()
    const again = await signIn()
    expect({ errors, path: first.path }).toEqual({ errors: [], path: '/' })
    expect(again).toEqual(first)
    const { id } = make({})
    expect(await opened.adapter.getAccount(providerAccountId, id)).toMatchObject({
      userId: first.user?.id,
      provider: id,
      providerAccountId,
    })
    expect(await opened.adapter.getUserByAccount({ provider: id, providerAccountId })).toMatchObject({ id: first.user?.id })
  })

  test('a signed-in person links an account with a numeric id, and signs in with it', async () => {
    provider.answer({ ZUID: 20234695, First_Name: 'Grace', Last_Name: 'Hopper', Email: 'grace@zoho.example' })
    const zoho = openApp(opened.adapter, Zoho(provider.endpoints))
    const client = zoho.open()
    const { user } = await zoho.signIn(client)
    provider.answer({ ID: 88972699, display_name: 'Grace', email: 'grace@wordpress.example', avatar_URL: null })
    const wordpress = openApp(opened.adapter, WordPress(provider.endpoints))
    const browser = wordpress.open()
    browser.setCookie('authjs.session-token', client.cookie('authjs.session-token') ?? '')
    expect(await wordpress.signIn(browser)).toEqual({ path: '/', user })
    expect((await wordpress.signIn()).user?.id).toBe(user?.id)
  })

  test('a numeric id from OpenID Connect is the same user each time, too', async () => {
    const { client_id: clientId, client_secret: clientSecret } = identity.client
    const profile = ({ email, name }: Record<string, unknown>) => ({ id: 4711, email, name }) as never
    const { open } = openApp(opened.adapter, {
      id: 'oidc',
      type: 'oidc',
      name: 'O',
      issuer: identity.issuer,
      clientId,
      clientSecret,
      profile,
    })
    const people = []
    for (const client of [open(), open()]) {
      const { url } = await client.go('/auth/signin/oidc', { callbackUrl: '/' })
      expect((await client.go(`${url.href}/ada`, {})).url.pathname).toBe('/')
      people.push(client.cookie('authjs.session-token'))
    }
    const users = await Promise.all(people.map((token) => opened.adapter.getSessionAndUser(token ?? '')))
    expect(users[0]?.user.email).toBe('ada@example.com')
    expect(users[1]?.user).toEqual(users[0]?.user)
  })

  // During the registration of a passkey, Auth.js keeps the new user in a cookie as JSON. So the adapter gets dates as text.

  test('a user with dates from getUserInfo signs up by a passkey, and the dates are stored', async () => {
    const verified = new Date('2020-01-01T12:00:00.123Z')
    const user = { email: 'dora@example.com', name: 'Dora', emailVerified: verified, joined: new Date(0) }
    const app = openApp(opened.adapter, Passkey({ getUserInfo: async () => ({ user, exists: false }) }))
    const [client, device] = [app.open(), openDevice(origin)]
    await usePasskey(client, 'register', device, 'dora@example.com')
    const signedIn = await whoIs(client)
    expect(app.errors).toEqual([])
    expect(signedIn).toMatchObject({ email: 'dora@example.com' })
    expect(await opened.adapter.getUserByEmail('dora@example.com')).toMatchObject({ ...user, id: signedIn?.id })

    const again = app.open()
    await usePasskey(again, 'authenticate', device)
    expect(await whoIs(again)).toMatchObject({ id: signedIn?.id })
  })

  test('a user who is deleted while registering a passkey is created again with the same dates', async () => {
    const emailVerified = new Date('2020-01-01T12:00:00.123Z')
    const user = await opened.adapter.createUser({ id: 'ella', email: 'ella@example.com', emailVerified })
    await opened.adapter.createSession({ sessionToken: 'ella', userId: 'ella', expires: new Date(Date.now() + 60_000) })
    const app = openApp(opened.adapter, Passkey({}))
    const [client, device] = [app.open(), openDevice(origin)]
    client.setCookie('authjs.session-token', 'ella')
    const { response } = await client.go('/auth/webauthn-options/passkey?action=register')
    const { options } = (await response.json()) as { options: { challenge: string } }
    await opened.adapter.deleteUser('ella')
    const { url } = await client.go('/auth/callback/passkey', { action: 'register', data: device.register(options), callbackUrl: '/' })
    expect({ errors: app.errors, path: url.pathname }).toEqual({ errors: [], path: '/' })
    expect(await opened.adapter.getUserByEmail('ella@example.com')).toEqual(user)
    expect(await whoIs(client)).toMatchObject({ id: 'ella' })
  })
})
