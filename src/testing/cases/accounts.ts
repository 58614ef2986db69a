import type { AdapterAccount } from '../../models.js'
import { casesAbout } from '../case.js'
import { expectAccount, expectError, expectNothing, expectNull, expectRowOrNothing, expectUser, settle } from '../expect.js'
import type { Fixture } from '../fixture.js'
import { createFixture } from '../fixture.js'
import { accountKey, makeAccount, makeTokens, unique } from '../rows.js'
import { show } from '../show.js'
import type { Subject } from '../subject.js'

const contractCase = casesAbout('operations')

/** Links an account, and expects it to be stored like this. */
async function expectLinked(adapter: Subject<'linkAccount'>, given: AdapterAccount, stored: AdapterAccount, what: string): Promise<void> {
  expectRowOrNothing(await adapter.linkAccount(given), stored, what, expectAccount)
  if (adapter.getAccount)
    expectAccount(await adapter.getAccount(stored.providerAccountId, stored.provider), stored, `getAccount after ${what}`)
}

/** Pairs of a provider and an id that no account has, though accounts with each of them exist. */
const unknownKeys = ({ ada, bob }: Fixture) => {
  const { provider, providerAccountId } = ada.accounts[0]
  return [
    { provider: 'google', providerAccountId },
    { provider, providerAccountId: unique('account') },
    { provider: bob.accounts[0].provider, providerAccountId: ada.accounts[1].providerAccountId },
    { provider: providerAccountId, providerAccountId: provider },
    { provider: 'email', providerAccountId: ada.user.email },
    { provider, providerAccountId: ada.user.id },
    { provider, providerAccountId: '' },
    { provider: '', providerAccountId },
  ]
}

