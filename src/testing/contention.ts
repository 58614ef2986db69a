import type { AdapterUser } from '../models.js'
import { crossing, raceCase, underWay } from './atonce.js'
import { equal, isNull, isObject, isToken, settled, successes } from './expect.js'
import { inDays, someAccount, someSession, someUser, unique } from './fixtures.js'
import { expectAuthenticator, expectWorld } from './views.js'
import { furnish, idOf, keyOfAccount, keyOfToken, newUser } from './world.js'

/** Writes that are under way at the same time. */
export const contentionCases = [
  raceCase('of many who want one address at once, one gets it', ['createUser', 'updateUser'], async (adapter, _, peer) => {
    for (const later of crossing) {
      for (const isCreatedFirst of [true, false]) {
        const [ada, bob] = [await newUser(adapter), await newUser(peer)]
        const { email } = someUser()
        const change = (by: typeof adapter, { id }: AdapterUser) => by.updateUser({ id, email }).then(() => id)
        const create = () => peer.createUser(someUser({ email })).then(idOf)
        const [first, second] = isCreatedFirst ? [create, () => change(adapter, ada)] : [() => change(adapter, ada), create]
        const winners = await successes([first(), later(second), later(() => change(peer, bob))])
        equal(new Set(winners).size, 1, 'createUser and updateUser at once: how many of three got one address')
        if (!adapter.getUserByEmail) continue
        const found = await adapter.getUserByEmail(email)
        equal(found?.id, winners[0], 'getUserByEmail of an address that three wanted, field id')
      }
    }
  }),

  raceCase('a write undoes no other write that is made for the same user or address', [], async (adapter, _, peer) => {
    const { user } = await furnish(adapter)
    const { session: kept } = await furnish(adapter, {}, user)
    let world = await furnish(adapter, {}, user)
    const rounds = crossing.slice(1, 3).flatMap((later) => [0, 1, 2].map((first) => ({ later, first })))
    for (const [round, { later, first }] of rounds.entries()) {
      const [name, expires, counter] = [unique('Grace'), inDays(50 + round), 5_000 + round]
      const { account, session, authenticator, token } = world
      const next = await furnish({}, {}, user)
      let used: unknown
      const use = async () => {
        used = await adapter.useVerificationToken?.(keyOfToken(token))
      }
      const updates = () => [
        adapter.createUser && adapter.updateUser?.({ id: user.id, name }),
        adapter.createSession && adapter.updateSession?.({ sessionToken: kept.sessionToken, expires }),
        adapter.createAuthenticator && adapter.updateAuthenticatorCounter?.(authenticator.credentialID, counter),
      ]
      const deletions = () => [adapter.deleteSession?.(session.sessionToken), adapter.unlinkAccount?.(keyOfAccount(account)), use()]
      const creations = () => [
        peer.linkAccount?.(next.account),
        peer.createSession?.(next.session),
        peer.createAuthenticator?.(next.authenticator),
        peer.createVerificationToken?.(next.token),
      ]
      const writes = [updates, deletions, creations].map((calls, index) => {
        const begin = () => underWay<unknown>(calls())
        return index === first ? begin() : later(begin)
      })
      await Promise.all(writes)
      const left = { ...next, user: adapter.updateUser ? { ...user, name } : user }
      const changed = {
        ...world,
        user: left.user,
        session: adapter.updateSession ? { ...kept, expires } : kept,
        authenticator: adapter.updateAuthenticatorCounter ? { ...authenticator, counter } : authenticator,
      }
      const when = 'after other rows of its user were written at the same time'
      await expectWorld(adapter, left, when, { ignored: ['token', 'authenticator'] })
      if (adapter.createAuthenticator && adapter.getAuthenticator)
        isObject(
          await adapter.getAuthenticator(next.authenticator.credentialID),
          `getAuthenticator ${when}: expected a row (authenticator)`,
        )
      await expectWorld(adapter, changed, when, { gone: adapter.unlinkAccount ? ['account'] : [], ignored: ['token'] })
      if (adapter.deleteSession && adapter.getSessionAndUser)
        isNull(await adapter.getSessionAndUser(session.sessionToken), `getSessionAndUser of a deleted session ${when}`)
      if (adapter.createVerificationToken && adapter.useVerificationToken) {
        isToken(used, token, 'useVerificationToken, while others were created and used for its address')
        isNull(await adapter.useVerificationToken(keyOfToken(token)), 'useVerificationToken of a used token, after another was created')
      }
      world = next
    }
  }),

  raceCase('calls that fail take nothing back that others wrote at the same time', [], async (adapter) => {
    const { user: ada, account, session, authenticator } = await furnish(adapter)
    for (const [round, later] of crossing.entries()) {
      const user = await newUser(adapter, { emailVerified: inDays(-1) })
      const failing = () =>
        underWay(
          [
            adapter.createUser?.(someUser({ email: ada.email })),
            adapter.linkAccount?.({ ...account, userId: user.id }),
            adapter.createSession?.({ ...session, userId: user.id }),
            adapter.createAuthenticator?.({ ...authenticator, userId: user.id }),
            adapter.createUser && adapter.updateUser?.({ id: user.id, email: ada.email }),
            adapter.updateUser?.({ id: crypto.randomUUID(), name: 'Nobody' }),
            adapter.updateAuthenticatorCounter?.(unique('credential'), 1),
          ].map((call) => call && settled<unknown>(call)),
        )
      const first = failing()
      const writing = underWay([furnish(adapter, {}, user), furnish(adapter, {}, user)])
      const [name, counter] = [unique('Grace'), 5_000 + round]
      const changing = underWay<unknown>([
        adapter.createUser && adapter.updateUser?.({ id: user.id, name }),
        adapter.createAuthenticator && adapter.updateAuthenticatorCounter?.(authenticator.credentialID, counter),
      ])
      await later(() => Promise.all([first, failing()]))
      await changing
      const when = 'after others failed at the same time'
      const changed = adapter.updateUser ? { ...user, name } : user
      for (const world of await writing) await expectWorld(adapter, { ...world, user: changed }, when)
      if (adapter.createAuthenticator && adapter.updateAuthenticatorCounter)
        await expectAuthenticator(adapter, { ...authenticator, counter }, when)
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
          return later(() => each.deleteSession(sessionToken))
        })
        const left = adapter.getSessionAndUser ? await adapter.getSessionAndUser(sessionToken) : await adapter.deleteSession(sessionToken)
        equal(left ?? null, null, 'getSessionAndUser or deleteSession, after deleteSession among updates')
      }
    },
  ),

  raceCase('a user who is deleted while it is changed stays deleted', ['createUser', 'deleteUser'], async (adapter, _, peer) => {
    for (const later of crossing) {
      const world = await furnish(adapter)
      const { user, authenticator } = world
      const count = () => adapter.createAuthenticator && adapter.updateAuthenticatorCounter?.(authenticator.credentialID, 9_999)
      // Which of them comes first is nobody's choice: a change may fail.
      const calls: (PromiseLike<unknown> | undefined)[] = [
        adapter.updateUser?.({ id: user.id, name: 'Grace' }),
        count(),
        later(() => peer.deleteUser(user.id)),
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
        const calls = [adapter.createSession?.(session), adapter.linkAccount?.(account), later(() => adapter.deleteUser(user.id))]
        await Promise.all(calls.map((call) => call && settled<unknown>(call)))
        if (adapter.getSessionAndUser) isNull(await adapter.getSessionAndUser(session.sessionToken), 'getSessionAndUser after deleteUser')
        if (adapter.getUserByAccount) isNull(await adapter.getUserByAccount(keyOfAccount(account)), 'getUserByAccount after deleteUser')
        if (adapter.getUser) isNull(await adapter.getUser(user.id), 'getUser after deleteUser')
      }
    },
  ),
]
