import type { Fault, OperationName, Row, Sound, Store } from '../fault.js'
import { faultsOf, on, operationOf } from '../fault.js'
import { drop, mapOf, rowsOf } from './helpers.js'

const refuse = (): never => {
  throw new Error('refused')
}

type Owned = 'accounts' | 'sessions' | 'authenticators'

/** The rows of each user, by the keys of the rows. */
class Index {
  readonly #keys = new Map<unknown, Set<string>>()
  of = (userId: unknown) => this.#keys.get(userId) ?? new Set()
  add = (userId: unknown, key: string | undefined) => key && this.#keys.set(userId, this.of(userId).add(key))
}

/** A creating operation that enters its row in an index, before it is stored or after, and `deleteUser` that deletes what is there. */
const indexed =
  (operation: OperationName, rows: Owned, when: 'before' | 'after'): Fault['broken'] =>
  (sound, store) => {
    const index = new Index()
    return {
      [operation]: async (row: Row) => {
        const enter = () => index.add(row.userId, store[rows].keyOf(row))
        if (when === 'before') enter()
        const created = await operationOf(sound, operation)(row)
        if (when === 'after') enter()
        return created
      },
      deleteUser: async (id: string) => {
        for (const key of index.of(id)) mapOf(store, rows).delete(key)
        return sound.deleteUser(id)
      },
    }
  }

interface Addresses {
  sound: Sound
  store: Store
  /** Who has an address. */
  taken: Map<unknown, string>
  /** Stores a change without looking at addresses. */
  write(user: Row): Row
}

/** Addresses that are kept unique by an index of their own. */
const addresses =
  (updateUser: (user: Row, old: Row | undefined, parts: Addresses) => Row): Fault['broken'] =>
  (sound, store) => {
    const taken = new Map<unknown, string>()
    const write = (user: Row) => (store.users.update(user) as Row | null) ?? refuse()
    return {
      createUser: async (user) => {
        if (taken.has(user.email)) refuse()
        const created = store.users.insert({ ...user, id: user.id ?? crypto.randomUUID() })
        taken.set(created.email, created.id)
        return created
      },
      updateUser: async (user) => {
        const old = rowsOf(store, 'users').find(({ id }) => id === user.id)
        return updateUser(user as Row, old && { ...old }, { sound, store, taken, write })
      },
      deleteUser: async (id) => {
        const deleted = await sound.deleteUser(id)
        if (deleted) taken.delete(deleted.email)
        return deleted
      },
    }
  }

/** Refuses an address that somebody else has. */
const mustBeFree = ({ email, id }: Row, { taken }: Addresses) => taken.has(email) && taken.get(email) !== id && refuse()

