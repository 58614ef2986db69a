import type { Fault, OperationName, Row, Sound, Store } from '../fault.js'
import { faultsOf, on, operationOf } from '../fault.js'
import { drop } from './helpers.js'

/** Does something beside what the operation is called for. */
const then =
  (operation: OperationName, act: (row: Row, sound: Sound, store: Store) => unknown): Fault['broken'] =>
  (sound, store) => ({
    [operation]: async (...parameters: unknown[]) => {
      const answer = await operationOf(sound, operation)(...parameters)
      if (answer) await act(answer as Row, sound, store)
      return answer
    },
  })

/** Deletes the tokens of the address of a user. */
const dropTokensOf = (id: unknown, store: Store) => {
  const email = store.users.find({ id })?.email
  drop(store, 'tokens', ({ identifier }) => identifier === email)
}

const isPast = ({ expires }: Row) => (expires as Date) < new Date()

/** Deletes what has expired, of anybody. */
const sweeping = (operation: OperationName, rows: 'sessions' | 'tokens', before = false): Fault['broken'] => {
  return (sound, store) => ({
    [operation]: async (...parameters: unknown[]) => {
      if (before) drop(store, rows, isPast)
      const answer = await operationOf(sound, operation)(...parameters)
      drop(store, rows, isPast)
      return answer
    },
  })
}

/** Sets or removes the emailVerified of the user with this address. */
const verify = async (sound: Sound, email: unknown, emailVerified: Date | null) => {
  const user = await sound.getUserByEmail(String(email))
  if (user && Boolean(user.emailVerified) !== Boolean(emailVerified)) await sound.updateUser({ id: user.id, emailVerified })
}

export const effectFaults = faultsOf('side effects', [
  ['createUser deletes the tokens of its address', then('createUser', ({ id }, _, store) => dropTokensOf(id, store))],
  ['linkAccount deletes the tokens of the address', then('linkAccount', ({ userId }, _, store) => dropTokensOf(userId, store))],
  ['createSession deletes the tokens of the address', then('createSession', ({ userId }, _, store) => dropTokensOf(userId, store))],
  ['updateUser deletes the tokens of its address', then('updateUser', ({ id }, _, store) => dropTokensOf(id, store))],
  [
    'createVerificationToken makes a user of the address that createUser takes over',
    (sound) => {
      const made = new Map<string, Row>()
      return {
        createVerificationToken: async (token) => {
          const email = token.identifier
          if (typeof email === 'string') made.set(email, { id: crypto.randomUUID(), email, emailVerified: null })
          return sound.createVerificationToken(token)
        },
        createUser: async (user) => {
          const created = await sound.createUser(user)
          made.delete(created.email)
          return created
        },
        updateUser: async (user) => {
          const updated = await sound.updateUser(user)
          made.delete(updated.email)
          return updated
        },
        deleteUser: async (id) => {
          const user = await sound.deleteUser(id)
          if (user) made.delete(user.email)
          return user
        },
        getUserByEmail: async (email) => (await sound.getUserByEmail(email)) ?? made.get(email) ?? null,
      }
    },
  ],
  [
    'useVerificationToken verifies the address',
    then('useVerificationToken', ({ identifier }, sound) => verify(sound, identifier, new Date())),
  ],
  [
    'useVerificationToken of an expired token takes the verification away',
    then('useVerificationToken', (row, sound) => isPast(row) && verify(sound, row.identifier, null)),
  ],
  [
    'linkAccount of type oidc verifies the address',
    then('linkAccount', async ({ type, userId }, sound) => {
      const user = type === 'oidc' && (await sound.getUser(String(userId)))
      if (user) await verify(sound, user.email, new Date())
    }),
  ],
  [
    'unlinkAccount of a passkey deletes the authenticator',
    then('unlinkAccount', ({ type, providerAccountId }, _, store) => {
      if (type === 'webauthn') drop(store, 'authenticators', (row) => row.providerAccountId === providerAccountId)
    }),
  ],
  [
    'linkAccount of a passkey replaces the other passkey of the user',
    then('linkAccount', ({ type, userId, providerAccountId }, _, store) => {
      const isOther = (row: Row) => row.type === type && row.userId === userId && row.providerAccountId !== providerAccountId
      if (type === 'webauthn') drop(store, 'accounts', isOther)
    }),
  ],
  [
    'deleteSession deletes the other sessions of the user that have not expired',
    then('deleteSession', ({ userId }, _, store) => drop(store, 'sessions', (row) => row.userId === userId && !isPast(row))),
  ],
  ['createSession deletes expired sessions', sweeping('createSession', 'sessions', true)],
  ['deleteSession deletes expired sessions', sweeping('deleteSession', 'sessions')],
  ['createUser deletes expired sessions', sweeping('createUser', 'sessions')],
  ['deleteUser deletes expired sessions', sweeping('deleteUser', 'sessions')],
  ['createVerificationToken deletes expired tokens', sweeping('createVerificationToken', 'tokens', true)],
  ['useVerificationToken deletes expired tokens', sweeping('useVerificationToken', 'tokens')],
  [
    'getSessionAndUser deletes other sessions that have expired',
    on('getSessionAndUser', (sound, store) => async (token) => {
      drop(store, 'sessions', (row) => row.sessionToken !== token && isPast(row))
      return sound.getSessionAndUser(token)
    }),
  ],
  [
    'updateSession deletes other sessions that have expired',
    on('updateSession', (sound, store) => async (session) => {
      drop(store, 'sessions', (row) => row.sessionToken !== session.sessionToken && isPast(row))
      return sound.updateSession(session)
    }),
  ],
  [
    'deleteSession deletes other sessions of the user that have expired',
    then('deleteSession', ({ userId }, _, store) => drop(store, 'sessions', (row) => row.userId === userId && isPast(row))),
  ],
  [
    'useVerificationToken deletes other tokens of the address that have expired',
    then('useVerificationToken', ({ identifier }, _, store) => {
      drop(store, 'tokens', (row) => row.identifier === identifier && isPast(row))
    }),
  ],
])

