import type { AdapterUser } from '@auth/core/adapters'
import type { Broken, Entry, OperationName, Row } from '../fault.js'
import { faultsOf, given, on, operationOf, pause, sharedFaultsOf } from '../fault.js'
import { drop, mapOf, only, rowsOf, without } from './helpers.js'

/** An operation that gives the first row where it is called without parameters. */
const firstWithoutParameters = (operation: OperationName, key: (row: Row) => unknown[], rows: Parameters<typeof rowsOf>[1]): Entry => [
  `${operation} without parameters gives the first row`,
  (sound, store) =>
    ({
      [operation]: async (...parameters: unknown[]) => {
        const [first] = rowsOf(store, rows)
        return operationOf(sound, operation)(...(parameters.length === 0 && first ? key(first) : parameters))
      },
    }) as Broken,
]

/** A write that takes a number with an exponent for a row that is there, and writes nothing. */
const exponent = (operation: OperationName, rows: Parameters<typeof rowsOf>[1], field: string): Entry => [
  `${operation} takes two numbers as ${field} for one where an exponent makes them equal`,
  (sound, store) =>
    ({
      [operation]: async (...parameters: unknown[]) => {
        const number = /^(\d+)e0$/.exec(String((parameters[0] as Row)?.[field]))?.[1]
        const known = number && rowsOf(store, rows).find((row) => row[field] === number)
        return known ? { ...known } : operationOf(sound, operation)(...parameters)
      },
    }) as Broken,
]

/** Refuses more than eight calls at once, as a short queue does. */
const shortQueue = (operation: OperationName): Entry => [
  `${operation} refuses more than eight calls at once`,
  (sound) => {
    let waiting = 0
    return {
      [operation]: async (...parameters: unknown[]) => {
        if (waiting === 8) throw new Error('the queue is full')
        waiting++
        await pause()
        waiting--
        return operationOf(sound, operation)(...parameters)
      },
    } as Broken
  },
]

