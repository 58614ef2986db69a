import type { Adapter } from '@auth/core/adapters'
import { memoryAdapter, newStore } from '../memory.js'

export type Store = ReturnType<typeof newStore>
export type Sound = Required<Adapter>
export type OperationName = keyof Sound
export type Row = Record<string, unknown>

/** Operations that replace those of a correct adapter on the same rows. */
type Broken = { [Name in OperationName]?: ((...parameters: Parameters<Sound[Name]>) => unknown) | undefined }
export type Fault = (sound: Sound, store: Store) => Broken

/** Faults by the sentence that describes them. */
export type Faults = Record<string, Fault>

/** Creates a broken adapter. Faults that need two adapters get two on the same rows. */
export function adapterWith(fault: Fault, store = newStore()): object {
  const sound = memoryAdapter(store)
  const broken = fault(sound, store)
  // An instance of a class is used as it is. A plain object is merged into the correct adapter.
  return Object.getPrototypeOf(broken) === Object.prototype ? { ...sound, ...broken } : broken
}

export type Operation = (...parameters: unknown[]) => Promise<unknown>

/** An operation without the types of its parameters. */
export const operationOf = (adapter: Sound, name: OperationName) => adapter[name] as unknown as Operation

/** Lets other calls run, as waiting for a query does. */
export const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 0))

export const rowsOf = (store: Store, name: keyof Store) => [...store[name].rows.values()] as unknown as Row[]

/** Replaces one operation. */
export const on =
  <Name extends OperationName>(operation: Name, run: (given: Parameters<Sound[Name]>, sound: Sound, store: Store) => unknown): Fault =>
  (sound, store) => ({ [operation]: async (...given: Parameters<Sound[Name]>) => run(given, sound, store) })

/** Changes the result of an operation, unless it is nothing. */
export const result =
  (operation: OperationName, change: (row: never) => unknown): Fault =>
  (sound) => ({
    [operation]: async (...parameters: unknown[]) => {
      const row = await operationOf(sound, operation)(...parameters)
      return row === null || row === undefined ? row : change(row as never)
    },
  })

/** Changes the arguments of an operation. */
export const given =
  (operation: OperationName, change: (...parameters: never[]) => unknown[]): Fault =>
  (sound) => ({
    [operation]: async (...parameters: unknown[]) => operationOf(sound, operation)(...change(...(parameters as never[]))),
  })

/** Does something to the stored rows after an operation. */
export const also =
  <Name extends OperationName>(operation: Name, effect: (store: Store, ...parameters: Parameters<Sound[Name]>) => void): Fault =>
  (sound, store) => ({
    [operation]: async (...parameters: unknown[]) => {
      const answer = await operationOf(sound, operation)(...parameters)
      effect(store, ...(parameters as Parameters<Sound[Name]>))
      return answer
    },
  })

/** Combines faults. */
export const all =
  (...faults: Fault[]): Fault =>
  (sound, store) =>
    Object.assign({}, ...faults.map((fault) => fault(sound, store)))

/** Inserts a row in place of one with the same key. */
export const replacing = (operation: OperationName, rows: keyof Store): Fault => {
  return (sound, store) => ({
    [operation]: async (row: never) => {
      store[rows].delete(row)
      return operationOf(sound, operation)(row)
    },
  })
}

/** Returns a value where an operation should throw. */
export const swallowing = (operation: OperationName, value: unknown = null): Fault => {
  return (sound) => ({
    [operation]: (...parameters: unknown[]) => operationOf(sound, operation)(...parameters).catch(() => value),
  })
}

/** Keeps the results of a lookup until one of the operations in `invalidating` is called. */
export const cached = (read: OperationName, invalidating: OperationName[] = [], keepsMisses = false): Fault => {
  return (sound) => {
    const cache = new Map<string, unknown>()
    const clearing = invalidating.map((operation) => [
      operation,
      async (...parameters: unknown[]) => {
        const answer = await operationOf(sound, operation)(...parameters)
        cache.clear()
        return answer
      },
    ])
    return {
      [read]: async (...parameters: unknown[]) => {
        const key = JSON.stringify(parameters)
        if (cache.has(key)) return structuredClone(cache.get(key))
        const found = await operationOf(sound, read)(...parameters)
        if (found || keepsMisses) cache.set(key, found)
        return structuredClone(found)
      },
      ...Object.fromEntries(clearing),
    }
  }
}

/** Checks with a lookup, and writes later: another call can write in between. */
export const checkThenWrite = (operation: OperationName, check: (sound: Sound, parameters: never[]) => unknown, write: Fault): Fault => {
  return (sound, store) => ({
    [operation]: async (...parameters: unknown[]) => {
      const isTaken = await check(sound, parameters as never[])
      await pause()
      if (isTaken) throw new Error('taken')
      return (write(sound, store)[operation] as unknown as Operation)(...parameters)
    },
  })
}

/** The stored rows that an operation finds, and the fields of their key. */
const keys: { [Name in OperationName]?: [rows: keyof Store, ...fields: string[]] } = {
  getUser: ['users', 'id'],
  getUserByEmail: ['users', 'email'],
  getUserByAccount: ['accounts', 'provider', 'providerAccountId'],
  updateUser: ['users', 'id'],
  deleteUser: ['users', 'id'],
  unlinkAccount: ['accounts', 'provider', 'providerAccountId'],
  getAccount: ['accounts', 'providerAccountId', 'provider'],
  getSessionAndUser: ['sessions', 'sessionToken'],
  updateSession: ['sessions', 'sessionToken'],
  deleteSession: ['sessions', 'sessionToken'],
  useVerificationToken: ['tokens', 'identifier', 'token'],
  getAuthenticator: ['authenticators', 'credentialID'],
  listAuthenticatorsByUserId: ['authenticators', 'userId'],
  updateAuthenticatorCounter: ['authenticators', 'credentialID'],
}

/** If no row has the key, uses a row for which `matches` returns true for one field and that has the other fields. */
export const confusing = (operation: OperationName, field: string, matches: (stored: string, given: string) => boolean): Fault => {
  const [name, ...fields] = keys[operation] ?? ['users']
  const isObject = /^(update(User|Session)|getUserByAccount|unlinkAccount|useVerificationToken)$/.test(operation)
  return (sound, store) => ({
    [operation]: async (...parameters: unknown[]) => {
      const key = (isObject ? (parameters[0] ?? {}) : Object.fromEntries(fields.map((each, at) => [each, parameters[at]]))) as Row
      const fits = (row: Row, each: string) =>
        row[each] === key[each] || (each === field && typeof key[each] === 'string' && matches(row[each] as string, key[each] as string))
      const rows = rowsOf(store, name)
      const row =
        rows.find((each) => fields.every((one) => each[one] === key[one])) ?? rows.find((each) => fields.every((one) => fits(each, one)))
      if (!row) return operationOf(sound, operation)(...parameters)
      const exact = Object.fromEntries(fields.map((each) => [each, row[each]]))
      return operationOf(
        sound,
        operation,
      )(...(isObject ? [{ ...key, ...exact }] : [...Object.values(exact), ...parameters.slice(fields.length)]))
    },
  })
}
