import type { Broken, OperationName, Row } from '../fault.js'
import { answering, faultsOf, given, on, operationOf, pause } from '../fault.js'
import { drop, edit, mapOf, rowsOf } from './helpers.js'

export const keyValueFaults = faultsOf('key-value stores', [
  [
    'updateSession of an unknown session stores it',
    on('updateSession', (sound, store) => async (session) => {
      const found = await sound.updateSession(session)
      if (found || !session.sessionToken) return found
      mapOf(store, 'sessions').set(JSON.stringify([session.sessionToken]), { userId: 'x', expires: new Date(), ...session })
      return session
    }),
  ],
  [
    'the email index keeps the old address after updateUser',
    (sound, store) => {
      const old = new Map<string, string>()
      return {
        updateUser: async (user) => {
          const before = rowsOf(store, 'users').find((row) => row.id === user.id)
          const after = await sound.updateUser(user)
          if (before && before.email !== after.email) old.set(String(before.email), after.id)
          return after
        },
        getUserByEmail: async (email) => (await sound.getUserByEmail(email)) ?? sound.getUser(old.get(email) ?? ''),
      }
    },
  ],
  [
    'the email index stays after deleteUser, so that the address is taken for ever',
    (sound) => {
      const gone = new Set<unknown>()
      return {
        deleteUser: async (id) => {
          const user = await sound.deleteUser(id)
          if (user) gone.add(user.email)
          return user
        },
        createUser: async (user) => {
          if (gone.has(user.email)) throw new Error('taken')
          return sound.createUser(user)
        },
      }
    },
  ],
  [
    'the account key stays after unlinkAccount, so that it cannot be linked again',
    (sound) => {
      const gone = new Set<string>()
      return {
        unlinkAccount: async (key) => {
          const row = await sound.unlinkAccount(key)
          if (row) gone.add(JSON.stringify([row.provider, row.providerAccountId]))
          return row
        },
        linkAccount: async (account) => {
          if (gone.has(JSON.stringify([account.provider, account.providerAccountId]))) throw new Error('taken')
          return sound.linkAccount(account)
        },
      }
    },
  ],
  [
    'the old email address stays taken after updateUser',
    (sound, store) => {
      const gone = new Set<unknown>()
      return {
        updateUser: async (user) => {
          const before = rowsOf(store, 'users').find((row) => row.id === user.id)?.email
          const after = await sound.updateUser(user)
          if (before !== after.email) gone.add(before)
          return after
        },
        createUser: async (user) => {
          if (gone.has(user.email)) throw new Error('taken')
          return sound.createUser(user)
        },
      }
    },
  ],
  [
    'a reviver makes dates of every text that looks like one',
    (sound) =>
      Object.fromEntries(
        ['getUser', 'getAccount'].map((operation) => [
          operation,
          async (...parameters: unknown[]) => {
            const row = (await operationOf(sound, operation as OperationName)(...parameters)) as Row | null
            return (
              row &&
              Object.fromEntries(
                Object.entries(row).map(([name, value]) => [
                  name,
                  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value) : value,
                ]),
              )
            )
          },
        ]),
      ) as Broken,
  ],
  [
    'values that look like numbers come back as numbers',
    edit('getAccount', (row) => {
      for (const name of Object.keys(row)) if (typeof row[name] === 'string' && /^\d{1,15}$/.test(row[name])) row[name] = Number(row[name])
    }),
  ],
  [
    'the text "null" of an account comes back as null',
    edit('getAccount', (row) => {
      if (row.scope === 'null') delete row.scope
    }),
  ],
  [
    'the text "null" as a name becomes null',
    given('createUser', (user: Row) => {
      if (user.name === 'null') user.name = null
    }),
  ],
  [
    'a hash of texts: the counter comes as text',
    edit('getAuthenticator', (row) => {
      row.counter = String(row.counter)
    }),
  ],
  [
    'a hash of texts: listed flags come as text',
    answering('listAuthenticatorsByUserId', (rows: Row[]) =>
      rows.map((row) => ({ ...row, credentialBackedUp: String(row.credentialBackedUp) })),
    ),
  ],
  [
    'a plain object as a map: inherited names are found as users',
    on('getUser', (sound) => async (id) => (typeof id === 'string' && id in {} ? ({}[id as never] as never) : sound.getUser(id))),
  ],
  [
    'a plain object as a map: inherited names are found as sessions',
    on(
      'getSessionAndUser',
      (sound) => async (token) => (typeof token === 'string' && token in {} ? { session: {}, user: {} } : sound.getSessionAndUser(token)),
    ),
  ],
  [
    'a plain object as a map: inherited names as a provider throw',
    on('getAccount', (sound) => async (id, provider) => {
      if (String(provider) in {}) throw new TypeError('not a map')
      return sound.getAccount(id, provider)
    }),
  ],
  [
    'createSession answers before the session is stored',
    on('createSession', (sound) => async (session) => {
      setTimeout(() => operationOf(sound, 'createSession')(session).catch(() => {}), 5)
      return { ...session }
    }),
  ],
  [
    'updateAuthenticatorCounter answers before it has written',
    on('updateAuthenticatorCounter', (sound) => async (id, counter) => {
      const row = await sound.getAuthenticator(id)
      if (!row) throw new Error('unknown')
      setTimeout(() => operationOf(sound, 'updateAuthenticatorCounter')(id, counter).catch(() => {}), 5)
      return { ...row, counter }
    }),
  ],
  [
    'deleteSession answers before the session is gone',
    on('deleteSession', (sound, store) => async (token) => {
      const row = rowsOf(store, 'sessions').find((each) => each.sessionToken === token)
      setTimeout(() => sound.deleteSession(token), 5)
      return row ? { ...row } : null
    }),
  ],
  [
    'an authenticator is listed twice after its counter changed',
    (sound) => {
      const changed = new Set<string>()
      return {
        updateAuthenticatorCounter: async (id, counter) => {
          const row = await sound.updateAuthenticatorCounter(id, counter)
          changed.add(id)
          return row
        },
        listAuthenticatorsByUserId: async (id) =>
          (await sound.listAuthenticatorsByUserId(id)).flatMap((row) => (changed.has(row.credentialID) ? [row, row] : [row])),
      }
    },
  ],
  [
    'authenticators created at once: the list keeps the last',
    (sound) => {
      const lists = new Map<string, string[]>()
      return {
        createAuthenticator: async (row) => {
          const made = await sound.createAuthenticator(row)
          const list = lists.get(row.userId) ?? []
          await pause()
          lists.set(row.userId, [...list, row.credentialID])
          return made
        },
        listAuthenticatorsByUserId: async (id) => {
          const rows = await sound.listAuthenticatorsByUserId(id)
          return rows.filter((row) => lists.get(id)?.includes(row.credentialID))
        },
      }
    },
  ],
  [
    'sessions created at once: deleteUser knows the last only',
    (sound, store) => {
      const lists = new Map<string, string[]>()
      return {
        createSession: async (row) => {
          const list = lists.get(row.userId) ?? []
          await pause()
          lists.set(row.userId, [...list, row.sessionToken])
          return sound.createSession(row)
        },
        deleteUser: async (id) => {
          const kept = rowsOf(store, 'sessions').filter((row) => row.userId === id && !lists.get(id)?.includes(String(row.sessionToken)))
          const user = await sound.deleteUser(id)
          for (const row of kept) mapOf(store, 'sessions').set(JSON.stringify([row.sessionToken]), row)
          return user
        },
        getSessionAndUser: async (token) => {
          const row = rowsOf(store, 'sessions').find((each) => each.sessionToken === token)
          return row ? ((await sound.getSessionAndUser(token)) ?? { session: row, user: null }) : null
        },
      }
    },
  ],
  [
    'tokens made at once for one address: the last stays',
    (sound, store) => {
      let writing: unknown
      return {
        createVerificationToken: async (token) => {
          const isAlone = writing !== token.identifier
          writing = token.identifier
          await pause()
          writing = undefined
          if (!isAlone) drop(store, 'tokens', (row) => row.identifier === token.identifier)
          return sound.createVerificationToken(token)
        },
      }
    },
  ],
  [
    'a wildcard as a user id lists all authenticators',
    on(
      'listAuthenticatorsByUserId',
      (sound, store) => async (id) => (id === '*' ? rowsOf(store, 'authenticators') : sound.listAuthenticatorsByUserId(id)),
    ),
  ],
  [
    'scanning by prefix: a user with a longer id is listed, too',
    on(
      'listAuthenticatorsByUserId',
      (_, store) => async (id) =>
        rowsOf(store, 'authenticators')
          .filter((row) => typeof id === 'string' && id !== '' && String(row.userId).startsWith(id))
          .map((row) => ({ ...row })),
    ),
  ],
  [
    'deleteUser also drops sessions of users whose ids begin with its id',
    on('deleteUser', (sound, store) => async (id) => {
      if (typeof id === 'string' && id) drop(store, 'sessions', (row) => String(row.userId).startsWith(id))
      return sound.deleteUser(id)
    }),
  ],
])
