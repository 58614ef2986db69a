import type { Fault, OperationName, Row } from '../fault.js'
import { faultsOf, on, operationOf, pause } from '../fault.js'
import { isKey } from './caches.js'

const isText = (parameters: unknown[]) => parameters.every(isKey)

/** A lookup that found nothing is answered late, and whoever asks meanwhile gets the same answer. */
const joiningNothing =
  (lookup: OperationName): Fault['broken'] =>
  (sound) => {
    const flights = new Map<string, Promise<unknown>>()
    return {
      [lookup]: async (...parameters: unknown[]) => {
        if (!isText(parameters)) return operationOf(sound, lookup)(...parameters)
        const key = JSON.stringify(parameters)
        const read = async () => {
          const found = await operationOf(sound, lookup)(...parameters)
          if (found === null) await pause()
          flights.delete(key)
          return found
        }
        const flight = flights.get(key) ?? read()
        flights.set(key, flight)
        return structuredClone(await flight)
      },
    }
  }

/** A lookup that keeps that there was nothing, from a moment after it looked until one of these operations is done. */
const keepingNothing =
  (lookup: OperationName, forgetting: OperationName[]): Fault['broken'] =>
  (sound) => {
    const nothing = new Set<string>()
    const forget =
      (name: OperationName) =>
      async (...parameters: unknown[]) => {
        const answer = await operationOf(sound, name)(...parameters)
        nothing.clear()
        return answer
      }
    return {
      ...Object.fromEntries(forgetting.map((name) => [name, forget(name)])),
      [lookup]: async (...parameters: unknown[]) => {
        const key = isText(parameters) ? JSON.stringify(parameters) : ''
        if (nothing.has(key)) return null
        const found = await operationOf(sound, lookup)(...parameters)
        if (found === null && key) {
          await pause()
          nothing.add(key)
        }
        return found
      },
    }
  }

/** A cache that is emptied before a row is written, and filled by lookups that read it before. */
const emptiedEarly =
  (lookup: OperationName, writes: OperationName[]): Fault['broken'] =>
  (sound) => {
    const cache = new Map<string, unknown>()
    const emptying =
      (name: OperationName) =>
      async (...parameters: unknown[]) => {
        cache.clear()
        return operationOf(sound, name)(...parameters)
      }
    return {
      ...Object.fromEntries(writes.map((name) => [name, emptying(name)])),
      [lookup]: async (...parameters: unknown[]) => {
        const key = isText(parameters) ? JSON.stringify(parameters) : ''
        if (cache.has(key)) return structuredClone(cache.get(key))
        const found = await operationOf(sound, lookup)(...parameters)
        if (found && key) cache.set(key, structuredClone(found))
        return found
      },
    }
  }

/** Updates of one row that come while one is under way get its answer, and are not made. */
const joiningUpdates =
  (operation: OperationName, keyOf: (...parameters: never[]) => unknown): Fault['broken'] =>
  (sound) => {
    const flights = new Map<unknown, Promise<unknown>>()
    return {
      [operation]: async (...parameters: unknown[]) => {
        const key = keyOf(...(parameters as never[]))
        const write = async () => {
          try {
            const answer = await operationOf(sound, operation)(...parameters)
            await pause()
            return answer
          } finally {
            flights.delete(key)
          }
        }
        const flight = flights.get(key) ?? write()
        flights.set(key, flight)
        return structuredClone(await flight)
      },
    }
  }

interface Waiting {
  parameters: unknown[]
  answer(value: unknown): void
  fail(error: unknown): void
}

/** Collects the calls of a moment, and answers them together. */
const inBatches =
  (operation: OperationName, answerAll: (run: (call: Waiting) => Promise<unknown>, calls: Waiting[]) => unknown): Fault['broken'] =>
  (sound) => {
    let batch: Waiting[] = []
    return {
      [operation]: (...parameters: unknown[]) =>
        new Promise((answer, fail) => {
          if (batch.push({ parameters, answer, fail }) > 1) return
          setImmediate(() => {
            const calls = batch
            batch = []
            answerAll((call) => operationOf(sound, operation)(...call.parameters), calls)
          })
        }),
    }
  }

