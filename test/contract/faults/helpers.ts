import type { Broken, Fault, OperationName, Row, Store } from '../fault.js'
import { operationOf, pause } from '../fault.js'

/** The rows of a model, as they are stored. */
export const rowsOf = (store: Store, name: keyof Store) => [...store[name].rows.values()] as unknown as Row[]

/** The stored rows of a model by their keys. */
export const mapOf = (store: Store, name: keyof Store) => store[name].rows as unknown as Map<string, Row>

/** Changes the stored rows that `has` chooses. */
export const change = (store: Store, name: keyof Store, has: (row: Row) => boolean, edit: (row: Row) => void) => {
  for (const row of mapOf(store, name).values()) if (has(row)) edit(row)
}

/** Deletes the stored rows that `has` chooses. */
export const drop = (store: Store, name: keyof Store, has: (row: Row) => boolean) => {
  for (const [key, row] of mapOf(store, name)) if (has(row)) mapOf(store, name).delete(key)
}

/** What an operation found, changed in place. */
export const edit =
  (operation: OperationName, update: (row: Row) => void): Fault['broken'] =>
  (sound) => ({
    [operation]: async (...parameters: unknown[]) => {
      const answer = await operationOf(sound, operation)(...parameters)
      if (answer) update(answer as Row)
      return answer
    },
  })

const mapTexts = (value: unknown, to: (text: string) => unknown): unknown => {
  if (typeof value === 'string') return to(value)
  if (value instanceof Date || typeof value !== 'object' || !value) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapTexts(each, to)]))
}

/** Operations that change every text they are given. */
export const texts = (operations: OperationName[], to: (text: string) => unknown): Fault['broken'] => {
  return (sound) =>
    Object.fromEntries(
      operations.map((operation) => [
        operation,
        async (...parameters: unknown[]) => operationOf(sound, operation)(...parameters.map((each) => mapTexts(each, to))),
      ]),
    ) as Broken
}

/** The operations of the contract. */
const all: OperationName[] = [
  'createUser',
  'getUser',
  'getUserByEmail',
  'getUserByAccount',
  'updateUser',
  'deleteUser',
  'linkAccount',
  'unlinkAccount',
  'getAccount',
  'createSession',
  'getSessionAndUser',
  'updateSession',
  'deleteSession',
  'createVerificationToken',
  'useVerificationToken',
  'createAuthenticator',
  'getAuthenticator',
  'listAuthenticatorsByUserId',
  'updateAuthenticatorCounter',
]

/** A lookup that keeps its answers until one of the operations in `forgetting` is called. */
export const cached =
  (
    read: OperationName,
    forgetting: OperationName[] = [],
    keyOf: (...parameters: unknown[]) => string = (...p) => JSON.stringify(p),
  ): Fault['broken'] =>
  (sound) => {
    const cache = new Map<string, unknown>()
    const copy = (value: unknown) => structuredClone(value)
    return {
      [read]: async (...parameters: unknown[]) => {
        const key = keyOf(...parameters)
        if (!cache.has(key)) cache.set(key, await operationOf(sound, read)(...parameters))
        return copy(cache.get(key))
      },
      ...Object.fromEntries(
        forgetting.map((operation) => [
          operation,
          async (...parameters: unknown[]) => {
            const answer = await operationOf(sound, operation)(...parameters)
            cache.clear()
            return answer
          },
        ]),
      ),
    } as Broken
  }

/** As `cached`, but "nothing" is not kept. */
export const cachedFound =
  (read: OperationName, forgetting: OperationName[] = []): Fault['broken'] =>
  (sound) => {
    const cache = new Map<string, unknown>()
    return {
      [read]: async (...parameters: unknown[]) => {
        const key = JSON.stringify(parameters)
        const found = cache.get(key) ?? (await operationOf(sound, read)(...parameters))
        if (found) cache.set(key, found)
        return structuredClone(found)
      },
      ...Object.fromEntries(
        forgetting.map((operation) => [
          operation,
          async (...parameters: unknown[]) => {
            const answer = await operationOf(sound, operation)(...parameters)
            cache.clear()
            return answer
          },
        ]),
      ),
    } as Broken
  }

/** Calls with the same parameters at once share one call. */
export const singleFlight =
  (operation: OperationName): Fault['broken'] =>
  (sound) => {
    const flights = new Map<string, Promise<unknown>>()
    return {
      [operation]: (...parameters: unknown[]) => {
        const key = JSON.stringify(parameters)
        const flight =
          flights.get(key) ??
          pause()
            .then(() => operationOf(sound, operation)(...parameters))
            .finally(() => flights.delete(key))
        flights.set(key, flight)
        return flight
      },
    } as Broken
  }

/** An operation that gives something in place of an error. */
export const swallowing =
  (operation: OperationName, instead: (...parameters: unknown[]) => unknown): Fault['broken'] =>
  (sound) => ({
    [operation]: async (...parameters: unknown[]) => operationOf(sound, operation)(...parameters).catch(() => instead(...parameters)),
  })

/** Operations whose errors are replaced. */
export const erring =
  (operations: OperationName[], toError: (error: Error, parameters: unknown[]) => unknown): Fault['broken'] =>
  (sound) =>
    Object.fromEntries(
      operations.map((operation) => [
        operation,
        (...parameters: unknown[]) =>
          operationOf(
            sound,
            operation,
          )(...parameters).catch((error: Error) => {
            throw toError(error, parameters)
          }),
      ]),
    ) as Broken

/** An adapter without these operations. */
export const without =
  (names: OperationName[], broken: Fault['broken']): Fault['broken'] =>
  (sound, store) => ({ ...Object.fromEntries(names.map((name) => [name, undefined])), ...broken(sound, store) })

/** An adapter with these operations alone. */
export const only = (names: OperationName[], broken: Fault['broken']): Fault['broken'] =>
  without(
    all.filter((name) => !names.includes(name)),
    broken,
  )
