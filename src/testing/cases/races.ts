import type { AdapterUser } from '../../models.js'
import type { Needed, Needs } from '../case.js'
import { casesAbout, missingOperations } from '../case.js'
import { changes } from '../changes.js'
import { expectEqual, expectNull, expectToken, fail, successes } from '../expect.js'
import { createFixture, createUser, idOf, lookupsOf, makePerson, storePerson, verifyPerson, verifyUser } from '../fixture.js'
import { accountKey, daysFromNow, makeAccount, makeAuthenticator, makeSession, makeToken, makeUser, tokenKey, unique } from '../rows.js'
import type { OperationName, Subject } from '../subject.js'

const raceCase = casesAbout('races')

/** Races are repeated, because a bug does not show every time. */
const rounds = [1, 2, 3]

/** When the second of two calls starts: at once, or some milliseconds after the first. */
const delays = [0, 1, 3]

const after = async <T>(milliseconds: number, call: () => PromiseLike<T> | T): Promise<T> => {
  if (milliseconds > 0) await new Promise<void>((resolve) => setTimeout(resolve, milliseconds))
  return call()
}

/** Runs concurrent calls that alternate between the adapters, and waits for all of them. Fails if any call throws. */
async function atOnce<A, T>(adapters: readonly [A, A], count: number, call: (adapter: A, index: number) => Promise<T>): Promise<T[]> {
  const calls = Array.from({ length: count }, (_, index) => call(adapters[index % 2] as A, index))
  await Promise.allSettled(calls)
  return Promise.all(calls)
}

/** Waits for calls that may throw, depending on which comes first. */
const anyOrder = (calls: readonly (PromiseLike<unknown> | undefined)[]) => successes(calls.map(async (call) => call))

const numberOf = (results: readonly unknown[]) => results.filter((result) => result != null).length

/** A case in which many callers delete the same row. An operation that never returns a row has no winner. */
const deletionCase = <Name extends OperationName>(
  operation: Name,
  creator: OperationName,
  remove: (adapter: Subject<Name>, person: Awaited<ReturnType<typeof createFixture>>['ada']) => Promise<unknown>,
) =>
  raceCase(`${operation} returns the row to one of many callers`, [creator, operation], async (adapter, { peer }) => {
    for (const _ of rounds) {
      const { ada } = await createFixture(adapter)
      const winners = numberOf(await atOnce([adapter, peer], 10, (each) => remove(each as Subject<Name>, ada)))
      if (winners > 1) fail(`${operation}: expected one of ten callers to get the row, got ${winners}`)
    }
  })

/** A case in which several users want the same key. `create` returns the id of the user who got it. */
const creationCase = <const N extends Needs>(
  name: string,
  needs: N,
  create: (adapter: Subject<Needed<N>>, userId: string, key: string) => Promise<string>,
  ownerOf: (adapter: Subject<Needed<N>>, key: string) => Promise<string | undefined>,
) =>
  raceCase(name, needs, async (adapter, { peer }) => {
    for (const _ of rounds) {
      const key = unique('key')
      const users = [await createUser(adapter), await createUser(adapter), await createUser(adapter), await createUser(adapter)]
      const winners = await successes(users.map(({ id }, index) => create(index % 2 ? peer : adapter, id, key)))
      expectEqual(winners.length, 1, `${needs.at(-1)}, number of users who got the same key`)
      const owner = await ownerOf(adapter, key)
      if (owner !== undefined) expectEqual(owner, winners[0], `${needs.at(-1)}, user who has the key`)
    }
  })

