import type { AdapterUser } from '../models.js'
import { crossing, raceCase, rounds, underWay } from './atonce.js'
import { equal, isSessionAndUser, isUser, ok } from './expect.js'
import { inDays, someToken, someUser } from './fixtures.js'
import { show, timeOf } from './show.js'
import { expectUser } from './views.js'
import { furnish, keyOfAccount, keyOfToken, newUser } from './world.js'

/** One caller gets the row, where the operation returns rows at all. */
function expectOneWinner(answers: unknown[], what: string, isRequired = false): void {
  const winners = answers.filter((answer) => answer !== null && answer !== undefined).length
  ok(winners === 1 || (winners === 0 && !isRequired), `${what}: expected one of ${answers.length} callers to get the row, got ${winners}`)
}

export const raceCases = [
  raceCase(
    'of fifty that use one token at once, one gets it',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter, atOnce) => {
      for (const _ of rounds) {
        const token = someToken()
        await adapter.createVerificationToken(token)
        const answers = await atOnce(50, (each) => each.useVerificationToken(keyOfToken(token)))
        expectOneWinner(answers, 'useVerificationToken', true)
      }
    },
  ),

  raceCase('of many that delete one session at once, one gets it', ['createSession', 'deleteSession'], async (adapter, atOnce) => {
    for (const _ of rounds) {
      const { session } = await furnish(adapter)
      expectOneWinner(await atOnce(10, (each) => each.deleteSession(session.sessionToken)), 'deleteSession')
    }
  }),

  raceCase('of many that unlink one account at once, one gets it', ['linkAccount', 'unlinkAccount'], async (adapter, atOnce) => {
    for (const _ of rounds) {
      const { account } = await furnish(adapter)
      expectOneWinner(await atOnce(10, (each) => each.unlinkAccount(keyOfAccount(account))), 'unlinkAccount')
    }
  }),

  raceCase('of many that delete one user at once, one gets it', ['createUser', 'deleteUser'], async (adapter, atOnce) => {
    for (const _ of rounds) {
      const { user } = await furnish(adapter)
      expectOneWinner(await atOnce(10, (each) => each.deleteUser(user.id)), 'deleteUser')
    }
  }),

  raceCase('updates of different fields at once are all kept', ['createUser', 'updateUser'], async (adapter, atOnce) => {
    for (const _ of rounds) {
      const user = await newUser(adapter)
      const changes: Partial<AdapterUser>[] = [
        { name: 'Grace' },
        { image: 'https://example.com/grace.png' },
        { emailVerified: inDays(-3) },
        { email: someUser().email },
      ]
      await atOnce(changes.length, (each, index) => each.updateUser({ id: user.id, ...changes[index] }))
      const changed: AdapterUser = Object.assign({}, user, ...changes)
      isUser(await adapter.updateUser({ id: user.id }), changed, 'updateUser after four updates at once')
      await expectUser(adapter, changed, 'after four updates at once')
    }
  }),

  raceCase(
    'updates of one session at once end with one of them, and lose no field',
    ['createUser', 'createSession', 'updateSession', 'getSessionAndUser'],
    async (adapter, atOnce) => {
      const [{ session }, bob] = [await furnish(adapter), await newUser(adapter)]
      const { sessionToken } = session
      const days = Array.from({ length: 10 }, (_, index) => inDays(index + 1))
      const changes = days.map((expires, index) => (index < 5 ? { expires } : { userId: bob.id }))
      await atOnce(10, (each, index) => each.updateSession({ sessionToken, ...changes[index] }))
      const found = await adapter.getSessionAndUser(sessionToken)
      const expires = days.slice(0, 5).find((day) => day.getTime() === timeOf(found?.session?.expires))
      ok(expires, `getSessionAndUser, session, field expires, after updates at once: expected one of theirs, got ${show(found)}`)
      isSessionAndUser(found, { ...session, expires, userId: bob.id }, bob, 'getSessionAndUser after updates at once')
    },
  ),

  raceCase(
    'updates of one counter at once end with one of them',
    ['createAuthenticator', 'updateAuthenticatorCounter'],
    async (adapter, atOnce) => {
      const { authenticator } = await furnish(adapter)
      await atOnce(10, (each, index) => each.updateAuthenticatorCounter(authenticator.credentialID, 100 + index))
      if (!adapter.getAuthenticator) return
      const counter = (await adapter.getAuthenticator(authenticator.credentialID))?.counter
      ok(
        typeof counter === 'number' && counter >= 100 && counter < 110,
        `getAuthenticator, field counter, after ten updates at once: expected one of 100 to 109, got ${show(counter)}`,
      )
    },
  ),

  raceCase(
    'an update that begins when another can be seen comes after it',
    [
      ['updateUser', 'updateSession', 'updateAuthenticatorCounter'],
      ['getUser', 'getSessionAndUser', 'getAuthenticator'],
    ],
    async (adapter) => {
      const { user, session, authenticator } = await furnish(adapter)
      const { sessionToken } = session
      const expiryOf = (value: number) => new Date(Math.floor(session.expires.getTime() / 1_000) * 1_000 + value * 1_000)
      const updates = {
        updateUser: {
          write: (value: number) => adapter.createUser && adapter.updateUser?.({ id: user.id, name: String(value) }),
          read: async () => (await adapter.getUser?.(user.id))?.name,
          shown: String,
        },
        updateSession: {
          write: (value: number) => adapter.createSession && adapter.updateSession?.({ sessionToken, expires: expiryOf(value) }),
          read: async () => timeOf((await adapter.getSessionAndUser?.(sessionToken))?.session?.expires),
          shown: (value: number) => expiryOf(value).getTime(),
        },
        updateAuthenticatorCounter: {
          write: (value: number) => adapter.createAuthenticator && adapter.updateAuthenticatorCounter?.(authenticator.credentialID, value),
          read: async () => (await adapter.getAuthenticator?.(authenticator.credentialID))?.counter,
          shown: (value: number) => value,
        },
      }
      for (const [round, later] of crossing.slice(0, 3).entries()) {
        const [first, second] = [5_000 + 2 * round, 5_001 + 2 * round]
        for (const [operation, { write, read, shown }] of Object.entries(updates)) {
          const begun = underWay<unknown>([write(first)])
          const isSeen = (await later<unknown>(read)) === shown(first)
          if (isSeen) await write(second)
          await begun
          if (isSeen) equal(await read(), shown(second), `${operation}, begun when another could be seen: what is left`)
        }
      }
    },
  ),
]
