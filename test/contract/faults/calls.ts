import type { AdapterUser } from '@auth/core/adapters'
import type { Broken, Entry, Operation, OperationName, Sound } from '../fault.js'
import { faultsOf, on, operationOf } from '../fault.js'
import { memoryAdapter } from '../memory.js'

const names = Object.keys(memoryAdapter()) as OperationName[]
const every = (sound: Sound, wrap: (operation: Operation, name: OperationName) => Operation): Broken =>
  Object.fromEntries(names.map((name) => [name, wrap(operationOf(sound, name), name)]))

/** An operation that changes the object it is given. */
const changing =
  (operation: OperationName, change: (row: Record<string, unknown>) => void): Entry[1] =>
  (sound) => ({
    [operation]: async (row: Record<string, unknown>) => {
      const answer = await operationOf(sound, operation)({ ...row })
      change(row)
      return answer
    },
  })

const argumentFaults = faultsOf('arguments changed in place', [
  [
    'createUser writes the id into its argument',
    changing('createUser', (user) => {
      user.id ??= 'made up'
    }),
  ],
  ['createUser deletes the id from its argument', changing('createUser', (user) => void delete user.id)],
  [
    'createUser fills in what is missing',
    changing('createUser', (user) => {
      user.emailVerified ??= null
    }),
  ],
  ['updateUser takes the id out of its argument', changing('updateUser', (user) => void delete user.id)],
  [
    'updateUser fills its argument with the rest of the user',
    on('updateUser', (sound) => async (user) => Object.assign(user, await sound.updateUser(user))),
  ],
  [
    'linkAccount makes token_type of its argument lower case',
    changing('linkAccount', (account) => {
      if (typeof account.token_type === 'string') account.token_type = account.token_type.toLowerCase()
    }),
  ],
  ['linkAccount deletes what it does not know from its argument', changing('linkAccount', (account) => void delete account['x y'])],
  [
    'linkAccount encrypts the tokens of its argument',
    changing('linkAccount', (account) => {
      if (account.access_token) account.access_token = 'encrypted'
    }),
  ],
  [
    'createSession hashes the token of its argument',
    changing('createSession', (session) => {
      session.sessionToken = `hashed ${String(session.sessionToken)}`
    }),
  ],
  [
    'createSession takes the milliseconds off its argument',
    changing('createSession', ({ expires }) => {
      if (expires instanceof Date) expires.setMilliseconds(0)
    }),
  ],
  [
    'updateSession marks its argument',
    changing('updateSession', (session) => {
      session.updatedAt = 1
    }),
  ],
  [
    'createVerificationToken makes the address of its argument lower case',
    changing('createVerificationToken', (token) => {
      token.identifier = String(token.identifier).toUpperCase()
    }),
  ],
  [
    'useVerificationToken hashes the token of its argument',
    changing('useVerificationToken', (token) => {
      if (token) token.token = 'hashed'
    }),
  ],
  [
    'createAuthenticator counts in its argument',
    changing('createAuthenticator', (row) => {
      row.counter = 0
    }),
  ],
  [
    'getUserByAccount joins the keys of its argument',
    changing('getUserByAccount', (key) => {
      if (key) key.provider = `${String(key.provider)}:`
    }),
  ],
  [
    'unlinkAccount empties its argument',
    changing('unlinkAccount', (key) => {
      for (const name of Object.keys(key ?? {})) delete key[name]
    }),
  ],
  [
    'operations put a mark on their arguments, and take it off',
    (sound) =>
      every(sound, (operation) => async (...parameters) => {
        const [first] = parameters as [{ mark?: number }?]
        if (typeof first === 'object' && first) first.mark = 1
        if (typeof first === 'object' && first) delete first.mark
        return operation(...parameters)
      }),
  ],
  [
    'linkAccount asks its argument for its value',
    on('linkAccount', (sound) => async (account) => sound.linkAccount(account.valueOf() as typeof account)),
  ],
  [
    'updateSession makes text of its argument',
    on('updateSession', (sound) => async (session) => sound.updateSession(`${session}` ? session : session)),
  ],
  [
    'createSession keeps the object that it is given',
    on('createSession', (sound, { sessions }) => async (session) => {
      const created = await sound.createSession(session)
      sessions.rows.set(sessions.keyOf(session) as string, session)
      return created
    }),
  ],
  [
    'createSession keeps the date that it is given',
    on('createSession', (sound, { sessions }) => async (session) => {
      const created = await sound.createSession(session)
      Object.assign(sessions.rows.get(sessions.keyOf(session) as string) ?? {}, { expires: session.expires })
      return created
    }),
  ],
  [
    'createUser keeps the object that it returns',
    on('createUser', (sound, { users }) => async (user) => {
      const created = await sound.createUser(user)
      users.rows.set(users.keyOf(created) as string, created)
      return created
    }),
  ],
  [
    'getUserByEmail gives the stored object itself',
    on(
      'getUserByEmail',
      (sound, { users }) =>
        async (email) =>
          [...users.rows.values()].find((user) => user.email === email) ?? sound.getUserByEmail(email),
    ),
  ],
  [
    'getSessionAndUser gives the stored user itself',
    on('getSessionAndUser', (sound, { users }) => async (token) => {
      const both = await sound.getSessionAndUser(token)
      return both && { ...both, user: users.rows.get(users.keyOf(both.user) as string) }
    }),
  ],
  [
    'getAuthenticator gives the stored object itself',
    on(
      'getAuthenticator',
      (sound, { authenticators }) =>
        async (id) =>
          authenticators.rows.get(authenticators.keyOf({ credentialID: id }) ?? '') ?? sound.getAuthenticator(id),
    ),
  ],
])

