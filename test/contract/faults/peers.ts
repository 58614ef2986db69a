import type { Broken, Fault, OperationName, Row, Store } from '../fault.js'
import { operationOf, pause, sharedFaultsOf } from '../fault.js'
import { changingLate, newLock } from './contention.js'
import { mapOf } from './helpers.js'

interface Creation {
  operation: OperationName
  rows: keyof Store
  /** What must be new. */
  unique: readonly string[]
}

const creations: readonly Creation[] = [
  { operation: 'createUser', rows: 'users', unique: ['email'] },
  { operation: 'linkAccount', rows: 'accounts', unique: ['provider', 'providerAccountId'] },
  { operation: 'createSession', rows: 'sessions', unique: ['sessionToken'] },
  { operation: 'createAuthenticator', rows: 'authenticators', unique: ['credentialID'] },
]

/** The stored row that a new one must not be like. */
const takenBy = (store: Store, { rows, unique }: Creation, given: Row) =>
  [...mapOf(store, rows)].find(([, row]) => unique.every((field) => row[field] === given?.[field]))

/** A creation that replaces the row that is there, if nobody of this server knows of it. */
const replacing = (creation: Creation, isKnown: (key: string) => boolean, store: Store, given: Row) => {
  const [key, row] = takenBy(store, creation, given) ?? []
  if (row && key && !isKnown(key)) mapOf(store, creation.rows).delete(key)
}

/** Looks for duplicates under a lock of its own server. */
const locking =
  (creation: Creation): Fault['broken'] =>
  (sound, store) => {
    const lock = newLock()
    return {
      [creation.operation]: (given: Row) =>
        lock(async () => {
          if (takenBy(store, creation, given)) throw new Error('taken')
          await pause()
          replacing(creation, () => false, store, given)
          return operationOf(sound, creation.operation)(given)
        }),
    } as Broken
  }

/** Looks for duplicates among the rows that this server made. */
const knowingOwn =
  (creation: Creation): Fault['broken'] =>
  (sound, store) => {
    const own = new Set<string>()
    return {
      [creation.operation]: async (given: Row) => {
        store[creation.rows].parse({ id: '', ...given })
        replacing(creation, (key) => own.has(key), store, given)
        const row = (await operationOf(sound, creation.operation)(given)) as Row
        own.add(store[creation.rows].keyOf(row) as string)
        return row
      },
    } as Broken
  }

/** Remembers the keys of the rows that this server made. */
const withOwn =
  (
    creator: OperationName,
    rows: keyof Store,
    broken: (own: Set<string>, ...parameters: Parameters<Fault['broken']>) => Broken,
  ): Fault['broken'] =>
  (sound, store) => {
    const own = new Set<string>()
    return {
      [creator]: async (given: Row) => {
        const row = (await operationOf(sound, creator)(given)) as Row
        own.add(store[rows].keyOf(row) as string)
        return row
      },
      ...broken(own, sound, store),
    } as Broken
  }

/** An operation that knows the rows that this server made, and no others. */
const onlyOwn = (operation: OperationName, creator: OperationName, rows: keyof Store, keyOf: (given: never) => Row) =>
  withOwn(creator, rows, (own, sound, store) => ({
    [operation]: async (...parameters: unknown[]) =>
      own.has(store[rows].keyOf(keyOf(parameters[0] as never)) ?? '') ? operationOf(sound, operation)(...parameters) : null,
  }))

/** deleteUser deletes the rows that this server made, and no others. */
const deletingOwn = (rows: 'accounts' | 'sessions' | 'authenticators', creator: OperationName) =>
  withOwn(creator, rows, (own, sound, store) => ({
    deleteUser: async (id) => {
      const others = [...mapOf(store, rows)].filter(([key, row]) => row.userId === id && !own.has(key))
      const user = await sound.deleteUser(id)
      for (const [key, row] of others) mapOf(store, rows).set(key, row)
      return user
    },
  }))

/** An update that is not made where this server made the same last. */
const skipping =
  (operation: OperationName, rows: keyof Store, keyOf: (...parameters: never[]) => Row): Fault['broken'] =>
  (sound, store) => {
    const last = new Map<string, string>()
    return {
      [operation]: async (...parameters: unknown[]) => {
        const key = store[rows].keyOf(keyOf(...(parameters as never[])))
        const written = JSON.stringify(parameters)
        const row = key === undefined ? undefined : store[rows].find(keyOf(...(parameters as never[])))
        if (row && key && last.get(key) === written) return row
        const answer = await operationOf(sound, operation)(...parameters)
        if (key) last.set(key, written)
        return answer
      },
    } as Broken
  }

