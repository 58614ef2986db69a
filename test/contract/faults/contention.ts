import type { Fault, OperationName, Row, Sound, Store } from '../fault.js'
import { faultsOf, on, operationOf, pause } from '../fault.js'
import { drop, mapOf, rowsOf } from './helpers.js'

/** Lets one call in at a time, as a lock of one process does. */
export function newLock() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(run: () => Promise<T>): Promise<T> => {
    const next = last.then(run, run)
    last = next.catch(() => {})
    return next
  }
}

const keyIn = (store: Store, rows: keyof Store, row: Row) => store[rows].keyOf(row) as string

/** The user or the address to which the call belongs. */
type OwnerOf = (store: Store, parameters: unknown[]) => unknown

interface WholeList {
  operation: OperationName
  rows: keyof Store
  ownerOf: OwnerOf
  ownedBy?: string
  /** Whether rows that came meanwhile are lost, or rows that went meanwhile come back. */
  how: 'loses' | 'brings back'
  /** Whether calls of this operation come one after another. */
  isLocked?: boolean
}

/** An operation that reads all rows of a user or an address, waits, and writes all of them. */
const writingAll = ({ operation, rows, ownerOf, ownedBy = 'userId', how, isLocked = true }: WholeList): Fault['broken'] => {
  return (sound, store) => {
    const lock = isLocked ? newLock() : <T>(run: () => Promise<T>) => run()
    return {
      [operation]: (...parameters: unknown[]) =>
        lock(async () => {
          const owner = ownerOf(store, parameters)
          const all = () => rowsOf(store, rows).filter((row) => owner && row[ownedBy] === owner)
          const before = new Map(all().map((row) => [keyIn(store, rows, row), row]))
          const own = store[rows].keyOf(parameters[0] as Row)
          if (owner) await pause()
          // The row of the call itself is meant to come or to go.
          const during = new Set(all().map((row) => keyIn(store, rows, row)))
          const answer = await operationOf(sound, operation)(...parameters)
          if (how === 'loses')
            drop(
              store,
              rows,
              (row) => during.has(keyIn(store, rows, row)) && row[ownedBy] === owner && !before.has(keyIn(store, rows, row)),
            )
          else for (const [key, row] of before) if (!during.has(key) && key !== own) mapOf(store, rows).set(key, row)
          return answer
        }),
    }
  }
}

const user: OwnerOf = (store, [given]) => store.users.find(given as Row)?.id
const given: OwnerOf = (_, [row]) => (row as Row | undefined)?.userId
const address: OwnerOf = (_, [row]) => (row as Row | undefined)?.identifier
const ofSession: OwnerOf = (store, [token]) =>
  store.sessions.find(typeof token === 'object' ? (token as Row) : { sessionToken: token })?.userId
const ofAccount: OwnerOf = (store, [key]) => store.accounts.find(key as Row)?.userId
const ofAuthenticator: OwnerOf = (store, [credentialID]) => store.authenticators.find({ credentialID })?.userId

const wholeLists: readonly WholeList[] = [
  ...(['accounts', 'sessions', 'authenticators'] as const).map(
    (rows): WholeList => ({ operation: 'updateUser', rows, ownerOf: user, how: 'loses' }),
  ),
  ...(['accounts', 'sessions'] as const).map((rows): WholeList => ({ operation: 'updateUser', rows, ownerOf: user, how: 'brings back' })),
  { operation: 'updateSession', rows: 'sessions', ownerOf: ofSession, how: 'loses' },
  { operation: 'deleteSession', rows: 'sessions', ownerOf: ofSession, how: 'loses' },
  { operation: 'createSession', rows: 'sessions', ownerOf: given, how: 'brings back' },
  { operation: 'unlinkAccount', rows: 'accounts', ownerOf: ofAccount, how: 'loses' },
  { operation: 'unlinkAccount', rows: 'accounts', ownerOf: ofAccount, how: 'brings back', isLocked: false },
  { operation: 'linkAccount', rows: 'accounts', ownerOf: given, how: 'brings back' },
  { operation: 'updateAuthenticatorCounter', rows: 'authenticators', ownerOf: ofAuthenticator, how: 'loses' },
  { operation: 'useVerificationToken', rows: 'tokens', ownerOf: address, ownedBy: 'identifier', how: 'loses' },
  { operation: 'createVerificationToken', rows: 'tokens', ownerOf: address, ownedBy: 'identifier', how: 'brings back' },
]

/** Changes a user. Whether its new address is free is looked up a moment before. */
export const changingLate =
  (sound: Sound, { users }: Store) =>
  async (change: Partial<Row> & { id: string }) => {
    if (change.email === undefined) return sound.updateUser(change)
    const owner = await sound.getUserByEmail(change.email as string)
    if (owner && owner.id !== change.id) throw new Error('taken')
    await pause()
    return users.update(change) ?? Promise.reject(new Error('unknown user'))
  }

export const contentionFaults = faultsOf('contending writes', [
  ...wholeLists.map((list): [string, Fault['broken']] => [
    `${list.operation} writes all ${list.rows} that it read, and ${list.how} what others ${list.how === 'loses' ? 'created' : 'deleted'} meanwhile`,
    writingAll(list),
  ]),
  [
    'updateUser writes all sessions that it read, and loses how others changed them meanwhile',
    on('updateUser', (sound, store) => async (change) => {
      const before = rowsOf(store, 'sessions').filter((row) => row.userId === change?.id)
      if (before.length > 0) await pause()
      const sessions = mapOf(store, 'sessions')
      for (const row of before) if (sessions.has(keyIn(store, 'sessions', row))) sessions.set(keyIn(store, 'sessions', row), row)
      return sound.updateUser(change)
    }),
  ],
  [
    'updateUser throws where a row of the user was created meanwhile',
    (sound, store) => {
      const lock = newLock()
      const count = (id: unknown) => [...rowsOf(store, 'accounts'), ...rowsOf(store, 'sessions')].filter((row) => row.userId === id).length
      return {
        updateUser: (change) =>
          lock(async () => {
            const before = count(change?.id)
            if (before > 0) await pause()
            if (count(change?.id) !== before) throw new Error('conflict')
            return sound.updateUser(change)
          }),
      }
    },
  ],
  [
    'updateUser that is refused for its address has changed the other fields',
    on('updateUser', (sound) => async (user) => {
      const { email, ...others } = user
      await sound.updateUser(others)
      return sound.updateUser(user)
    }),
  ],
  ['updateUser looks whether an address is free, and then writes', on('updateUser', changingLate)],
  [
    'updateUser looks whether an address is free, and createUser does not wait for it',
    (sound, store) => {
      const lock = newLock()
      return { updateUser: (change) => lock(() => changingLate(sound, store)({ ...change })) }
    },
  ],
  [
    'createUser looks whether an address is free, and updateUser does not wait for it',
    (sound, { users }) => {
      const lock = newLock()
      return {
        createUser: (given) =>
          lock(async () => {
            if (await sound.getUserByEmail(given.email)) throw new Error('taken')
            await pause()
            return users.insert({ ...given, id: given.id ?? crypto.randomUUID() })
          }),
      }
    },
  ],
  [
    'updateUser that fails puts the user back as it was before',
    on('updateUser', (sound, { users }) => async (change) => {
      const before = users.find(change)
      try {
        if (before && change.email !== undefined) await pause()
        return await sound.updateUser(change)
      } catch (error) {
        if (before) users.update(before)
        throw error
      }
    }),
  ],
])
