import type { Row } from '../fault.js'
import { answering, faultsOf, given, on } from '../fault.js'
import { drop, edit, rowsOf } from './helpers.js'

export const joinFaults = faultsOf('joins and columns', [
  [
    'the user of a join holds the session token',
    on('getSessionAndUser', (sound) => async (token) => {
      const found = await sound.getSessionAndUser(token)
      return found && { session: found.session, user: { ...found.session, ...found.user } }
    }),
  ],
  [
    'the user of a join holds the tokens of the account',
    on('getUserByAccount', (sound, store) => async (key) => {
      const user = await sound.getUserByAccount(key)
      const row = user && rowsOf(store, 'accounts').find((each) => each.providerAccountId === key.providerAccountId)
      return user && { ...row, ...user }
    }),
  ],
  [
    'a session without its user gives a user that is null',
    on('getSessionAndUser', (sound, store) => async (token) => {
      const found = await sound.getSessionAndUser(token)
      const row = rowsOf(store, 'sessions').find((each) => each.sessionToken === token)
      return found ?? (row ? { session: row, user: null } : null)
    }),
  ],
  [
    'a joined user without accounts is not found',
    on('getUserByEmail', (sound, store) => async (email) => {
      const user = await sound.getUserByEmail(email)
      return user && rowsOf(store, 'accounts').some((row) => row.userId === user.id) ? user : null
    }),
  ],
  [
    'a user with two accounts is found by the first only',
    on('getUserByAccount', (sound, store) => async (key) => {
      const user = await sound.getUserByAccount(key)
      const first = user && rowsOf(store, 'accounts').find((row) => row.userId === user.id)
      return first && first.providerAccountId === key.providerAccountId ? user : null
    }),
  ],
  [
    'a session that changes nothing is not updated, and null comes',
    on('updateSession', (sound, store) => async (session) => {
      const before = rowsOf(store, 'sessions').find((row) => row.sessionToken === session.sessionToken)
      const was = JSON.stringify(before)
      const after = await sound.updateSession(session)
      return after && JSON.stringify(after) === was ? null : after
    }),
  ],
  [
    'the same counter again throws',
    on('updateAuthenticatorCounter', (sound) => async (id, counter) => {
      if ((await sound.getAuthenticator(id))?.counter === counter) throw new Error('none changed')
      return sound.updateAuthenticatorCounter(id, counter)
    }),
  ],
  [
    'a lower counter is refused',
    on('updateAuthenticatorCounter', (sound) => async (id, counter) => {
      if (((await sound.getAuthenticator(id))?.counter ?? 0) > counter) throw new Error('replay')
      return sound.updateAuthenticatorCounter(id, counter)
    }),
  ],
  [
    'the counter is added',
    on(
      'updateAuthenticatorCounter',
      (sound) => async (id, counter) => sound.updateAuthenticatorCounter(id, counter + ((await sound.getAuthenticator(id))?.counter ?? 0)),
    ),
  ],
  [
    'expires_at wraps after 2038',
    given('linkAccount', (row: Row) => {
      if (typeof row.expires_at === 'number') row.expires_at |= 0
    }),
  ],
  [
    'expires_at is stored in milliseconds',
    given('linkAccount', (row: Row) => {
      if (typeof row.expires_at === 'number') row.expires_at *= 1000
    }),
  ],
  ['expires_in is not stored', given('linkAccount', (row: Row) => void delete row.expires_in)],
  [
    'the day of emailVerified is kept, its time is not',
    given('updateUser', (user: Row) => {
      if (user.emailVerified instanceof Date) user.emailVerified = new Date(user.emailVerified.toISOString().slice(0, 10))
    }),
  ],
  [
    'emailVerified is a flag and comes back as now',
    edit('getUser', (user) => {
      if (user.emailVerified) user.emailVerified = new Date()
    }),
  ],
  [
    'emailVerified is set where a user is created without one',
    given('createUser', (user: Row) => {
      user.emailVerified ??= new Date()
    }),
  ],
  [
    'transports come as a list',
    edit('getAuthenticator', (row) => {
      if (typeof row.transports === 'string') row.transports = row.transports.split(',')
    }),
  ],
  [
    'an access token is cut at 2048 characters',
    given('linkAccount', (row: Row) => {
      if (typeof row.access_token === 'string') row.access_token = row.access_token.slice(0, 2048)
    }),
  ],
  [
    'a public key is cut at 255 characters',
    given('createAuthenticator', (row: Row) => {
      if (typeof row.credentialPublicKey === 'string') row.credentialPublicKey = row.credentialPublicKey.slice(0, 255)
    }),
  ],
  ['a session may not move to another user', given('updateSession', (row: Row) => void delete row.userId)],
  [
    'an account that is linked already moves to the new user',
    on('linkAccount', (sound) => async (row) => {
      await sound.unlinkAccount(row)
      return sound.linkAccount(row)
    }),
  ],
  [
    'a session token that is known moves to the new user',
    on('createSession', (sound) => async (row) => {
      await sound.deleteSession(row.sessionToken)
      return sound.createSession(row)
    }),
  ],
  [
    'a wrong token uses up those of the address',
    on('useVerificationToken', (sound, store) => async (key) => {
      const row = await sound.useVerificationToken(key)
      if (!row) drop(store, 'tokens', (each) => each.identifier === key?.identifier)
      return row
    }),
  ],
  [
    'a wrong address uses up the token',
    on('useVerificationToken', (sound, store) => async (key) => {
      const row = await sound.useVerificationToken(key)
      if (!row) drop(store, 'tokens', (each) => each.token === key?.token)
      return row
    }),
  ],
  [
    'tokens expire in a day, whatever was asked',
    given('createVerificationToken', (row: Row) => {
      if (row.expires instanceof Date && !Number.isNaN(row.expires.getTime())) row.expires = new Date(Date.now() + 864e5)
    }),
  ],
  [
    'users without a verified address are not found by it',
    on('getUserByEmail', (sound) => async (email) => {
      const user = await sound.getUserByEmail(email)
      return user?.emailVerified ? user : null
    }),
  ],
  [
    'authenticators that are not backed up are not listed',
    answering('listAuthenticatorsByUserId', (rows: Row[]) => rows.filter((row) => row.credentialBackedUp)),
  ],
  [
    'authenticators with a counter of 0 are not listed',
    answering('listAuthenticatorsByUserId', (rows: Row[]) => rows.filter((row) => row.counter)),
  ],
  [
    'a counter that is not given becomes 0',
    on('updateAuthenticatorCounter', (sound) => async (id, counter) => sound.updateAuthenticatorCounter(id, counter ?? 0)),
  ],
  [
    'an update without an id changes the first user',
    on(
      'updateUser',
      (sound, store) => async (user) =>
        sound.updateUser(user.id === undefined ? { ...user, id: String(rowsOf(store, 'users')[0]?.id) } : user),
    ),
  ],
  [
    'a counter without a credential is that of the first',
    on(
      'updateAuthenticatorCounter',
      (sound, store) => async (id, counter) =>
        sound.updateAuthenticatorCounter(id ?? String(rowsOf(store, 'authenticators')[0]?.credentialID), counter),
    ),
  ],
  [
    'authenticators of null are those of everybody',
    on(
      'listAuthenticatorsByUserId',
      (sound, store) => async (id) => (id === null ? rowsOf(store, 'authenticators') : sound.listAuthenticatorsByUserId(id)),
    ),
  ],
  [
    'deleteSession of the empty text deletes one',
    on(
      'deleteSession',
      (sound, store) => async (token) =>
        sound.deleteSession((token as string) === '' ? String(rowsOf(store, 'sessions')[0]?.sessionToken) : token),
    ),
  ],
])