export const raceCases = [
  raceCase(
    'useVerificationToken returns a token to one of fifty callers',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter, { peer }) => {
      for (const _ of rounds) {
        const token = makeToken()
        await adapter.createVerificationToken(token)
        const used = await atOnce([adapter, peer], 50, (each) => each.useVerificationToken(tokenKey(token)))
        expectEqual(numberOf(used), 1, 'useVerificationToken, number of callers who got the token')
      }
    },
  ),

  deletionCase('deleteSession', 'createSession', (adapter, { sessions }) => adapter.deleteSession(sessions[0].sessionToken)),
  deletionCase('unlinkAccount', 'linkAccount', (adapter, { accounts }) => adapter.unlinkAccount(accountKey(accounts[0]))),
  deletionCase('deleteUser', 'createUser', (adapter, { user }) => adapter.deleteUser(user.id)),

  creationCase(
    'createUser creates one user for an email that many want',
    ['createUser'],
    async (adapter, _, email) => idOf(await adapter.createUser(makeUser({ email }))),
    async (adapter, email) => (await adapter.getUserByEmail?.(email))?.id,
  ),
  creationCase(
    'updateUser gives an email to one of many users',
    ['createUser', 'updateUser'],
    async (adapter, id, email) => (await adapter.updateUser({ id, email })).id,
    async (adapter, email) => (await adapter.getUserByEmail?.(email))?.id,
  ),
  creationCase(
    'linkAccount links an account to one of many users',
    ['createUser', 'linkAccount'],
    async (adapter, userId, providerAccountId) => {
      await adapter.linkAccount(makeAccount(userId, { providerAccountId }))
      return userId
    },
    async (adapter, providerAccountId) => (await adapter.getUserByAccount?.({ provider: 'github', providerAccountId }))?.id,
  ),
  creationCase(
    'createSession creates one session for a token that many want',
    ['createUser', 'createSession'],
    async (adapter, userId, sessionToken) => (await adapter.createSession(makeSession(userId, { sessionToken }))).userId,
    async (adapter, sessionToken) => (await adapter.getSessionAndUser?.(sessionToken))?.user.id,
  ),
  creationCase(
    'createAuthenticator creates one authenticator for a credential that many want',
    ['createUser', 'createAuthenticator'],
    async (adapter, userId, credentialID) => (await adapter.createAuthenticator(makeAuthenticator(userId, { credentialID }))).userId,
    async (adapter, credentialID) => (await adapter.getAuthenticator?.(credentialID))?.userId,
  ),

  raceCase('createUser generates different ids for many users', ['createUser'], async (adapter, { peer }) => {
    const create = async (each: typeof adapter) => idOf(await each.createUser({ email: makeUser().email } as AdapterUser))
    const ids = await atOnce([adapter, peer], 20, create)
    expectEqual(new Set(ids).size, ids.length, 'createUser, number of different ids')
  }),

  raceCase('updates of different fields of a user are all kept', ['createUser', 'updateUser'], async (adapter, { peer }) => {
    for (const _ of rounds) {
      const user = await createUser(adapter)
      const image = 'https://example.com/grace.png'
      const changes = [{ name: 'Grace' }, { image }, { emailVerified: daysFromNow(-3) }, { email: makeUser().email }]
      await atOnce([adapter, peer], changes.length, (each, index) => each.updateUser({ id: user.id, ...changes[index] }))
      await verifyUser(adapter, Object.assign(user, ...changes), 'after updates of four fields')
    }
  }),

  raceCase('rows of one user that are created at once are all stored', ['createUser'], async (adapter, { peer }) => {
    const user = await createUser(adapter)
    const people = Array.from({ length: 5 }, () => makePerson(user))
    await Promise.all(people.map((person, index) => storePerson(index % 2 ? peer : adapter, person)))
    const all = {
      user,
      accounts: people.flatMap(({ accounts }) => accounts),
      sessions: people.flatMap(({ sessions }) => sessions),
      authenticators: people.flatMap(({ authenticators }) => authenticators),
    }
    await verifyPerson(adapter, all, 'after all rows were created')
    const { createVerificationToken, useVerificationToken } = adapter
    if (!createVerificationToken || !useVerificationToken) return
    for (const token of people.flatMap(({ tokens }) => tokens))
      expectToken(await useVerificationToken(tokenKey(token)), token, 'useVerificationToken')
  }),

  raceCase('rows that are written at once do not affect each other', [], async (adapter, { peer }) => {
    for (const isCreatedFirst of [true, false]) {
      for (const delay of delays) {
        const fixture = await createFixture(adapter)
        const { user, accounts, sessions, authenticators, tokens } = fixture.ada
        const created = makePerson(user)
        // Each change twice: the second must not fail because of the first.
        const writes = [...changes, ...changes].filter(({ needs }) => missingOperations(adapter, needs).length === 0)
        const change = () => atOnce([adapter, peer], writes.length, async (each, index) => writes[index]?.apply(each, fixture))
        const create = () =>
          Promise.all<unknown>([
            ...created.accounts.map((account) => peer.linkAccount?.(account)),
            ...created.sessions.map((session) => peer.createSession?.(session)),
            ...created.authenticators.map((authenticator) => peer.createAuthenticator?.(authenticator)),
            ...created.tokens.map((token) => peer.createVerificationToken?.(token)),
          ])
        const [first, second] = isCreatedFirst ? [create, change] : [change, create]
        await Promise.all<unknown>([first(), after(delay, second)])
        accounts.push(...created.accounts)
        sessions.push(...created.sessions)
        authenticators.push(...created.authenticators)
        tokens.push(...created.tokens)
        await fixture.verify('after all rows were written')
      }
    }
  }),

  raceCase(
    'a session that is deleted during updateSession stays deleted',
    ['createUser', 'createSession', 'updateSession', 'deleteSession', 'getSessionAndUser'],
    async (adapter, { peer }) => {
      for (const delay of delays) {
        const { sessionToken } = (await createFixture(adapter)).ada.sessions[0]
        const update = () => adapter.updateSession({ sessionToken, expires: daysFromNow(60) })
        await Promise.all([update(), after(delay, () => peer.deleteSession(sessionToken)), update()])
        expectNull(await adapter.getSessionAndUser(sessionToken), 'getSessionAndUser after deleteSession during updateSession')
      }
    },
  ),

  raceCase('a user who is deleted during updates stays deleted', ['createUser', 'deleteUser'], async (adapter, { peer }) => {
    for (const delay of delays) {
      const fixture = await createFixture(adapter)
      const { user, authenticators } = fixture.ada
      await anyOrder([
        adapter.updateUser?.({ id: user.id, name: 'Grace' }),
        adapter.createAuthenticator && adapter.updateAuthenticatorCounter?.(authenticators[0].credentialID, 9_999),
        after(delay, () => peer.deleteUser(user.id)),
        adapter.updateUser?.({ id: user.id, image: null }),
      ])
      fixture.removePerson(fixture.ada)
      await fixture.verify('after deleteUser during updates')
    }
  }),

  raceCase('a sign-in during deleteUser signs nobody in', ['createUser', 'deleteUser'], async (adapter, { peer }) => {
    for (const delay of delays) {
      const { user, accounts, sessions } = makePerson(await createUser(adapter))
      const deletion = after(delay, () => peer.deleteUser(user.id))
      await anyOrder([adapter.createSession?.(sessions[0]), adapter.linkAccount?.(accounts[0]), deletion])
      const bySession = adapter.createSession && (await adapter.getSessionAndUser?.(sessions[0].sessionToken))
      expectEqual(bySession ?? null, null, 'getSessionAndUser after deleteUser')
      const byAccount = adapter.linkAccount && (await adapter.getUserByAccount?.(accountKey(accounts[0])))
      expectEqual(byAccount ?? null, null, 'getUserByAccount after deleteUser')
    }
  }),

  raceCase('lookups at once return their own rows', ['createUser'], async (adapter) => {
    const fixtures = [await createFixture(adapter), await createFixture(adapter), await createFixture(adapter)]
    const lookups = fixtures.flatMap(({ ada, bob }) => [...lookupsOf(adapter, ada), ...lookupsOf(adapter, bob)])
    const unknown = makePerson(makeUser())
    const gone = new Set([unknown.user, ...unknown.accounts, ...unknown.sessions, ...unknown.authenticators])
    const all = [...lookupsOf(adapter, { ...unknown, authenticators: [] }, gone), ...lookups]
    await Promise.all(all.map(async ({ operation, look, expect }) => expect(await look(), `${operation}, among other lookups`)))
  }),

  raceCase('a lookup during a change does not bring back the old row', ['createUser'], async (adapter, { peer }) => {
    const writes = changes.filter(({ needs }) => missingOperations(adapter, needs).length === 0)
    for (const delay of delays) {
      const fixture = await createFixture(adapter, {}, peer)
      const lookups = [...lookupsOf(peer, fixture.ada), ...lookupsOf(peer, fixture.bob)].map(({ look }) => look())
      await after(delay, () => Promise.all(writes.map(({ apply }) => apply(adapter, fixture))))
      await anyOrder(lookups)
      await fixture.verify('after changes during lookups')
    }
  }),

  raceCase('a call that fails undoes no other call', ['createUser'], async (adapter) => {
    const { ada } = await createFixture(adapter)
    for (const delay of delays) {
      const person = makePerson(await createUser(adapter))
      const { id: userId } = person.user
      const failing = () =>
        anyOrder([
          adapter.createUser(makeUser({ email: ada.user.email })),
          adapter.linkAccount?.({ ...ada.accounts[0], userId }),
          adapter.createSession?.({ ...ada.sessions[0], userId }),
          adapter.createAuthenticator?.({ ...ada.authenticators[0], userId }),
          adapter.updateUser?.({ id: userId, email: ada.user.email }),
        ])
      await Promise.all([failing(), storePerson(adapter, person), after(delay, failing)])
      await verifyPerson(adapter, person, 'after other calls failed at the same time')
    }
  }),
]
