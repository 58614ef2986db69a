import { casesAbout } from './case.js'
import { equal, fieldOf, isAccount, isNull, isObject, ok, rejection } from './expect.js'
import { inDays, someAccount, someSession, unique } from './fixtures.js'
import { show } from './show.js'
import { keyOfAccount, newUser } from './world.js'

const contractCase = casesAbout('beyond the contract')

/** What the operations of this package beyond the contract do, asked of adapters that have them. */
export const extensionCases = [
  contractCase('listAccounts gives the accounts of this user alone', ['createUser', 'linkAccount', 'listAccounts'], async (adapter) => {
    const [user, other] = [await newUser(adapter), await newUser(adapter)]
    const accounts = ['github', 'google'].map((provider) => someAccount(user.id, { provider, access_token: unique('token') }))
    for (const account of [...accounts, someAccount(other.id)]) await adapter.linkAccount(account)
    const listed = await adapter.listAccounts(user.id)
    equal(listed.length, accounts.length, 'listAccounts, how many')
    for (const account of accounts)
      isAccount(
        listed.find(({ provider }) => provider === account.provider),
        account,
        'listAccounts',
      )
    for (const nobody of [unique('user'), '', undefined as never])
      equal((await adapter.listAccounts(nobody)).length, 0, `listAccounts(${show(nobody)}), how many`)
  }),

  contractCase(
    'updateAccount changes what it is given, clears what is null, and creates nothing',
    ['createUser', 'linkAccount', 'getAccount', 'updateAccount'],
    async (adapter) => {
      const user = await newUser(adapter)
      const account = someAccount(user.id, { access_token: unique('old'), refresh_token: unique('kept'), scope: 'read' })
      await adapter.linkAccount(account)
      const { scope: _, ...rest } = account
      const expected = { ...rest, access_token: unique('new') }
      const changes = { ...keyOfAccount(account), access_token: expected.access_token, refresh_token: undefined, scope: null }
      isAccount(await adapter.updateAccount(changes), expected, 'updateAccount')
      isAccount(await adapter.getAccount(account.providerAccountId, account.provider), expected, 'getAccount after updateAccount')
      const unknown = { provider: account.provider, providerAccountId: unique('nobody') }
      isNull(await adapter.updateAccount({ ...unknown, scope: 'x' }), 'updateAccount of an unknown account')
      isNull(await adapter.getAccount(unknown.providerAccountId, unknown.provider), 'getAccount of an unknown account')
    },
  ),

  contractCase(
    'updateAccount never gives an account to another user',
    ['createUser', 'linkAccount', 'getAccount', 'updateAccount'],
    async (adapter) => {
      const [user, thief] = [await newUser(adapter), await newUser(adapter)]
      const account = someAccount(user.id)
      await adapter.linkAccount(account)
      await rejection(
        adapter.updateAccount({ ...keyOfAccount(account), userId: thief.id, scope: 'x' }),
        'updateAccount with another userId',
      )
      isAccount(await adapter.getAccount(account.providerAccountId, account.provider), account, 'getAccount after updateAccount')
    },
  ),

  contractCase(
    'of many who replace the same tokens at once, unlessChanged lets one',
    ['createUser', 'linkAccount', 'getAccount', 'updateAccount'],
    async (adapter, { peer }) => {
      const user = await newUser(adapter)
      const account = someAccount(user.id, { access_token: unique('old') })
      await adapter.linkAccount(account)
      const replace = (index: number) =>
        (index % 2 ? adapter : peer).updateAccount(
          { ...keyOfAccount(account), access_token: unique('new'), refresh_token: unique('new') },
          { unlessChanged: account },
        )
      const winners = (await Promise.all(Array.from({ length: 10 }, (_, index) => replace(index)))).filter((each) => each !== null)
      equal(winners.length, 1, 'updateAccount with unlessChanged, how many changed the account')
      const stored = await adapter.getAccount(account.providerAccountId, account.provider)
      equal(stored?.access_token, winners[0]?.access_token, 'getAccount, field access_token')
    },
  ),

  contractCase(
    'listSessions gives unexpired sessions, latest expiry first, and no token',
    ['createUser', 'createSession', 'listSessions', 'getSessionAndUser'],
    async (adapter) => {
      const [user, other] = [await newUser(adapter), await newUser(adapter)]
      const sessions = [2, 30, 7].map((days) => someSession(user.id, { expires: inDays(days) }))
      for (const session of [...sessions, someSession(user.id, { expires: inDays(-1) }), someSession(other.id)])
        await adapter.createSession(session)
      const [, latest, current] = sessions
      const listed = await adapter.listSessions(user.id, { current: current?.sessionToken })
      equal(listed.length, 3, 'listSessions, how many')
      equal(listed[0]?.expires, latest?.expires, 'listSessions, field expires of the first')
      equal(listed.map((each) => each.current).join(), 'false,true,false', 'listSessions, field current of each')
      for (const each of listed) {
        isObject(each, 'listSessions')
        const id = fieldOf(each, 'id', 'listSessions')
        ok(typeof id === 'string' && id !== '', `listSessions, field id: expected a text, got ${show(id)}`)
        isNull(await adapter.getSessionAndUser(id as string), 'getSessionAndUser by the id of a listed session')
      }
      for (const { sessionToken } of sessions)
        ok(!JSON.stringify(listed).includes(sessionToken), 'listSessions: expected no session token, got one')
      equal((await adapter.listSessions(unique('user'))).length, 0, 'listSessions of nobody, how many')
    },
  ),

  contractCase(
    'revokeSession deletes one session, of that user alone',
    ['createUser', 'createSession', 'getSessionAndUser', 'listSessions', 'revokeSession'],
    async (adapter) => {
      const [user, other] = [await newUser(adapter), await newUser(adapter)]
      const [session, kept] = [someSession(user.id, { expires: inDays(9) }), someSession(user.id, { expires: inDays(3) })]
      for (const each of [session, kept]) await adapter.createSession(each)
      const id = (await adapter.listSessions(user.id))[0]?.id as string
      for (const [who, wrong] of [
        [other.id, id],
        [user.id, unique('id')],
        [user.id, kept.sessionToken],
      ] as const)
        equal(await adapter.revokeSession(who, wrong), false, 'revokeSession by an id that is not one of the user')
      equal(await adapter.revokeSession(user.id, id), true, 'revokeSession')
      equal(await adapter.revokeSession(user.id, id), false, 'revokeSession, the second time')
      isNull(await adapter.getSessionAndUser(session.sessionToken), 'getSessionAndUser of a revoked session')
      isObject(await adapter.getSessionAndUser(kept.sessionToken), 'getSessionAndUser of another session')
    },
  ),

  contractCase(
    'revokeSessions deletes all sessions of that user, but for one',
    ['createUser', 'createSession', 'getSessionAndUser', 'revokeSessions'],
    async (adapter) => {
      const [user, other] = [await newUser(adapter), await newUser(adapter)]
      const sessions = [someSession(user.id), someSession(user.id), someSession(user.id)]
      const theirs = someSession(other.id)
      for (const session of [...sessions, theirs]) await adapter.createSession(session)
      equal(await adapter.revokeSessions(user.id, { except: sessions[0]?.sessionToken }), 2, 'revokeSessions with except')
      isObject(await adapter.getSessionAndUser(sessions[0]?.sessionToken as string), 'getSessionAndUser of the session to keep')
      isNull(await adapter.getSessionAndUser(sessions[1]?.sessionToken as string), 'getSessionAndUser of a revoked session')
      equal(await adapter.revokeSessions(user.id), 1, 'revokeSessions')
      isNull(await adapter.getSessionAndUser(sessions[0]?.sessionToken as string), 'getSessionAndUser after revokeSessions')
      equal(await adapter.revokeSessions(unique('user')), 0, 'revokeSessions of nobody')
      isObject(await adapter.getSessionAndUser(theirs.sessionToken), 'getSessionAndUser of another user’s session')
    },
  ),
]