/** A deletion or an update that returns fields of the row as this server last knew it. */
const returningKnown =
  (operation: OperationName, rows: keyof Store, learning: OperationName[], fieldsGiven: (given: never) => object): Fault['broken'] =>
  (sound, store) => {
    const known = new Map<string, Row>()
    const learn =
      (name: OperationName) =>
      async (...parameters: unknown[]) => {
        const row = (await operationOf(sound, name)(...parameters)) as Row | null
        if (row) known.set(store[rows].keyOf(row) ?? '', row)
        return structuredClone(row)
      }
    return {
      ...Object.fromEntries(learning.map((name) => [name, learn(name)])),
      [operation]: async (...parameters: unknown[]) => {
        const row = (await operationOf(sound, operation)(...parameters)) as Row | null
        if (!row) return row
        const changes = Object.entries(fieldsGiven(parameters[0] as never)).filter(([name, value]) => value !== undefined && name in row)
        const answer = {
          ...(known.get(store[rows].keyOf(row) ?? '') ?? row),
          ...Object.fromEntries(changes.map(([name]) => [name, row[name]])),
        }
        known.set(store[rows].keyOf(row) ?? '', answer)
        return structuredClone(answer)
      },
    } as Broken
  }

const emptying = new WeakMap<Store, (() => void)[]>()

/** A cache that hears of every change that any server makes. A lookup fills it after that, with what it read before. */
const toldOfChanges =
  (isEarly: boolean): Fault['broken'] =>
  (sound, store) => {
    const cache = new Map<string, unknown>()
    emptying.set(store, [...(emptying.get(store) ?? []), () => cache.clear()])
    const tell = () => {
      for (const empty of emptying.get(store) ?? []) empty()
    }
    const telling =
      (name: OperationName) =>
      async (...parameters: unknown[]) => {
        tell()
        const answer = await operationOf(sound, name)(...parameters)
        if (!isEarly) tell()
        return answer
      }
    const writes: OperationName[] = ['updateUser', 'deleteUser', 'updateSession', 'deleteSession']
    return {
      ...Object.fromEntries(writes.map((name) => [name, telling(name)])),
      getSessionAndUser: async (token) => {
        if (cache.has(token)) return structuredClone(cache.get(token))
        const found = await sound.getSessionAndUser(token)
        if (!isEarly) await pause()
        if (found) cache.set(token, structuredClone(found))
        return found
      },
    }
  }

const same = (row: Row) => row

export const peerFaults = sharedFaultsOf('two servers', [
  ...creations.map((creation): [string, Fault['broken']] => [
    `${creation.operation} looks for duplicates under a lock of its own server`,
    locking(creation),
  ]),
  ...creations.map((creation): [string, Fault['broken']] => [
    `${creation.operation} looks for duplicates among the rows that its server made`,
    knowingOwn(creation),
  ]),
  [
    'updateUser looks whether an address is free under a lock of its own server',
    (sound, store) => {
      const lock = newLock()
      return {
        updateUser: (change) => lock(() => changingLate(sound, store)({ ...change })),
        createUser: (user) => lock(async () => sound.createUser(user)),
      }
    },
  ],
  ['deleteUser knows the users that its server made', onlyOwn('deleteUser', 'createUser', 'users', (id) => ({ id }))],
  [
    'deleteSession knows the sessions that its server made',
    onlyOwn('deleteSession', 'createSession', 'sessions', (sessionToken) => ({ sessionToken })),
  ],
  ['updateSession knows the sessions that its server made', onlyOwn('updateSession', 'createSession', 'sessions', same)],
  ['unlinkAccount knows the accounts that its server made', onlyOwn('unlinkAccount', 'linkAccount', 'accounts', same)],
  ['deleteUser deletes the accounts that its server made', deletingOwn('accounts', 'linkAccount')],
  ['deleteUser deletes the sessions that its server made', deletingOwn('sessions', 'createSession')],
  ['deleteUser deletes the authenticators that its server made', deletingOwn('authenticators', 'createAuthenticator')],
  [
    'updateUser reads and writes under a lock of its own server, and undoes the deletion of another',
    (sound, { users }) => {
      const lock = newLock()
      return {
        deleteUser: (id) => lock(async () => sound.deleteUser(id)),
        updateUser: (change) =>
          lock(async () => {
            const before = users.find(change)
            if (before) await pause()
            if (before && !users.find(change)) users.insert(before)
            return sound.updateUser(change)
          }),
      }
    },
  ],
  ['updateUser does not repeat what its server wrote last', skipping('updateUser', 'users', same)],
  ['updateSession does not repeat what its server wrote last', skipping('updateSession', 'sessions', same)],
  [
    'updateAuthenticatorCounter does not repeat what its server wrote last',
    skipping('updateAuthenticatorCounter', 'authenticators', (credentialID) => ({ credentialID })),
  ],
  ['updateSession returns the session as its server knew it', returningKnown('updateSession', 'sessions', ['createSession'], same)],
  [
    'deleteSession returns the session as its server knew it',
    returningKnown('deleteSession', 'sessions', ['createSession', 'updateSession'], () => ({})),
  ],
  ['updateUser returns the user as its server knew it', returningKnown('updateUser', 'users', ['createUser'], same)],
  ['deleteUser returns the user as its server knew it', returningKnown('deleteUser', 'users', ['createUser', 'updateUser'], () => ({}))],
  ['sessions are cached by what a lookup read before another server changed them', toldOfChanges(false)],
  ['sessions are cached, and servers told of a change before it is made', toldOfChanges(true)],
])