const isDate = (value: unknown): value is Date => value instanceof Date && !Number.isNaN(value.getTime())
const distance = (one: unknown, other: unknown) => (isDate(one) && isDate(other) ? Math.abs(one.getTime() - other.getTime()) : Infinity)

/** An update that leaves a field alone where `isUnchanged` says so. */
const lazy = (
  operation: 'updateUser' | 'updateSession',
  field: string,
  isUnchanged: (value: unknown, old: unknown) => boolean,
): Fault['broken'] => {
  return (sound, { users, sessions }) => ({
    [operation]: async (change: Row) => {
      const old = (operation === 'updateUser' ? users : sessions).find(change) as Row | null
      const isLeft = old && change[field] !== undefined && isUnchanged(change[field], old[field])
      return operationOf(sound, operation)(isLeft ? { ...change, [field]: undefined } : change)
    },
  })
}

const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value)

export const changeFaults = faultsOf('small changes', [
  ['updateUser ignores the case of an address', lazy('updateUser', 'email', (value, old) => lower(value) === lower(old))],
  ['updateUser ignores the case of a name', lazy('updateUser', 'name', (value, old) => lower(value) === lower(old))],
  ['updateUser takes an empty name and null for the same', lazy('updateUser', 'name', (value, old) => (value || '') === (old || ''))],
  ['updateUser ignores milliseconds', lazy('updateUser', 'emailVerified', (value, old) => distance(value, old) < 1_000)],
  ['updateUser ignores less than a minute', lazy('updateUser', 'emailVerified', (value, old) => distance(value, old) < 60_000)],
  ['updateSession ignores milliseconds', lazy('updateSession', 'expires', (value, old) => distance(value, old) < 1_000)],
  ['updateSession ignores less than a minute', lazy('updateSession', 'expires', (value, old) => distance(value, old) < 60_000)],
  ['updateSession ignores less than ten minutes', lazy('updateSession', 'expires', (value, old) => distance(value, old) < 599_000)],
  [
    'updateSession ignores the user where it is given an expiry',
    on('updateSession', (sound) => async (session) => {
      return sound.updateSession(session.expires === undefined ? session : { ...session, userId: undefined as unknown as string })
    }),
  ],
  [
    'updateSession ignores the expiry where it is given another user',
    on('updateSession', (sound, { sessions }) => async (session) => {
      const isMoved = session.userId !== undefined && sessions.find(session)?.userId !== session.userId
      return sound.updateSession(isMoved ? { ...session, expires: undefined as unknown as Date } : session)
    }),
  ],
])

/** Sessions that are gone at a time of their own, as keys with a time to live; `sparesExpired`: but for those that have expired. */
const withTimeToLive = (
  renewed: (before: number | undefined, expires: Date, isNew: boolean) => number | undefined,
  sparesExpired = false,
): Fault['broken'] => {
  return (sound, { sessions }) => {
    const ends = new Map<string, number>()
    const end = (sessionToken: string) => {
      const session = sessions.find({ sessionToken })
      if (session && sparesExpired && session.expires < new Date()) return
      if ((ends.get(sessionToken) ?? Infinity) < Date.now()) sessions.delete({ sessionToken })
    }
    const renew = ({ sessionToken, expires }: { sessionToken: string; expires: Date }, isNew: boolean) => {
      const time = expires.getTime() > Date.now() ? renewed(ends.get(sessionToken), expires, isNew) : undefined
      if (time === undefined) ends.delete(sessionToken)
      else ends.set(sessionToken, time)
    }
    return {
      createSession: async (session) => {
        const created = await sound.createSession(session)
        renew(created, true)
        return created
      },
      updateSession: async (session) => {
        const updated = await sound.updateSession(session)
        if (updated) renew(updated, false)
        return updated
      },
      getSessionAndUser: async (sessionToken) => {
        end(sessionToken)
        return sound.getSessionAndUser(sessionToken)
      },
    }
  }
}

export const expiryFaults = faultsOf('expiry', [
  [
    'deleteSession leaves a session that has expired',
    on('deleteSession', (sound, { sessions }) => async (sessionToken) => {
      const session = sessions.find({ sessionToken })
      return session && session.expires < new Date() ? null : sound.deleteSession(sessionToken)
    }),
  ],
  ['a session is gone when it expires', withTimeToLive((_, expires) => expires.getTime())],
  [
    'a session that was prolonged is gone at its first expiry',
    withTimeToLive((before, expires, isNew) => (isNew ? expires.getTime() : before), true),
  ],
  [
    'a session is gone at the earliest expiry that it had',
    withTimeToLive((before, expires) => Math.min(before ?? Infinity, expires.getTime())),
  ],
  [
    'a session is deleted by a timer, which more than 24 days overflow',
    on('createSession', (sound, { sessions }) => async (session) => {
      const created = await sound.createSession(session)
      const milliseconds = created.expires.getTime() - Date.now()
      if (milliseconds > 2 ** 31) setTimeout(() => sessions.delete(created), 1)
      return created
    }),
  ],
])
