import type { AdapterAccount, AdapterUser } from '../models.js'
import { wait } from './atonce.js'
import { casesAbout } from './case.js'
import { fieldOf, isAccount, isAuthenticator, isNull, isObject, isSession, isSessionAndUser, isToken, isUser, ok } from './expect.js'
import { inDays, someAccount, someAuthenticator, someSession, someToken, someTokens, someUser } from './fixtures.js'
import { show } from './show.js'
import type { Subject } from './subject.js'
import { furnish, idOf, keyOfAccount, keyOfToken, newUser } from './world.js'

// What the contract prefers, or its types say, and leaves open all the same.

const returnedCase = casesAbout('returned rows')
const absentCase = casesAbout('absent fields')
const expiredCase = casesAbout('expired rows')

function isLeftOut(row: unknown, names: readonly string[], what: string): void {
  isObject(row, `${what}: expected a row`)
  for (const name of names) {
    const value = fieldOf(row, name, what)
    ok(value === undefined, `${what}, field ${name}: expected it to be left out, got ${show(value)}`)
  }
}

/** What is returned has no field that is not found afterwards. */
function isNoEcho(returned: unknown, found: unknown, what: string): void {
  isObject(returned, `${what}: expected a row`)
  isObject(found, `lookup after ${what}: expected a row`)
  for (const name of Object.keys(returned))
    ok(name in found, `${what}, field ${name}: expected a field of the stored row, got one that no lookup finds`)
}

/** Another session of this user, and one of somebody else, begin, are prolonged and end. */
async function signInAndOut(adapter: Subject, user: AdapterUser): Promise<void> {
  const stranger = await newUser(adapter)
  for (const { session, token } of [await furnish(adapter, {}, user), await furnish(adapter, {}, stranger)]) {
    const { sessionToken, userId } = session
    if (adapter.createUser) await adapter.getSessionAndUser?.(sessionToken)
    await adapter.updateSession?.({ sessionToken, userId, expires: inDays(60) })
    await adapter.deleteSession?.(sessionToken)
    await adapter.useVerificationToken?.(keyOfToken(token))
  }
  await adapter.deleteUser?.(stranger.id)
}

