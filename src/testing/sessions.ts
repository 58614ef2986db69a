import { casesAbout } from './case.js'
import { equal, fieldOf, isNothing, isNull, isRowOrNothing, isSession, isSessionAndUser, rejection, settled, successes } from './expect.js'
import { inDays, someAccount, someSession, unique } from './fixtures.js'
import { show } from './show.js'
import { furnish, newUser } from './world.js'

const contractCase = casesAbout('operations')

export const sessionCases = [
  contractCase('createSession returns the session', ['createSession'], async (adapter) => {
    const user = await newUser(adapter)
    for (const session of [
      someSession(user.id),
      someSession(user.id, { expires: inDays(-1) }),
      someSession(user.id, { expires: inDays(4_000) }),
    ])
      isSession(await adapter.createSession(session), session, `createSession that expires ${session.expires.toISOString()}`)
    const session = someSession(user.id)
    const given = { ...session, 'no such column': 1 }
    isSession(await adapter.createSession(given), session, 'createSession with an unknown property')
  }),

  contractCase(
    'getSessionAndUser gives each session with its user, however many accounts and sessions that has',
    ['createUser', 'createSession', 'getSessionAndUser'],
    async (adapter) => {
      const user = await newUser(adapter)
      for (const provider of ['github', 'google']) await adapter.linkAccount?.(someAccount(user.id, { provider }))
      const sessions = [30, 2, 60].map((days) => someSession(user.id, { expires: inDays(days) }))
      for (const session of sessions) await adapter.createSession(session)
      for (const session of sessions)
        isSessionAndUser(await adapter.getSessionAndUser(session.sessionToken), session, user, 'getSessionAndUser')
    },
  ),

  contractCase('getSessionAndUser gives null for an unknown session', ['getSessionAndUser'], async (adapter) => {
    const { user } = await furnish(adapter)
    for (const token of [unique('session'), '', 'undefined', 'null', user.id])
      isNull(await adapter.getSessionAndUser(token), `getSessionAndUser(${show(token)})`)
  }),

  contractCase(
    'getSessionAndUser neither prolongs nor uses up a session',
    ['createUser', 'createSession', 'getSessionAndUser'],
    async (adapter) => {
      const { user, session } = await furnish(adapter, { session: { expires: inDays(0.01) } })
      for (const time of ['first', 'second', 'third'])
        isSessionAndUser(await adapter.getSessionAndUser(session.sessionToken), session, user, `getSessionAndUser, the ${time} time`)
    },
  ),

  contractCase('a session of nobody is refused, or gives null', ['createSession', 'getSessionAndUser'], async (adapter) => {
    for (const userId of [crypto.randomUUID(), 'invalid-user-id', '']) {
      const session = someSession(userId)
      await successes([adapter.createSession(session)])
      isNull(await adapter.getSessionAndUser(session.sessionToken), `getSessionAndUser of a session of user ${show(userId)}`)
    }
  }),

  contractCase('createSession refuses a token that is taken, and leaves its session alone', ['createSession'], async (adapter) => {
    const { user, session } = await furnish(adapter)
    const eve = await newUser(adapter)
    const taken = someSession(eve.id, { sessionToken: session.sessionToken, expires: inDays(1) })
    await rejection(adapter.createSession(taken), 'createSession with a token that is taken')
    if (adapter.getSessionAndUser && adapter.createUser)
      isSessionAndUser(
        await adapter.getSessionAndUser(session.sessionToken),
        session,
        user,
        'getSessionAndUser after createSession with its token',
      )
    else if (adapter.deleteSession)
      isRowOrNothing(
        await adapter.deleteSession(session.sessionToken),
        session,
        'deleteSession after createSession with its token',
        isSession,
      )
  }),

  contractCase('one token makes one session, also when many are created at once', ['createSession'], async (adapter, { peer }) => {
    const users = await Promise.all(Array.from({ length: 5 }, () => newUser(adapter)))
    const { sessionToken } = someSession('')
    const create = (by: typeof adapter, userId: string) => by.createSession(someSession(userId, { sessionToken }))
    const created = await successes(users.map(({ id }, index) => create(index % 2 ? peer : adapter, id)))
    equal(created.length, 1, 'createSession: how many of five sessions with one token were created')
  }),

  contractCase('updateSession moves the expiry, later and earlier', ['createSession', 'updateSession'], async (adapter) => {
    const { user, session } = await furnish(adapter)
    const { sessionToken } = session
    const later = inDays(60)
    // Small changes are changes, too.
    const smallSteps = [1, 1_000, 60_000, 600_000].map((milliseconds) => new Date(later.getTime() + milliseconds))
    for (const expires of [later, ...smallSteps, inDays(3), inDays(4_000), inDays(0.001)]) {
      const what = `updateSession to ${expires.toISOString()}`
      isRowOrNothing(await adapter.updateSession({ sessionToken, expires }), { ...session, expires }, what, isSession)
      if (adapter.getSessionAndUser && adapter.createUser)
        isSessionAndUser(await adapter.getSessionAndUser(sessionToken), { ...session, expires }, user, `getSessionAndUser after ${what}`)
    }
  }),

  contractCase(
    'updateSession gives the session to another user where it is told so',
    ['createUser', 'createSession', 'updateSession'],
    async (adapter) => {
      const { user: ada, session } = await furnish(adapter)
      const bob = await newUser(adapter)
      const { sessionToken } = session
      for (const [owner, change] of [
        [bob, { userId: bob.id }],
        [ada, { userId: ada.id, expires: inDays(60) }],
      ] as const) {
        Object.assign(session, change)
        const what = `updateSession of ${Object.keys(change).join(', ')} to another user`
        isRowOrNothing(await adapter.updateSession({ sessionToken, ...change }), session, what, isSession)
        if (adapter.getSessionAndUser)
          isSessionAndUser(await adapter.getSessionAndUser(sessionToken), session, owner, `getSessionAndUser after ${what}`)
      }
    },
  ),

  contractCase(
    'a session that is given to nobody is refused, left alone, or signs nobody in',
    ['createUser', 'createSession', 'updateSession', 'getSessionAndUser'],
    async (adapter) => {
      const [user, victim] = [await newUser(adapter), await newUser(adapter)]
      for (const userId of [crypto.randomUUID(), null, [victim.id], { toString: () => victim.id }]) {
        const session = someSession(user.id)
        const { sessionToken } = session
        await adapter.createSession(session)
        const what = `updateSession with userId: ${show(userId)}`
        const result = await settled(adapter.updateSession({ sessionToken, userId: userId as string }))
        const found = await adapter.getSessionAndUser(sessionToken)
        if ('value' in result && result.value == null && found === null) continue
        const owner = 'value' in result && result.value ? fieldOf(result.value, 'userId', what) : user.id
        if (owner === user.id) isSessionAndUser(found, session, user, `getSessionAndUser after ${what}`)
        else {
          equal(owner, typeof userId === 'string' ? userId : user.id, `${what}, field userId`)
          isNull(found, `getSessionAndUser after ${what}`)
        }
      }
    },
  ),

  contractCase('updateSession that changes nothing leaves the session as it is', ['createSession', 'updateSession'], async (adapter) => {
    const { user, session } = await furnish(adapter)
    const { sessionToken } = session
    const nothing = { sessionToken, expires: undefined, userId: undefined } as unknown as { sessionToken: string }
    for (const [given, what] of [
      [{ sessionToken }, 'no field'],
      [nothing, 'undefined'],
      [session, 'every field as it was'],
      [{ sessionToken, 'no such column': 1 }, 'an unknown field'],
    ] as const) {
      isRowOrNothing(await adapter.updateSession(given), session, `updateSession with ${what}`, isSession)
      if (adapter.getSessionAndUser && adapter.createUser)
        isSessionAndUser(await adapter.getSessionAndUser(sessionToken), session, user, `getSessionAndUser after updateSession with ${what}`)
    }
  }),

  contractCase('updateSession of an unknown or deleted session gives nothing, and creates none', ['updateSession'], async (adapter) => {
    const { session } = await furnish(adapter)
    const unknown = someSession(session.userId)
    isNothing(await adapter.updateSession(unknown), 'updateSession of an unknown session')
    isNothing(await adapter.updateSession({ sessionToken: unknown.sessionToken }), 'updateSession of an unknown session with no field')
    if (adapter.getSessionAndUser)
      isNull(await adapter.getSessionAndUser(unknown.sessionToken), 'getSessionAndUser after updateSession of an unknown session')
    if (!adapter.deleteSession) return
    await adapter.deleteSession(session.sessionToken)
    isNothing(await adapter.updateSession({ ...session, expires: inDays(9) }), 'updateSession of a deleted session')
    if (adapter.getSessionAndUser)
      isNull(await adapter.getSessionAndUser(session.sessionToken), 'getSessionAndUser after updateSession of a deleted session')
  }),

  contractCase(
    'deleteSession deletes the session, and does not mind an unknown one',
    ['createSession', 'deleteSession'],
    async (adapter) => {
      const { session } = await furnish(adapter)
      isRowOrNothing(await adapter.deleteSession(session.sessionToken), session, 'deleteSession', isSession)
      if (adapter.getSessionAndUser) isNull(await adapter.getSessionAndUser(session.sessionToken), 'getSessionAndUser of a deleted session')
      isNothing(await adapter.deleteSession(session.sessionToken), 'deleteSession, a second time')
      for (const token of [unique('session'), ''])
        isNothing(await adapter.deleteSession(token), `deleteSession(${show(token)}), of no session`)
    },
  ),
]
