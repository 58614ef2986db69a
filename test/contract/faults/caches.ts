import type { Fault, OperationName, Store } from '../fault.js'
import { faultsOf, operationOf, pause, sharedFaultsOf } from '../fault.js'

/** Whether a lookup can be kept by this parameter. */
export const isKey = (value: unknown): boolean =>
  typeof value === 'string' ||
  (typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    Object.values(value).every((each) => typeof each === 'string'))

type Kept = Map<string, unknown>
const servers = new WeakMap<Store, Kept[]>()

/** A cache of one lookup. Some operations drop all that it keeps, of one server or of all. */
const caching =
  (
    operation: OperationName,
    droppedBy: readonly OperationName[],
    keeps: (answer: unknown) => boolean = (answer) => answer !== null,
    droppedEverywhereBy: readonly OperationName[] = [],
  ): Fault['broken'] =>
  (sound, store) => {
    const kept: Kept = new Map()
    const asked = new Set<string>()
    servers.set(store, [...(servers.get(store) ?? []), kept])
    const dropping = (name: OperationName, caches: () => Kept[]) => [
      name,
      async (...parameters: unknown[]) => {
        const answer = await operationOf(sound, name)(...parameters)
        for (const cache of caches()) cache.clear()
        return answer
      },
    ]
    const lookup = async (...parameters: unknown[]) => {
      const key = JSON.stringify(parameters)
      if (!parameters.every(isKey)) return operationOf(sound, operation)(...parameters)
      if (kept.has(key)) return structuredClone(kept.get(key))
      const answer = await operationOf(sound, operation)(...parameters)
      // What was asked for before is kept.
      if (keeps(answer) && asked.has(key)) kept.set(key, structuredClone(answer))
      asked.add(key)
      return answer
    }
    return Object.fromEntries([
      ...droppedBy.map((name) => dropping(name, () => [kept])),
      ...droppedEverywhereBy.map((name) => dropping(name, () => servers.get(store) ?? [])),
      [operation, lookup],
    ])
  }

const nothing = (answer: unknown) => answer === null || (Array.isArray(answer) && answer.length === 0)

const users: OperationName[] = ['updateUser', 'deleteUser']
const accounts: OperationName[] = ['linkAccount', 'unlinkAccount']
const sessions: OperationName[] = ['createSession', 'updateSession', 'deleteSession']
const authenticators: OperationName[] = ['createAuthenticator', 'updateAuthenticatorCounter']

