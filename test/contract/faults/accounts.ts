import type { AdapterAccount } from '@auth/core/adapters'
import type { Entry } from '../fault.js'
import { answering, faultsOf, given, on, pause, refusing } from '../fault.js'

type Account = AdapterAccount
type Found = AdapterAccount | null

const tokens = ['access_token', 'refresh_token', 'id_token', 'expires_in', 'expires_at', 'scope', 'token_type', 'session_state'] as const
const without = (row: Account, field: string) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== field))

const fields = faultsOf('fields', [
  ...tokens.map((field): Entry => [`linkAccount forgets ${field}`, given('linkAccount', (account: Account) => [without(account, field)])]),
  ...tokens.map(
    (field): Entry => [
      `getAccount does not give ${field}`,
      answering('getAccount', (account: Found) => account && without(account, field)),
    ],
  ),
  [
    'linkAccount stores scopes in order',
    given('linkAccount', (account: Account) => [{ ...account, scope: account.scope?.split?.(' ').sort().join(' ') ?? account.scope }]),
  ],
  [
    'linkAccount stores tokens in lower case',
    given('linkAccount', (account: Account) => [
      { ...account, access_token: account.access_token?.toLowerCase?.() ?? account.access_token },
    ]),
  ],
  [
    'linkAccount stores expires_at in milliseconds',
    given('linkAccount', (account: Account) => [
      { ...account, expires_at: typeof account.expires_at === 'number' ? account.expires_at * 1000 : account.expires_at },
    ]),
  ],
  [
    'linkAccount calculates expires_at from expires_in',
    given('linkAccount', (account: Account) => [
      {
        ...account,
        expires_at: account.expires_in && account.expires_at ? Math.floor(Date.now() / 1000) + account.expires_in : account.expires_at,
      },
    ]),
  ],
  [
    'linkAccount stores every account as oauth',
    given('linkAccount', (account: Account) => [{ ...account, type: typeof account.type === 'string' ? 'oauth' : account.type }]),
  ],
  ['linkAccount does not know passkeys', refusing('linkAccount', ({ type }) => type === 'webauthn')],
  [
    'linkAccount leaves token_type as it is',
    on('linkAccount', (sound, { accounts }) => async (account) => {
      await sound.linkAccount(account)
      const row = accounts.rows.get(accounts.keyOf(account) as string)
      if (typeof account.token_type === 'string') Object.assign(row ?? {}, { token_type: account.token_type })
      return accounts.find(account)
    }),
  ],
  [
    'linkAccount returns token_type as it was given',
    on('linkAccount', (sound) => async (account) => ({ ...(await sound.linkAccount(account)), token_type: account.token_type })),
  ],
  ['linkAccount refuses what it does not know', refusing('linkAccount', (account) => 'not_before_policy' in account)],
  [
    'linkAccount takes an unknown property for the id of the row',
    on('linkAccount', (sound) => async (account) => ('id' in account ? undefined : sound.linkAccount(account))),
  ],
  [
    'linkAccount needs an access token',
    refusing('linkAccount', ({ access_token, expires_at }) => access_token === undefined && expires_at === undefined),
  ],
  [
    'linkAccount stores missing tokens as empty texts',
    given('linkAccount', (account: Account) => [{ ...account, refresh_token: account.refresh_token ?? '' }]),
  ],
  [
    'linkAccount stores a missing scope as the text undefined',
    given('linkAccount', (account: Account) => [
      { ...account, scope: 'scope' in account && account.scope === undefined ? 'undefined' : account.scope },
    ]),
  ],
  ['linkAccount returns the account of somebody', answering('linkAccount', (account: Account) => ({ ...account, userId: 'somebody' }))],
  ['linkAccount returns what was there before', answering('linkAccount', () => ({}))],
  [
    'getAccount gives the tokens of another account of the user',
    on('getAccount', (sound, { accounts }) => async (id, provider) => {
      const account = await sound.getAccount(id, provider)
      return account && { ...account, access_token: accounts.all(({ userId }) => userId === account.userId).at(-1)?.access_token }
    }),
  ],
  ['getAccount answers undefined', answering('getAccount', (account: Found) => account ?? undefined)],
  [
    'getAccount throws for an unknown account',
    on('getAccount', (sound) => async (id, provider) => (await sound.getAccount(id, provider)) ?? Promise.reject(new Error('not found'))),
  ],
  [
    'getAccount takes any provider that it does not know',
    on(
      'getAccount',
      (sound, { accounts }) =>
        async (id, provider) =>
          provider === 'google' ? (accounts.all((account) => account.providerAccountId === id)[0] ?? null) : sound.getAccount(id, provider),
    ),
  ],
  [
    'getAccount takes its parameters in either order',
    on('getAccount', (sound) => async (id, provider) => (await sound.getAccount(id, provider)) ?? sound.getAccount(provider, id)),
  ],
  ['getAccount takes the provider first', on('getAccount', (sound) => async (provider, id) => sound.getAccount(id, provider))],
  [
    'getAccount gives expires_at as text',
    answering(
      'getAccount',
      (account: Found) => account && { ...account, expires_at: account.expires_at === undefined ? undefined : String(account.expires_at) },
    ),
  ],
  [
    'unlinkAccount returns the account without its tokens',
    answering('unlinkAccount', (account: Found) => account && without(account, 'refresh_token')),
  ],
  ['unlinkAccount does nothing', on('unlinkAccount', () => async () => undefined)],
  [
    'unlinkAccount of an unknown account throws',
    on(
      'unlinkAccount',
      (sound, { accounts }) =>
        async (key) =>
          key?.providerAccountId?.startsWith?.('account-') && key.providerAccountId.length === 44 && !accounts.find(key)
            ? Promise.reject(new Error('not found'))
            : sound.unlinkAccount(key),
    ),
  ],
  ['unlinkAccount says that it worked', on('unlinkAccount', (sound) => async (key) => (await sound.unlinkAccount(key)) ?? true)],
])