/** An adapter that is an instance of a class. */
class Instance {
  readonly #sound: Sound
  constructor(sound: Sound) {
    this.#sound = sound
    // Bound, so that only the library's way to list the operations misses them.
    for (const name of names) Object.defineProperty(this, name, { value: operationOf(this.#sound, name), enumerable: false })
  }
}

const callFaults = faultsOf('detached calls', [
  [
    'listAuthenticatorsByUserId needs this where there are several',
    (sound) => ({
      async listAuthenticatorsByUserId(this: Sound | undefined, userId) {
        const rows = await sound.listAuthenticatorsByUserId(userId)
        if (rows.length > 1 && !this) throw new TypeError('Cannot read properties of undefined')
        return rows
      },
    }),
  ],
  ...(['getUser', 'createSession', 'useVerificationToken', 'linkAccount', 'updateAuthenticatorCounter'] as const).map(
    (name): Entry => [
      `${name} needs this`,
      (sound) => ({
        [name](this: Sound | undefined, ...parameters: unknown[]) {
          if (!this) throw new TypeError('Cannot read properties of undefined')
          return operationOf(sound, name)(...parameters)
        },
      }),
    ],
  ),
  [
    'deleteUser calls another operation through this',
    (sound) => ({
      async deleteUser(this: Sound, id) {
        await this.getUser(id)
        return sound.deleteUser(id)
      },
    }),
  ],
  ['the operations are hidden from Object.keys', (sound) => new Instance(sound) as Broken],
  ['the operations are methods of a class', (sound) => Object.create(sound) as Broken],
  [
    'getUserByAccount is misspelt',
    ({ getUserByAccount }) => ({ getUserByAccount: undefined, getUserByAcount: getUserByAccount }) as Broken,
  ],
  [
    'useVerificationToken is misspelt',
    ({ useVerificationToken }) => ({ useVerificationToken: undefined, useVerificationtoken: useVerificationToken }) as Broken,
  ],
  [
    'getSessionAndUser has its old name',
    ({ getSessionAndUser }) => ({ getSessionAndUser: undefined, getSession: getSessionAndUser }) as Broken,
  ],
  ['deleteSession is there but no function', () => ({ deleteSession: null }) as unknown as Broken],
  ['an operation never answers', on('getUser', () => () => new Promise<AdapterUser>(() => {}))],
  [
    'getUserByEmail gives an object of a class whose fields are getters',
    on('getUserByEmail', (sound) => async (email) => {
      const user = await sound.getUserByEmail(email)
      return (
        user &&
        Object.create(
          Object.defineProperties(
            {},
            Object.fromEntries(Object.entries(user).map(([name, value]) => [name, { get: () => value, enumerable: true }])),
          ),
        )
      )
    }),
  ],
  [
    'getAccount gives an object whose getters throw',
    on('getAccount', (sound) => async (id, provider) => {
      const account = await sound.getAccount(id, provider)
      return (
        account &&
        Object.defineProperty({ ...account }, 'scope', {
          get: () => {
            throw new Error('lazy')
          },
        })
      )
    }),
  ],
])

export const argumentAndCallFaults = [...argumentFaults, ...callFaults]