export const indexFaults = faultsOf('indexes', [
  ['deleteUser deletes the sessions that the user once had', indexed('createSession', 'sessions', 'after')],
  ['deleteUser deletes the accounts that the user once had', indexed('linkAccount', 'accounts', 'after')],
  ['deleteUser deletes a session that the user was refused', indexed('createSession', 'sessions', 'before')],
  ['deleteUser deletes an account that the user was refused', indexed('linkAccount', 'accounts', 'before')],
  ['deleteUser deletes an authenticator that the user was refused', indexed('createAuthenticator', 'authenticators', 'before')],
  [
    'deleteUser leaves sessions that moved to the user',
    (sound, store) => {
      const owners = new Map<string, string>()
      return {
        createSession: async (session) => {
          const created = await sound.createSession(session)
          owners.set(created.sessionToken, created.userId)
          return created
        },
        deleteUser: async (id) => {
          const left = store.sessions.all(({ userId, sessionToken }) => userId === id && owners.get(sessionToken) !== id)
          const deleted = await sound.deleteUser(id)
          for (const session of left) store.sessions.insert(session)
          return deleted
        },
      }
    },
  ],
  [
    'an authenticator that was refused is in the list of the user who wanted it',
    (sound) => {
      const index = new Index()
      return {
        createAuthenticator: async (authenticator) => {
          if (typeof authenticator.userId === 'string') index.add(authenticator.userId, authenticator.credentialID)
          return sound.createAuthenticator(authenticator)
        },
        listAuthenticatorsByUserId: async (id) => {
          const found = await Promise.all([...index.of(id)].map((key) => sound.getAuthenticator(String(key))))
          return found.filter((each) => each !== null)
        },
      }
    },
  ],
  [
    'a user who was refused for the address is found by the id',
    (sound) => {
      const refused = new Map<string, Row>()
      return {
        createUser: async (user) => {
          if (user.email && user.id && (await sound.getUserByEmail(user.email))) refused.set(user.id, { ...user })
          return sound.createUser(user)
        },
        getUser: async (id) => (await sound.getUser(id)) ?? refused.get(id) ?? null,
      }
    },
  ],
  [
    'an address that was refused for the id finds the user of that id',
    (sound, { users }) => {
      const refused = new Map<string, string>()
      return {
        createUser: async (user) => {
          if (typeof user.email === 'string' && users.find(user)) refused.set(user.email, user.id)
          return sound.createUser(user)
        },
        getUserByEmail: async (email) => (await sound.getUserByEmail(email)) ?? sound.getUser(refused.get(email) ?? ''),
      }
    },
  ],
  [
    'deleteUser takes the address of the sign-up from the index',
    (sound) => {
      const [first, lost] = [new Map<string, string>(), new Set<string | undefined>()]
      return {
        createUser: async (user) => {
          const created = await sound.createUser(user)
          first.set(created.id, created.email)
          lost.delete(created.email)
          return created
        },
        updateUser: async (user) => {
          const updated = await sound.updateUser(user)
          lost.delete(updated.email)
          return updated
        },
        deleteUser: async (id) => {
          lost.add(first.get(id))
          return sound.deleteUser(id)
        },
        getUserByEmail: async (email) => (lost.has(email) ? null : sound.getUserByEmail(email)),
      }
    },
  ],
  [
    'updateUser refuses the address of a deleted user',
    (sound) => {
      const deleted = new Set<string | undefined>()
      return {
        createUser: async (user) => {
          deleted.delete(user.email)
          return sound.createUser(user)
        },
        updateUser: async (user) => (user.email && deleted.has(user.email) ? refuse() : sound.updateUser(user)),
        deleteUser: async (id) => {
          const user = await sound.deleteUser(id)
          deleted.add(user?.email)
          return user
        },
      }
    },
  ],
  [
    'updateUser frees the old address, and does not take the new one',
    addresses((user, old, parts) => {
      if (user.email !== undefined) mustBeFree(user, parts)
      const updated = parts.write(user)
      if (old?.email !== updated.email) parts.taken.delete(old?.email)
      return updated
    }),
  ],
  [
    'updateUser of a name frees the address',
    addresses((user, old, parts) => {
      if (user.email !== undefined) mustBeFree(user, parts)
      const updated = parts.write(user)
      parts.taken.delete(old?.email)
      if (user.email !== undefined) parts.taken.set(user.email, String(user.id))
      return updated
    }),
  ],
  [
    'updateUser to a taken address frees the own one before it is refused',
    addresses((user, old, parts) => {
      if (user.email !== undefined && old && old.email !== user.email) {
        parts.taken.delete(old.email)
        mustBeFree(user, parts)
      }
      const updated = parts.write(user)
      parts.taken.set(updated.email, String(updated.id))
      return updated
    }),
  ],
  [
    'createUser gives the user of a taken address that is not verified',
    on('createUser', (sound) => async (user) => {
      const taken = user.email && (await sound.getUserByEmail(user.email))
      return taken && !taken.emailVerified ? taken : sound.createUser(user)
    }),
  ],
])

