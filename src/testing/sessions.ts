import { equal, includes, isNull, ok, rejection, successes } from './expect.js'
import { contractCase, inDays, someSession, someUser, unique } from './fixtures.js'

export const sessionCases = [
  contractCase(
    'createSession returns the session that getSessionAndUser then finds with its user',
    ['createUser', 'createSession', 'getSessionAndUser'],
    async (adapter) => {
      const user = await adapter.createUser(someUser())
      const session = someSession(user.id)
      const created = await adapter.createSession(session)
      includes(created, session, 'createSession')
      ok(created.expires instanceof Date, 'createSession: expires must be a Date')
      const found = await adapter.getSessionAndUser(session.sessionToken)
      equal(found, { session: created, user }, 'getSessionAndUser')
      ok(found?.session.expires instanceof Date, 'getSessionAndUser: expires must be a Date')
    },
  ),

  contractCase(
    'getSessionAndUser gives an expired session, which the library removes',
    ['createUser', 'createSession', 'getSessionAndUser'],
    async (adapter) => {
      const user = await adapter.createUser(someUser())
      const session = someSession(user.id, { expires: inDays(-1) })
      await adapter.createSession(session)
      includes((await adapter.getSessionAndUser(session.sessionToken))?.session, session, 'getSessionAndUser')
    },
  ),

  contractCase('getSessionAndUser gives null for an unknown session', ['getSessionAndUser'], async (adapter) => {
    isNull(await adapter.getSessionAndUser(unique('session')), 'getSessionAndUser')
    isNull(await adapter.getSessionAndUser(''), 'getSessionAndUser of an empty token')
  }),

  contractCase(
    'a user may have several sessions',
    ['createUser', 'createSession', 'getSessionAndUser', 'deleteSession'],
    async (adapter) => {
      const user = await adapter.createUser(someUser())
      const [first, second] = [someSession(user.id), someSession(user.id)]
      await adapter.createSession(first)
      await adapter.createSession(second)
      await adapter.deleteSession(first.sessionToken)
      isNull(await adapter.getSessionAndUser(first.sessionToken), 'the deleted session')
      includes((await adapter.getSessionAndUser(second.sessionToken))?.session, second, 'the other session')
    },
  ),

  contractCase('createSession takes a session token once', ['createUser', 'createSession'], async (adapter) => {
    const [ada, bob] = await Promise.all([adapter.createUser(someUser()), adapter.createUser(someUser())])
    const { sessionToken } = someSession('')
    const created = await successes([ada, bob].map(({ id }) => adapter.createSession(someSession(id, { sessionToken }))))
    equal(created.length, 1, 'how many sessions of one token were created')
  }),

  contractCase(
    'updateSession changes what it is given, and nothing else',
    ['createUser', 'createSession', 'updateSession', 'getSessionAndUser'],
    async (adapter) => {
      const user = await adapter.createUser(someUser())
      const [session, other] = [someSession(user.id), someSession(user.id)]
      const created = await adapter.createSession(session)
      const untouched = await adapter.createSession(other)
      const expires = inDays(60)
      const updated = await adapter.updateSession({ sessionToken: session.sessionToken, expires })
      equal(updated, { ...created, expires }, 'updateSession')
      equal((await adapter.getSessionAndUser(session.sessionToken))?.session, updated, 'getSessionAndUser')
      equal((await adapter.getSessionAndUser(other.sessionToken))?.session, untouched, 'another session')
    },
  ),

  contractCase(
    'updateSession that changes nothing returns the session',
    ['createUser', 'createSession', 'updateSession'],
    async (adapter) => {
      const user = await adapter.createUser(someUser())
      const session = await adapter.createSession(someSession(user.id))
      equal(await adapter.updateSession({ sessionToken: session.sessionToken }), session, 'no field')
      equal(await adapter.updateSession(session), session, 'every field as it was')
    },
  ),

  contractCase('updateSession of an unknown session gives null', ['updateSession'], async (adapter) => {
    isNull((await adapter.updateSession({ sessionToken: unique('session'), expires: inDays(1) })) ?? null, 'updateSession')
  }),

  contractCase(
    'deleteSession returns the session that it deleted, and null for an unknown one',
    ['createUser', 'createSession', 'deleteSession', 'getSessionAndUser'],
    async (adapter) => {
      const user = await adapter.createUser(someUser())
      const session = await adapter.createSession(someSession(user.id))
      equal(await adapter.deleteSession(session.sessionToken), session, 'deleteSession')
      isNull(await adapter.getSessionAndUser(session.sessionToken), 'getSessionAndUser of a deleted session')
      isNull(await adapter.deleteSession(session.sessionToken), 'deleteSession, a second time')
    },
  ),

  contractCase('createSession refuses a date that is none', ['createUser', 'createSession', 'getSessionAndUser'], async (adapter) => {
    const user = await adapter.createUser(someUser())
    const session = someSession(user.id, { expires: new Date(Number.NaN) })
    await rejection(adapter.createSession(session), 'createSession')
    isNull(await adapter.getSessionAndUser(session.sessionToken), 'getSessionAndUser')
  }),
]
