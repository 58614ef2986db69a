import type { AdapterAuthenticator, AdapterSession, AdapterUser } from '@auth/core/adapters'
import type { Broken, Fault, OperationName, Row, Sound } from '../fault.js'
import { faultsOf, operationOf, sharedFaultsOf } from '../fault.js'

type Kept = Map<string, unknown>
interface Both {
  session: AdapterSession
  user: AdapterUser
}

/** The values by which a row is looked up, in one order, or nothing where one of them is no text. */
const keyOf = (parameters: unknown[]): string | undefined => {
  const [given] = parameters as [Row | undefined]
  const values = typeof given === 'object' ? [given?.providerAccountId, given?.provider] : parameters
  return values.every((value) => typeof value === 'string') ? JSON.stringify(values) : undefined
}

/** A lookup that keeps what it found, and changes what it keeps by `revive` on the way out. */
const kept = (sound: Sound, operation: OperationName, cache: Kept, revive = (found: never): unknown => found) => ({
  [operation]: async (...parameters: unknown[]) => {
    const key = keyOf(parameters)
    if (key !== undefined && cache.has(key)) return revive(structuredClone(cache.get(key)) as never)
    const found = await operationOf(sound, operation)(...parameters)
    if (key !== undefined && found) cache.set(key, structuredClone(found))
    return found
  },
})

const writing: OperationName[] = [
  ...(['createUser', 'updateUser', 'deleteUser', 'linkAccount', 'unlinkAccount', 'createSession', 'updateSession'] as const),
  ...(['deleteSession', 'createAuthenticator', 'updateAuthenticatorCounter'] as const),
]

/** Operations that drop everything that is kept, also where they fail. */
const clearing = (sound: Sound, operations: readonly OperationName[], cache: Kept): Broken =>
  Object.fromEntries(
    operations.map((operation) => [
      operation,
      (...parameters: unknown[]) => operationOf(sound, operation)(...parameters).finally(() => cache.clear()),
    ]),
  )

/** A cache that every write clears, and that changes what it gives. */
const reviving =
  (operation: OperationName, revive: (found: never) => unknown): Fault['broken'] =>
  (sound) => {
    const cache: Kept = new Map()
    return { ...clearing(sound, writing, cache), ...kept(sound, operation, cache, revive) }
  }

const epoch = (user: AdapterUser) => ({ ...user, emailVerified: new Date(user.emailVerified as Date) })
const truthy = (row: AdapterAuthenticator) => ({ ...row, credentialBackedUp: Boolean(String(row.credentialBackedUp)) })
const isoDate = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
const revived = (_: string, value: unknown) => (typeof value === 'string' && isoDate.test(value) ? new Date(value) : value)

export const hitFaults = faultsOf('cache hits', [
  ['getUser makes 1970 of an emailVerified of null', reviving('getUser', epoch)],
  ['getUserByEmail makes 1970 of an emailVerified of null', reviving('getUserByEmail', epoch)],
  ['getUserByAccount makes 1970 of an emailVerified of null', reviving('getUserByAccount', epoch)],
  [
    'getSessionAndUser makes 1970 of an emailVerified of null',
    reviving('getSessionAndUser', ({ session, user }: Both) => ({ session, user: epoch(user) })),
  ],
  ['getUser makes text of a name of null', reviving('getUser', (user: AdapterUser) => ({ ...user, name: String(user.name) }))],
  [
    'getSessionAndUser makes empty text of an image of null',
    reviving('getSessionAndUser', ({ session, user }: Both) => ({ session, user: { ...user, image: user.image ?? '' } })),
  ],
  ['getUser makes dates of texts that look like one', reviving('getUser', (user) => JSON.parse(JSON.stringify(user), revived))],
  ['getUserByAccount gives dates as text', reviving('getUserByAccount', (user) => JSON.parse(JSON.stringify(user)))],
  ['getAuthenticator makes true of false', reviving('getAuthenticator', truthy)],
  [
    'listAuthenticatorsByUserId makes true of false',
    reviving('listAuthenticatorsByUserId', (rows: AdapterAuthenticator[]) => rows.map(truthy)),
  ],
  [
    'getAuthenticator makes empty text of absent transports',
    reviving('getAuthenticator', (row: AdapterAuthenticator) => ({ ...row, transports: row.transports ?? '' })),
  ],
  [
    'getAccount loses an expires_at of 0',
    reviving('getAccount', (row: Row) => ({ ...row, expires_at: Number(row.expires_at) || undefined })),
  ],
  [
    'getAccount makes no number of an absent expires_at',
    reviving('getAccount', (row: Row) => ({ ...row, expires_at: Number(row.expires_at) })),
  ],
  ['getAccount makes text of an absent token', reviving('getAccount', (row: Row) => ({ ...row, access_token: String(row.access_token) }))],
])

