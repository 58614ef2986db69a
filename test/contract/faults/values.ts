import type { AdapterUser } from '@auth/core/adapters'
import type { Entry, Fault, OperationName, Row } from '../fault.js'
import { answering, faultsOf, given, on } from '../fault.js'
import { mapOf } from './helpers.js'

/** Changes fields of the row that an operation is given. */
const changing = (operation: OperationName, change: (row: Row) => Row): Fault['broken'] =>
  given(operation, (row: Row) => [row && { ...row, ...change(row) }])

/** The values that are there, in the order of the columns, from the first column on. */
const shifted = (names: readonly string[]) => (row: Row) => {
  const columns = names.filter((name) => name in row)
  const values = columns.map((name) => row[name]).filter((value) => value !== undefined)
  return Object.fromEntries(columns.map((name, index) => [name, values[index]]))
}

const asText = (name: string) => (row: Row) => (row[name] === null ? { [name]: 'null' } : {})

const format = (timeZone: string) => new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'long', hourCycle: 'h23' })
const clocks = { Berlin: format('Europe/Berlin'), 'New York': format('America/New_York') }
const timeOn = (clock: Intl.DateTimeFormat, date: Date) => clock.format(date).replace(/ \S+$/, '')

/** The first instant at which a clock shows the time that it shows at this one. */
const firstOn = (clock: Intl.DateTimeFormat, date: unknown) => {
  if (!(date instanceof Date) || Number.isNaN(date.getTime())) return date
  const hourBefore = new Date(date.getTime() - 3_600_000)
  return timeOn(clock, hourBefore) === timeOn(clock, date) ? hourBefore : date
}

const clockFaults = Object.entries(clocks).flatMap(([place, clock]) =>
  (
    [
      ['createSession', 'expires'],
      ['updateSession', 'expires'],
      ['createVerificationToken', 'expires'],
      ['createUser', 'emailVerified'],
    ] as const
  ).map(
    ([operation, field]): Entry => [
      `${operation} stores the time of a clock in ${place}`,
      changing(operation, (row) => ({ [field]: firstOn(clock, row[field]) })),
    ],
  ),
)

/** Whatever can be text becomes it. */
const textOf = (value: unknown) => (typeof value === 'object' && value ? String(value) : value)

const withNulls = (row: Row | null | undefined) => row && { access_token: null, scope: null, ...row }

/** Copies every property, and goes into objects that are on both sides. */
const merge = (to: Row, from: Row): Row => {
  for (const name of Object.keys(from)) {
    const [old, value] = [to[name], from[name]]
    const areObjects = [old, value].every((each) => (typeof each === 'object' || typeof each === 'function') && each)
    if (areObjects && !(value instanceof Date)) merge(old as Row, value as Row)
    else to[name] = value
  }
  return to
}

/** `getUser` leaves `emailVerified` out for users whom this operation wrote so. */
const leavingOut =
  (operation: 'createUser' | 'updateUser', when: (given: Partial<AdapterUser>) => boolean): Fault['broken'] =>
  (sound) => {
    const ids = new Set<string>()
    return {
      [operation]: async (user: AdapterUser) => {
        const written = await sound[operation](user)
        if (when(user)) ids.add(written.id)
        return written
      },
      async getUser(id) {
        const user = await sound.getUser(id)
        if (!user || user.emailVerified || !ids.has(user.id)) return user
        const { emailVerified: _, ...rest } = user
        return rest
      },
    }
  }

