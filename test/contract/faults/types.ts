import type { Entry, Fault, OperationName, Row } from '../fault.js'
import { faultsOf, given, on } from '../fault.js'

/** An operation that makes something of a value in place of refusing it. */
const taking = (operation: OperationName, field: string, take: (value: unknown) => unknown): Fault['broken'] =>
  given(operation, (row: Row) => [row && field in row ? { ...row, [field]: take(row[field]) } : row])

const asText = (value: unknown) => (typeof value === 'object' && value && !(value instanceof Date) ? JSON.stringify(value) : value)
const asNumber = (value: unknown) => (value === '0x10' || value === '1e3' ? Number(value) : value)
const asBoolean = (value: unknown) => (typeof value === 'boolean' || value == null ? value : Boolean(value))
const asDate = (value: unknown) => (value === true ? new Date(1) : value)
const parsed = (value: unknown) => (typeof value === 'string' && value !== '' ? new Date(Date.parse(value) || Date.now()) : value)

const texts = {
  createUser: 'name',
  updateUser: 'name',
  linkAccount: 'scope',
  createSession: 'sessionToken',
  createVerificationToken: 'token',
  createAuthenticator: 'transports',
} as const
const dates = {
  createUser: 'emailVerified',
  updateUser: 'emailVerified',
  createSession: 'expires',
  createVerificationToken: 'expires',
  updateSession: 'expires',
} as const
const required = {
  linkAccount: ['type', ''],
  createSession: ['userId', ''],
  createVerificationToken: ['expires', new Date(8e12)],
  createAuthenticator: ['credentialDeviceType', ''],
} as const

const each = <T extends object>(map: T) => Object.entries(map) as [OperationName, T[keyof T]][]

export const typeFaults = faultsOf('wrong types', [
  ...each(texts).map(([operation, field]): Entry => [`${operation} stores an object as JSON`, taking(operation, field, asText)]),
  ...each(texts).map(
    ([operation, field]): Entry => [
      `${operation} stores true as text`,
      taking(operation, field, (value) => (value === true ? `true ${crypto.randomUUID()}` : value)),
    ],
  ),
  ...each(dates).map(([operation, field]): Entry => [`${operation} makes a date of true`, taking(operation, field, asDate)]),
  ...each(dates).map(([operation, field]): Entry => [`${operation} makes a date of any text`, taking(operation, field, parsed)]),
  ...each(dates).map(
    ([operation, field]): Entry => [
      `${operation} takes an invalid date for now`,
      taking(operation, field, (value) => (value instanceof Date && Number.isNaN(+value) ? new Date() : value)),
    ],
  ),
  ...each(required).map(
    ([operation, [field, value]]): Entry => [
      `${operation} fills in ${field} where it is missing`,
      taking(operation, field, (given) => given ?? value),
    ],
  ),
  ['linkAccount reads numbers as JavaScript does', taking('linkAccount', 'expires_at', asNumber)],
  [
    'linkAccount takes no number for none',
    taking('linkAccount', 'expires_in', (value) =>
      typeof value === 'number' ? (Number.isSafeInteger(value) ? value : undefined) : value === '' ? undefined : value,
    ),
  ],
  ['linkAccount rounds', taking('linkAccount', 'expires_at', (value) => (value === 1.5 ? 2 : value))],
  [
    'linkAccount stores expires_at as text where it was text',
    (sound, { accounts }) => ({
      async linkAccount(account) {
        if ((account.expires_at as unknown) !== '3600') return sound.linkAccount(account)
        accounts.insert({ ...account, expires_at: 1 })
        Object.assign(accounts.rows.get(accounts.keyOf(account) as string) ?? {}, { expires_at: '3600' })
        return accounts.find(account)
      },
    }),
  ],
  [
    'createAuthenticator counts in fractions',
    (sound, { authenticators }) => ({
      async createAuthenticator(row) {
        if (row.counter !== 1.5) return sound.createAuthenticator(row)
        authenticators.insert({ ...row, counter: 1 })
        Object.assign(authenticators.rows.get(authenticators.keyOf(row) as string) ?? {}, { counter: 1.5 })
        return authenticators.find(row)
      },
    }),
  ],
  ['createAuthenticator takes anything for true', taking('createAuthenticator', 'credentialBackedUp', asBoolean)],
  ['createAuthenticator takes 1 for false', taking('createAuthenticator', 'credentialBackedUp', (value) => (value === 1 ? false : value))],
  [
    'updateAuthenticatorCounter takes what is no number for 0',
    on(
      'updateAuthenticatorCounter',
      (sound) => async (id, counter) =>
        sound.updateAuthenticatorCounter(id, typeof counter === 'number' && !Number.isNaN(counter) ? counter : 0),
    ),
  ],
  [
    'updateAuthenticatorCounter without a counter adds one',
    on(
      'updateAuthenticatorCounter',
      (sound) => async (id, counter) =>
        sound.updateAuthenticatorCounter(id, counter ?? ((await sound.getAuthenticator(id))?.counter ?? 0) + 1),
    ),
  ],
  [
    'updateSession clears the expiry for null',
    (_, { sessions }) => ({
      async updateSession(session) {
        const row = sessions.rows.get(sessions.keyOf(session) ?? '')
        if (row && session.expires === (null as never)) return Object.assign(row, { expires: null })
        return sessions.update(session)
      },
    }),
  ],
  [
    'linkAccount stores a numeric account id as it is, and lookups do not find it',
    (_, { accounts }) => ({
      async linkAccount(account) {
        if (typeof (account.providerAccountId as unknown) !== 'number') return accounts.insert(account)
        accounts.insert({ ...account, providerAccountId: `${account.providerAccountId}.0` })
        return account
      },
    }),
  ],
  [
    'linkAccount stores a numeric account id, and getUserByAccount finds only texts',
    on(
      'getUserByAccount',
      (sound) => async (key) => (typeof (key?.providerAccountId as unknown) === 'number' ? null : sound.getUserByAccount(key)),
    ),
  ],
  [
    'linkAccount returns a numeric account id as a number',
    on('linkAccount', (sound) => async (account) => {
      const linked = await sound.linkAccount(account)
      return { ...linked, providerAccountId: account.providerAccountId }
    }),
  ],
])