export const cacheFaults = [
  ...faultsOf('caches', [
    ['getUser is cached for ever', caching('getUser', [])],
    ['getUser is cached beyond updateUser', caching('getUser', ['deleteUser'])],
    ['getUser is cached beyond deleteUser', caching('getUser', ['updateUser'])],
    ['getUserByEmail is cached beyond updateUser', caching('getUserByEmail', ['deleteUser'])],
    ['getUserByEmail is cached beyond deleteUser', caching('getUserByEmail', ['updateUser'])],
    ['getUserByEmail keeps that there was nobody', caching('getUserByEmail', users, nothing)],
    ['getUser keeps that there was nobody', caching('getUser', users, nothing)],
    ['getUserByAccount is cached beyond updateUser', caching('getUserByAccount', [...accounts, 'deleteUser'])],
    ['getUserByAccount is cached beyond deleteUser', caching('getUserByAccount', [...accounts, 'updateUser'])],
    ['getUserByAccount is cached beyond unlinkAccount', caching('getUserByAccount', [...users, 'linkAccount'])],
    ['getUserByAccount keeps that there was nobody', caching('getUserByAccount', [...users, 'unlinkAccount'], nothing)],
    ['getAccount is cached beyond unlinkAccount', caching('getAccount', ['linkAccount', 'deleteUser'])],
    ['getAccount keeps that there was none', caching('getAccount', ['unlinkAccount', 'deleteUser'], nothing)],
    ['getAccount is cached beyond deleteUser', caching('getAccount', accounts)],
    ['getSessionAndUser is cached beyond updateSession', caching('getSessionAndUser', [...users, 'createSession', 'deleteSession'])],
    ['getSessionAndUser is cached beyond deleteSession', caching('getSessionAndUser', [...users, 'createSession', 'updateSession'])],
    ['getSessionAndUser is cached beyond updateUser', caching('getSessionAndUser', [...sessions, 'deleteUser'])],
    ['getSessionAndUser is cached beyond deleteUser', caching('getSessionAndUser', [...sessions, 'updateUser'])],
    [
      'getSessionAndUser keeps that there was no session',
      caching('getSessionAndUser', [...users, 'updateSession', 'deleteSession'], nothing),
    ],
    ['getAuthenticator is cached beyond updateAuthenticatorCounter', caching('getAuthenticator', ['createAuthenticator', 'deleteUser'])],
    ['getAuthenticator keeps that there was none', caching('getAuthenticator', ['updateAuthenticatorCounter', 'deleteUser'], nothing)],
    ['getAuthenticator is cached beyond deleteUser', caching('getAuthenticator', authenticators)],
    [
      'listAuthenticatorsByUserId is cached beyond createAuthenticator',
      caching('listAuthenticatorsByUserId', ['updateAuthenticatorCounter', 'deleteUser']),
    ],
    [
      'listAuthenticatorsByUserId keeps that there was none',
      caching('listAuthenticatorsByUserId', ['updateAuthenticatorCounter', 'deleteUser'], nothing),
    ],
    [
      'listAuthenticatorsByUserId is cached beyond updateAuthenticatorCounter',
      caching('listAuthenticatorsByUserId', ['createAuthenticator', 'deleteUser']),
    ],
    [
      'accounts are kept under provider and id, joined without a separator',
      (sound) => {
        const kept = new Map<string, unknown>()
        const drop =
          (name: OperationName) =>
          async (...parameters: unknown[]) => {
            kept.clear()
            return operationOf(sound, name)(...parameters)
          }
        return {
          ...Object.fromEntries([...users, 'unlinkAccount' as const].map((name) => [name, drop(name)])),
          async getUserByAccount(key) {
            const name = `${key?.provider}${key?.providerAccountId}`
            const user = kept.get(name) ?? (await sound.getUserByAccount(key))
            if (user) kept.set(name, structuredClone(user))
            return structuredClone(user)
          },
        }
      },
    ],
  ]),

  // Each server drops what it changed itself.
  ...sharedFaultsOf('caches', [
    ['each server keeps users for itself', caching('getUser', users)],
    ['each server keeps users by account for itself', caching('getUserByAccount', [...users, ...accounts])],
    ['each server keeps accounts for itself', caching('getAccount', [...accounts, 'deleteUser'])],
    ['each server keeps sessions for itself', caching('getSessionAndUser', [...sessions, ...users])],
    ['each server keeps for itself that a session was not there', caching('getSessionAndUser', [...sessions, ...users], nothing)],
    ['each server keeps authenticators for itself', caching('getAuthenticator', [...authenticators, 'deleteUser'])],
    ['a server does not hear that another changed a user', caching('getUser', ['updateUser'], undefined, ['deleteUser'])],
    [
      'a server does not hear that another deleted the user of a session',
      caching('getSessionAndUser', ['deleteUser'], undefined, [...sessions, 'updateUser']),
    ],
    [
      'a server does not hear that another deleted a user',
      caching('getUserByAccount', ['deleteUser'], undefined, [...accounts, 'updateUser']),
    ],
    ['a server does not hear that another created a user', caching('getUserByEmail', ['createUser'], nothing, users)],
    [
      'a server does not hear that another linked an account',
      caching('getUserByAccount', ['linkAccount'], nothing, [...users, 'unlinkAccount']),
    ],
    [
      'a server does not hear that another unlinked an account',
      caching('getAccount', ['unlinkAccount'], undefined, ['linkAccount', 'deleteUser']),
    ],
    [
      'a server does not hear that another created a session',
      caching('getSessionAndUser', ['createSession'], nothing, [...users, 'deleteSession', 'updateSession']),
    ],
    [
      'a server does not hear that another deleted a session',
      caching('getSessionAndUser', ['deleteSession'], undefined, [...users, 'createSession', 'updateSession']),
    ],
    [
      'a server does not hear that another changed a session',
      caching('getSessionAndUser', ['updateSession'], undefined, [...users, 'createSession', 'deleteSession']),
    ],
    [
      'a server does not hear that another created an authenticator',
      caching('listAuthenticatorsByUserId', ['createAuthenticator'], undefined, ['updateAuthenticatorCounter', 'deleteUser']),
    ],
    [
      'a server does not hear that another counted',
      caching('getAuthenticator', ['updateAuthenticatorCounter'], undefined, ['createAuthenticator', 'deleteUser']),
    ],
    [
      'each server keeps lists of authenticators for itself',
      caching('listAuthenticatorsByUserId', [...authenticators, 'deleteUser'], () => true),
    ],
    [
      'each server lets one call in at a time, and reads before it deletes',
      (sound, { tokens }) => {
        // A lock within one server, as a single connection with a transaction is one.
        let last: Promise<unknown> = Promise.resolve()
        const alone = <T>(run: () => Promise<T>) => {
          const next = last.then(run, run)
          last = next
          return next
        }
        return {
          useVerificationToken: (key) =>
            alone(async () => {
              const token = tokens.find(key)
              await pause()
              await sound.useVerificationToken(key)
              return token
            }),
        }
      },
    ],
  ]),
]
