import type { Row } from '../fault.js'
import { faultsOf, given, on } from '../fault.js'
import { drop, erring, only, rowsOf, without } from './helpers.js'

export const fewerFaults = faultsOf('fewer operations', [
  [
    'tokens alone, used twice',
    only(
      ['createVerificationToken', 'useVerificationToken'],
      on('useVerificationToken', (_, store) => async (key) => store.tokens.find(key)),
    ),
  ],
  [
    'tokens alone, one for each address',
    only(
      ['createVerificationToken', 'useVerificationToken'],
      on('createVerificationToken', (sound, store) => async (row) => {
        drop(store, 'tokens', (each) => each.identifier === row.identifier)
        return sound.createVerificationToken(row)
      }),
    ),
  ],
  [
    'tokens alone, the error names the token',
    only(
      ['createVerificationToken', 'useVerificationToken'],
      erring(['createVerificationToken'], (_, parameters) => new Error(JSON.stringify(parameters))),
    ),
  ],
  [
    'users alone, an update is not kept',
    only(
      ['createUser', 'getUser', 'updateUser'],
      on('updateUser', (sound) => async (user) => ({ ...(await sound.getUser(user.id as string)), ...user })),
    ),
  ],
  [
    'users alone, all of them deleted',
    only(
      ['createUser', 'getUser', 'deleteUser'],
      on('deleteUser', (sound, store) => async (id) => {
        const user = await sound.deleteUser(id)
        drop(store, 'users', () => true)
        return user
      }),
    ),
  ],
  [
    'users and accounts without getAccount: the link is not kept',
    without(
      ['getAccount'],
      on('linkAccount', () => async (row) => ({ ...row })),
    ),
  ],
  [
    'users and accounts without getUserByAccount: tokens are not kept',
    without(
      ['getUserByAccount'],
      given('linkAccount', (row: Row) => void delete row.refresh_token),
    ),
  ],
  [
    'sessions without getSessionAndUser: deleteSession deletes nothing',
    without(
      ['getSessionAndUser'],
      on('deleteSession', (_, store) => async (token) => store.sessions.find({ sessionToken: token })),
    ),
  ],
  [
    'sessions without deleteSession: updateSession keeps nothing',
    without(
      ['deleteSession'],
      on('updateSession', (_, store) => async (row) => {
        const found = store.sessions.find(row)
        return found && { ...found, ...Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) }
      }),
    ),
  ],
  [
    'without users: a token is found by its own text',
    without(
      ['createUser', 'getUser', 'getUserByEmail', 'getUserByAccount', 'updateUser', 'deleteUser'],
      on(
        'useVerificationToken',
        (sound, store) => async (key) =>
          sound.useVerificationToken((rowsOf(store, 'tokens').find((row) => row.token === key?.token) ?? key) as never),
      ),
    ),
  ],
  [
    'authenticators without getAuthenticator: the counter is not kept',
    without(
      ['getAuthenticator'],
      on('updateAuthenticatorCounter', (_, store) => async (id, counter) => {
        const row = store.authenticators.find({ credentialID: id })
        if (!row) throw new Error('unknown')
        return { ...row, counter }
      }),
    ),
  ],
  [
    'authenticators without a list: one known already is written again',
    without(
      ['listAuthenticatorsByUserId'],
      on('createAuthenticator', (sound, store) => async (row) => {
        drop(store, 'authenticators', (each) => each.credentialID === row.credentialID)
        return sound.createAuthenticator(row)
      }),
    ),
  ],
  [
    'without getUser: updateUser keeps nothing',
    without(
      ['getUser'],
      on('updateUser', (sound) => async (user) => ({ ...(await sound.getUser(user.id as string)), ...user })),
    ),
  ],
  [
    'without getUser: deleteUser deletes nothing',
    without(
      ['getUser'],
      on('deleteUser', (sound) => async (id) => sound.getUser(id)),
    ),
  ],
  [
    'without linkAccount: getUserByAccount of anything finds somebody',
    without(
      ['linkAccount', 'getAccount', 'unlinkAccount'],
      on('getUserByAccount', (_, store) => async () => (rowsOf(store, 'users')[0] ?? null) as never),
    ),
  ],
  [
    'createUser alone: an address twice',
    only(
      ['createUser'],
      on('createUser', (_, store) => async (user) => store.users.insert({ ...user, id: crypto.randomUUID() })),
    ),
  ],
  [
    'getUser alone: somebody for everybody',
    only(
      ['getUser'],
      on('getUser', () => async (id) => ({ id, email: 'x', emailVerified: null })),
    ),
  ],
  ['createUser is misspelt', without(['createUser'], () => ({ createuser: async () => null }) as never)],
])
