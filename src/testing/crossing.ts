import { crossing, raceCase, underWay } from './atonce.js'
import { isUser } from './expect.js'
import { inDays, someUser } from './fixtures.js'
import type { OperationName, Subject } from './subject.js'
import { expectUser, expectWorld, viewsOf } from './views.js'
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

/** The lookups of a world that change nothing. */
const lookupsOf = (adapter: Subject, world: World) =>
  viewsOf(adapter, world).filter(({ operation }) => operation !== 'useVerificationToken')

/** One of the two expectations holds. */
function either(first: () => void, second: () => void): void {
  try {
    first()
  } catch {
    second()
  }
}

/** Lookups that are under way while rows are written. */
export const crossingCases = [
  raceCase(
    'a lookup that crosses a change gives nobody the row as it was before, once the change is made',
    [],
    async (adapter, _, peer) => {
      for (const [index, { operation, creator, act, gone = [], changed = (world: World) => world }] of changes.entries()) {
        if (!adapter[operation] || !adapter[creator]) continue
        for (const [round, later] of crossing.entries()) {
          const reader = (index + round) % 2 ? adapter : peer
          const world = await furnish(adapter)
          const after = changed(world)
          const lookups = lookupsOf(reader, world)
          const crossed = underWay(lookups.map(({ look }) => look()))
          await later(() => act(adapter, world))
          const expected = { gone, ignored: ['token'] as const }
          await expectWorld(reader, after, `after ${operation}, while lookups were under way`, expected)
          const found = await crossed
          // They may have found the row as it was, or as it is, but nothing in between.
          for (const [at, view] of lookupsOf(reader, after).entries()) {
            const what = `${view.operation} that crossed ${operation}`
            const isGone = view.parts.some((part) => gone.includes(part))
            either(
              () => (isGone ? view.expectNothing : view.expect)(found[at], what),
              () => lookups[at]?.expect(found[at], what),
            )
          }
          await expectWorld(reader, after, `after ${operation} that lookups crossed`, expected)
        }
      }
    },
  ),

  raceCase('a lookup that crosses the creation of its row does not hide it', [], async (adapter, _, peer) => {
    for (const [round, later] of crossing.slice(0, 3).entries()) {
      const reader = round % 2 ? peer : adapter
      const [planned, { email }] = [someUser(), someUser()]
      const byUser = underWay([reader.getUserByEmail?.(planned.email), reader.getUser?.(planned.id)])
      const user = await later(() => newUser(adapter, planned))
      if (adapter.createUser) await expectUser(reader, user, 'after createUser, while lookups were under way')
      await byUser
      if (adapter.createUser) await expectUser(reader, user, 'after createUser that lookups crossed')

      // No row of this world is there yet, but for its user.
      const world = await furnish({}, {}, user)
      const byRow = underWay(lookupsOf(reader, world).map(({ look }) => look()))
      await later(() =>
        Promise.all([
          adapter.linkAccount?.(world.account),
          adapter.createSession?.(world.session),
          adapter.createAuthenticator?.(world.authenticator),
        ]),
      )
      const ignored = ['token'] as const
      await expectWorld(reader, world, 'after its creation, while lookups were under way', { ignored })
      await byRow
      await expectWorld(reader, world, 'after its creation that lookups crossed', { ignored })

      if (!adapter.createUser || !adapter.updateUser || !reader.getUserByEmail) continue
      const byAddress = underWay([reader.getUserByEmail(email)])
      await later(() => adapter.updateUser?.({ id: user.id, email }))
      await byAddress
      isUser(await reader.getUserByEmail(email), { ...user, email }, 'getUserByEmail after updateUser that it crossed')
    }
  }),
]
