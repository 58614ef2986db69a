import type { Broken, Fault, OperationName } from '../fault.js'
import { faultsOf, on, operationOf, pause } from '../fault.js'

const writes: OperationName[] = [
  'createUser',
  'updateUser',
  'deleteUser',
  'linkAccount',
  'unlinkAccount',
  'createSession',
  'updateSession',
  'deleteSession',
  'createAuthenticator',
  'updateAuthenticatorCounter',
]

/** A cache that every write empties, but that a lookup fills a moment after it has read. */
const filledLate =
  (lookup: OperationName): Fault['broken'] =>
  (sound) => {
    const cache = new Map<string, unknown>()
    const emptying = writes.map((name) => [
      name,
      (...parameters: unknown[]) => operationOf(sound, name)(...parameters).finally(() => cache.clear()),
    ])
    return {
      ...Object.fromEntries(emptying),
      [lookup]: async (...parameters: unknown[]) => {
        const key = JSON.stringify(parameters)
        if (cache.has(key)) return structuredClone(cache.get(key))
        const found = await operationOf(sound, lookup)(...parameters)
        await pause()
        if (found) cache.set(key, structuredClone(found))
        return found
      },
    } as Broken
  }

/** Whoever asks while the same is being looked up gets a copy of that answer, though it was read before. */
const sharedFlight =
  (lookup: OperationName): Fault['broken'] =>
  (sound) => {
    const flights = new Map<string, Promise<unknown>>()
    return {
      [lookup]: async (...parameters: unknown[]) => {
        const key = JSON.stringify(parameters)
        const read = async () => {
          const found = await operationOf(sound, lookup)(...parameters)
          await pause()
          flights.delete(key)
          return found
        }
        const flight = flights.get(key) ?? read()
        flights.set(key, flight)
        return structuredClone(await flight)
      },
    } as Broken
  }

export const crossingFaults = faultsOf('crossing calls', [
  ['getSessionAndUser fills its cache after the session was deleted', filledLate('getSessionAndUser')],
  ['getUser fills its cache after the user was changed', filledLate('getUser')],
  ['getAccount fills its cache after the account was unlinked', filledLate('getAccount')],
  ['listAuthenticatorsByUserId fills its cache after the counter was changed', filledLate('listAuthenticatorsByUserId')],
  ['getSessionAndUser shares an answer with those who ask after the deletion', sharedFlight('getSessionAndUser')],
  ['getUserByAccount shares an answer with those who ask after the account was unlinked', sharedFlight('getUserByAccount')],
  ['getAuthenticator shares an answer with those who ask after the change', sharedFlight('getAuthenticator')],
  [
    'linkAccount that fails takes back the sessions that are being created',
    (sound) => {
      const underWay = new Set<{ isLost: boolean }>()
      return {
        createSession: async (session) => {
          const call = { isLost: false }
          underWay.add(call)
          await pause()
          underWay.delete(call)
          const stored = await sound.createSession(session)
          if (call.isLost) await sound.deleteSession(session.sessionToken)
          return stored
        },
        linkAccount: (account) =>
          operationOf(
            sound,
            'linkAccount',
          )(account).catch((error: Error) => {
            for (const call of underWay) call.isLost = true
            throw error
          }),
      }
    },
  ],
  [
    'createAuthenticator writes what comes at once together, and all of it fails with one',
    (sound) => {
      let batch: Promise<unknown>[] | undefined
      return {
        createAuthenticator: async (authenticator) => {
          batch ??= []
          const others = batch
          const own = operationOf(sound, 'createAuthenticator')(authenticator)
          others.push(own)
          await Promise.all([pause(), ...others].map((each) => each.catch(() => {})))
          batch = undefined
          await Promise.all(others)
          return own
        },
      }
    },
  ],
  [
    'updateUser creates the user again if it was deleted after it was read',
    on('updateUser', (sound, { users }) => async (user) => {
      const before = await sound.getUser(user.id)
      await pause()
      if (before && !users.find(before)) return users.insert({ ...before, ...user })
      return sound.updateUser(user)
    }),
  ],
  [
    'updateAuthenticatorCounter creates the authenticator again if it was deleted after it was read',
    on('updateAuthenticatorCounter', (sound, { authenticators }) => async (credentialID, counter) => {
      const before = await sound.getAuthenticator(credentialID)
      await pause()
      if (before && !authenticators.find(before)) return authenticators.insert({ ...before, counter })
      return sound.updateAuthenticatorCounter(credentialID, counter)
    }),
  ],
  [
    'linkAccount creates the user again if it was deleted after it was read',
    on('linkAccount', (sound, { users }) => async (account) => {
      const user = await sound.getUser(account.userId)
      await pause()
      if (user && !users.find(user)) users.insert(user)
      return sound.linkAccount(account)
    }),
  ],
])
