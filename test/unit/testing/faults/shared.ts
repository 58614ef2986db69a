import type { Fault, Faults, OperationName, Row } from './fault.js'
import { cached, checkThenWrite, given, on, operationOf, pause, replacing, swallowing } from './fault.js'

/** Reads, waits and deletes: each caller who read the row gets it. */
const readThenDelete = (operation: 'deleteSession' | 'unlinkAccount' | 'deleteUser' | 'useVerificationToken'): Fault => {
  const rows = { deleteSession: 'sessions', unlinkAccount: 'accounts', deleteUser: 'users', useVerificationToken: 'tokens' } as const
  const fields = { deleteSession: 'sessionToken', deleteUser: 'id' } as Record<string, string>
  return (sound, store) => ({
    [operation]: async (key: never) => {
      const row = store[rows[operation]].find(fields[operation] ? { [fields[operation]]: key } : key)
      await pause()
      await operationOf(sound, operation)(key)
      return row
    },
  })
}

/** Reads, waits and writes the whole row. */
const readThenWrite = (operation: 'updateUser' | 'updateSession', upserts = false): Fault => {
  return (sound, store) => ({
    [operation]: async (changes: Row) => {
      const rows = operation === 'updateUser' ? store.users : store.sessions
      const row = rows.find(changes)
      await pause()
      if (row && upserts && !rows.find(changes)) rows.insert(row)
      const defined = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
      return operationOf(sound, operation)(row ? { ...row, ...defined } : changes)
    },
  })
}

const insertsUser: Fault = (_, { users }) => ({ createUser: async (user) => users.insert({ ...user, id: user.id ?? crypto.randomUUID() }) })
/** Runs the calls of an operation one after another, in this process only. */
const locked = (operation: OperationName, fault: Fault): Fault => {
  return (sound, store) => {
    let last: Promise<unknown> = Promise.resolve()
    const inner = fault(sound, store)[operation] as unknown as (...parameters: unknown[]) => Promise<unknown>
    return {
      [operation]: (...parameters: unknown[]) => {
        const next = last.then(() => inner(...parameters))
        last = next.catch(() => {})
        return next
      },
    }
  }
}

const createUserRace = checkThenWrite(
  'createUser',
  (sound, [user]: { email: string }[]) => sound.getUserByEmail(user?.email ?? ''),
  insertsUser,
)

const races: Faults = {
  'useVerificationToken reads, then deletes': readThenDelete('useVerificationToken'),
  'deleteSession reads, then deletes': readThenDelete('deleteSession'),
  'unlinkAccount reads, then deletes': readThenDelete('unlinkAccount'),
  'deleteUser reads, then deletes': readThenDelete('deleteUser'),
  'createUser checks, then inserts': createUserRace,
  'linkAccount checks, then inserts': checkThenWrite(
    'linkAccount',
    (sound, [account]: never[]) => sound.getUserByAccount(account as never),
    replacing('linkAccount', 'accounts'),
  ),
  'createSession checks, then inserts': checkThenWrite(
    'createSession',
    (sound, [row]: { sessionToken: string }[]) => sound.getSessionAndUser(row?.sessionToken ?? ''),
    replacing('createSession', 'sessions'),
  ),
  'createAuthenticator checks, then inserts': checkThenWrite(
    'createAuthenticator',
    (sound, [row]: { credentialID: string }[]) => sound.getAuthenticator(row?.credentialID ?? ''),
    replacing('createAuthenticator', 'authenticators'),
  ),
  'updateUser checks the email, then writes': on('updateUser', async ([user], sound, { users }) => {
    const owner = user.email ? await sound.getUserByEmail(user.email) : null
    await pause()
    if (owner && owner.id !== user.id) throw new Error('taken')
    return users.update(user) ?? Promise.reject(new Error('not found'))
  }),
  'updateUser reads, then writes': readThenWrite('updateUser'),
  'updateUser brings a deleted user back': readThenWrite('updateUser', true),
  'updateSession brings a deleted session back': readThenWrite('updateSession', true),
  'createUser uses the time as the id': given('createUser', (user: object) => [{ ...user, id: String(Math.floor(Date.now() / 20)) }]),
  'createAuthenticator writes the list of the user': on('createAuthenticator', async ([row], sound, { authenticators }) => {
    const before = authenticators.all((each) => each.userId === row.userId)
    await pause()
    for (const each of authenticators.all((other) => other.userId === row.userId))
      if (!before.some((one) => one.credentialID === each.credentialID)) authenticators.delete(each)
    return sound.createAuthenticator(row)
  }),
  'getUser shares its result with the next call': (sound) => {
    let running: Promise<unknown> | undefined
    return {
      getUser: async (id) => {
        running ??= pause()
          .then(() => sound.getUser(id))
          .finally(() => {
            running = undefined
          })
        return running
      },
    }
  },
  'a failed createUser rolls back other sessions': (sound, store) => ({
    createUser: async (user) => {
      const before = new Map(store.sessions.rows)
      await pause()
      return Promise.resolve(sound.createUser(user)).catch((error) => {
        for (const key of store.sessions.rows.keys()) if (!before.has(key)) store.sessions.rows.delete(key)
        throw error
      })
    },
  }),
  'useVerificationToken throws for those who lose': (sound, { tokens }) => ({
    useVerificationToken: async (key) => {
      const row = tokens.find(key)
      await pause()
      const used = await sound.useVerificationToken(key)
      if (row && !used) throw new Error('conflict')
      return used
    },
  }),
}

