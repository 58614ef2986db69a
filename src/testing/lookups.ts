import type { AdapterAccount } from '../models.js'
import { casesAbout } from './case.js'
import { isNothing, isNull, isUser } from './expect.js'
import { someAccount, unique } from './fixtures.js'
import { show } from './show.js'
import { furnish, keyOfAccount, newUser } from './world.js'

const contractCase = casesAbout('operations')

/** How users are found. */
export const lookupCases = [
  contractCase('getUser finds nobody by an unknown or malformed id', ['getUser'], async (adapter) => {
    const malformed = [
      'invalid-user-id',
      '',
      '0',
      '-1',
      '1.0',
      '1e3',
      '99999999999999999999999',
      ' 1',
      'null',
      'undefined',
      'NaN',
      '*',
      '%',
    ]
    const { email, name } = await newUser(adapter)
    for (const id of [crypto.randomUUID(), email, name as string, ...malformed]) isNull(await adapter.getUser(id), `getUser(${show(id)})`)
  }),

  contractCase('getUserByEmail finds nobody by an unknown address', ['getUserByEmail'], async (adapter) => {
    const user = await newUser(adapter)
    for (const email of [`${unique('nobody')}@example.com`, '', '@', '@example.com', user.id])
      isNull(await adapter.getUserByEmail(email), `getUserByEmail(${show(email)})`)
  }),

  contractCase(
    'getUserByAccount finds the owner by provider and id together',
    ['createUser', 'linkAccount', 'getUserByAccount'],
    async (adapter) => {
      const [ada, bob] = [await newUser(adapter), await newUser(adapter)]
      const providerAccountId = unique('account')
      await adapter.linkAccount(someAccount(ada.id, { provider: 'github', providerAccountId }))
      await adapter.linkAccount(someAccount(bob.id, { provider: 'gitlab', providerAccountId }))
      isUser(await adapter.getUserByAccount({ provider: 'github', providerAccountId }), ada, 'getUserByAccount at github')
      isUser(await adapter.getUserByAccount({ providerAccountId, provider: 'gitlab' }), bob, 'getUserByAccount at gitlab')
    },
  ),

  contractCase('getUserByAccount finds nobody by an unknown account', ['getUserByAccount'], async (adapter) => {
    const { account, user } = await furnish(adapter)
    const { provider, providerAccountId } = account
    isNull(await adapter.getUserByAccount({ provider: 'google', providerAccountId }), 'getUserByAccount of an unknown provider')
    isNull(await adapter.getUserByAccount({ provider, providerAccountId: unique('account') }), 'getUserByAccount of an unknown id')
    isNull(await adapter.getUserByAccount({ provider: 'email', providerAccountId: user.email }), 'getUserByAccount of an address')
    isNull(await adapter.getUserByAccount({ provider: 'credentials', providerAccountId: user.id }), 'getUserByAccount of a user id')
    isNull(
      await adapter.getUserByAccount({ provider: providerAccountId, providerAccountId: provider }),
      'getUserByAccount with its keys exchanged',
    )
  }),

  contractCase(
    'getUserByAccount finds the user by each of several accounts, of every type, also of one provider',
    ['createUser', 'linkAccount', 'getUserByAccount'],
    async (adapter) => {
      const user = await newUser(adapter)
      const kinds = { github: 'oauth', google: 'oidc', email: 'email', passkey: 'webauthn' } as const
      const accounts = Object.entries(kinds).map(([provider, type]) => someAccount(user.id, { provider, type }))
      const [github, google] = accounts as [AdapterAccount, AdapterAccount]
      const gitlab = someAccount(user.id, { provider: 'gitlab', providerAccountId: github.providerAccountId })
      accounts.push(someAccount(user.id, { provider: 'github' }), someAccount(user.id, { provider: 'passkey', type: 'webauthn' }), gitlab)
      for (const account of accounts) await adapter.linkAccount(account)
      for (const [{ provider }, { providerAccountId }] of [
        [github, google],
        [google, github],
      ] as const) {
        const key = { provider, providerAccountId }
        const what = 'of the provider of one account and the id of another'
        isNull(await adapter.getUserByAccount(key), `getUserByAccount ${what}`)
        if (adapter.unlinkAccount) isNothing(await adapter.unlinkAccount(key), `unlinkAccount ${what}`)
      }
      for (const account of accounts)
        isUser(await adapter.getUserByAccount(keyOfAccount(account)), user, `getUserByAccount at ${account.provider}`)
      if (!adapter.unlinkAccount) return
      await adapter.unlinkAccount(keyOfAccount(gitlab))
      const what = 'getUserByAccount after unlinkAccount of the same id at another provider'
      isUser(await adapter.getUserByAccount(keyOfAccount(github)), user, what)
    },
  ),
]