export const valueFaults = faultsOf('values', [
  [
    'linkAccount names the columns of tokens that are undefined, and leaves their values out',
    changing('linkAccount', shifted(['access_token', 'refresh_token', 'id_token', 'scope', 'session_state'])),
  ],
  [
    'linkAccount stores an id token only together with a refresh token',
    changing('linkAccount', (row) => (row.access_token && row.refresh_token === undefined ? { id_token: undefined } : {})),
  ],
  [
    'linkAccount takes an access token for a bearer token',
    changing('linkAccount', (row) => (row.access_token && row.token_type === undefined ? { token_type: 'bearer' } : {})),
  ],
  ['createUser names the column of a name that is undefined, and leaves its value out', changing('createUser', shifted(['name', 'image']))],
  ['createUser stores an image only with a name', changing('createUser', (row) => (row.name == null ? { image: null } : {}))],
  [
    'updateUser changes the image only of users with a name',
    on('updateUser', (sound) => async (user) => {
      const { name } = (await sound.getUser(user.id)) ?? {}
      return sound.updateUser(name === null && user.name === undefined ? { ...user, image: undefined as never } : user)
    }),
  ],
  ...clockFaults,
  [
    'unlinkAccount returns token_type as it was given',
    (sound, { accounts }) => {
      const types = new Map<unknown, unknown>()
      return {
        linkAccount: async (account) => {
          types.set(accounts.keyOf(account), account.token_type)
          return sound.linkAccount(account)
        },
        unlinkAccount: async (key) => {
          const account = await sound.unlinkAccount(key)
          return account?.token_type ? { ...account, token_type: types.get(accounts.keyOf(account)) } : account
        },
      }
    },
  ],
  ...(['access_token', 'scope', 'token_type'] as const).map(
    (name): Entry => [`linkAccount stores null as text: ${name}`, changing('linkAccount', asText(name))],
  ),
  ['linkAccount stores null as 0', changing('linkAccount', (row) => (row.expires_at === null ? { expires_at: 0 } : {}))],
  ['createAuthenticator stores null as text', changing('createAuthenticator', asText('transports'))],
  ['updateUser stores null as the address null', changing('updateUser', asText('email'))],
  [
    'updateUser returns null as the address, and keeps the old one',
    on('updateUser', (sound) => async (user) => {
      if ((user.email as unknown) !== null) return sound.updateUser(user)
      return { ...(await sound.updateUser({ ...user, email: undefined as never })), email: null }
    }),
  ],
  ['updateSession stores null as the user null', changing('updateSession', asText('userId'))],
  [
    'updateSession stores null as the user',
    on('updateSession', (sound, store) => async (session) => {
      if (!session || (session.userId as unknown) !== null) return sound.updateSession(session)
      const stored = mapOf(store, 'sessions').get(store.sessions.keyOf(session) ?? '')
      return stored ? { ...Object.assign(stored, { userId: null }) } : null
    }),
  ],
  ...(['createSession', 'updateSession', 'linkAccount', 'createAuthenticator'] as const).map(
    (operation): Entry => [
      `${operation} makes text of whatever it is given as the user`,
      changing(operation, (row) => (row.userId == null ? {} : { userId: textOf(row.userId) })),
    ],
  ),
  [
    'a session that is given to nobody shows the user that it had',
    (sound, { sessions }) => {
      const before = new Map<string, string>()
      return {
        async updateSession(session) {
          const old = sessions.find(session)
          const updated = await sound.updateSession(session)
          if (old && updated && updated.userId !== old.userId) before.set(updated.sessionToken, old.userId)
          return updated
        },
        async getSessionAndUser(sessionToken) {
          const session = sessions.find({ sessionToken })
          const user = await sound.getUser(before.get(sessionToken) ?? '')
          return (await sound.getSessionAndUser(sessionToken)) ?? (session && user && { session, user })
        },
      }
    },
  ],
  ['linkAccount returns null for tokens that it was not given', answering('linkAccount', withNulls)],
  ['unlinkAccount returns null for tokens that are not there', answering('unlinkAccount', withNulls)],
  [
    'listAuthenticatorsByUserId gives null for transports',
    answering('listAuthenticatorsByUserId', (rows: Row[]) => rows.map((row) => ({ transports: null, ...row }))),
  ],
  [
    'updateAuthenticatorCounter returns null for transports',
    answering('updateAuthenticatorCounter', (row: Row) => ({ transports: null, ...row })),
  ],
  ...(['deleteUser', 'unlinkAccount', 'deleteSession', 'useVerificationToken'] as const).map(
    (operation): Entry => [
      `${operation} returns a frozen row`,
      answering(operation, (row: Row | null | undefined) => row && Object.freeze(row)),
    ],
  ),
  [
    'getUser leaves out emailVerified of users who were created without it',
    leavingOut('createUser', ({ emailVerified }) => emailVerified === undefined),
  ],
  ['getUser leaves out emailVerified of users who lost it again', leavingOut('updateUser', ({ emailVerified }) => emailVerified === null)],
  ...(['createUser', 'linkAccount'] as const).map(
    (operation): Entry => [`${operation} merges what it is given into an empty object`, given(operation, (row: Row) => [merge({}, row)])],
  ),
])