export const choiceCases = [
  returnedCase('deleteUser returns the deleted user', ['createUser', 'deleteUser'], async (adapter) => {
    const user = await newUser(adapter)
    isUser(await adapter.deleteUser(user.id), user, 'deleteUser')
  }),

  returnedCase('linkAccount returns the account', ['linkAccount'], async (adapter) => {
    const { id } = await newUser(adapter)
    const account = someAccount(id, someTokens())
    isAccount(await adapter.linkAccount(account), account, 'linkAccount')
  }),

  returnedCase('createUser and linkAccount return what they stored, and not what they were given', [], async (adapter) => {
    const extra = { 'no such column': 1 }
    const user = someUser()
    const created = await adapter.createUser?.({ ...user, ...extra })
    if (created && adapter.getUserByEmail) isNoEcho(created, await adapter.getUserByEmail(user.email), 'createUser')
    const account = someAccount(created ? idOf(created) : user.id)
    const linked = await adapter.linkAccount?.({ ...account, ...extra } as AdapterAccount)
    if (linked && adapter.getAccount) isNoEcho(linked, await adapter.getAccount(account.providerAccountId, account.provider), 'linkAccount')
  }),

  returnedCase('unlinkAccount returns the account that it removed', ['linkAccount', 'unlinkAccount'], async (adapter) => {
    const { account } = await furnish(adapter)
    isAccount(await adapter.unlinkAccount(keyOfAccount(account)), account, 'unlinkAccount')
  }),

  returnedCase('updateSession returns the session', ['createSession', 'updateSession'], async (adapter) => {
    const { session } = await furnish(adapter)
    const { sessionToken } = session
    const expires = inDays(60)
    isSession(await adapter.updateSession({ sessionToken, expires }), { ...session, expires }, 'updateSession')
    isSession(await adapter.updateSession({ sessionToken, expires }), { ...session, expires }, 'updateSession to the same expiry again')
    isSession(await adapter.updateSession({ sessionToken }), { ...session, expires }, 'updateSession with no field')
  }),

  returnedCase('deleteSession returns the deleted session', ['createSession', 'deleteSession'], async (adapter) => {
    const { session } = await furnish(adapter)
    isSession(await adapter.deleteSession(session.sessionToken), session, 'deleteSession')
  }),

  returnedCase('createVerificationToken returns the token', ['createVerificationToken'], async (adapter) => {
    const { identifier } = someToken()
    for (const token of [someToken({ identifier }), someToken({ identifier })])
      isToken(await adapter.createVerificationToken(token), token, 'createVerificationToken')
  }),

  absentCase('an account leaves out what it was not given', ['linkAccount', 'getAccount'], async (adapter) => {
    const { id } = await newUser(adapter)
    const account = someAccount(id)
    const names = [...Object.keys(someTokens()), 'expires_in']
    const linked = await adapter.linkAccount(account)
    if (linked) isLeftOut(linked, names, 'linkAccount')
    isLeftOut(await adapter.getAccount(account.providerAccountId, account.provider), names, 'getAccount')
    const unlinked = await adapter.unlinkAccount?.(keyOfAccount(account))
    if (unlinked) isLeftOut(unlinked, names, 'unlinkAccount')
  }),

  absentCase('an authenticator leaves out transports that it was not given', ['createAuthenticator'], async (adapter) => {
    const { id } = await newUser(adapter)
    const { transports: _, ...authenticator } = someAuthenticator(id)
    const created = await adapter.createAuthenticator(authenticator)
    isAuthenticator(created, authenticator, 'createAuthenticator')
    isLeftOut(created, ['transports'], 'createAuthenticator')
    const { credentialID } = authenticator
    if (adapter.getAuthenticator) isLeftOut(await adapter.getAuthenticator(credentialID), ['transports'], 'getAuthenticator')
    const listed = (await adapter.listAuthenticatorsByUserId?.(id)) ?? []
    for (const each of listed) isLeftOut(each, ['transports'], 'listAuthenticatorsByUserId')
    if (adapter.updateAuthenticatorCounter)
      isLeftOut(await adapter.updateAuthenticatorCounter(credentialID, 8), ['transports'], 'updateAuthenticatorCounter')
  }),

  expiredCase(
    'getSessionAndUser gives an expired session, which the library then deletes',
    ['createUser', 'createSession', 'getSessionAndUser'],
    async (adapter) => {
      const { user, session } = await furnish(adapter, { session: { expires: inDays(-1) } })
      const { sessionToken } = session
      // Nobody's sign-in or sign-out sweeps it away.
      await signInAndOut(adapter, user)
      const expiring = someSession(user.id, { expires: new Date(Date.now() + 20) })
      await adapter.createSession(expiring)
      await adapter.updateSession?.({ sessionToken, userId: user.id })
      for (const time of ['first', 'second'])
        isSessionAndUser(await adapter.getSessionAndUser(sessionToken), session, user, `getSessionAndUser, the ${time} time`)
      for (const expires of adapter.updateSession ? [inDays(-2), inDays(2)] : []) {
        await adapter.updateSession?.({ sessionToken, expires })
        const found = await adapter.getSessionAndUser(sessionToken)
        isSessionAndUser(found, { ...session, expires }, user, 'getSessionAndUser after updateSession')
      }
      await wait(25)
      const found = await adapter.getSessionAndUser(expiring.sessionToken)
      isSessionAndUser(found, expiring, user, 'getSessionAndUser of a session that expired since it was created')
      if (!adapter.deleteSession) return
      await adapter.deleteSession(expiring.sessionToken)
      isNull(await adapter.getSessionAndUser(expiring.sessionToken), 'getSessionAndUser after deleteSession of an expired session')
    },
  ),

  expiredCase(
    'useVerificationToken returns an expired token, which the library refuses, and deletes it',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      const token = someToken({ expires: inDays(-1) })
      await adapter.createVerificationToken(token)
      const other = someToken({ identifier: token.identifier })
      await adapter.createVerificationToken(other)
      await adapter.useVerificationToken(keyOfToken(other))
      await signInAndOut(adapter, await newUser(adapter, { email: token.identifier }))
      isToken(await adapter.useVerificationToken(keyOfToken(token)), token, 'useVerificationToken')
      isNull(await adapter.useVerificationToken(keyOfToken(token)), 'useVerificationToken, the second time')
    },
  ),
]
