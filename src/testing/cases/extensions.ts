import { casesAbout } from '../case.js'
import { expectAccount, expectEqual, expectError, expectNull, expectSessionAndUser, fail } from '../expect.js'
import { createFixture, createUser, fixtureCasesAbout } from '../fixture.js'
import { accountKey, daysFromNow, makeSession, unique } from '../rows.js'
import { show } from '../show.js'

const extensionCase = casesAbout('beyond the contract')
const fixtureCase = fixtureCasesAbout('beyond the contract')

/** Cases for the operations of this package that the contract does not have. */
export const extensionCases = [
  fixtureCase('listAccounts returns all accounts of one user', ['createUser', 'linkAccount', 'listAccounts'], async (adapter, { ada }) => {
    const listed = await adapter.listAccounts(ada.user.id)
    expectEqual(listed.length, ada.accounts.length, 'listAccounts, number of accounts')
    for (const account of ada.accounts) {
      const found = listed.find(({ providerAccountId }) => providerAccountId === account.providerAccountId)
      expectAccount(found, account, 'listAccounts')
    }
    for (const id of [unique('user'), '', undefined as never])
      expectEqual((await adapter.listAccounts(id)).length, 0, `listAccounts(${show(id)}), number of accounts`)
  }),

  fixtureCase(
    'updateAccount changes only the given fields of one account',
    ['createUser', 'linkAccount', 'getAccount', 'updateAccount'],
    async (adapter, fixture) => {
      const [account] = fixture.ada.accounts
      const changes = { ...accountKey(account), access_token: unique('new'), refresh_token: undefined, scope: null }
      account.access_token = changes.access_token
      delete account.scope
      expectAccount(await adapter.updateAccount(changes), account, 'updateAccount')
      const unknown = { provider: account.provider, providerAccountId: unique('account') }
      expectNull(await adapter.updateAccount({ ...unknown, scope: 'x' }), 'updateAccount of an unknown account')
      expectNull(await adapter.getAccount(unknown.providerAccountId, unknown.provider), 'getAccount of an unknown account')
    },
  ),

  fixtureCase('updateAccount rejects another userId', ['createUser', 'linkAccount', 'updateAccount'], async (adapter, fixture) => {
    const changes = { ...accountKey(fixture.ada.accounts[0]), userId: fixture.bob.user.id, scope: 'x' }
    await expectError(adapter.updateAccount(changes), 'updateAccount with another userId')
  }),

  extensionCase(
    'updateAccount with unlessChanged lets one of many callers replace the tokens',
    ['createUser', 'linkAccount', 'getAccount', 'updateAccount'],
    async (adapter, { peer }) => {
      const [account] = (await createFixture(adapter)).ada.accounts
      const replace = (index: number) =>
        (index % 2 ? adapter : peer).updateAccount(
          { ...accountKey(account), access_token: unique('new'), refresh_token: unique('new') },
          { unlessChanged: account },
        )
      const winners = (await Promise.all(Array.from({ length: 10 }, (_, index) => replace(index)))).filter((each) => each !== null)
      expectEqual(winners.length, 1, 'updateAccount with unlessChanged, number of callers who changed the account')
      const stored = await adapter.getAccount(account.providerAccountId, account.provider)
      expectEqual(stored?.access_token, winners[0]?.access_token, 'getAccount, field access_token')
    },
  ),

  extensionCase(
    'listSessions returns the unexpired sessions of one user without their tokens',
    ['createUser', 'createSession', 'listSessions', 'getSessionAndUser'],
    async (adapter) => {
      const { id } = await createUser(adapter)
      await createFixture(adapter)
      const sessions = [2, 30, 7].map((days) => makeSession(id, { expires: daysFromNow(days) }))
      for (const session of [...sessions, makeSession(id, { expires: daysFromNow(-1) })]) await adapter.createSession(session)
      const listed = await adapter.listSessions(id, { current: sessions[2]?.sessionToken })
      expectEqual(listed.length, 3, 'listSessions, number of sessions')
      expectEqual(listed[0]?.expires, sessions[1]?.expires, 'listSessions, field expires of the first session')
      expectEqual(listed.map(({ current }) => current).join(), 'false,true,false', 'listSessions, field current of each session')
      for (const each of listed) expectNull(await adapter.getSessionAndUser(each.id), 'getSessionAndUser by the id of a listed session')
      for (const { sessionToken } of sessions)
        if (JSON.stringify(listed).includes(sessionToken)) fail('listSessions: expected no session token, got one')
      expectEqual((await adapter.listSessions(unique('user'))).length, 0, 'listSessions of an unknown user, number of sessions')
    },
  ),

  fixtureCase(
    'revokeSession deletes one session of the given user',
    ['createUser', 'createSession', 'getSessionAndUser', 'listSessions', 'revokeSession'],
    async (adapter, { ada, bob }) => {
      // It expires last, so it is the first that is listed.
      const session = await adapter.createSession(makeSession(ada.user.id, { expires: daysFromNow(60) }))
      const id = (await adapter.listSessions(ada.user.id))[0]?.id as string
      expectEqual(await adapter.revokeSession(bob.user.id, id), false, 'revokeSession of another user')
      for (const unknown of [unique('id'), ada.sessions[0].sessionToken])
        expectEqual(await adapter.revokeSession(ada.user.id, unknown), false, 'revokeSession by an unknown id')
      expectEqual(await adapter.revokeSession(ada.user.id, id), true, 'revokeSession')
      expectEqual(await adapter.revokeSession(ada.user.id, id), false, 'revokeSession, the second time')
      expectNull(await adapter.getSessionAndUser(session.sessionToken), 'getSessionAndUser after revokeSession')
    },
  ),

  fixtureCase(
    'revokeSessions deletes all sessions of one user except the given one',
    ['createUser', 'createSession', 'getSessionAndUser', 'revokeSessions'],
    async (adapter, fixture) => {
      const { user, sessions } = fixture.ada
      const [session, other] = sessions
      expectEqual(await adapter.revokeSessions(user.id, { except: session.sessionToken }), 1, 'revokeSessions with except')
      expectNull(await adapter.getSessionAndUser(other.sessionToken), 'getSessionAndUser after revokeSessions')
      expectSessionAndUser(await adapter.getSessionAndUser(session.sessionToken), { session, user }, 'getSessionAndUser')
      expectEqual(await adapter.revokeSessions(user.id), 1, 'revokeSessions')
      expectEqual(await adapter.revokeSessions(unique('user')), 0, 'revokeSessions of an unknown user')
      fixture.remove(...sessions)
    },
  ),
]