const falsy = faultsOf('falsy values', [
  [
    'linkAccount forgets an expires_at of 0',
    given('linkAccount', (account: Account) => [{ ...account, expires_at: account.expires_at === 0 ? undefined : account.expires_at }]),
  ],
  [
    'linkAccount forgets an empty scope',
    given('linkAccount', (account: Account) => [{ ...account, scope: account.scope === '' ? undefined : account.scope }]),
  ],
  [
    'getAccount does not give an empty token',
    answering('getAccount', (account: Found) => account && { ...account, id_token: account.id_token || undefined }),
  ],
  [
    'getAccount does not give an expires_in of 0',
    answering('getAccount', (account: Found) => account && { ...account, expires_in: account.expires_in || undefined }),
  ],
])

const uniqueness = faultsOf('uniqueness', [
  [
    'linkAccount gives an account of another user to the newest',
    on('linkAccount', (sound, { accounts }) => async (account) => {
      accounts.delete(account)
      return sound.linkAccount(account)
    }),
  ],
  [
    'linkAccount of an account of another user overwrites its tokens, and throws',
    on('linkAccount', (sound, { accounts }) => async (account) => {
      if ((accounts.find(account)?.userId ?? account.userId) !== account.userId)
        accounts.update({ provider: account.provider, providerAccountId: account.providerAccountId, access_token: account.access_token })
      return sound.linkAccount(account)
    }),
  ],
  [
    'linkAccount of an account of another user does nothing',
    on(
      'linkAccount',
      (sound, { accounts }) =>
        async (account) =>
          accounts.find(account) ? null : sound.linkAccount(account),
    ),
  ],
  [
    'linkAccount looks for the account first, and then stores',
    on('linkAccount', (sound, { accounts }) => async (account) => {
      if (accounts.find(account)) throw new Error('taken')
      await pause()
      accounts.delete(account)
      return sound.linkAccount(account)
    }),
  ],
  [
    'linkAccount stores an account of its user a second time',
    (sound, { accounts }) => {
      const twice: Account[] = []
      return {
        async linkAccount(account) {
          if (!account.userId || accounts.find(account)?.userId !== account.userId) return sound.linkAccount(account)
          twice.push(account)
          return account
        },
        getAccount: async (id, provider) =>
          (await sound.getAccount(id, provider)) ?? twice.find((account) => account.providerAccountId === id) ?? null,
      }
    },
  ],
  [
    'a user has one account of a provider',
    on('linkAccount', (sound, { accounts }) => async (account) => {
      if (accounts.all(({ userId, provider }) => userId === account.userId && provider === account.provider).length > 0)
        throw new Error('taken')
      return sound.linkAccount(account)
    }),
  ],
  [
    'an unlinked account stays taken',
    (sound, { accounts }) => {
      const taken = new Set<unknown>()
      return {
        linkAccount: async (account) =>
          taken.has(accounts.keyOf(account)) ? Promise.reject(new Error('taken')) : sound.linkAccount(account),
        async unlinkAccount(key) {
          const account = accounts.delete(key)
          if (account) taken.add(accounts.keyOf(account))
          return account
        },
      }
    },
  ],
  [
    'an unlinked account stays with its first user',
    (sound, { accounts }) => {
      const owners = new Map<unknown, string>()
      return {
        async linkAccount(account) {
          const owner = owners.get(accounts.keyOf(account))
          return sound.linkAccount(owner ? { ...account, userId: owner } : account)
        },
        async unlinkAccount(key) {
          const account = accounts.delete(key)
          if (account?.session_state) owners.set(accounts.keyOf(account), account.userId)
          return account
        },
      }
    },
  ],
])

export const accountFaults = [...fields, ...falsy, ...uniqueness]
