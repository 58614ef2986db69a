import { runInNewContext } from 'node:vm'
import type { Adapter } from 'drizzle-auth-adapter'

const expires = () => new Date('2030-01-01T12:00:00.123Z')
/** A user with one row of each other kind, and their keys. */
const user = { id: 'ada', email: 'ada@example.com', name: 'Ada', image: null, emailVerified: null }
const accountKey = { provider: 'github', providerAccountId: '1' }
const account = { ...accountKey, userId: 'ada', type: 'oauth' as const, token_type: 'bearer' as const, expires_at: 5 }
const session = () => ({ sessionToken: 'session', userId: 'ada', expires: expires() })
const tokenKey = { identifier: 'ada@example.com', token: 'token' }
const token = () => ({ ...tokenKey, expires: expires() })
const passkey = {
  credentialID: 'credential',
  userId: 'ada',
  providerAccountId: '1',
  credentialPublicKey: 'key',
  counter: 0,
  credentialDeviceType: 'singleDevice',
  credentialBackedUp: true,
}

/** Every operation that takes an object, with its argument and its result, in an order in which all succeed. */
export const operations: [name: keyof Adapter, argument: () => Record<string, unknown>, answer: unknown][] = [
  ['createUser', () => ({ ...user }), user],
  ['updateUser', () => ({ id: 'ada', name: 'Countess' }), { ...user, name: 'Countess' }],
  ['linkAccount', () => ({ ...account, token_type: 'Bearer' }), account],
  ['getUserByAccount', () => ({ ...accountKey }), { ...user, name: 'Countess' }],
  ['createSession', session, session()],
  ['updateSession', () => ({ sessionToken: 'session', expires: new Date(0) }), { ...session(), expires: new Date(0) }],
  ['createVerificationToken', token, token()],
  ['createAuthenticator', () => ({ ...passkey }), passkey],
  ['useVerificationToken', () => ({ ...tokenKey }), token()],
  ['unlinkAccount', () => ({ ...accountKey }), account],
]

const withGetters = (row: object) =>
  Object.defineProperties(
    {},
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, { get: () => value, enumerable: true }])),
  )

/** The same properties in another kind of object. */
export const objectKinds: Record<string, (row: Record<string, unknown>) => object> = {
  'objects without a prototype': (row) => Object.assign(Object.create(null), row),
  'frozen objects': (row) => Object.freeze(row),
  proxies: (row) => new Proxy(row, {}),
  'objects with getters': withGetters,
  'objects from another realm': (row) => Object.assign(runInNewContext('({})'), row),
  'instances of a class': (row) => Object.assign(new (class Row {})(), row),
  'objects with unknown properties': (row) => ({
    ...row,
    [Symbol('more')]: 1,
    more: Symbol('more'),
    constructor: 'x',
    toString: 1,
    hasOwnProperty: 1,
  }),
}

/** Calls an operation that takes one object. */
export const call = (adapter: Adapter, name: keyof Adapter, argument: unknown) =>
  (adapter[name] as (argument: unknown) => Promise<unknown>)(argument)
