import type { Entry, Fault, OperationName, Row, Store } from '../fault.js'
import { faultsOf, operationOf } from '../fault.js'
import { rowsOf } from './helpers.js'

/** An operation whose errors hold something of the rows that are stored. */
const leaking = (operation: OperationName, stored: (store: Store, given: Row) => unknown): Fault['broken'] => {
  return (sound, store) => ({
    [operation]: async (...parameters: unknown[]) => {
      const [first] = parameters
      const row = (typeof first === 'object' && first ? first : { credentialID: first }) as Row
      return operationOf(
        sound,
        operation,
      )(...parameters).catch((error: Error) => {
        throw Object.assign(new Error(error.message), { existing: stored(store, row) })
      })
    },
  })
}

const find = (store: Store, name: keyof Store, fields: readonly string[], given: Row) =>
  rowsOf(store, name).find((row) => fields.every((field) => row[field] === given[field]))

const ownerOf = (store: Store, row: Row | undefined) => find(store, 'users', ['id'], { id: row?.userId })
const account = ['provider', 'providerAccountId']

const leaks: [OperationName, string, (store: Store, given: Row) => unknown][] = [
  ['createUser', 'the name of the user who has the address', (store, given) => find(store, 'users', ['email'], given)?.name],
  ['updateUser', 'the user as it was', (store, given) => find(store, 'users', ['id'], given)],
  ['linkAccount', 'the tokens of the account', (store, given) => find(store, 'accounts', account, given)?.refresh_token],
  ['linkAccount', 'the address of the owner', (store, given) => ownerOf(store, find(store, 'accounts', account, given))?.email],
  ['createSession', 'the address of the owner', (store, given) => ownerOf(store, find(store, 'sessions', ['sessionToken'], given))?.email],
  ['updateSession', 'the address of the owner', (store, given) => ownerOf(store, find(store, 'sessions', ['sessionToken'], given))?.email],
  ['createAuthenticator', 'the public key', (store, given) => find(store, 'authenticators', ['credentialID'], given)?.credentialPublicKey],
  [
    'updateAuthenticatorCounter',
    'the public key',
    (store, given) => find(store, 'authenticators', ['credentialID'], given)?.credentialPublicKey,
  ],
]

export const storedFaults = faultsOf(
  'stored values in errors',
  leaks.map(([operation, says, stored]): Entry => [`an error of ${operation} holds ${says}`, leaking(operation, stored)]),
)
