import { casesAbout } from './case.js'
import { equal, isNull, isSessionAndUser, isUser, settled } from './expect.js'
import { inDays, someUser } from './fixtures.js'
import { expectAuthenticator, expectUser, isList } from './views.js'
import { furnish, keyOfAccount, newUser } from './world.js'
import { asGiven, expectWrite, writes } from './writes.js'

const operationCase = casesAbout('operations')
const typeCase = casesAbout('wrong types')

const badDate = new Date(Number.NaN)

/** What every write refuses, but for the keys of its row. */
const misfits: Record<keyof typeof writes, Record<string, unknown>> = {
  createUser: { emailVerified: badDate },
  updateUser: { emailVerified: badDate },
  linkAccount: { expires_at: Number.NaN },
  createSession: { expires: badDate },
  createVerificationToken: { expires: badDate },
  createAuthenticator: { counter: Number.NaN },
}

/** What a call that was refused leaves behind: nothing. */
export const refusalCases = [
  operationCase('a row that is refused leaves nothing with the user who wanted it', ['createUser', 'deleteUser'], async (adapter) => {
    const { user, account, session, authenticator } = await furnish(adapter)
    const eve = await newUser(adapter)
    const list = async () => isList((await adapter.listAuthenticatorsByUserId?.(eve.id)) ?? [], 'listAuthenticatorsByUserId')
    await list()
    const theirs = { userId: eve.id }
    const calls = [
      () => adapter.linkAccount?.({ ...account, ...theirs }),
      () => adapter.createSession?.({ ...session, ...theirs }),
      () => adapter.createAuthenticator?.({ ...authenticator, ...theirs }),
    ]
    for (const call of calls) {
      // That these are refused are cases of their own.
      const result = await settled<unknown>(Promise.resolve(call()))
      if ('value' in result && result.value !== undefined) return
    }
    equal((await list()).length, 0, 'listAuthenticatorsByUserId: how many after createAuthenticator was refused')
    await adapter.deleteUser(eve.id)
    const when = 'after deleteUser of a user who was refused the row'
    if (adapter.linkAccount && adapter.getUserByAccount)
      isUser(await adapter.getUserByAccount(keyOfAccount(account)), user, `getUserByAccount ${when}`)
    if (adapter.createSession && adapter.getSessionAndUser)
      isSessionAndUser(await adapter.getSessionAndUser(session.sessionToken), session, user, `getSessionAndUser ${when}`)
    if (adapter.createAuthenticator) await expectAuthenticator(adapter, authenticator, when)
  }),

  typeCase('what was refused is stored once it is corrected', [], async (adapter) => {
    for (const [name, write] of Object.entries(writes)) {
      if (!adapter[write.operation] || (name === 'updateUser' && !adapter.createUser)) continue
      const keys = name === 'updateUser' ? { email: someUser().email } : {}
      const refused = await write.begin(adapter, { ...keys, ...misfits[name as keyof typeof writes] })
      // That it is refused is a case of its own.
      if ('value' in (await settled(refused.write()))) continue
      const corrected = Object.fromEntries(write.keys.map((key) => [key, refused.row[key]]))
      await expectWrite(adapter, write, corrected, { stored: asGiven, refused: false })
    }
  }),

  typeCase('an update that is refused changes nothing, and the next one works', ['createUser'], async (adapter) => {
    const { user, session, authenticator } = await furnish(adapter)
    const { id } = user
    const { sessionToken } = session
    const bob = await newUser(adapter)
    if (adapter.updateUser) {
      const change = { id, email: someUser().email, name: 'Grace', image: null, emailVerified: badDate }
      // That these are refused are cases of their own.
      if ('value' in (await settled(adapter.updateUser(change)))) return
      await expectUser(adapter, user, 'after updateUser was refused')
      if (adapter.getUserByEmail) isNull(await adapter.getUserByEmail(change.email), 'getUserByEmail after updateUser was refused')
      user.emailVerified = inDays(-2)
      isUser(await adapter.updateUser({ id, emailVerified: user.emailVerified }), user, 'updateUser after another was refused')
    }
    if (adapter.createSession && adapter.updateSession && adapter.getSessionAndUser) {
      if ('value' in (await settled(adapter.updateSession({ sessionToken, userId: bob.id, expires: badDate })))) return
      isSessionAndUser(await adapter.getSessionAndUser(sessionToken), session, user, 'getSessionAndUser after updateSession was refused')
      session.expires = inDays(60)
      await adapter.updateSession({ sessionToken, expires: session.expires })
      isSessionAndUser(await adapter.getSessionAndUser(sessionToken), session, user, 'getSessionAndUser after the next updateSession')
    }
    if (adapter.createAuthenticator && adapter.updateAuthenticatorCounter) {
      const count = (counter: number) => adapter.updateAuthenticatorCounter?.(authenticator.credentialID, counter)
      await settled<unknown>(Promise.resolve(count(Number.NaN)))
      await count(9_999)
      await expectAuthenticator(adapter, { ...authenticator, counter: 9_999 }, 'after updateAuthenticatorCounter was refused, and then not')
    }
  }),
]