/** Whom a kept answer is about. */
const ownerOf = (found: unknown): unknown => {
  const row = found as { user?: AdapterUser; userId?: string; id?: string }
  return row.user?.id ?? row.userId ?? row.id
}

/** A cache with an index of one key for each user: `forgetting` drops that one alone. */
const lastOnly =
  (operation: OperationName, forgetting: OperationName, others: readonly OperationName[]): Fault['broken'] =>
  (sound) => {
    const cache: Kept = new Map()
    const { [operation]: lookup } = kept(sound, operation, cache)
    const last = new Map<unknown, string>()
    return {
      ...clearing(sound, others, cache),
      [operation]: async (...parameters: unknown[]) => {
        const found = await lookup?.(...parameters)
        if (found) last.set(ownerOf(found), keyOf(parameters) ?? '')
        return found
      },
      [forgetting]: async (given: string | Row) => {
        cache.delete(last.get(typeof given === 'object' ? given?.id : given) ?? '')
        return operationOf(sound, forgetting)(given)
      },
    }
  }

const ofSessions = ['updateSession', 'deleteSession'] as const
const ofAccounts = ['linkAccount', 'unlinkAccount'] as const

/** Users by their ids and by their addresses, in two caches. */
const userCaches =
  (broken: (sound: Sound, byId: Kept, byEmail: Kept) => Broken): Fault['broken'] =>
  (sound) => {
    const byId: Kept = new Map()
    const byEmail: Kept = new Map()
    const forget = (id: string) => {
      for (const cache of [byId, byEmail]) for (const [key, user] of cache) if ((user as AdapterUser).id === id) cache.delete(key)
    }
    return {
      ...kept(sound, 'getUser', byId),
      ...kept(sound, 'getUserByEmail', byEmail),
      updateUser: async (user) => {
        const changed = await sound.updateUser(user)
        forget(user?.id)
        return changed
      },
      deleteUser: async (id) => {
        const deleted = await sound.deleteUser(id)
        forget(id)
        return deleted
      },
      ...broken(sound, byId, byEmail),
    }
  }

const addressIn = (cache: Kept, id: string) => JSON.stringify([(cache.get(JSON.stringify([id])) as AdapterUser | undefined)?.email])

/** The lists of authenticators, which the operations forget that change one. */
const lists =
  (broken: (sound: Sound, cache: Map<string, AdapterAuthenticator[]>) => Broken): Fault['broken'] =>
  (sound) => {
    const cache = new Map<string, AdapterAuthenticator[]>()
    return {
      listAuthenticatorsByUserId: async (id) => {
        const found = cache.get(id) ?? (await sound.listAuthenticatorsByUserId(id))
        if (typeof id === 'string') cache.set(id, found)
        return structuredClone(found)
      },
      ...clearing(sound, ['createAuthenticator', 'updateAuthenticatorCounter', 'deleteUser'], cache as Kept),
      ...broken(sound, cache),
    }
  }

