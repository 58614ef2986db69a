import type { AdapterUser } from '../models.js'
import { casesAbout } from './case.js'
import { equal, fieldOf, fieldsOf, isNothing } from './expect.js'
import { inDays, someUser } from './fixtures.js'
import { timeOf } from './show.js'
import type { Subject } from './subject.js'
import { viewsOf } from './views.js'
import type { Rows, World } from './world.js'
import { furnish, newUser } from './world.js'

const contractCase = casesAbout('freshness')

/** The lookups, and what creates the row that each of them finds. */
const creators = {
  getUser: 'createUser',
  getUserByEmail: 'createUser',
  getUserByAccount: 'linkAccount',
  getAccount: 'linkAccount',
  getSessionAndUser: 'createSession',
  getAuthenticator: 'createAuthenticator',
  listAuthenticatorsByUserId: 'createAuthenticator',
} as const

type Lookup = keyof typeof creators
const lookups = Object.keys(creators) as Lookup[]

const names = new Set<string>(Object.values(fieldsOf).flat())

/** The same values in the fields of the contract, in rows, in lists, and in a session with its user. */
function expectSame(second: unknown, first: unknown, what: string): void {
  if (typeof first === 'object' && first !== null && timeOf(first) === undefined) {
    for (const name of [...names, 'user', 'session', 'length', '0'])
      expectSame(fieldOf(Object(second), name, what), fieldOf(first, name, what), `${what}, field ${name}`)
  } else equal(second ?? null, first ?? null, what)
}

/** Values that a copy of a row easily loses. */
const worlds: readonly [user: Partial<AdapterUser>, rows: Rows][] = [
  [
    { name: null, image: null, emailVerified: null },
    {
      account: { access_token: undefined, refresh_token: undefined, scope: undefined, expires_at: undefined },
      authenticator: { credentialBackedUp: false, transports: undefined },
    } as unknown as Rows,
  ],
  [
    { name: '', image: inDays(1).toISOString(), emailVerified: inDays(-1) },
    { account: { access_token: '', expires_at: 0 }, authenticator: { counter: 0, credentialBackedUp: true, transports: '' } },
  ],
]

/** An adapter that is not given fields which are undefined. */
function leavingOut(adapter: Subject): Subject {
  const defined = <Row extends object>(row: Row) =>
    Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Row
  const { createAuthenticator, ...others } = adapter
  return createAuthenticator ? { ...others, createAuthenticator: (row) => createAuthenticator(defined(row)) } : others
}

/** What lookups give that were made before. */
export const repetitionCases = [
  contractCase('a lookup gives the same the second time, whatever the fields hold', [], async (adapter) => {
    for (const [user, rows] of worlds) {
      const world = await furnish(leavingOut(adapter), rows, await newUser(adapter, user))
      for (const { operation, look } of viewsOf(adapter, world)) {
        if (operation === 'useVerificationToken') continue
        const first = await look()
        expectSame(await look(), first, `${operation}, the second time`)
      }
    }
  }),

  // With rows of one kind, so that no other lookup makes up for what this one does not forget.
  contractCase(
    'a lookup that was made alone sees its user changed or deleted, in every row',
    ['createUser', ['updateUser', 'deleteUser'], lookups],
    async (adapter) => {
      for (const change of ['updateUser', 'deleteUser'] as const) {
        for (const operation of lookups) {
          const creator = creators[operation]
          if (!adapter[change] || !adapter[operation] || !adapter[creator]) continue
          const rows: Subject = { createUser: adapter.createUser, [creator]: adapter[creator] }
          const first = await furnish(rows)
          const isOfMany = creator === 'linkAccount' || creator === 'createSession'
          const worlds = isOfMany ? [first, await furnish(rows, {}, first.user)] : [first]
          const viewOf = (world: World) => viewsOf(adapter, world).find((view) => view.operation === operation)
          for (const world of worlds) await viewOf(world)?.look()
          const { id, email } = first.user
          const changed = { id, name: 'Grace', email: someUser().email }
          if (change === 'updateUser') await adapter.updateUser?.(changed)
          else await adapter.deleteUser?.(id)
          const what = `${operation} after ${change}`
          for (const world of worlds) {
            const old = viewOf(world)
            if (change === 'deleteUser') old?.expectNothing(await old.look(), what)
            const view = viewOf({ ...world, user: { ...world.user, ...changed } })
            if (change === 'updateUser') view?.expect(await view.look(), what)
          }
          if (operation === 'getUserByEmail') isNothing(await adapter.getUserByEmail?.(email), `${what}, by the address before`)
        }
      }
    },
  ),
]
