import { raceCase } from './atonce.js'
import { equal, isNull } from './expect.js'
import { inDays, someAuthenticator, someToken, unique } from './fixtures.js'
import type { Subject } from './subject.js'
import { expectWorld, isList, viewsOf } from './views.js'
import type { Part, World } from './world.js'
import { furnish, keyOfAccount, keyOfToken, newUser } from './world.js'

export const parallelCases = [
  raceCase('rows that are written at once each get their own values', [], async (adapter, atOnce) => {
    const users = await atOnce(3, (each) => newUser(each, { emailVerified: inDays(-1) }))
    // Two of each for every user: some stores keep what a user has in one place.
    const worlds = await atOnce(6, (each, index) => furnish(each, {}, users[index % 3]))
    const [leaving, last] = (await atOnce(2, (each) => furnish(each))) as [World, World]
    const names = users.map(() => unique('Grace'))
    const changed = worlds.map(({ user, session, authenticator, ...rest }, index) => ({
      ...rest,
      user: adapter.updateUser ? { ...user, name: names[index % 3] as string } : user,
      session: adapter.updateSession ? { ...session, expires: inDays(50 + index) } : session,
      authenticator: adapter.updateAuthenticatorCounter ? { ...authenticator, counter: 5_000 + index } : authenticator,
    }))
    const change = (each: Subject, { user, session, authenticator }: World) =>
      Promise.all([
        adapter.createUser && each.updateUser?.({ id: user.id, name: user.name ?? null }),
        adapter.createSession && each.updateSession?.({ sessionToken: session.sessionToken, expires: session.expires }),
        adapter.createAuthenticator && each.updateAuthenticatorCounter?.(authenticator.credentialID, authenticator.counter),
      ])
    const created: World[] = []
    const calls: ((each: Subject) => Promise<unknown> | undefined)[] = [
      (each) => each.deleteSession?.(last.session.sessionToken),
      (each) => each.deleteUser?.(leaving.user.id),
      (each) => each.unlinkAccount?.(keyOfAccount(last.account)),
      ...changed.map((world) => (each: Subject) => change(each, world)),
      async (each) => created.push(await furnish(each)),
    ]
    await atOnce(calls.length, async (each, index) => calls[index]?.(each))
    for (const world of [...changed, ...created]) await expectWorld(adapter, world, 'after many were written at once')
    const all = ['user', 'account', 'session', 'authenticator'] as const
    if (adapter.deleteUser) await expectWorld(adapter, leaving, 'after it was deleted among many', { gone: all, ignored: ['token'] })
  }),

  raceCase('rows of one user that are deleted at once all go', [['deleteSession', 'unlinkAccount']], async (adapter, atOnce) => {
    const user = await newUser(adapter)
    const worlds = await atOnce(6, (each) => furnish(each, {}, user))
    const gone: Part[] = [...(adapter.deleteSession ? ['session' as const] : []), ...(adapter.unlinkAccount ? ['account' as const] : [])]
    await atOnce(worlds.length, async (each, index) => {
      // Each deletes what another made.
      const { session, account } = worlds[(index + 1) % worlds.length] as World
      await Promise.all([each.deleteSession?.(session.sessionToken), each.unlinkAccount?.(keyOfAccount(account))])
    })
    for (const world of worlds) await expectWorld(adapter, world, 'after many were deleted at once', { gone })
  }),

  raceCase(
    'tokens that are created at once for one address all work',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter, atOnce) => {
      const { identifier } = someToken()
      const tokens = Array.from({ length: 10 }, () => someToken({ identifier }))
      await atOnce(10, (each, index) => each.createVerificationToken(tokens[index] as (typeof tokens)[number]))
      const used = await atOnce(10, (each, index) => each.useVerificationToken(keyOfToken(tokens[index] as (typeof tokens)[number])))
      for (const [index, token] of tokens.entries())
        equal(used[index]?.token, token.token, 'useVerificationToken of ten at once, field token')
      for (const token of tokens)
        isNull(await adapter.useVerificationToken(keyOfToken(token)), 'useVerificationToken, a second time, after ten were used at once')
    },
  ),

  raceCase(
    'authenticators that are created at once for one user are all listed',
    ['createAuthenticator', 'listAuthenticatorsByUserId'],
    async (adapter, atOnce) => {
      const user = await newUser(adapter)
      await atOnce(10, (each) => each.createAuthenticator(someAuthenticator(user.id)))
      const listed = isList(await adapter.listAuthenticatorsByUserId(user.id), 'listAuthenticatorsByUserId')
      equal(listed.length, 10, 'listAuthenticatorsByUserId after ten were created at once: how many')
    },
  ),

  raceCase('of more than a hundred lookups at once, the last one finds its row, too', [], async (adapter) => {
    const world = await furnish(adapter)
    const strangers = await Promise.all(Array.from({ length: 101 }, () => furnish({})))
    for (const { operation, expect, look } of viewsOf(adapter, world)) {
      if (operation === 'useVerificationToken') continue
      // What is looked up most has the largest batches.
      const others = strangers.slice(0, operation === 'getSessionAndUser' ? 101 : operation === 'getUser' ? 26 : 11)
      const views = others.map((stranger) => viewsOf(adapter, stranger).find((view) => view.operation === operation))
      const found = await Promise.all([...views.map((view) => view?.look()), look()])
      expect(found.at(-1), `${operation}, the last of ${found.length} at once`)
    }
  }),

  raceCase('lookups that are made at once get their own answers', [], async (adapter) => {
    const gone = ['user', 'account', 'session', 'authenticator', 'token'] as const
    const people = Array.from({ length: 6 }, async () => {
      const world = await furnish(adapter)
      return () => expectWorld(adapter, world, 'beside other lookups')
    })
    const strangers = Array.from({ length: 3 }, async () => {
      const world = await furnish({})
      return () => expectWorld(adapter, world, 'of nobody, beside other lookups', { gone })
    })
    const lookups = await Promise.all([...people.slice(0, 2), ...strangers, ...people.slice(2)])
    await Promise.all(lookups.map((look) => look()))
  }),
]