export const evictionFaults = [
  ...faultsOf('caches with an index', [
    ['updateUser forgets one session of the user', lastOnly('getSessionAndUser', 'updateUser', [...ofSessions, 'deleteUser'])],
    ['deleteUser forgets one session of the user', lastOnly('getSessionAndUser', 'deleteUser', [...ofSessions, 'updateUser'])],
    ['updateUser forgets one account of the user', lastOnly('getUserByAccount', 'updateUser', [...ofAccounts, 'deleteUser'])],
    ['deleteUser forgets one account of the user', lastOnly('getUserByAccount', 'deleteUser', [...ofAccounts, 'updateUser'])],
    ['deleteUser forgets the tokens of one account of the user', lastOnly('getAccount', 'deleteUser', ofAccounts)],
    [
      'updateSession to another user keeps the user in the cache',
      (sound) => {
        const cache: Kept = new Map()
        return {
          ...clearing(sound, ['updateUser', 'deleteUser', 'deleteSession'], cache),
          ...kept(sound, 'getSessionAndUser', cache),
          updateSession: async (session) => {
            const updated = await sound.updateSession(session)
            const found = cache.get(JSON.stringify([session?.sessionToken])) as Both | undefined
            if (found && updated) found.session = structuredClone(updated)
            return updated
          },
        }
      },
    ],
    [
      'deleteUser does not forget a session that moved to the user',
      (sound) => {
        const [cache, owners] = [new Map<string, Both>(), new Map<string, string>()]
        return {
          ...clearing(sound, ['updateUser'], cache as Kept),
          getSessionAndUser: async (token) => {
            const found = cache.get(token) ?? ((await sound.getSessionAndUser(token)) as Both | null)
            if (found && !owners.has(token)) owners.set(token, found.user.id)
            if (found) cache.set(token, found)
            return structuredClone(found)
          },
          updateSession: (session) => {
            cache.delete(session?.sessionToken)
            return sound.updateSession(session)
          },
          deleteSession: async (token) => {
            cache.delete(token)
            return sound.deleteSession(token)
          },
          deleteUser: async (id) => {
            for (const [token, owner] of owners) if (owner === id) cache.delete(token)
            return sound.deleteUser(id)
          },
        }
      },
    ],
    [
      'accounts are cached by the properties of the key in their order',
      (sound) => {
        const cache: Kept = new Map()
        const isKey = (key: Row) => typeof key?.provider === 'string' && typeof key.providerAccountId === 'string'
        return {
          ...clearing(sound, ['updateUser', 'deleteUser'], cache),
          getUserByAccount: async (key) => {
            if (!isKey(key)) return sound.getUserByAccount(key)
            const name = JSON.stringify(key)
            const found = cache.get(name) ?? (await sound.getUserByAccount(key))
            if (found) cache.set(name, structuredClone(found))
            return structuredClone(found)
          },
          unlinkAccount: async (key) => {
            cache.delete(JSON.stringify(key))
            return sound.unlinkAccount(key)
          },
        }
      },
    ],
    [
      'deleteUser finds the address to forget among users who were looked up by id',
      userCaches((sound, byId, byEmail) => ({
        deleteUser: async (id) => {
          byEmail.delete(addressIn(byId, id))
          byId.delete(JSON.stringify([id]))
          return sound.deleteUser(id)
        },
      })),
    ],
    [
      'updateUser finds the address to forget among users who were looked up by id',
      userCaches((sound, byId, byEmail) => ({
        updateUser: async (user) => {
          const changed = await sound.updateUser(user)
          byEmail.delete(addressIn(byId, user?.id))
          byId.delete(JSON.stringify([user?.id]))
          return changed
        },
      })),
    ],
    [
      'deleteUser forgets the address of the sign-up',
      userCaches((sound, byId, byEmail) => {
        const first = new Map<string, string>()
        return {
          createUser: async (user) => {
            const created = await sound.createUser(user)
            first.set(created.id, created.email)
            return created
          },
          deleteUser: async (id) => {
            byEmail.delete(JSON.stringify([first.get(id)]))
            byId.delete(JSON.stringify([id]))
            return sound.deleteUser(id)
          },
        }
      }),
    ],
    [
      'createAuthenticator replaces the list by the new one',
      lists((sound, cache) => ({
        createAuthenticator: async (authenticator) => {
          const created = await sound.createAuthenticator(authenticator)
          if (cache.has(created.userId)) cache.set(created.userId, [structuredClone(created)])
          return created
        },
      })),
    ],
    [
      'createAuthenticator adds to the list before it is refused',
      lists((sound, cache) => ({
        createAuthenticator: async (authenticator) => {
          cache.get(authenticator.userId)?.push({ ...authenticator })
          return sound.createAuthenticator(authenticator)
        },
      })),
    ],
    [
      'updateAuthenticatorCounter changes the first of the list',
      lists((sound, cache) => ({
        updateAuthenticatorCounter: async (credentialID, counter) => {
          const updated = await sound.updateAuthenticatorCounter(credentialID, counter)
          const [first] = cache.get(updated.userId) ?? []
          if (first) first.counter = updated.counter
          return updated
        },
      })),
    ],
    [
      'updateAuthenticatorCounter drops the others from the list',
      lists((sound, cache) => ({
        updateAuthenticatorCounter: async (credentialID, counter) => {
          const updated = await sound.updateAuthenticatorCounter(credentialID, counter)
          cache.set(updated.userId, [structuredClone(updated)])
          return updated
        },
      })),
    ],
    ['getSessionAndUser remembers the user of a token', (sound, store) => remembering(sound, store)],
  ]),
  ...sharedFaultsOf('caches with an index', [
    [
      'a server does not hear that another gave a session to another user',
      (sound, store) => {
        const owners = new Map<string, string>()
        return {
          ...remembering(sound, store, owners),
          updateSession: async (session) => {
            owners.delete(session?.sessionToken)
            return sound.updateSession(session)
          },
        }
      },
    ],
  ]),
]

/** Reads the session, but remembers whose it is. */
function remembering(sound: Sound, { sessions }: Parameters<Fault['broken']>[1], owners = new Map<string, string>()): Broken {
  return {
    getSessionAndUser: async (sessionToken) => {
      const session = sessions.find({ sessionToken })
      if (!session) return null
      const id = owners.get(session.sessionToken) ?? session.userId
      owners.set(session.sessionToken, id)
      const user = await sound.getUser(id)
      return user && { session, user }
    },
  }
}
