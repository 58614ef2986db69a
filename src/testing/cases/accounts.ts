import type { AdapterAccount } from '../../models.js'
import { casesAbout } from '../case.js'
import { expectAccount, expectError, expectNothing, expectRowOrNothing, expectUser, settle } from '../expect.js'
import { createFixture, fixtureCasesAbout } from '../fixture.js'
import { accountKey, makeAccount, makeTokens, unique } from '../rows.js'
import type { Subject } from '../subject.js'

const contractCase = casesAbout('operations')
const fixtureCase = fixtureCasesAbout('operations')

/** Links an account, and expects it to be stored like this. */
async function expectLinked(adapter: Subject<'linkAccount'>, given: AdapterAccount, stored: AdapterAccount, what: string): Promise<void> {
  expectRowOrNothing(await adapter.linkAccount(given), stored, what, expectAccount)
  if (adapter.getAccount)
    expectAccount(await adapter.getAccount(stored.providerAccountId, stored.provider), stored, `getAccount after ${what}`)
}

export const accountCases = [
  fixtureCase('linkAccount stores every field of accounts of every type', ['linkAccount'], async (adapter, fixture) => {
    const { id } = fixture.ada.user
    for (const type of ['oauth', 'oidc', 'email', 'webauthn'] as const) {
      const account = makeAccount(id, { ...makeTokens(), type, provider: unique(type), expires_in: 3_600 })
      await expectLinked(adapter, account, account, `linkAccount of type ${type}`)
    }
  }),

  fixtureCase('linkAccount stores missing and empty fields', ['linkAccount'], async (adapter, { ada }) => {
    const account = makeAccount(ada.user.id)
    const names = Object.keys(makeTokens())
    await expectLinked(adapter, account, account, 'linkAccount without tokens')
    const other = makeAccount(ada.user.id)
    const nothing = Object.fromEntries(names.map((name) => [name, undefined]))
    await expectLinked(adapter, { ...other, ...nothing }, other, 'linkAccount with undefined tokens')
    const { access_token, id_token } = makeTokens()
    const some = makeAccount(ada.user.id, { access_token, id_token })
    await expectLinked(adapter, { ...nothing, ...some }, some, 'linkAccount with some tokens')
    const empty = makeAccount(ada.user.id, { ...Object.fromEntries(names.map((name) => [name, ''])), expires_at: 0, expires_in: 0 })
    await expectLinked(adapter, empty, empty, 'linkAccount with empty tokens')
  }),

  fixtureCase('linkAccount stores and returns token_type in lower case', ['linkAccount'], async (adapter, { ada }) => {
    for (const token_type of ['Bearer', 'DPoP']) {
      const account = makeAccount(ada.user.id, makeTokens())
      const stored = { ...account, token_type: token_type.toLowerCase() as Lowercase<string> }
      await expectLinked(adapter, { ...account, token_type: token_type as 'bearer' }, stored, `linkAccount with token_type ${token_type}`)
    }
  }),

  fixtureCase('linkAccount ignores unknown properties', ['linkAccount'], async (adapter, { ada }) => {
    const account = makeAccount(ada.user.id, makeTokens())
    // Token endpoints of some providers return more than OAuth defines.
    const extra = { refresh_token_expires_in: 5_184_000, 'no such column': { nested: ['a'] }, id: unique('id') }
    await expectLinked(adapter, { ...account, ...extra }, account, 'linkAccount with unknown properties')
  }),

  fixtureCase('linkAccount rejects an account that belongs to another user', ['linkAccount'], async (adapter, fixture) => {
    const { ada, bob } = fixture
    const stolen = makeAccount(bob.user.id, { ...accountKey(ada.accounts[0]), access_token: 'stolen' })
    await expectError(adapter.linkAccount(stolen), 'linkAccount of an account that belongs to another user')
  }),

  fixtureCase('linkAccount of an account of the same user stores it once', ['linkAccount', 'unlinkAccount'], async (adapter, fixture) => {
    const [account] = fixture.ada.accounts
    const again = { ...account, ...makeTokens() }
    // The contract allows both: the account is replaced, or the call is rejected.
    if ('value' in (await settle(adapter.linkAccount(again)))) Object.assign(account, again)
    expectRowOrNothing(await adapter.unlinkAccount(accountKey(account)), account, 'unlinkAccount', expectAccount)
    expectNothing(await adapter.unlinkAccount(accountKey(account)), 'unlinkAccount, the second time')
    fixture.remove(account)
  }),

  fixtureCase('unlinkAccount deletes one account', ['linkAccount', 'unlinkAccount'], async (adapter, { ada, remove, verify }) => {
    for (const account of ada.accounts) {
      expectRowOrNothing(await adapter.unlinkAccount(accountKey(account)), account, 'unlinkAccount', expectAccount)
      remove(account)
      await verify('after unlinkAccount')
    }
  }),

  contractCase('an unlinked account can be linked to another user', ['createUser', 'linkAccount', 'unlinkAccount'], async (adapter) => {
    const { ada, bob } = await createFixture(adapter)
    const [account] = ada.accounts
    await adapter.unlinkAccount(accountKey(account))
    const relinked = { ...account, userId: bob.user.id }
    await expectLinked(adapter, relinked, relinked, 'linkAccount of an unlinked account')
    await adapter.deleteUser?.(ada.user.id)
    if (adapter.getUserByAccount)
      expectUser(await adapter.getUserByAccount(accountKey(account)), bob.user, 'getUserByAccount after deleteUser of the former owner')
  }),
]
