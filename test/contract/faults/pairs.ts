import type { Row, Store } from '../fault.js'
import { faultsOf, on, refusing } from '../fault.js'
import { drop, rowsOf } from './helpers.js'

type Key = { provider: string; providerAccountId: string }

/** An account of a user who has one account with this provider and another with this id, as a document store finds it without $elemMatch. */
const crossedIn = (store: Store, key: Key | undefined): Key | undefined => {
  const accounts = rowsOf(store, 'accounts')
  const withId = accounts.filter((row) => row.providerAccountId === key?.providerAccountId)
  return withId.find((row) => accounts.some(({ userId, provider }) => userId === row.userId && provider === key?.provider)) as
    | Key
    | undefined
}

const ofUser = (userId: unknown, has: (row: Row) => boolean) => (row: Row) => row.userId === userId && has(row)

/** An `unlinkAccount` that unlinks further accounts with the same id. */
const unlinkingAlso = (isUnlinked: (row: Row, account: Row) => boolean) =>
  on('unlinkAccount', (sound, store) => async (key) => {
    const account = await sound.unlinkAccount(key)
    if (account) drop(store, 'accounts', (row) => row.providerAccountId === account.providerAccountId && isUnlinked(row, { ...account }))
    return account
  })

/** Faults that need several accounts of one user, or one account twice. */
export const pairFaults = faultsOf('several accounts', [
  [
    'getUserByAccount finds a user by the provider of one account and the id of another',
    on('getUserByAccount', (sound, store) => async (key) => {
      const crossed = crossedIn(store, key)
      return (await sound.getUserByAccount(key)) ?? (crossed ? sound.getUserByAccount(crossed) : null)
    }),
  ],
  [
    'getAccount finds an account by its id and the provider of another account of the user',
    on('getAccount', (sound, store) => async (providerAccountId, provider) => {
      const crossed = crossedIn(store, { providerAccountId, provider })
      return (
        (await sound.getAccount(providerAccountId, provider)) ?? (crossed ? sound.getAccount(providerAccountId, crossed.provider) : null)
      )
    }),
  ],
  [
    'unlinkAccount unlinks an account by its id and the provider of another account of the user',
    on('unlinkAccount', (sound, store) => async (key) => {
      const crossed = crossedIn(store, key)
      return (await sound.unlinkAccount(key)) ?? (crossed && sound.unlinkAccount(crossed))
    }),
  ],
  [
    'unlinkAccount unlinks the accounts of the user with the same id at other providers',
    unlinkingAlso((row, { userId }) => row.userId === userId),
  ],
  ['unlinkAccount unlinks the accounts of others with the same id', unlinkingAlso((row, { userId }) => row.userId !== userId)],
  [
    'linkAccount refuses a second account of the user with the same id',
    (sound, store) =>
      refusing('linkAccount', ({ userId, provider, providerAccountId }) =>
        rowsOf(store, 'accounts').some(
          (row) => row.userId === userId && row.providerAccountId === providerAccountId && row.provider !== provider,
        ),
      )(sound, store),
  ],
  [
    'linkAccount replaces the account of the user with the same id at another provider',
    on('linkAccount', (sound, store) => async (account) => {
      const linked = await sound.linkAccount(account)
      const { userId, provider, providerAccountId } = account
      drop(
        store,
        'accounts',
        ofUser(userId, (row) => row.providerAccountId === providerAccountId && row.provider !== provider),
      )
      return linked
    }),
  ],
  [
    'linkAccount replaces the account of the user of the same type at another provider',
    on('linkAccount', (sound, store) => async (account) => {
      const linked = await sound.linkAccount(account)
      drop(
        store,
        'accounts',
        ofUser(account.userId, (row) => row.type === account.type && row.provider !== account.provider),
      )
      return linked
    }),
  ],
  [
    'linkAccount of an account that the user has changes nothing, and returns what it was given',
    on('linkAccount', (sound, { accounts }) => async (account) => {
      const known = accounts.find(account)
      return known && known.userId === account.userId ? account : sound.linkAccount(account)
    }),
  ],
  [
    'linkAccount of an account that the user has changes the access token alone',
    on('linkAccount', (sound, { accounts }) => async (account) => {
      const known = accounts.find(account)
      const { provider, providerAccountId, access_token } = account
      if (known?.userId !== account.userId) return sound.linkAccount(account)
      accounts.update({ provider, providerAccountId, access_token })
      return account
    }),
  ],
  [
    'linkAccount of an account that the user has is refused, and changes its tokens all the same',
    on('linkAccount', (sound, { accounts }) => async (account) => {
      if (typeof account.userId === 'string' && accounts.find(account)?.userId === account.userId) accounts.update(account)
      return sound.linkAccount(account)
    }),
  ],
  [
    'createVerificationToken of a token that is there changes nothing, and returns what it was given',
    on(
      'createVerificationToken',
      (sound, { tokens }) =>
        async (token) =>
          tokens.find(token) ? tokens.parse(token) : sound.createVerificationToken(token),
    ),
  ],
  [
    'createVerificationToken of a token that is there keeps the later expiry',
    on('createVerificationToken', (sound, { tokens }) => async (token) => {
      const known = tokens.find(token)
      return known
        ? tokens.update({ ...token, expires: new Date(Math.max(+known.expires, +token.expires)) })
        : sound.createVerificationToken(token)
    }),
  ],
])
