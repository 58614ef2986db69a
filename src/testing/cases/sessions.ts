import type { AdapterSession } from '../../models.js'
import { casesAbout } from '../case.js'
import { expectError, expectNothing, expectNull, expectRowOrNothing, expectSession, expectSessionAndUser, successes } from '../expect.js'
import { createFixture } from '../fixture.js'
import { daysFromNow, makeSession, unique } from '../rows.js'
import { show } from '../show.js'

const contractCase = casesAbout('operations')

export const sessionCases = [
  contractCase('createSession returns and stores the session', ['createSession'], async (adapter) => {
    const fixture = await createFixture(adapter)
    const { user } = fixture.ada
    for (const session of [makeSession(user.id), makeSession(user.id, { expires: daysFromNow(4_000) })]) {
      expectSession(await adapter.createSession(session), session, 'createSession')
      if (adapter.createUser && adapter.getSessionAndUser)
        expectSessionAndUser(await adapter.getSessionAndUser(session.sessionToken), { session, user }, 'getSessionAndUser')
    }
    await fixture.verify('after createSession of other sessions')
  }),

  contractCase('createSession rejects a token that is already taken', ['createSession'], async (adapter) => {
    const fixture = await createFixture(adapter)
    const { ada, bob } = fixture
    const { sessionToken } = ada.sessions[0]
    for (const { user } of [bob, ada])
      await expectError(adapter.createSession(makeSession(user.id, { sessionToken })), 'createSession with a taken token')
    await fixture.verify('after createSession with a taken token')
  }),

  contractCase('a session of an unknown user is rejected or not found', ['createSession', 'getSessionAndUser'], async (adapter) => {
    for (const userId of [crypto.randomUUID(), 'invalid-user-id', '']) {
      const session = makeSession(userId)
      await successes([adapter.createSession(session)])
      expectNull(await adapter.getSessionAndUser(session.sessionToken), `getSessionAndUser of a session of user ${show(userId)}`)
    }
  }),

  contractCase('getSessionAndUser returns null for an unknown token', ['getSessionAndUser'], async (adapter) => {
    const { ada } = await createFixture(adapter)
    for (const token of [unique('session'), '', 'undefined', 'null', ada.user.id, ada.user.email])
      expectNull(await adapter.getSessionAndUser(token), `getSessionAndUser(${show(token)})`)
  }),

  contractCase('updateSession changes the expiry of one session', ['createSession', 'updateSession'], async (adapter) => {
    const fixture = await createFixture(adapter)
    const { user, sessions } = fixture.ada
    const [session] = sessions
    const { sessionToken } = session
    const later = daysFromNow(60)
    for (const expires of [later, new Date(later.getTime() + 1), new Date(later.getTime() + 60_000), daysFromNow(3), daysFromNow(4_000)]) {
      session.expires = expires
      const what = `updateSession to ${expires.toISOString()}`
      expectRowOrNothing(await adapter.updateSession({ sessionToken, expires }), session, what, expectSession)
      if (adapter.createUser && adapter.getSessionAndUser)
        expectSessionAndUser(await adapter.getSessionAndUser(sessionToken), { session, user }, `getSessionAndUser after ${what}`)
    }
    await fixture.verify('after updateSession')
  }),

  contractCase(
    'updateSession moves a session to another user',
    ['createUser', 'createSession', 'updateSession', 'getSessionAndUser'],
    async (adapter) => {
      const fixture = await createFixture(adapter)
      const { ada, bob } = fixture
      const [session] = ada.sessions
      const { sessionToken } = session
      const moved = { ...session, userId: bob.user.id }
      expectRowOrNothing(
        await adapter.updateSession({ sessionToken, userId: bob.user.id }),
        moved,
        'updateSession of userId',
        expectSession,
      )
      const expected = { session: moved, user: bob.user }
      expectSessionAndUser(await adapter.getSessionAndUser(sessionToken), expected, 'getSessionAndUser after updateSession')
      if (!adapter.deleteUser) return
      await adapter.deleteUser(ada.user.id)
      expectSessionAndUser(
        await adapter.getSessionAndUser(sessionToken),
        expected,
        'getSessionAndUser after deleteUser of the former owner',
      )
      await adapter.deleteUser(bob.user.id)
      expectNull(await adapter.getSessionAndUser(sessionToken), 'getSessionAndUser after deleteUser of the new owner')
    },
  ),

  contractCase(
    'updateSession does not change fields that are undefined or unknown',
    ['createSession', 'updateSession'],
    async (adapter) => {
      const fixture = await createFixture(adapter)
      const [session] = fixture.ada.sessions
      const { sessionToken } = session
      for (const fields of [{}, { expires: undefined, userId: undefined }, { 'no such column': 1 }, session]) {
        const updated = await adapter.updateSession({ ...fields, sessionToken } as AdapterSession)
        expectRowOrNothing(updated, session, `updateSession with ${show(fields)}`, expectSession)
      }
      await fixture.verify('after updateSession without changes')
    },
  ),

  contractCase('updateSession of an unknown session returns nothing and creates none', ['updateSession'], async (adapter) => {
    const fixture = await createFixture(adapter)
    const [deleted] = fixture.ada.sessions
    const sessions = [makeSession(fixture.ada.user.id)]
    if (adapter.deleteSession) {
      await adapter.deleteSession(deleted.sessionToken)
      fixture.remove(deleted)
      sessions.push({ ...deleted, expires: daysFromNow(60) })
    }
    for (const session of sessions) {
      expectNothing(await adapter.updateSession(session), 'updateSession of an unknown session')
      expectNothing(await adapter.updateSession({ sessionToken: session.sessionToken }), 'updateSession of an unknown session')
      expectNothing(await adapter.getSessionAndUser?.(session.sessionToken), 'getSessionAndUser after updateSession of an unknown session')
    }
    await fixture.verify('after updateSession of an unknown session')
  }),

  contractCase('deleteSession deletes one session', ['createSession', 'deleteSession'], async (adapter) => {
    const fixture = await createFixture(adapter)
    for (const session of fixture.ada.sessions) {
      expectRowOrNothing(await adapter.deleteSession(session.sessionToken), session, 'deleteSession', expectSession)
      fixture.remove(session)
      await fixture.verify('after deleteSession')
      expectNothing(await adapter.deleteSession(session.sessionToken), 'deleteSession, the second time')
    }
  }),

  contractCase('deleteSession ignores unknown tokens', ['deleteSession'], async (adapter) => {
    const fixture = await createFixture(adapter)
    for (const token of [unique('session'), '', fixture.ada.user.id])
      expectNothing(await adapter.deleteSession(token), `deleteSession(${show(token)})`)
    await fixture.verify('after deleteSession of unknown tokens')
  }),
]
