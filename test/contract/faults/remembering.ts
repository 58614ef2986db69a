import type { Row } from '../fault.js'
import { faultsOf, on, operationOf, pause } from '../fault.js'
import { cached, cachedFound, change, rowsOf, singleFlight } from './helpers.js'

export const rememberingFaults = faultsOf('caches of wrappers', [
  ['getUser keeps what deleteUser deleted', cachedFound('getUser', ['updateUser'])],
  ['getUserByAccount survives updateUser', cachedFound('getUserByAccount', ['unlinkAccount', 'deleteUser', 'linkAccount'])],
  ['getUserByAccount survives deleteUser', cachedFound('getUserByAccount', ['unlinkAccount', 'updateUser', 'linkAccount'])],
  [
    'getUserByEmail survives updateUser of another field',
    (sound) => {
      const cache = new Map<string, unknown>()
      return {
        getUserByEmail: async (email: string) => {
          const found = cache.get(email) ?? (await sound.getUserByEmail(email))
          if (found) cache.set(email, found)
          return structuredClone(found)
        },
        updateUser: async (user) => {
          const after = await sound.updateUser(user)
          if (user.email) cache.clear()
          return after
        },
        deleteUser: async (id) => {
          cache.clear()
          return sound.deleteUser(id)
        },
      }
    },
  ],
  ['getUserByEmail remembers nobody until createUser, but not updateUser', cached('getUserByEmail', ['createUser', 'deleteUser'])],
  ['getAccount remembers that there was none', cached('getAccount', ['unlinkAccount', 'deleteUser'])],
  ['getAccount survives deleteUser', cachedFound('getAccount', ['unlinkAccount', 'linkAccount'])],
  ['getAuthenticator remembers that there was none', cached('getAuthenticator', ['updateAuthenticatorCounter', 'deleteUser'])],
  ['getAuthenticator survives deleteUser', cachedFound('getAuthenticator', ['updateAuthenticatorCounter', 'createAuthenticator'])],
  [
    'getSessionAndUser remembers that there was none',
    cached('getSessionAndUser', ['updateSession', 'deleteSession', 'updateUser', 'deleteUser']),
  ],
  [
    'getSessionAndUser survives deleteUser',
    cachedFound('getSessionAndUser', ['updateSession', 'deleteSession', 'updateUser', 'createSession']),
  ],
  [
    'getSessionAndUser survives updateUser',
    cachedFound('getSessionAndUser', ['updateSession', 'deleteSession', 'deleteUser', 'createSession']),
  ],
  [
    'the list of authenticators survives deleteUser',
    cached('listAuthenticatorsByUserId', ['createAuthenticator', 'updateAuthenticatorCounter']),
  ],
  ['the list of authenticators survives a new counter', cached('listAuthenticatorsByUserId', ['createAuthenticator', 'deleteUser'])],
  ['the list of authenticators survives a new one', cached('listAuthenticatorsByUserId', ['updateAuthenticatorCounter', 'deleteUser'])],
  ['useVerificationToken remembers that there was none', cached('useVerificationToken', ['deleteUser'])],
  [
    'accounts are cached by a text without a separator',
    cached('getAccount', ['linkAccount', 'unlinkAccount', 'deleteUser'], (...p) => p.join('')),
  ],
  [
    'accounts are cached by a text with a colon',
    cached(
      'getUserByAccount',
      ['linkAccount', 'unlinkAccount', 'deleteUser', 'updateUser'],
      (key) => `${(key as Row)?.provider}:${(key as Row)?.providerAccountId}`,
    ),
  ],
  [
    'accounts are cached by their id',
    cached('getUserByAccount', ['linkAccount', 'unlinkAccount', 'deleteUser', 'updateUser'], (key) =>
      String((key as Row)?.providerAccountId),
    ),
  ],
  [
    'users are cached by an address in lower case',
    cached('getUserByEmail', ['createUser', 'updateUser', 'deleteUser'], (email) => String(email).toLowerCase()),
  ],
  [
    'sessions are cached by the first 32 characters',
    cached('getSessionAndUser', ['createSession', 'updateSession', 'deleteSession', 'updateUser', 'deleteUser'], (token) =>
      String(token).slice(0, 32),
    ),
  ],
  [
    'credentials are cached by their text, a list as its joined entries',
    cached('getAuthenticator', ['createAuthenticator', 'updateAuthenticatorCounter', 'deleteUser'], (id) => `${id}`),
  ],
  ['concurrent uses of one token share one flight', singleFlight('useVerificationToken')],
  ['concurrent deletions of one session share one flight', singleFlight('deleteSession')],
  ['concurrent deletions of one user share one flight', singleFlight('deleteUser')],
  ['concurrent sign-ups share one flight', singleFlight('createUser')],
  ['concurrent reads share one object', singleFlight('getUser')],
  ['concurrent reads of sessions share one object', singleFlight('getSessionAndUser')],
  [
    'concurrent links of one account share one flight, whatever the user',
    (sound) => {
      const flights = new Map<string, Promise<unknown>>()
      return {
        linkAccount: (row) => {
          const key = JSON.stringify([row.provider, row.providerAccountId])
          const flight =
            flights.get(key) ??
            pause()
              .then(() => sound.linkAccount(row) as Promise<unknown>)
              .finally(() => flights.delete(key))
          flights.set(key, flight)
          return flight
        },
      }
    },
  ],
  [
    'a caller that changes a listed authenticator changes the cache',
    (sound) => {
      const cache = new Map<string, unknown>()
      return {
        listAuthenticatorsByUserId: async (id) => {
          const rows = cache.get(id) ?? (await sound.listAuthenticatorsByUserId(id))
          cache.set(id, rows)
          return rows
        },
        createAuthenticator: (row) => operationOf(sound, 'createAuthenticator')(row).finally(() => cache.clear()),
        updateAuthenticatorCounter: (id, counter) =>
          operationOf(sound, 'updateAuthenticatorCounter')(id, counter).finally(() => cache.clear()),
        deleteUser: (id) => operationOf(sound, 'deleteUser')(id).finally(() => cache.clear()),
      }
    },
  ],
  [
    'a caller that changes the date of a session changes the stored one',
    on('createSession', (sound, store) => async (session) => {
      const made = await sound.createSession(session)
      change(
        store,
        'sessions',
        (row) => row.sessionToken === session.sessionToken,
        (row) => {
          row.expires = session.expires
        },
      )
      return made
    }),
  ],
  [
    'a caller that changes the date of a read user changes the stored one',
    on('getUser', (sound, store) => async (id) => {
      const user = await sound.getUser(id)
      const stored = rowsOf(store, 'users').find((row) => row.id === id)
      return user && { ...user, emailVerified: stored?.emailVerified }
    }),
  ],
])
