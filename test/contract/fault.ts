import type { Adapter } from '@auth/core/adapters'
import { memoryAdapter, newStore } from './memory.js'

export type Store = ReturnType<typeof newStore>
export type Sound = Required<Adapter>
export type OperationName = keyof Adapter

/** Operations that replace the correct ones. `undefined` removes one. */
export type Broken = { [Name in OperationName]?: ((...parameters: Parameters<Sound[Name]>) => unknown) | undefined }

/** An adapter that is broken in one way. */
export interface Fault {
  /** The kind of fault. */
  kind: string
  /** What is wrong, as a sentence. */
  says: string
  /** The operations that differ from those of `sound`, a correct adapter on the same rows. */
  broken(sound: Sound, store: Store): Broken
  /** Whether the fault is visible only with two adapters on the same rows. */
  isShared?: boolean
}

export type Entry = readonly [says: string, broken: Fault['broken']]

/** Creates faults of one kind. */
export const faultsOf = (kind: string, entries: readonly Entry[]): Fault[] => entries.map(([says, broken]) => ({ kind, says, broken }))

/** Creates faults that are visible only with two adapters on the same rows, as in an app with two servers. */
export const sharedFaultsOf = (kind: string, entries: readonly Entry[]): Fault[] =>
  faultsOf(kind, entries).map((fault) => ({ ...fault, isShared: true }))

/** Creates a broken adapter, and a second one on the same rows if the fault needs two. */
export function adapterWith({ broken, isShared }: Fault): { adapter: object; peer?: object } {
  const store = newStore()
  const make = () => {
    const sound = memoryAdapter(store)
    // An instance of a class is used as it is. A plain object is merged into the correct adapter.
    const changed = broken(sound, store)
    if (Object.getPrototypeOf(changed) !== Object.prototype) return changed
    return Object.fromEntries(Object.entries({ ...sound, ...changed }).filter(([, operation]) => operation !== undefined))
  }
  return isShared ? { adapter: make(), peer: make() } : { adapter: make() }
}

export type Operation = (...parameters: unknown[]) => Promise<unknown>

/** An operation without the types of its parameters, for wrappers that only pass them on. */
export const operationOf = (adapter: Sound, name: OperationName) => adapter[name] as unknown as Operation

/** Lets other tasks run, as waiting for a query does. */
export const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 0))

/** A row of any model. */
export type Row = Record<string, unknown>

interface Keyed {
  operation: OperationName
  fields: readonly string[]
  rowsIn(store: Store): Row[]
  /** The key in the parameters of a call. */
  keyIn(parameters: unknown[]): Row
  /** The parameters of the same call with the key of this row. */
  callBy(row: Row, parameters: unknown[]): unknown[]
}

const pick = (row: Row, fields: readonly string[]): Row => Object.fromEntries(fields.map((field) => [field, row[field]]))

const byParameters = (operation: OperationName, rows: keyof Store, fields: readonly string[]): Keyed => ({
  operation,
  fields,
  rowsIn: (store) => [...store[rows].rows.values()] as unknown as Row[],
  keyIn: (parameters) => Object.fromEntries(fields.map((field, index) => [field, parameters[index]])),
  callBy: (row, parameters) => [...fields.map((field) => row[field]), ...parameters.slice(fields.length)],
})

const byObject = (operation: OperationName, rows: keyof Store, fields: readonly string[]): Keyed => ({
  ...byParameters(operation, rows, fields),
  keyIn: ([given]) => pick((given ?? {}) as Row, fields),
  callBy: (row, [given]) => [{ ...(given as Row), ...pick(row, fields) }],
})

/** The operations that find a row by its key. */
export const keyed: readonly Keyed[] = [
  byParameters('getUser', 'users', ['id']),
  byParameters('getUserByEmail', 'users', ['email']),
  byObject('getUserByAccount', 'accounts', ['provider', 'providerAccountId']),
  byObject('updateUser', 'users', ['id']),
  byParameters('deleteUser', 'users', ['id']),
  byObject('unlinkAccount', 'accounts', ['provider', 'providerAccountId']),
  byParameters('getAccount', 'accounts', ['providerAccountId', 'provider']),
  byParameters('getSessionAndUser', 'sessions', ['sessionToken']),
  byObject('updateSession', 'sessions', ['sessionToken']),
  byParameters('deleteSession', 'sessions', ['sessionToken']),
  byObject('useVerificationToken', 'tokens', ['identifier', 'token']),
  byParameters('getAuthenticator', 'authenticators', ['credentialID']),
  byParameters('listAuthenticatorsByUserId', 'authenticators', ['userId']),
  byParameters('updateAuthenticatorCounter', 'authenticators', ['credentialID']),
]

/** An operation that confuses keys: if no row has the key, it uses a row for which `matches` returns true. */
export const mistaking =
  ({ operation, fields, rowsIn, keyIn, callBy }: Keyed, matches: (row: Row, key: Row) => boolean): Fault['broken'] =>
  (sound, store) => ({
    [operation]: async (...parameters: unknown[]) => {
      const key = keyIn(parameters)
      const rows = rowsIn(store)
      // A row with the exact key comes first.
      const row = rows.find((each) => fields.every((field) => each[field] === key[field])) ?? rows.find((each) => matches(each, key))
      return operationOf(sound, operation)(...(row ? callBy(row, parameters) : parameters))
    },
  })

/** Replaces one operation. */
export const on =
  <Name extends OperationName>(
    operation: Name,
    make: (sound: Sound, store: Store) => (...parameters: Parameters<Sound[Name]>) => unknown,
  ): Fault['broken'] =>
  (sound, store) => ({ [operation]: make(sound, store) })

/** An operation that throws for some parameters. */
export const refusing =
  <Name extends OperationName>(operation: Name, refuses: (...parameters: Parameters<Sound[Name]>) => unknown): Fault['broken'] =>
  (sound) => ({
    [operation]: async (...parameters: Parameters<Sound[Name]>) => {
      if (refuses(...parameters)) throw new Error('refused')
      return operationOf(sound, operation)(...parameters)
    },
  })

/** Changes the result of an operation. */
export const answering =
  (operation: OperationName, change: (answer: never) => unknown): Fault['broken'] =>
  (sound) => ({ [operation]: async (...parameters: unknown[]) => change((await operationOf(sound, operation)(...parameters)) as never) })

/** Changes the arguments of an operation. The objects of the caller are not modified. */
export const given =
  (operation: OperationName, change: (row: never) => unknown): Fault['broken'] =>
  (sound) => ({
    [operation]: async (...parameters: unknown[]) => {
      const copy = parameters.map((parameter) => (typeof parameter === 'object' && parameter ? { ...parameter } : parameter))
      return operationOf(sound, operation)(...((change as (...all: unknown[]) => unknown[] | undefined)(...copy) ?? copy))
    },
  })
