import type { AdapterUser } from '@auth/core/adapters'
import type { Row } from '../fault.js'
import { answering, faultsOf, given, on, pause } from '../fault.js'
import { drop, edit, mapOf, rowsOf } from './helpers.js'

const texts = (row: Row | null, names: string[]) =>
  row && Object.fromEntries(Object.entries(row).map(([name, value]) => [name, names.includes(name) && value ? String(value) : value]))

/** Faults as adapters for other databases had them. */
export const fieldFaults = faultsOf('seen elsewhere', [
  [
    'updateUser returns only what it changed',
    on('updateUser', (sound) => async (user) => {
      const all = await sound.updateUser(user)
      return Object.fromEntries(Object.keys(user).map((name) => [name, all[name as keyof AdapterUser]]))
    }),
  ],
  [
    'updateSession returns only what it was given',
    on('updateSession', (sound) => async (session) => {
      const row = await sound.updateSession(session)
      return row && Object.fromEntries(Object.keys(session).map((name) => [name, (row as unknown as Row)[name]]))
    }),
  ],
  ['updateSession wraps the session as the driver does', answering('updateSession', (row) => row && { value: row, ok: 1 })],
  [
    'getSessionAndUser gives the expiry of a join as text',
    answering(
      'getSessionAndUser',
      (found: { session: Row } | null) =>
        found && { ...found, session: { ...found.session, expires: (found.session.expires as Date).toISOString() } },
    ),
  ],
  ['getUserByEmail gives dates as text', answering('getUserByEmail', (row: Row | null) => texts(row, ['emailVerified']))],
  ['getAccount gives large integers as text', answering('getAccount', (row: Row | null) => texts(row, ['expires_at', 'expires_in']))],
  [
    'getAccount gives integers as two halves',
    edit('getAccount', (row) => {
      if (typeof row.expires_at === 'number') row.expires_at = { low: row.expires_at, high: 0 }
    }),
  ],
  [
    'the session names its user with a prefix',
    answering(
      'getSessionAndUser',
      (found: { session: Row } | null) => found && { ...found, session: { ...found.session, userId: `user:${found.session.userId}` } },
    ),
  ],
  [
    'getUserByEmail leaves emailVerified out where it is null',
    answering('getUserByEmail', (user: AdapterUser | null) => {
      if (!user || user.emailVerified) return user
      const { emailVerified: _, ...rest } = user
      return rest
    }),
  ],
  [
    'deleteSession of an unknown session throws',
    on('deleteSession', (sound) => async (token) => {
      const row = await sound.deleteSession(token)
      if (!row) throw new Error('P2025')
      return row
    }),
  ],
  [
    'deleteUser of an unknown user throws',
    on('deleteUser', (sound) => async (id) => {
      const row = await sound.deleteUser(id)
      if (!row) throw new Error('P2025')
      return row
    }),
  ],
  [
    'updates of one user at once end in a conflict',
    on('updateUser', (sound, store) => async (user) => {
      const before = JSON.stringify(rowsOf(store, 'users').find((row) => row.id === user.id))
      await pause()
      if (before !== JSON.stringify(rowsOf(store, 'users').find((row) => row.id === user.id))) throw new Error('409')
      return sound.updateUser(user)
    }),
  ],
  [
    'a key with a slash or a question mark is refused',
    on('createSession', (sound) => async (session) => {
      if (/[/\\#?]/.test(String(session.sessionToken))) throw new Error('RowKey')
      return sound.createSession(session)
    }),
  ],
  [
    'getUserByAccount throws for an account id with a slash',
    on('getUserByAccount', (sound) => async (key) => {
      if (/[/\\#?]/.test(String(key?.providerAccountId))) throw new Error('RowKey')
      return sound.getUserByAccount(key)
    }),
  ],
  [
    'users without a verified address are not found by their accounts',
    answering('getUserByAccount', (user: AdapterUser | null) => (user?.emailVerified ? user : null)),
  ],
  [
    'unlinkAccount keeps accounts that are no oauth ones',
    on('unlinkAccount', (sound, store) => async (key) => {
      const row = rowsOf(store, 'accounts').find((each) => each.providerAccountId === key?.providerAccountId)
      return row && row.type !== 'oauth' ? undefined : sound.unlinkAccount(key)
    }),
  ],
  [
    'an address has two tokens at most',
    on('createVerificationToken', (sound, store) => async (token) => {
      const [oldest, ...others] = rowsOf(store, 'tokens').filter((row) => row.identifier === token.identifier)
      if (others.length > 0) drop(store, 'tokens', (row) => row.token === oldest?.token && row.identifier === token.identifier)
      return sound.createVerificationToken(token)
    }),
  ],
  [
    'a user has three sessions at most',
    on('createSession', (sound, store) => async (session) => {
      const mine = rowsOf(store, 'sessions').filter((row) => row.userId === session.userId)
      if (mine.length >= 3) drop(store, 'sessions', (row) => row.sessionToken === mine[0]?.sessionToken)
      return sound.createSession(session)
    }),
  ],
  [
    'a changed address is no longer verified',
    on('updateUser', (sound) => async (user) => sound.updateUser(user.email ? { emailVerified: null, ...user } : user)),
  ],
  [
    'a counter never goes down',
    on('updateAuthenticatorCounter', (sound) => async (id, counter) => {
      const row = await sound.getAuthenticator(id)
      return sound.updateAuthenticatorCounter(id, typeof counter === 'number' && row && row.counter > counter ? row.counter : counter)
    }),
  ],
  [
    'deleteSession marks the session as expired',
    on('deleteSession', (sound, store) => async (token) => {
      const row = store.sessions.find({ sessionToken: token })
      if (row) await sound.updateSession({ sessionToken: token, expires: new Date(0) })
      return row
    }),
  ],
  [
    'deleteUser leaves accounts, which then give an empty user',
    on('deleteUser', (sound, store) => async (id) => {
      const accounts = rowsOf(store, 'accounts').filter((row) => row.userId === id)
      const user = await sound.deleteUser(id)
      for (const row of accounts) mapOf(store, 'accounts').set(JSON.stringify([row.provider, row.providerAccountId]), row)
      return user
    }),
  ],
  [
    'deleteUser throws where the user has accounts',
    on('deleteUser', (sound, store) => async (id) => {
      if (rowsOf(store, 'accounts').some((row) => row.userId === id)) throw new Error('foreign key')
      return sound.deleteUser(id)
    }),
  ],
  [
    'unlinkAccount returns the account without its user',
    answering('unlinkAccount', (row: Row | undefined) => row && { ...row, userId: undefined }),
  ],
  [
    'a session is prolonged when it is read in its last days',
    on('getSessionAndUser', (sound) => async (token) => {
      const found = await sound.getSessionAndUser(token)
      const left = (found?.session.expires.getTime() ?? 0) - Date.now()
      if (found && left > 0 && left < 2 * 864e5) await sound.updateSession({ sessionToken: token, expires: new Date(Date.now() + 3e9) })
      return found
    }),
  ],
  [
    'emailVerified becomes the time of the sign-up',
    given('createUser', (user: AdapterUser) => [
      { ...user, emailVerified: user.emailVerified instanceof Date ? new Date() : user.emailVerified },
    ]),
  ],
  [
    'an expired token stays where it was used',
    on('useVerificationToken', (sound, store) => async (key) => {
      const row = store.tokens.find(key)
      return row && row.expires < new Date() ? row : sound.useVerificationToken(key)
    }),
  ],
  [
    'listAuthenticatorsByUserId gives keys as bytes',
    answering('listAuthenticatorsByUserId', (rows: Row[]) =>
      rows.map((row) => ({ ...row, credentialPublicKey: new TextEncoder().encode(String(row.credentialPublicKey)) })),
    ),
  ],
  [
    'getAuthenticator gives a key without its padding',
    edit('getAuthenticator', (row) => {
      row.credentialPublicKey = String(row.credentialPublicKey).replace(/=+$/, '')
    }),
  ],
  [
    'createUser gives the id of the database, and not that which getUser takes',
    edit('createUser', (user) => {
      user.id = `users/${user.id}`
    }),
  ],
  [
    'a transaction that is never ended blocks every second write',
    (sound) => {
      let open = false
      return {
        createSession: async (session) => {
          if (open) return new Promise(() => {})
          open = true
          const row = await sound.createSession(session)
          open = false
          return row
        },
      }
    },
  ],
  [
    'getUser finds a user by the beginning of its id',
    on('getUser', (sound, store) => async (id) => {
      const prefixed = rowsOf(store, 'users').find((row) => typeof id === 'string' && id.length > 30 && String(row.id).startsWith(id))
      return (await sound.getUser(id)) ?? ((prefixed ?? null) as AdapterUser | null)
    }),
  ],
])