/** An operation that keeps the key of a refused call as taken. */
const reserving = (operation: OperationName, keyOf: (row: Row) => string): Fault['broken'] => {
  return (sound) => {
    const reserved = new Set<string>()
    return {
      [operation]: async (row: Row) => {
        const key = keyOf(row)
        if (reserved.has(key)) refuse()
        reserved.add(key)
        const created = await operationOf(sound, operation)(row)
        reserved.delete(key)
        return created
      },
    }
  }
}

/** An operation whose calls for one key wait for one another, and fail where the one before failed. */
const poisoned = (operation: OperationName, keyOf: (parameters: unknown[]) => unknown): Fault['broken'] => {
  return (sound) => {
    const last = new Map<unknown, Promise<unknown>>()
    return {
      [operation]: (...parameters: unknown[]) => {
        const key = keyOf(parameters)
        const next = (last.get(key) ?? Promise.resolve()).then(() => operationOf(sound, operation)(...parameters))
        last.set(key, next)
        return next
      },
    }
  }
}

const field = (name: string) => (parameters: unknown[]) => (parameters[0] as Row | undefined)?.[name]

export const refusalFaults = faultsOf('refused calls', [
  ['createUser keeps the address of a refused call as taken', reserving('createUser', ({ email }) => String(email))],
  [
    'linkAccount keeps the account of a refused call as taken',
    reserving('linkAccount', ({ provider, providerAccountId }) => JSON.stringify([String(provider), String(providerAccountId)])),
  ],
  ['createSession keeps the token of a refused call as taken', reserving('createSession', ({ sessionToken }) => String(sessionToken))],
  [
    'createVerificationToken keeps the token of a refused call as taken',
    reserving('createVerificationToken', ({ identifier, token }) => JSON.stringify([String(identifier), String(token)])),
  ],
  [
    'createAuthenticator keeps the credential of a refused call as taken',
    reserving('createAuthenticator', ({ credentialID }) => String(credentialID)),
  ],
  [
    'updateUser of nobody keeps the address as taken',
    (sound, { users }) => {
      const reserved = new Set<unknown>()
      return {
        createUser: async (user) => (reserved.has(user.email) ? refuse() : sound.createUser(user)),
        updateUser: async (user) => {
          if (user.email !== undefined && !users.find(user)) reserved.add(user.email)
          return sound.updateUser(user)
        },
      }
    },
  ],
  ['createUser fails where the one before with this address failed', poisoned('createUser', field('email'))],
  ['updateUser fails where the one before of this user failed', poisoned('updateUser', field('id'))],
  ['updateSession fails where the one before of this session failed', poisoned('updateSession', field('sessionToken'))],
  [
    'updateAuthenticatorCounter keeps its lock where it fails',
    (sound) => {
      const locks = new Map<string, Promise<void>>()
      return {
        updateAuthenticatorCounter: async (credentialID, counter) => {
          while (locks.has(credentialID)) await locks.get(credentialID)
          let unlock = () => {}
          locks.set(credentialID, new Promise((resolve) => (unlock = resolve)))
          const updated = await sound.updateAuthenticatorCounter(credentialID, counter)
          locks.delete(credentialID)
          unlock()
          return updated
        },
      }
    },
  ],
  [
    'updateUser writes field by field, up to the one that is refused',
    on('updateUser', (sound) => async (user) => {
      const { id, email } = user
      let updated = await sound.updateUser(email === undefined ? { id } : { id, email })
      for (const name of ['name', 'image', 'emailVerified'] as const)
        if (name in user) updated = await sound.updateUser({ id, [name]: user[name] })
      return updated
    }),
  ],
  [
    'updateSession writes the user, and then the expiry that is refused',
    on('updateSession', (sound) => async (session) => {
      const { sessionToken, userId } = session
      if (userId !== undefined && session.expires !== undefined) await sound.updateSession({ sessionToken, userId })
      return sound.updateSession(session)
    }),
  ],
])

