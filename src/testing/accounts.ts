import type { AdapterAccount } from '../models.js'
import { casesAbout } from './case.js'
import { equal, isAccount, isNull, isRowOrNothing, isUser, rejection, settled, successes } from './expect.js'
import { someAccount, someTokens, unique } from './fixtures.js'
import type { Subject } from './subject.js'
import { furnish, keyOfAccount, newUser } from './world.js'

const contractCase = casesAbout('operations')

// Either of them shows the fields of an account that was linked; `linkAccount` itself may return nothing.
const showingAccounts = ['getAccount', 'unlinkAccount'] as const

/** Links an account and expects it to be stored so, as far as the adapter shows it. */
async function expectLinked(adapter: Subject, given: AdapterAccount, stored: AdapterAccount, what: string): Promise<void> {
  isRowOrNothing(await adapter.linkAccount?.(given), stored, what, isAccount)
  await expectAccount(adapter, stored, `after ${what}`)
}

/** Expects an account to be there. Without `getAccount` it is unlinked, which shows it, too. */
async function expectAccount(adapter: Subject, account: AdapterAccount, when: string): Promise<void> {
  if (adapter.getAccount) isAccount(await adapter.getAccount(account.providerAccountId, account.provider), account, `getAccount ${when}`)
  else isRowOrNothing(await adapter.unlinkAccount?.(keyOfAccount(account)), account, `unlinkAccount ${when}`, isAccount)
}

