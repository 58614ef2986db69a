import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { AnyAdapter } from '../../support/databases.js'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import type { Person } from '../../support/operations.js'
import { operations } from '../../support/operations.js'
import { fixtureOf } from './fixture.js'
import { plainPerson, protectedPerson, tokenKey } from './people.js'

const keys = [tokenKey]
const migrating = secretsAtRest({ sessionTokens: 'migrating', accountTokens: { mode: 'migrating', keys } })
const final = secretsAtRest({ sessionTokens: 'hashed', accountTokens: { keys } })

/** The people of the fixture, each with the options that find them. */
const ways = [
  { title: 'without secrets', person: plainPerson, options: {} },
  { title: 'stored plain, now protected', person: plainPerson, options: { secrets: migrating } },
  { title: 'still being protected', person: protectedPerson, options: { secrets: migrating } },
  { title: 'protected', person: protectedPerson, options: { secrets: final } },
]

async function openFixture(dialect: DialectName) {
  const opened = await openDatabase(dialect, { migrations: await fixtureOf(dialect) })
  onTestFinished(() => opened.close())
  return opened
}

async function expectEverything(adapter: AnyAdapter, { user, account, session, authenticator }: Person) {
  const { provider, providerAccountId } = account
  expect(await adapter.getUser(user.id)).toEqual(user)
  expect(await adapter.getUserByEmail(user.email)).toEqual(user)
  expect(await adapter.getUserByAccount({ provider, providerAccountId })).toEqual(user)
  expect(await adapter.getAccount(providerAccountId, provider)).toEqual(account)
  expect(await adapter.getSessionAndUser(session.sessionToken)).toEqual({ session, user })
  expect(await adapter.getAuthenticator(authenticator.credentialID)).toEqual(authenticator)
  expect(await adapter.listAuthenticatorsByUserId(user.id)).toEqual([authenticator])
  expect(await adapter.listAccounts(user.id)).toEqual([account])
  expect(await adapter.listSessions(user.id)).toMatchObject([{ expires: session.expires }])
}

describe.each(inject('dialects'))('a database of version 0.1.0 on %s', (dialect) => {
  test.each(ways)('every lookup finds what was stored, $title', async ({ person, options }) => {
    const { adapter } = await openFixture(dialect)
    await expectEverything(adapter(options), person)
  })

  test.each(ways)('every write changes what was stored, $title', async ({ person, options }) => {
    const opened = await openFixture(dialect)
    const adapter = opened.adapter(options) as AnyAdapter & Parameters<(typeof operations)['getUser']['run']>[0]
    const { token } = person
    await expect(adapter.createUser({ ...person.user, id: crypto.randomUUID() })).rejects.toMatchObject({ kind: 'duplicate' })
    for (const write of ['linkAccount', 'createSession', 'createVerificationToken', 'createAuthenticator'] as const)
      await expect(operations[write].run(adapter, person), write).rejects.toMatchObject({ kind: 'duplicate' })
    for (const write of ['updateUser', 'updateSession', 'updateAuthenticatorCounter', 'deleteSession', 'unlinkAccount'] as const) {
      expect(await operations[write].run(adapter, person), write).toBeTruthy()
      expect(await operations[write].isDone?.(adapter, person), write).toBe(true)
    }
    expect(await adapter.useVerificationToken(token)).toEqual(token)
    expect(await adapter.useVerificationToken(token)).toBeNull()
  })
})
