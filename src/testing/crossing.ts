import { crossing, raceCase, underWay } from './atonce.js'
import { equal, isNull, settled } from './expect.js'
import { inDays, someAccount, someSession, someUser } from './fixtures.js'
import type { OperationName, Subject } from './subject.js'
import { expectWorld, viewsOf } from './views.js'
import type { Part, World } from './world.js'
import { furnish, keyOfAccount, newUser } from './world.js'

/** A change of a world that lookups may cross. */
interface Change {
  operation: OperationName
  /** What creates its row. */
  creator: OperationName
  act(adapter: Subject, world: World): Promise<unknown> | undefined
  gone?: readonly Part[]
  changed?(world: World): World
}

const expires = inDays(88)
const counter = 88_888

const changes: readonly Change[] = [
  {
    operation: 'updateUser',
    creator: 'createUser',
    act: (adapter, { user }) => adapter.updateUser?.({ id: user.id, name: 'Grace' }),
    changed: (world) => ({ ...world, user: { ...world.user, name: 'Grace' } }),
  },
  {
    operation: 'updateSession',
    creator: 'createSession',
    act: (adapter, { session }) => adapter.updateSession?.({ sessionToken: session.sessionToken, expires }),
    changed: (world) => ({ ...world, session: { ...world.session, expires } }),
  },
  {
    operation: 'updateAuthenticatorCounter',
    creator: 'createAuthenticator',
    act: (adapter, { authenticator }) => adapter.updateAuthenticatorCounter?.(authenticator.credentialID, counter),
    changed: (world) => ({ ...world, authenticator: { ...world.authenticator, counter } }),
  },
  {
    operation: 'deleteSession',
    creator: 'createSession',
    act: (adapter, { session }) => adapter.deleteSession?.(session.sessionToken),
    gone: ['session'],
  },
  {
    operation: 'unlinkAccount',
    creator: 'linkAccount',
    act: (adapter, { account }) => adapter.unlinkAccount?.(keyOfAccount(account)),
    gone: ['account'],
  },
  {
    operation: 'deleteUser',
    creator: 'createUser',
    act: (adapter, { user }) => adapter.deleteUser?.(user.id),
    gone: ['user', 'account', 'session', 'authenticator'],
  },
]

/** Calls of two kinds that are under way at the same time. */
export const crossingCases = [
  raceCase('a lookup that crosses a change gives nobody the row as it was before, once the change is made', [], async (adapter) => {
    for (const { operation, creator, act, gone = [], changed = (world: World) => world } of changes) {
      if (!adapter[operation] || !adapter[creator]) continue
      for (const later of crossing) {
        const world = await furnish(adapter)
        const lookups = viewsOf(adapter, world).filter((view) => view.operation !== 'useVerificationToken')
        // These may find the row as it was, or as it is.
        const crossed = underWay(lookups.map(({ look }) => look()))
        await later()
        await act(adapter, world)
        const expected = { gone, ignored: ['token'] as const }
        await expectWorld(adapter, changed(world), `after ${operation}, while lookups were under way`, expected)
        await crossed
        await expectWorld(adapter, changed(world), `after ${operation} that lookups crossed`, expected)
      }
    }
  }),

  raceCase('calls that fail take nothing back that others wrote at the same time', [], async (adapter) => {
    const { user: ada, account, session, authenticator } = await furnish(adapter)
    for (const later of crossing) {
      const user = await newUser(adapter, { emailVerified: inDays(-1) })
      const failing = () =>
        underWay(
          [
            adapter.createUser?.(someUser({ email: ada.email })),
            adapter.linkAccount?.({ ...account, userId: user.id }),
            adapter.createSession?.({ ...session, userId: user.id }),
            adapter.createAuthenticator?.({ ...authenticator, userId: user.id }),
          ].map((call) => call && settled<unknown>(call)),
        )
      const first = failing()
      const writing = underWay([furnish(adapter, {}, user), furnish(adapter, {}, user)])
      await later()
      await Promise.all([first, failing()])
      for (const world of await writing) await expectWorld(adapter, world, 'after others failed at the same time')
    }
  }),

  raceCase(
    'a session that is deleted while it is prolonged stays deleted',
    ['createSession', 'updateSession', 'deleteSession'],
    async (adapter, atOnce) => {
      for (const later of crossing) {
        const { session } = await furnish(adapter)
        const { sessionToken } = session
        await atOnce(6, async (each, index) => {
          if (index !== 2) return each.updateSession({ sessionToken, expires: inDays(60) })
          await later()
          return each.deleteSession(sessionToken)
        })
        const left = adapter.getSessionAndUser ? await adapter.getSessionAndUser(sessionToken) : await adapter.deleteSession(sessionToken)
        equal(left ?? null, null, 'getSessionAndUser or deleteSession, after deleteSession among updates')
      }
    },
  ),

  raceCase('a user who is deleted while it is changed stays deleted', ['createUser', 'deleteUser'], async (adapter) => {
    for (const later of crossing) {
      const world = await furnish(adapter)
      const { user, authenticator } = world
      const count = () => adapter.createAuthenticator && adapter.updateAuthenticatorCounter?.(authenticator.credentialID, 9_999)
      // Which of them comes first is nobody's choice: a change may fail.
      const calls: (PromiseLike<unknown> | undefined)[] = [
        adapter.updateUser?.({ id: user.id, name: 'Grace' }),
        count(),
        later().then(() => adapter.deleteUser(user.id)),
        adapter.updateUser?.({ id: user.id, image: null }),
        count(),
      ]
      await Promise.all(calls.map((call) => call && settled(call)))
      await expectWorld(adapter, world, 'after deleteUser among updates', {
        gone: ['user', 'authenticator'],
        ignored: ['token', 'account', 'session'],
      })
    }
  }),

  raceCase(
    'a sign-in that crosses deleteUser signs nobody in',
    ['createUser', 'deleteUser', ['createSession', 'linkAccount'], ['getSessionAndUser', 'getUserByAccount', 'getUser']],
    async (adapter) => {
      for (const later of crossing) {
        const user = await newUser(adapter)
        const [session, account] = [someSession(user.id), someAccount(user.id)]
        // Which of them comes first is nobody's choice: the sign-in may fail.
        const calls = [adapter.createSession?.(session), adapter.linkAccount?.(account), later().then(() => adapter.deleteUser(user.id))]
        await Promise.all(calls.map((call) => call && settled<unknown>(call)))
        if (adapter.getSessionAndUser) isNull(await adapter.getSessionAndUser(session.sessionToken), 'getSessionAndUser after deleteUser')
        if (adapter.getUserByAccount) isNull(await adapter.getUserByAccount(keyOfAccount(account)), 'getUserByAccount after deleteUser')
        if (adapter.getUser) isNull(await adapter.getUser(user.id), 'getUser after deleteUser')
      }
    },
  ),
]
