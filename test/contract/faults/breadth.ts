import type { AdapterUser } from '@auth/core/adapters'
import type { Entry, Fault, Row, Store } from '../fault.js'
import { faultsOf, on, pause } from '../fault.js'
import { drop, mapOf, rowsOf } from './helpers.js'

/** `deleteUser`, and then whatever else it deletes. */
const alsoDeleting = (also: (store: Store, user: AdapterUser) => void): Fault['broken'] =>
  on('deleteUser', (sound, store) => async (id) => {
    const user = await sound.deleteUser(id)
    if (user) also(store, user)
    return user
  })

const escaped = (text: string) => text.replace(/[.+^${}()|[\]\\*?]/g, '\\$&')
const like = (pattern: string) => new RegExp(`^${escaped(pattern).replaceAll('%', '.*').replaceAll('_', '.')}$`, 's')
const glob = (pattern: string) => new RegExp(`^${escaped(pattern).replaceAll('\\*', '.*').replaceAll('\\?', '.')}$`, 's')

const readings: [string, (address: string) => (text: string) => boolean][] = [
  ['LIKE', (address) => (text) => like(address).test(text)],
  ['a glob', (address) => (text) => glob(address).test(text)],
  ['its beginning', (address) => (text) => text.startsWith(address)],
  ['any case', (address) => (text) => text.toLowerCase() === address.toLowerCase()],
]

/** `deleteUser` that leaves the rows which `leaves` chooses. */
const leaving = (name: 'accounts' | 'authenticators', leaves: (own: Row[], store: Store) => Row[]): Fault['broken'] =>
  on('deleteUser', (sound, store) => async (id) => {
    const left = leaves(
      rowsOf(store, name).filter(({ userId }) => userId === id),
      store,
    )
    const user = await sound.deleteUser(id)
    for (const row of left) mapOf(store, name).set(store[name].keyOf(row) as string, row)
    return user
  })

export const breadthFaults = faultsOf('breadth of deletions', [
  ...readings.map(
    ([says, reads]): Entry => [
      `deleteUser deletes the verification tokens of the address by ${says}`,
      alsoDeleting((store, { email }) => drop(store, 'tokens', ({ identifier }) => reads(email)(identifier as string))),
    ],
  ),
  ...readings.map(
    ([says, reads]): Entry => [
      `deleteUser deletes accounts of the address by ${says}`,
      alsoDeleting((store, { email }) =>
        drop(store, 'accounts', ({ providerAccountId }) => providerAccountId !== email && reads(email)(providerAccountId as string)),
      ),
    ],
  ),
  [
    'deleteUser deletes the accounts whose id is the address, of whomever they are',
    alsoDeleting((store, { email }) => drop(store, 'accounts', ({ providerAccountId }) => providerAccountId === email)),
  ],
  ['deleteUser leaves accounts of type oidc', leaving('accounts', (own) => own.filter(({ type }) => type === 'oidc'))],
  ['deleteUser deletes one of two authenticators', leaving('authenticators', (own) => (own.length === 2 ? own.slice(1) : []))],
  ['deleteUser deletes 25 accounts at most', leaving('accounts', (own) => own.slice(25))],
  ['deleteUser deletes 25 authenticators at most', leaving('authenticators', (own) => own.slice(25))],
  [
    'deleteUser deletes the accounts in a list that linkAccount reads and writes',
    (sound, store) => {
      const lists = new Map<string, unknown[]>()
      const keyOf = (row: object) => store.accounts.keyOf(row)
      return {
        async linkAccount(account) {
          const linked = await sound.linkAccount(account)
          const known = lists.get(account.userId) ?? []
          await pause()
          lists.set(account.userId, [...known, keyOf(account)])
          return linked
        },
        ...leaving('accounts', (own) => own.filter((row) => !lists.get(row.userId as string)?.includes(keyOf(row))))(sound, store),
      }
    },
  ],
])
