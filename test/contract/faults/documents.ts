import type { Row } from '../fault.js'
import { answering, faultsOf, given, on } from '../fault.js'
import { change, drop, edit, rowsOf } from './helpers.js'

export const documentFaults = faultsOf('document stores', [
  [
    'an id that is no object id throws',
    on('getUser', (sound) => async (id) => {
      if (!/^[0-9a-f-]{36}$/.test(String(id))) throw new TypeError('bad id')
      return sound.getUser(id)
    }),
  ],
  [
    'a credential id that is no base64 throws',
    on('getAuthenticator', (sound) => async (id) => {
      if (/[^\w+/=-]/.test(String(id))) throw new TypeError('bad id')
      return sound.getAuthenticator(id)
    }),
  ],
  [
    'an operator as an address finds somebody',
    on(
      'getUserByEmail',
      (sound, store) => async (email) => (typeof email === 'object' && email ? rowsOf(store, 'users')[0] : sound.getUserByEmail(email)),
    ),
  ],
  [
    'an operator as a token uses one up',
    on(
      'useVerificationToken',
      (sound, store) =>
        async ({ identifier, token }) =>
          typeof token === 'object' && token
            ? sound.useVerificationToken(
                (rowsOf(store, 'tokens').find((row) => row.identifier === identifier) ?? { identifier, token: '' }) as never,
              )
            : sound.useVerificationToken({ identifier, token }),
    ),
  ],
  [
    'an operator as a provider unlinks an account',
    on(
      'unlinkAccount',
      (sound, store) => async (key) =>
        typeof key.provider === 'object'
          ? sound.unlinkAccount((rowsOf(store, 'accounts').find((row) => row.providerAccountId === key.providerAccountId) ?? key) as never)
          : sound.unlinkAccount(key),
    ),
  ],
  [
    'an operator as a credential changes a counter',
    on(
      'updateAuthenticatorCounter',
      (sound, store) => async (id, counter) =>
        sound.updateAuthenticatorCounter(
          typeof id === 'object' ? String(rowsOf(store, 'authenticators').at(-1)?.credentialID) : id,
          counter,
        ),
    ),
  ],
  [
    'updateUser returns the user before the change',
    on('updateUser', (sound) => async (user) => {
      const before = await sound.getUser(user.id as string)
      const after = await sound.updateUser(user)
      return before ?? after
    }),
  ],
  [
    'updateAuthenticatorCounter returns the row before the change',
    on('updateAuthenticatorCounter', (sound) => async (id, counter) => {
      const before = await sound.getAuthenticator(id)
      const after = await sound.updateAuthenticatorCounter(id, counter)
      return before ?? after
    }),
  ],
  ['a page of twenty authenticators is all that is listed', answering('listAuthenticatorsByUserId', (rows: Row[]) => rows.slice(0, 20))],
  [
    'undefined in a new user is refused',
    on('createUser', (sound) => async (user) => {
      if (Object.values(user).includes(undefined as never)) throw new Error('undefined')
      return sound.createUser(user)
    }),
  ],
  [
    'undefined in a new account is refused',
    on('linkAccount', (sound) => async (row) => {
      if (Object.values(row).includes(undefined as never)) throw new Error('undefined')
      return sound.linkAccount(row)
    }),
  ],
  [
    'undefined in an update of a session is refused',
    on('updateSession', (sound) => async (row) => {
      if (Object.values(row).includes(undefined as never)) throw new Error('undefined')
      return sound.updateSession(row)
    }),
  ],
  [
    'a timestamp class in place of a date',
    edit('useVerificationToken', (row) => {
      const at = row.expires as Date
      row.expires = { toDate: () => at, toJSON: () => at.toJSON(), valueOf: () => at.valueOf() }
    }),
  ],
  [
    'seconds in place of milliseconds in verification tokens',
    given('createVerificationToken', (row: Row) => {
      row.expires = row.expires instanceof Date ? new Date(Math.floor(row.expires.getTime() / 1000) * 1000) : row.expires
    }),
  ],
  [
    'the empty text is refused in a name',
    on('createUser', (sound) => async (user) => {
      if (user.name === '') throw new Error('empty')
      return sound.createUser(user)
    }),
  ],
  [
    'the dot in an address is a wildcard',
    on('getUserByEmail', (sound, store) => async (email) => {
      const exact = await sound.getUserByEmail(email)
      if (exact || typeof email !== 'string') return exact
      try {
        const as = new RegExp(`^${email}$`)
        return rowsOf(store, 'users').find((row) => as.test(String(row.email))) ?? null
      } catch {
        return null
      }
    }),
  ],
  [
    'an address with a plus finds nobody',
    on('getUserByEmail', (sound) => async (email) => (String(email).includes('+') ? null : sound.getUserByEmail(email))),
  ],
  [
    'updateUser drops the accounts that are embedded in the user',
    on('updateUser', (sound, store) => async (user) => {
      const after = await sound.updateUser(user)
      drop(store, 'accounts', (row) => row.userId === user.id)
      return after
    }),
  ],
  [
    'updateUser signs the user out everywhere',
    on('updateUser', (sound, store) => async (user) => {
      const after = await sound.updateUser(user)
      drop(store, 'sessions', (row) => row.userId === user.id)
      return after
    }),
  ],
  [
    'updateUser drops the authenticators that are embedded in the user',
    on('updateUser', (sound, store) => async (user) => {
      const after = await sound.updateUser(user)
      drop(store, 'authenticators', (row) => row.userId === user.id)
      return after
    }),
  ],
  [
    'linkAccount writes name and image over those of the user',
    on('linkAccount', (sound, store) => async (row) => {
      const made = await sound.linkAccount(row)
      change(
        store,
        'users',
        (user) => user.id === row.userId,
        (user) => {
          user.name = null
        },
      )
      return made
    }),
  ],
  [
    'linkAccount marks the address as verified',
    on('linkAccount', (sound, store) => async (row) => {
      const made = await sound.linkAccount(row)
      change(
        store,
        'users',
        (user) => user.id === row.userId,
        (user) => {
          user.emailVerified = new Date()
        },
      )
      return made
    }),
  ],
  [
    'useVerificationToken marks the address as verified',
    on('useVerificationToken', (sound, store) => async (key) => {
      const row = await sound.useVerificationToken(key)
      if (row)
        change(
          store,
          'users',
          (user) => user.email === row.identifier,
          (user) => {
            user.emailVerified = new Date()
          },
        )
      return row
    }),
  ],
  [
    'documents are instances whose fields are getters of their class',
    on('getUser', (sound) => async (id) => {
      const user = await sound.getUser(id)
      return (
        user &&
        Object.create(
          Object.defineProperties(
            {},
            Object.fromEntries(Object.entries(user).map(([name, value]) => [name, { get: () => value, enumerable: true }])),
          ),
        )
      )
    }),
  ],
  [
    'getSessionAndUser gives documents whose fields are getters of their class',
    on('getSessionAndUser', (sound) => async (token) => {
      const found = await sound.getSessionAndUser(token)
      return found && { session: found.session, user: Object.create(found.user) }
    }),
  ],
  [
    'an account with type email is not found by getUserByAccount',
    on(
      'getUserByAccount',
      (sound, store) => async (key) =>
        rowsOf(store, 'accounts').find((row) => row.providerAccountId === key?.providerAccountId && row.provider === key?.provider)
          ?.type === 'email'
          ? null
          : sound.getUserByAccount(key),
    ),
  ],
  [
    'getAccount knows passkeys only',
    on('getAccount', (sound) => async (id, provider) => {
      const row = await sound.getAccount(id, provider)
      return row?.type === 'webauthn' ? row : null
    }),
  ],
  [
    'a second account of one provider is refused',
    on('linkAccount', (sound, store) => async (row) => {
      if (rowsOf(store, 'accounts').some((each) => each.userId === row.userId && each.provider === row.provider))
        throw new Error('one of each')
      return sound.linkAccount(row)
    }),
  ],
])