const answeringFirst = (operation: OperationName, size: number, nothing: () => unknown = () => null) =>
  inBatches(operation, (run, calls) => {
    for (const [index, call] of calls.entries()) {
      if (index < size) run(call).then(call.answer, call.fail)
      else call.answer(nothing())
    }
  })

const failingTogether = (operation: OperationName) =>
  inBatches(operation, async (run, calls) => {
    const results = await Promise.allSettled(calls.map(run))
    const failed = results.find((result) => result.status === 'rejected')
    for (const [index, call] of calls.entries()) {
      const result = results[index]
      if (failed || result?.status !== 'fulfilled') call.fail(failed?.reason)
      else call.answer(result.value)
    }
  })

export const flightFaults = faultsOf('flights and batches', [
  ...(['getUser', 'getUserByEmail', 'getUserByAccount', 'getAccount', 'getSessionAndUser', 'getAuthenticator'] as const).map(
    (lookup): [string, Fault['broken']] => [
      `${lookup} shares with those who ask after the creation that there was nothing`,
      joiningNothing(lookup),
    ],
  ),
  ['getUserByEmail keeps that there was nobody, read before createUser', keepingNothing('getUserByEmail', ['createUser', 'updateUser'])],
  ['getUserByAccount keeps that there was nobody, read before linkAccount', keepingNothing('getUserByAccount', ['linkAccount'])],
  ['getSessionAndUser keeps that there was none, read before createSession', keepingNothing('getSessionAndUser', ['createSession'])],
  [
    'getAuthenticator keeps that there was none, read before createAuthenticator',
    keepingNothing('getAuthenticator', ['createAuthenticator']),
  ],
  [
    'getUserByEmail keeps that nobody had the address, read before updateUser',
    (sound) => {
      const free = new Set<string>()
      let users = 0
      return {
        createUser: async (user) => {
          const created = await sound.createUser(user)
          users++
          free.clear()
          return created
        },
        updateUser: async (user) => {
          const updated = await sound.updateUser(user)
          free.clear()
          return updated
        },
        getUserByEmail: async (email) => {
          if (free.has(email)) return null
          const before = users
          const found = await sound.getUserByEmail(email)
          if (!found) await pause()
          if (!found && isKey(email) && before === users) free.add(email)
          return found
        },
      }
    },
  ],
  [
    'getSessionAndUser has a cache that is emptied before the change',
    emptiedEarly('getSessionAndUser', ['updateUser', 'deleteUser', 'updateSession', 'deleteSession']),
  ],
  ['getUser has a cache that is emptied before the change', emptiedEarly('getUser', ['updateUser', 'deleteUser'])],
  ['getAccount has a cache that is emptied before the change', emptiedEarly('getAccount', ['unlinkAccount', 'deleteUser'])],
  [
    'updateUser under way is shared by user and fields',
    joiningUpdates('updateUser', (user: Row) => `${user?.id}${Object.keys(user ?? {})}`),
  ],
  [
    'updateSession under way is shared by session and fields',
    joiningUpdates('updateSession', (session: Row) => `${session?.sessionToken}${Object.keys(session ?? {})}`),
  ],
  ['updateAuthenticatorCounter under way is shared by credential', joiningUpdates('updateAuthenticatorCounter', (id: unknown) => id)],
  ['a batch of getUser answers 25 calls', answeringFirst('getUser', 25)],
  ['a batch of getSessionAndUser answers 100 calls', answeringFirst('getSessionAndUser', 100)],
  ['a batch of getAuthenticator answers 10 calls', answeringFirst('getAuthenticator', 10)],
  ['a batch of listAuthenticatorsByUserId answers 10 calls', answeringFirst('listAuthenticatorsByUserId', 10, () => [])],
  ['updates of users in a batch all fail with one', failingTogether('updateUser')],
  ['updates of counters in a batch all fail with one', failingTogether('updateAuthenticatorCounter')],
  [
    'getSessionAndUser gives a session without its user if that is deleted meanwhile',
    on('getSessionAndUser', (sound, { sessions, users }) => async (token) => {
      const found = await sound.getSessionAndUser(token)
      if (!found) return null
      await pause()
      const session = sessions.find({ sessionToken: token })
      return session ? sound.getSessionAndUser(token) : { session: found.session, user: users.find(found.user) }
    }),
  ],
])
