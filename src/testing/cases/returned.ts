import { casesAbout } from '../case.js'
import { expectAccount, expectAuthenticator, expectSession, expectToken, expectUser, fail } from '../expect.js'
import { createFixture, createUser } from '../fixture.js'
import { accountKey, daysFromNow, makeAccount, makeAuthenticator, makeToken, makeTokens } from '../rows.js'
import { show } from '../show.js'

const returnedCase = casesAbout('returned rows')
const absentCase = casesAbout('absent fields')

function expectAbsent(row: object, fields: readonly string[], what: string): void {
  for (const field of fields) {
    const value: unknown = Reflect.get(row, field)
    if (value !== undefined) fail(`${what}, field ${field}: expected it to be absent, got ${show(value)}`)
  }
}

export const returnedCases = [
  returnedCase('deleteUser returns the deleted user', ['createUser', 'deleteUser'], async (adapter) => {
    const user = await createUser(adapter)
    expectUser(await adapter.deleteUser(user.id), user, 'deleteUser')
  }),

  returnedCase('linkAccount returns the account', ['linkAccount'], async (adapter) => {
    const account = makeAccount((await createUser(adapter)).id, makeTokens())
    expectAccount(await adapter.linkAccount(account), account, 'linkAccount')
  }),

  returnedCase('unlinkAccount returns the deleted account', ['linkAccount', 'unlinkAccount'], async (adapter) => {
    const [account] = (await createFixture(adapter)).ada.accounts
    expectAccount(await adapter.unlinkAccount(accountKey(account)), account, 'unlinkAccount')
  }),

  returnedCase('updateSession returns the session', ['createSession', 'updateSession'], async (adapter) => {
    const [session] = (await createFixture(adapter)).ada.sessions
    const { sessionToken } = session
    const updated = { ...session, expires: daysFromNow(60) }
    expectSession(await adapter.updateSession({ sessionToken, expires: updated.expires }), updated, 'updateSession')
    expectSession(await adapter.updateSession({ sessionToken, expires: updated.expires }), updated, 'updateSession to the same expiry')
    expectSession(await adapter.updateSession({ sessionToken }), updated, 'updateSession without changes')
  }),

  returnedCase('deleteSession returns the deleted session', ['createSession', 'deleteSession'], async (adapter) => {
    const [session] = (await createFixture(adapter)).ada.sessions
    expectSession(await adapter.deleteSession(session.sessionToken), session, 'deleteSession')
  }),

  returnedCase('createVerificationToken returns the token', ['createVerificationToken'], async (adapter) => {
    const token = makeToken()
    expectToken(await adapter.createVerificationToken(token), token, 'createVerificationToken')
  }),

  absentCase('an account has no fields without a value', ['linkAccount', 'getAccount'], async (adapter) => {
    const account = makeAccount((await createUser(adapter)).id)
    const { providerAccountId, provider } = account
    const fields = [...Object.keys(makeTokens()), 'expires_in']
    const rows = {
      linkAccount: await adapter.linkAccount(account),
      getAccount: await adapter.getAccount(providerAccountId, provider),
      unlinkAccount: await adapter.unlinkAccount?.(accountKey(account)),
    }
    for (const [operation, row] of Object.entries(rows)) if (row) expectAbsent(row, fields, operation)
  }),

  absentCase('an authenticator has no transports without a value', ['createAuthenticator'], async (adapter) => {
    const { transports: _, ...authenticator } = makeAuthenticator((await createUser(adapter)).id)
    const { credentialID, userId } = authenticator
    const created = await adapter.createAuthenticator(authenticator)
    expectAuthenticator(created, authenticator, 'createAuthenticator')
    const rows = {
      createAuthenticator: created,
      getAuthenticator: await adapter.getAuthenticator?.(credentialID),
      listAuthenticatorsByUserId: (await adapter.listAuthenticatorsByUserId?.(userId))?.[0],
      updateAuthenticatorCounter: await adapter.updateAuthenticatorCounter?.(credentialID, 8),
    }
    for (const [operation, row] of Object.entries(rows)) if (row) expectAbsent(row, ['transports'], operation)
  }),
]