/** Faults that show in one situation alone. */
export const singleFaults = [
  ...faultsOf('one situation', [
    firstWithoutParameters('getUserByEmail', (row) => [row.email], 'users'),
    firstWithoutParameters('getAccount', (row) => [row.providerAccountId, row.provider], 'accounts'),
    firstWithoutParameters('getSessionAndUser', (row) => [row.sessionToken], 'sessions'),
    firstWithoutParameters('getAuthenticator', (row) => [row.credentialID], 'authenticators'),
    exponent('createUser', 'users', 'email'),
    exponent('updateUser', 'users', 'email'),
    exponent('linkAccount', 'accounts', 'providerAccountId'),
    exponent('createSession', 'sessions', 'sessionToken'),
    exponent('createAuthenticator', 'authenticators', 'credentialID'),
    shortQueue('createVerificationToken'),
    shortQueue('createAuthenticator'),
    [
      'createUser stores a missing address as the text undefined',
      given('createUser', (user: AdapterUser) => [{ ...user, email: user.email === undefined ? 'undefined' : user.email }]),
    ],
    [
      'getUserByAccount takes the first of several accounts with one id',
      only(
        ['createUser', 'linkAccount', 'getUserByAccount'],
        on('getUserByAccount', (sound, store) => async (key) => {
          const known = await sound.getUserByAccount(key)
          const first = rowsOf(store, 'accounts').find((row) => row.providerAccountId === String(key?.providerAccountId))
          return known && sound.getUser(String(first?.userId))
        }),
      ),
    ],
    [
      'updateSession never changes the user, and nothing shows the session',
      without(
        ['getSessionAndUser'],
        given('updateSession', (row: Row) => {
          delete row.userId
        }),
      ),
    ],
    [
      'useVerificationToken takes its keys in either order',
      on('useVerificationToken', (sound) => async (key) => {
        const row = await sound.useVerificationToken(key)
        return row ?? sound.useVerificationToken({ identifier: key?.token, token: key?.identifier })
      }),
    ],
    [
      'createAuthenticator links the account as well',
      on('createAuthenticator', (sound, store) => async (row) => {
        const made = await sound.createAuthenticator(row)
        const { userId, providerAccountId } = made
        const account = { userId, providerAccountId, provider: 'passkey', type: 'webauthn' }
        mapOf(store, 'accounts').set(JSON.stringify(['passkey', providerAccountId]), account)
        return made
      }),
    ],
    [
      'updateSession replaces another session of the user with the same expiry',
      on('updateSession', (sound, store) => async (session) => {
        const row = await sound.updateSession(session)
        const isDouble = (other: Row) =>
          other.userId === row?.userId &&
          other.sessionToken !== row?.sessionToken &&
          (other.expires as Date).getTime() === row?.expires.getTime()
        if (session.expires) drop(store, 'sessions', isDouble)
        return row
      }),
    ],
    [
      'a user whose last account was unlinked cannot sign in any more',
      (sound, store) => {
        const locked = new Set<unknown>()
        return {
          unlinkAccount: async (key) => {
            const row = await sound.unlinkAccount(key)
            if (row && !rowsOf(store, 'accounts').some((other) => other.userId === row.userId)) locked.add(row.userId)
            return row
          },
          createSession: async (session) => {
            if (locked.has(session.userId)) throw new Error('this user has no account')
            return sound.createSession(session)
          },
        }
      },
    ],
    [
      'deleteUser leaves sessions that have expired',
      on('deleteUser', (sound, store) => async (id) => {
        const expired = rowsOf(store, 'sessions').filter((row) => row.userId === id && (row.expires as Date) < new Date())
        const user = await sound.deleteUser(id)
        for (const row of expired) mapOf(store, 'sessions').set(JSON.stringify([row.sessionToken]), row)
        return user
      }),
    ],
    [
      'deleteUser deletes a hundred sessions at most',
      on('deleteUser', (sound, store) => async (id) => {
        const others = rowsOf(store, 'sessions').filter((row) => row.userId === id)
        const user = await sound.deleteUser(id)
        for (const row of others.slice(100)) mapOf(store, 'sessions').set(JSON.stringify([row.sessionToken]), row)
        return user
      }),
    ],
    [
      'useVerificationToken takes the values of its argument by their position',
      on('useVerificationToken', (sound) => async (key) => {
        const [identifier, token] = Object.values(key ?? {}) as string[]
        return sound.useVerificationToken({ identifier: identifier as string, token: token as string })
      }),
    ],
    [
      'createAuthenticator takes an object that it has seen for the same authenticator',
      (sound) => {
        const seen = new WeakMap<object, object>()
        return {
          createAuthenticator: async (row) => {
            const made = seen.get(row) ?? (await sound.createAuthenticator(row))
            seen.set(row, made)
            return { ...made }
          },
        }
      },
    ],
    [
      'getAccount keeps that there was none where it was asked twice',
      (sound) => {
        const misses = new Map<string, number>()
        return {
          getAccount: async (...key) => {
            const name = key.join(' ')
            if (key.some((part) => typeof part !== 'string')) return sound.getAccount(...key)
            if ((misses.get(name) ?? 0) > 1) return null
            const row = await sound.getAccount(...key)
            if (!row) misses.set(name, (misses.get(name) ?? 0) + 1)
            return row
          },
          unlinkAccount: async (key) => {
            misses.clear()
            return sound.unlinkAccount(key)
          },
        }
      },
    ],
    [
      'deleteSession writes the list of the other sessions of a user back',
      on('deleteSession', (sound, store) => async (token) => {
        const { userId } = rowsOf(store, 'sessions').find((row) => row.sessionToken === token) ?? {}
        const others = rowsOf(store, 'sessions').filter((row) => row.userId === userId && row.sessionToken !== token)
        await pause()
        const row = await sound.deleteSession(token)
        if (row) for (const other of others) mapOf(store, 'sessions').set(JSON.stringify([other.sessionToken]), other)
        return row
      }),
    ],
    [
      'createUser refuses an address that is the id of a user',
      on('createUser', (sound, store) => async (user) => {
        if (rowsOf(store, 'users').some((row) => row.id === user.email)) throw new Error('taken')
        return sound.createUser(user)
      }),
    ],
    [
      'deleteUser deletes the sessions of users whose ids begin with its id',
      on('deleteUser', (sound, store) => async (id) => {
        const user = await sound.deleteUser(id)
        if (user) drop(store, 'sessions', (row) => String(row.userId).startsWith(user.id))
        return user
      }),
    ],
    [
      'createSession cuts the user id at NUL',
      given('createSession', (row: Row) => [{ ...row, userId: typeof row.userId === 'string' ? row.userId.split('\0')[0] : row.userId }]),
    ],
    [
      'getUserByEmail looks at the newest hundred users',
      on('getUserByEmail', (sound, store) => async (email) => {
        const user = await sound.getUserByEmail(email)
        const newest = rowsOf(store, 'users').slice(-100)
        return newest.some((row) => row.id === user?.id) ? user : null
      }),
    ],
    [
      'deleteSession decodes a token as a part of a URL',
      on(
        'deleteSession',
        (sound) => async (token) => sound.deleteSession(typeof token === 'string' ? token.replaceAll('%2F', '/') : token),
      ),
    ],
    [
      'getUserByAccount finds nobody by a bigint',
      on('getUserByAccount', (sound) => async (key) => (typeof key?.providerAccountId === 'bigint' ? null : sound.getUserByAccount(key))),
    ],
    [
      'createVerificationToken writes a number without its exponent',
      given('createVerificationToken', (row: Row) => [
        { ...row, token: typeof row.token === 'string' ? row.token.replace(/^(\d+)e0$/, '$1') : row.token },
      ]),
    ],
  ]),
  ...sharedFaultsOf('one situation', [
    [
      'each server remembers tokens that were not there',
      (sound) => {
        const missed = new Set<string>()
        return {
          createVerificationToken: async (token) => {
            missed.clear()
            return sound.createVerificationToken(token)
          },
          useVerificationToken: async (key) => {
            if (typeof key?.identifier !== 'string' || typeof key.token !== 'string') return sound.useVerificationToken(key)
            const name = [key.identifier, key.token].join(' ')
            const row = missed.has(name) ? null : await sound.useVerificationToken(key)
            if (!row) missed.add(name)
            return row
          },
        }
      },
    ],
  ]),
]