const updates: OperationName[] = ['updateUser', 'deleteUser', 'createUser']

const caches: Faults = {
  'getUser keeps its results': cached('getUser'),
  'getUserByEmail forgets only after deleteUser': cached('getUserByEmail', ['deleteUser']),
  'getUserByEmail keeps misses': cached('getUserByEmail', ['updateUser', 'deleteUser'], true),
  'getAccount keeps its results': cached('getAccount', ['deleteUser', 'linkAccount']),
  'getSessionAndUser keeps its results': cached('getSessionAndUser', updates),
  'getSessionAndUser forgets only after deleteSession': cached('getSessionAndUser', ['deleteSession', 'updateSession', 'deleteUser']),
  'getSessionAndUser keeps misses': cached('getSessionAndUser', ['deleteSession', 'updateSession', ...updates], true),
  'getAuthenticator keeps its results': cached('getAuthenticator', ['deleteUser']),
  'listAuthenticatorsByUserId keeps its results': cached('listAuthenticatorsByUserId', ['createAuthenticator', 'deleteUser'], true),
  'getSessionAndUser caches while it reads': (sound) => {
    const cache = new Map<string, unknown>()
    return {
      getSessionAndUser: async (token) => {
        if (cache.has(token)) return structuredClone(cache.get(token))
        const found = await sound.getSessionAndUser(token)
        await pause()
        if (found) cache.set(token, found)
        return structuredClone(found)
      },
      ...Object.fromEntries(
        (['deleteSession', 'updateSession', 'updateUser', 'deleteUser'] as const).map((operation) => [
          operation,
          async (parameter: never) => {
            cache.clear()
            return operationOf(sound, operation)(parameter)
          },
        ]),
      ),
    }
  },
}

/** Faults that show only with two adapters on the same rows, as on two servers. */
export const peerFaults: Faults = {
  'createUser has a lock per process': locked('createUser', createUserRace),
  'useVerificationToken has a lock per process': locked('useVerificationToken', readThenDelete('useVerificationToken')),
  'getSessionAndUser has a cache per process': cached('getSessionAndUser', ['deleteSession', 'updateSession', ...updates]),
  'getUser has a cache per process': cached('getUser', updates),
  'used tokens are remembered per process': (sound, { tokens }) => {
    const used = new Set<string>()
    return {
      useVerificationToken: async (key) => {
        const row = used.has(JSON.stringify(key)) ? null : tokens.find(key)
        if (row) used.add(JSON.stringify(key))
        return row
      },
      createVerificationToken: sound.createVerificationToken,
    }
  },
}

const failing = (operation: OperationName, error: (row: Row, cause: Error) => Error): Fault => {
  return (sound) => ({
    [operation]: (row: Row, ...rest: unknown[]) =>
      operationOf(sound, operation)(row, ...rest).catch((cause) => {
        throw error(row, cause)
      }),
  })
}

const errors: Faults = {
  'createUser swallows errors': swallowing('createUser'),
  'updateUser swallows errors': swallowing('updateUser'),
  'linkAccount swallows errors': swallowing('linkAccount', undefined),
  'createAuthenticator swallows errors': swallowing('createAuthenticator'),
  'updateAuthenticatorCounter swallows errors': swallowing('updateAuthenticatorCounter'),
  'createVerificationToken swallows errors': swallowing('createVerificationToken'),
  'createUser throws a text': failing('createUser', () => 'taken' as never),
  'createUser names the email in its error': failing('createUser', ({ email }) => new Error(`Key (email)=(${email}) already exists`)),
  'createSession names the token in its error': failing(
    'createSession',
    ({ sessionToken }) => new Error(`Duplicate entry '${sessionToken}'`),
  ),
  'linkAccount has the parameters in its error': failing('linkAccount', (row, cause) =>
    Object.assign(cause, { params: Object.values(row) }),
  ),
  'createVerificationToken has the row as the cause': failing(
    'createVerificationToken',
    (row) => new Error('failed', { cause: { query: { values: [row] } } }),
  ),
  'getUser returns the tokens of the user': (sound, { accounts }) => ({
    getUser: async (id) => {
      const user = await sound.getUser(id)
      return user && { ...user, accounts: accounts.all(({ userId }) => userId === id) }
    },
  }),
  'getUserByAccount never answers': () => ({ getUserByAccount: () => new Promise(() => {}) }),
  'operations use this': (sound) =>
    ({
      getUser(this: { db: typeof sound }, id: string) {
        return this.db.getUser(id)
      },
    }) as never,
  'operations are methods of a class': (sound) => {
    class ClassAdapter {}
    Object.assign(ClassAdapter.prototype, sound)
    return new ClassAdapter() as never
  },
  'deleteSession is misspelt': (sound) => ({ deleteSession: undefined, deletesession: sound.deleteSession }) as never,
}

export const sharedFaults: Faults = { ...races, ...caches, ...errors }