/** `deleteUser` keeps the user elsewhere, where other operations find it. */
const softly = (broken: (sound: Sound, store: Store, deleted: Map<string, Row>) => ReturnType<Fault['broken']>): Fault['broken'] => {
  return (sound, store) => {
    const deleted = new Map<string, Row>()
    const deleteUser = async (id: string) => {
      const user = await sound.deleteUser(id)
      if (user) deleted.set(user.id, user as unknown as Row)
      return user
    }
    return { deleteUser, ...broken(sound, store, deleted) }
  }
}

const withEmail = (deleted: Map<string, Row>, email: unknown) => [...deleted.values()].find((user) => user.email === email)

export const revivalFaults = faultsOf('deleted users', [
  [
    'a session of a deleted user signs it in',
    softly((sound, { sessions }, deleted) => ({
      updateSession: async (session) => (deleted.has(session.userId ?? '') ? refuse() : sound.updateSession(session)),
      getSessionAndUser: async (sessionToken) => {
        const session = sessions.find({ sessionToken })
        const user = deleted.get(session?.userId ?? '')
        return user ? { session, user: { ...user } } : sound.getSessionAndUser(sessionToken)
      },
    })),
  ],
  [
    'a session that moved to a deleted user signs it in',
    softly((sound, { sessions }, deleted) => ({
      createSession: async (session) => (deleted.has(session.userId) ? refuse() : sound.createSession(session)),
      getSessionAndUser: async (sessionToken) => {
        const session = sessions.find({ sessionToken })
        const user = deleted.get(session?.userId ?? '')
        return user ? { session, user: { ...user } } : sound.getSessionAndUser(sessionToken)
      },
    })),
  ],
  [
    'an account of a deleted user finds it',
    softly((sound, { accounts }, deleted) => ({
      getUserByAccount: async (key) => {
        const user = deleted.get(accounts.find(key)?.userId ?? '')
        return user ? { ...user } : sound.getUserByAccount(key)
      },
    })),
  ],
  [
    'deleteUser leaves accounts of type webauthn',
    on('deleteUser', (sound, { accounts }) => async (id) => {
      const left = accounts.all(({ type, userId }) => type === 'webauthn' && userId === id)
      const deleted = await sound.deleteUser(id)
      for (const account of left) accounts.insert(account)
      return deleted
    }),
  ],
  [
    'createUser with the address of a deleted user gives it the old id',
    softly((sound, store, deleted) => ({
      createUser: async (user) => {
        const old = withEmail(deleted, user.email)
        if (!old) return sound.createUser(user)
        drop(store, 'users', ({ id }) => id === old.id)
        return sound.createUser({ ...user, id: String(old.id) })
      },
    })),
  ],
  [
    'createUser with the address of a deleted user fills in the old fields',
    softly((sound, _, deleted) => ({
      createUser: async (user) => sound.createUser({ ...withEmail(deleted, user.email), ...user, id: user.id ?? crypto.randomUUID() }),
    })),
  ],
  [
    'createUser gives what it gave before for the same argument, although the user was deleted',
    on('createUser', (sound, { users }) => {
      const made = new Map<string, Row>()
      return async (user) => {
        const before = made.get(JSON.stringify(user))
        if (before && !users.find(before)) return { ...before }
        const created = await sound.createUser(user)
        made.set(JSON.stringify(user), created as unknown as Row)
        return { ...created }
      }
    }),
  ],
  [
    'linkAccount gives what it gave before for the same argument, although the account was unlinked',
    on('linkAccount', (sound) => {
      const made = new Map<string, unknown>()
      return async (account) => {
        const key = JSON.stringify(Object.entries(account).map(([name, value]) => [name, typeof value, String(value)]))
        if (!made.has(key)) made.set(key, await sound.linkAccount(account))
        return structuredClone(made.get(key))
      }
    }),
  ],
  [
    'a token that was used does not work when it is created again',
    on('useVerificationToken', (sound) => {
      const used = new Set<string>()
      return async (key) => {
        const token = await sound.useVerificationToken(key)
        const name = JSON.stringify([token?.identifier, token?.token])
        if (!token || used.has(name)) return null
        used.add(name)
        return token
      }
    }),
  ],
])