export const accountCases = [
  contractCase('linkAccount stores every field of accounts of every type', ['linkAccount'], async (adapter) => {
    const fixture = await createFixture(adapter)
    const { id } = fixture.ada.user
    for (const type of ['oauth', 'oidc', 'email', 'webauthn'] as const) {
      const account = makeAccount(id, { ...makeTokens(), type, provider: unique(type), expires_in: 3_600 })
      await expectLinked(adapter, account, account, `linkAccount of type ${type}`)
    }
    await fixture.verify('after linkAccount of other accounts')
  }),

  contractCase('linkAccount stores missing and empty fields', ['linkAccount'], async (adapter) => {
    const { ada } = await createFixture(adapter)
    const account = makeAccount(ada.user.id)
    const names = Object.keys(makeTokens())
    await expectLinked(adapter, account, account, 'linkAccount without tokens')
    const other = makeAccount(ada.user.id)
    const nothing = Object.fromEntries(names.map((name) => [name, undefined]))
    await expectLinked(adapter, { ...other, ...nothing }, other, 'linkAccount with undefined tokens')
    const empty = makeAccount(ada.user.id, { ...Object.fromEntries(names.map((name) => [name, ''])), expires_at: 0, expires_in: 0 })
    await expectLinked(adapter, empty, empty, 'linkAccount with empty tokens')
  }),

  contractCase('linkAccount stores and returns token_type in lower case', ['linkAccount'], async (adapter) => {
    const { ada } = await createFixture(adapter)
    for (const token_type of ['Bearer', 'DPoP']) {
      const account = makeAccount(ada.user.id, makeTokens())
      const stored = { ...account, token_type: token_type.toLowerCase() as Lowercase<string> }
      await expectLinked(adapter, { ...account, token_type: token_type as 'bearer' }, stored, `linkAccount with token_type ${token_type}`)
    }
  }),

  contractCase('linkAccount ignores unknown properties', ['linkAccount'], async (adapter) => {
    const { ada } = await createFixture(adapter)
    const account = makeAccount(ada.user.id, makeTokens())
    // Token endpoints of some providers return more than OAuth defines.
    const extra = { refresh_token_expires_in: 5_184_000, 'no such column': { nested: ['a'] }, id: unique('id') }
    await expectLinked(adapter, { ...account, ...extra }, account, 'linkAccount with unknown properties')
  }),

  contractCase('linkAccount rejects an account that belongs to another user', ['linkAccount'], async (adapter) => {
    const fixture = await createFixture(adapter)
    const { ada, bob } = fixture
    const stolen = makeAccount(bob.user.id, { ...accountKey(ada.accounts[0]), access_token: 'stolen' })
    await expectError(adapter.linkAccount(stolen), 'linkAccount of an account that belongs to another user')
    await fixture.verify('after linkAccount by another user')
  }),

  contractCase('linkAccount of an account that the user already has stores it once', ['linkAccount', 'unlinkAccount'], async (adapter) => {
    const { ada } = await createFixture(adapter)
    const [account] = ada.accounts
    const again = { ...account, ...makeTokens() }
    // The contract allows both: the account is replaced, or the call is rejected.
    const result = await settle(adapter.linkAccount(again))
    const stored = 'value' in result ? again : account
    if (adapter.getAccount)
      expectAccount(await adapter.getAccount(account.providerAccountId, account.provider), stored, 'getAccount after linkAccount again')
    expectRowOrNothing(await adapter.unlinkAccount(accountKey(account)), stored, 'unlinkAccount after linkAccount again', expectAccount)
    expectNothing(await adapter.unlinkAccount(accountKey(account)), 'unlinkAccount, the second time')
    expectNothing(await adapter.getUserByAccount?.(accountKey(account)), 'getUserByAccount after unlinkAccount')
  }),

  contractCase('getUserByAccount returns null if provider and id do not belong together', ['getUserByAccount'], async (adapter) => {
    const fixture = await createFixture(adapter)
    for (const key of unknownKeys(fixture)) expectNull(await adapter.getUserByAccount(key), `getUserByAccount(${show(key)})`)
  }),

  contractCase('getAccount returns null if provider and id do not belong together', ['getAccount'], async (adapter) => {
    const fixture = await createFixture(adapter)
    for (const key of unknownKeys(fixture))
      expectNull(await adapter.getAccount(key.providerAccountId, key.provider), `getAccount of ${show(key)}`)
  }),

  contractCase('unlinkAccount deletes one account', ['linkAccount', 'unlinkAccount'], async (adapter) => {
    const fixture = await createFixture(adapter)
    const [account] = fixture.ada.accounts
    expectRowOrNothing(await adapter.unlinkAccount(accountKey(account)), account, 'unlinkAccount', expectAccount)
    fixture.remove(account)
    await fixture.verify('after unlinkAccount')
  }),

  contractCase('unlinkAccount ignores unknown accounts', ['unlinkAccount'], async (adapter) => {
    const fixture = await createFixture(adapter)
    for (const key of unknownKeys(fixture)) expectNothing(await adapter.unlinkAccount(key), `unlinkAccount(${show(key)})`)
    await fixture.verify('after unlinkAccount of unknown accounts')
  }),

  contractCase('an unlinked account can be linked to another user', ['createUser', 'linkAccount', 'unlinkAccount'], async (adapter) => {
    const fixture = await createFixture(adapter)
    const { ada, bob } = fixture
    const [account] = ada.accounts
    for (const each of ada.accounts) await adapter.unlinkAccount(accountKey(each))
    fixture.remove(...ada.accounts)
    await fixture.verify('after the last account was unlinked')
    const relinked = makeAccount(bob.user.id, { ...makeTokens(), ...accountKey(account) })
    await expectLinked(adapter, relinked, relinked, 'linkAccount of an unlinked account')
    if (adapter.getUserByAccount)
      expectUser(await adapter.getUserByAccount(accountKey(account)), bob.user, 'getUserByAccount after linkAccount by another user')
    if (!adapter.deleteUser) return
    await adapter.deleteUser(ada.user.id)
    if (adapter.getUserByAccount)
      expectUser(await adapter.getUserByAccount(accountKey(account)), bob.user, 'getUserByAccount after deleteUser of the former owner')
  }),
]
