import type { AdapterAccount } from '../contract.js'
import { equal, includes, isNull, ok, rejection, successes } from './expect.js'
import { contractCase, someAccount, someUser, unique } from './fixtures.js'

const tokens = {
  access_token: 'access',
  refresh_token: 'refresh',
  id_token: 'id',
  expires_at: 1_700_000_000,
  scope: 'read write',
  token_type: 'bearer',
} as const

export const accountCases = [
  contractCase(
    'linkAccount returns the account that getAccount then finds',
    ['createUser', 'linkAccount', 'getAccount'],
    async (adapter) => {
      const { id } = await adapter.createUser(someUser())
      const account = someAccount(id, { ...tokens, expires_in: 3600, session_state: 'state' })
      const linked = await adapter.linkAccount(account)
      equal(linked, account, 'linkAccount')
      equal(await adapter.getAccount(account.providerAccountId, account.provider), account, 'getAccount')
    },
  ),

  contractCase('linkAccount stores accounts of every type', ['createUser', 'linkAccount', 'getAccount'], async (adapter) => {
    const { id } = await adapter.createUser(someUser())
    for (const type of ['oauth', 'oidc', 'email', 'webauthn'] as const) {
      const account = someAccount(id, { type })
      await adapter.linkAccount(account)
      includes(await adapter.getAccount(account.providerAccountId, account.provider), account, `an account of type ${type}`)
    }
  }),

  contractCase('linkAccount stores and returns token_type in lower case', ['createUser', 'linkAccount', 'getAccount'], async (adapter) => {
    const { id } = await adapter.createUser(someUser())
    const account = someAccount(id, { token_type: 'Bearer' as 'bearer' })
    includes(await adapter.linkAccount(account), { token_type: 'bearer' }, 'linkAccount')
    includes(await adapter.getAccount(account.providerAccountId, account.provider), { token_type: 'bearer' }, 'getAccount')
  }),

  contractCase('linkAccount ignores what a token endpoint sends beside it', ['createUser', 'linkAccount'], async (adapter) => {
    const { id } = await adapter.createUser(someUser())
    const linked = await adapter.linkAccount({
      ...someAccount(id),
      refresh_token_expires_in: 5184000,
      'x y': { nested: ['a'] },
    } as AdapterAccount)
    ok(!Object.hasOwn(linked ?? {}, 'x y'), 'linkAccount: an unknown key must not come back')
  }),

  contractCase(
    'linkAccount links an account to one user only, also from many at once',
    ['createUser', 'linkAccount', 'getUserByAccount'],
    async (adapter) => {
      const users = await Promise.all(Array.from({ length: 5 }, () => adapter.createUser(someUser())))
      const { provider, providerAccountId } = someAccount('')
      const linked = await successes(users.map(({ id }) => adapter.linkAccount(someAccount(id, { provider, providerAccountId }))))
      equal(linked.length, 1, 'how many links succeeded')
      ok(await adapter.getUserByAccount({ provider, providerAccountId }), 'getUserByAccount: one of them must own the account')
    },
  ),

  contractCase('a user may have several accounts', ['createUser', 'linkAccount', 'getUserByAccount'], async (adapter) => {
    const user = await adapter.createUser(someUser())
    for (const provider of ['github', 'google', 'apple']) {
      const account = someAccount(user.id, { provider })
      await adapter.linkAccount(account)
      equal(await adapter.getUserByAccount(account), user, provider)
    }
  }),

  contractCase('getAccount gives null for an unknown account', ['getAccount'], async (adapter) => {
    isNull(await adapter.getAccount(unique('account'), 'github'), 'getAccount')
  }),

  contractCase('getAccount takes the account id first, then the provider', ['createUser', 'linkAccount', 'getAccount'], async (adapter) => {
    const { id } = await adapter.createUser(someUser())
    const account = someAccount(id)
    await adapter.linkAccount(account)
    isNull(await adapter.getAccount(account.provider, account.providerAccountId), 'getAccount with its parameters exchanged')
  }),

  contractCase(
    'unlinkAccount returns the account that it removed, and no other',
    ['createUser', 'linkAccount', 'unlinkAccount', 'getAccount'],
    async (adapter) => {
      const { id } = await adapter.createUser(someUser())
      const [account, other] = [someAccount(id, tokens), someAccount(id)]
      await adapter.linkAccount(account)
      await adapter.linkAccount(other)
      equal(await adapter.unlinkAccount(account), account, 'unlinkAccount')
      isNull(await adapter.getAccount(account.providerAccountId, account.provider), 'getAccount of an unlinked account')
      ok(await adapter.getAccount(other.providerAccountId, other.provider), 'the other account must stay')
      ok((await adapter.unlinkAccount(account)) == null, 'unlinkAccount of an unknown account gives nothing')
    },
  ),

  contractCase('linkAccount refuses an account of a user that is none', ['linkAccount'], async (adapter) => {
    await rejection(adapter.linkAccount({ ...someAccount(''), userId: null as unknown as string }), 'linkAccount without a user')
  }),
]
