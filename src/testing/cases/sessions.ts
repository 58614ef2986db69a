import type { AdapterSession } from '../../models.js'
import { casesAbout } from '../case.js'
import { expectError, expectNothing, expectNull, expectRowOrNothing, expectSession, expectSessionAndUser, successes } from '../expect.js'
import { createFixture, fixtureCasesAbout } from '../fixture.js'
import { daysFromNow, makeSession } from '../rows.js'
import { show } from '../show.js'

const contractCase = casesAbout('operations')
const fixtureCase = fixtureCasesAbout('operations')

export const sessionCases = [
  fixtureCase('createSession returns and stores the session', ['createSession'], async (adapter, fixture) => {
    const { user } = fixture.ada
    for (const session of [makeSession(user.id), makeSession(user.id, { expires: daysFromNow(4_000) })]) {
      expectSession(await adapter.createSession(session), session, 'createSession')
      if (adapter.createUser && adapter.getSessionAndUser)
        expectSessionAndUser(await adapter.getSessionAndUser(session.sessionToken), { session, user }, 'getSessionAndUser')
    }
  }),

  fixtureCase('createSession rejects a token that is already taken', ['createSession'], async (adapter, fixture) => {
    const { ada, bob } = fixture
    const { sessionToken } = ada.sessions[0]
    for (const { user } of [bob, ada])
      await expectError(adapter.createSession(makeSession(user.id, { sessionToken })), 'createSession with a taken token')
  }),

  contractCase('a session of an unknown user is rejected or not found', ['createSession', 'getSessionAndUser'], async (adapter) => {
    for (const userId of [crypto.randomUUID(), 'invalid-user-id', '']) {
      const session = makeSession(userId)
      await successes([adapter.createSession(session)])
      expectNull(await adapter.getSessionAndUser(session.sessionToken), `getSessionAndUser of a session of user ${show(userId)}`)
    }
  }),

  fixtureCase('updateSession changes the expiry of one session', ['createSession', 'updateSession'], async (adapter, fixture) => {
    const { user, sessions } = fixture.ada
    const [session] = sessions
    const { sessionToken } = session
    const later = daysFromNow(60)
    for (const expires of [
      later,
      new Date(later.getTime() + 1_000),
      new Date(later.getTime() + 60_000),
      daysFromNow(3),
      daysFromNow(4_000),
    ]) {
      session.expires = expires
      const what = `updateSession to ${expires.toISOString()}`
      expectRowOrNothing(await adapter.updateSession({ sessionToken, expires }), session, what, expectSession)
      if (adapter.createUser && adapter.getSessionAndUser)
        expectSessionAndUser(await adapter.getSessionAndUser(sessionToken), { session, user }, `getSessionAndUser after ${what}`)
    }
  }),

  contractCase(
    'updateSession moves a session to another user',
    ['createUser', 'createSession', 'updateSession', 'getSessionAndUser'],
    async (adapter) => {
      const { ada, bob } = await createFixture(adapter)
      const session = { ...ada.sessions[0], userId: bob.user.id, expires: daysFromNow(60) }
      const { sessionToken } = session
      await adapter.getSessionAndUser(sessionToken)
      expectRowOrNothing(await adapter.updateSession(session), session, 'updateSession of userId and expires', expectSession)
      // A cache or an index of sessions by user must be updated, too.
      await adapter.deleteUser?.(ada.user.id)
      expectSessionAndUser(await adapter.getSessionAndUser(sessionToken), { session, user: bob.user }, 'getSessionAndUser')
      await adapter.deleteUser?.(bob.user.id)
      if (adapter.deleteUser) expectNothing(await adapter.deleteSession?.(sessionToken), 'deleteSession after deleteUser of the new owner')
    },
  ),

  fixtureCase(
    'updateSession does not change fields that are undefined or unknown',
    ['createSession', 'updateSession'],
    async (adapter, fixture) => {
      const [session] = fixture.ada.sessions
      const { sessionToken } = session
      for (const fields of [{}, { expires: undefined, userId: undefined }, { 'no such column': 1 }, session]) {
        const updated = await adapter.updateSession({ ...fields, sessionToken } as AdapterSession)
        expectRowOrNothing(updated, session, `updateSession with ${show(fields)}`, expectSession)
      }
    },
  ),

  fixtureCase('deleteSession deletes one session', ['createSession', 'deleteSession'], async (adapter, fixture) => {
    for (const session of fixture.ada.sessions) {
      expectRowOrNothing(await adapter.deleteSession(session.sessionToken), session, 'deleteSession', expectSession)
      fixture.remove(session)
      await fixture.verify('after deleteSession')
      expectNothing(await adapter.deleteSession(session.sessionToken), 'deleteSession, the second time')
      expectNothing(await adapter.updateSession?.(session), 'updateSession after deleteSession')
    }
  }),
]