export const accountCases = [
  contractCase('linkAccount takes an account without tokens', ['linkAccount', showingAccounts], async (adapter) => {
    const { id } = await newUser(adapter)
    const account = someAccount(id)
    await expectLinked(adapter, account, account, 'linkAccount without tokens')
    const nothing = Object.fromEntries([...Object.keys(someTokens()), 'expires_in'].map((name) => [name, undefined]))
    const other = someAccount(id)
    await expectLinked(adapter, { ...other, ...nothing }, other, 'linkAccount with tokens that are undefined')
    const { access_token, id_token, session_state } = someTokens()
    const some = someAccount(id, { access_token, id_token, session_state })
    await expectLinked(adapter, { ...some, ...nothing, ...some }, some, 'linkAccount with some tokens, and undefined')
  }),

  contractCase('linkAccount stores every field, of accounts of every type', ['linkAccount'], async (adapter) => {
    const { id } = await newUser(adapter)
    for (const [type, expires_in] of [
      ['oauth', 3_600],
      ['oidc', 0],
      ['email', 60],
      ['webauthn', 1],
    ] as const) {
      const account = someAccount(id, { ...someTokens(), type, expires_in })
      await expectLinked(adapter, account, account, `linkAccount of type ${type}`)
      if (!adapter.getAccount || !adapter.unlinkAccount) continue
      isRowOrNothing(await adapter.unlinkAccount(keyOfAccount(account)), account, `unlinkAccount of type ${type}`, isAccount)
      isNull(await adapter.getAccount(account.providerAccountId, account.provider), `getAccount after unlinkAccount of type ${type}`)
    }
  }),

  contractCase('linkAccount stores and returns token_type in lower case', ['linkAccount', showingAccounts], async (adapter) => {
    const { id } = await newUser(adapter)
    for (const token_type of ['Bearer', 'BEARER', 'DPoP', 'mac']) {
      const account = someAccount(id, someTokens())
      const stored = { ...account, token_type: token_type.toLowerCase() as Lowercase<string> }
      await expectLinked(
        adapter,
        { ...account, token_type: token_type as 'bearer' },
        stored,
        `linkAccount with the token_type ${token_type}`,
      )
      if (adapter.getAccount && adapter.unlinkAccount)
        isRowOrNothing(
          await adapter.unlinkAccount(keyOfAccount(stored)),
          stored,
          `unlinkAccount of the token_type ${token_type}`,
          isAccount,
        )
    }
  }),

  contractCase('linkAccount takes whatever else a token endpoint sends', ['linkAccount'], async (adapter) => {
    const { id } = await newUser(adapter)
    const account = someAccount(id, someTokens())
    const extra = { refresh_token_expires_in: 5184000, not_before_policy: 0, 'x y': { nested: ['a'] }, id: unique('id') }
    await expectLinked(adapter, { ...account, ...extra } as AdapterAccount, account, 'linkAccount with unknown properties')
  }),

  contractCase(
    'linkAccount refuses an account of another user, and leaves it as it was',
    ['linkAccount', ['getUserByAccount', 'getAccount', 'unlinkAccount']],
    async (adapter) => {
      const { user, account } = await furnish(adapter)
      const eve = await newUser(adapter)
      const stolen = someAccount(eve.id, { ...keyOfAccount(account), access_token: 'stolen' })
      await rejection(adapter.linkAccount(stolen), 'linkAccount of an account of another user')
      if (adapter.getUserByAccount && adapter.createUser)
        isUser(await adapter.getUserByAccount(keyOfAccount(account)), user, 'getUserByAccount after linkAccount by another user')
      await expectAccount(adapter, account, 'after linkAccount by another user')
    },
  ),

  contractCase('an account has one owner, also when many link it at once', ['linkAccount'], async (adapter, { peer }) => {
    const users = await Promise.all(Array.from({ length: 5 }, () => newUser(adapter)))
    const key = keyOfAccount(someAccount(''))
    const link = (by: typeof adapter, userId: string) => by.linkAccount(someAccount(userId, key)).then(() => userId)
    const linked = await successes(users.map(({ id }, index) => link(index % 2 ? peer : adapter, id)))
    equal(linked.length, 1, 'linkAccount: how many of five users got one account')
    const owner = users.find(({ id }) => id === linked[0])
    if (owner && adapter.getUserByAccount && adapter.createUser)
      isUser(await adapter.getUserByAccount(key), owner, 'getUserByAccount of an account that many linked')
  }),

  contractCase(
    'an account that is linked again by its user is found once',
    ['linkAccount', 'unlinkAccount', 'getAccount'],
    async (adapter) => {
      const { id } = await newUser(adapter)
      const account = someAccount(id, someTokens())
      await adapter.linkAccount(account)
      // Whether that is refused or accepted, the contract does not say.
      const again = { ...account, ...someTokens() }
      const linked = await settled(adapter.linkAccount(again))
      isAccount(
        await adapter.getAccount(account.providerAccountId, account.provider),
        'value' in linked ? again : account,
        `getAccount after linkAccount with other tokens was ${'value' in linked ? 'accepted' : 'refused'}`,
      )
      await adapter.unlinkAccount(keyOfAccount(account))
      isNull(
        await adapter.getAccount(account.providerAccountId, account.provider),
        'getAccount after linkAccount twice and unlinkAccount once',
      )
    },
  ),

  contractCase('getAccount gives null for an unknown account', ['getAccount'], async (adapter) => {
    const { user, account } = await furnish(adapter)
    isNull(await adapter.getAccount(unique('account'), account.provider), 'getAccount of an unknown id')
    isNull(await adapter.getAccount(account.providerAccountId, 'google'), 'getAccount of an unknown provider')
    const other = someAccount(user.id, { provider: 'gitlab' })
    await adapter.linkAccount?.(other)
    for (const [{ providerAccountId }, { provider }] of [
      [account, other],
      [other, account],
    ] as const)
      isNull(await adapter.getAccount(providerAccountId, provider), 'getAccount of the id of one account and the provider of another')
  }),

  contractCase('getAccount takes the account id first, then the provider', ['linkAccount', 'getAccount'], async (adapter) => {
    const { id } = await newUser(adapter)
    const account = someAccount(id)
    await adapter.linkAccount(account)
    isNull(await adapter.getAccount(account.provider, account.providerAccountId), 'getAccount with its parameters exchanged')
    isAccount(await adapter.getAccount(account.providerAccountId, account.provider), account, 'getAccount')
  }),

  contractCase('an unlinked account can be linked again, also by another user', ['linkAccount', 'unlinkAccount'], async (adapter) => {
    const { user, account } = await furnish(adapter)
    const bob = await newUser(adapter)
    await adapter.getUserByAccount?.(keyOfAccount(account))
    await adapter.unlinkAccount(keyOfAccount(account))
    await adapter.linkAccount(account)
    if (adapter.getUserByAccount && adapter.createUser)
      isUser(await adapter.getUserByAccount(keyOfAccount(account)), user, 'getUserByAccount of an account that its user linked again')
    await adapter.unlinkAccount(keyOfAccount(account))
    const linked = someAccount(bob.id, { ...keyOfAccount(account), access_token: 'new' })
    isRowOrNothing(await adapter.linkAccount(linked), linked, 'linkAccount of an account that was unlinked', isAccount)
    if (adapter.getUserByAccount && adapter.createUser)
      isUser(await adapter.getUserByAccount(keyOfAccount(account)), bob, 'getUserByAccount of an account that was linked again')
    await expectAccount(adapter, linked, 'of an account that was linked again')
  }),
]
