import type { AdapterUser } from '../../models.js'
import { casesAbout } from '../case.js'
import { expectEqual, expectNothing } from '../expect.js'
import { createFixture, createUser, idOf, makePerson, storePerson, verifyPerson } from '../fixture.js'
import { storedLookalikes } from '../lookalikes.js'
import { accountKey, makeAccount, makeAuthenticator, makeSession, makeUser, randomText } from '../rows.js'
import { allWrites, expectStored, writes } from '../writes.js'

const strictCase = casesAbout('storage')

// Includes hours that daylight saving time skips or repeats.
const dates = [
  '1970-01-01T00:00:00.000Z',
  '2026-03-29T01:30:00.123Z',
  '2026-03-08T07:30:00.500Z',
  '2026-10-25T00:30:00.999Z',
  '2026-10-25T01:30:00.999Z',
  '2026-11-01T05:30:00.999Z',
  '2026-11-01T06:30:00.999Z',
  '2038-01-19T03:14:08.000Z',
  '2040-02-29T12:00:00.007Z',
  '9999-12-31T23:59:59.999Z',
].map((text) => new Date(text))

/** A key of 255 characters, most of them of four bytes. */
const longKey = () => `${crypto.randomUUID()}${'\u{1F600}'.repeat(219)}`

export const storageCases = [
  ...allWrites
    .filter((write) => write.dates)
    .map((write) =>
      strictCase(`${write.operation} stores dates from 1970 to 9999 with their milliseconds`, write.needs, async (adapter) => {
        for (const field of write.dates ?? []) for (const date of dates) await expectStored(adapter, write, { [field]: date })
      }),
    ),

  strictCase('an account stores tokens of any length', writes.linkAccount.needs, async (adapter) => {
    const { texts = [] } = writes.linkAccount
    await expectStored(adapter, writes.linkAccount, Object.fromEntries(texts.map((name) => [name, randomText(20_000)])))
  }),

  strictCase('an account stores expiry times after 2038', writes.linkAccount.needs, async (adapter) => {
    await expectStored(adapter, writes.linkAccount, { expires_at: 253_402_300_799, expires_in: 2 ** 40 })
  }),

  strictCase('a user stores a long name and a long image', ['createUser'], async (adapter) => {
    const fields = { image: `data:image/png;base64,${randomText(100_000)}`, name: '\u{1F600}\u4E2D\u00E9'.repeat(300) }
    await expectStored(adapter, writes.createUser, fields)
  }),

  strictCase('an authenticator stores counters up to 4,294,967,295', ['createAuthenticator'], async (adapter) => {
    for (const counter of [2 ** 31, 2 ** 32 - 1]) {
      await expectStored(adapter, writes.createAuthenticator, { counter })
      if (adapter.updateAuthenticatorCounter) await expectStored(adapter, writes.updateAuthenticatorCounter, { counter })
    }
  }),

  strictCase('a credential id can have 1,364 characters and a public key 6,000', ['createAuthenticator'], async (adapter) => {
    const credentialID = randomText(1_364)
    const fields = { credentialID, providerAccountId: credentialID, credentialPublicKey: randomText(6_000) }
    await expectStored(adapter, writes.createAuthenticator, fields)
    // The library links an account with the same id.
    if (adapter.createUser && adapter.linkAccount) await expectStored(adapter, writes.linkAccount, { providerAccountId: credentialID })
  }),

  strictCase('an email can have 255 characters', ['createUser'], async (adapter) => {
    await expectStored(adapter, writes.createUser, { email: longKey() })
  }),

  strictCase('an identifier and a verification token can have 255 characters', ['createVerificationToken'], async (adapter) => {
    await expectStored(adapter, writes.createVerificationToken, { identifier: longKey(), token: longKey() })
  }),

  strictCase('emails that look alike can belong to different users', ['createUser'], async (adapter) => {
    for (const { text, others } of storedLookalikes())
      for (const email of [text, ...others]) await expectStored(adapter, writes.createUser, { email })
  }),

  strictCase('createUser does not reuse the id of a deleted user', ['createUser', 'deleteUser'], async (adapter) => {
    const ids = new Set<string>()
    const { email } = makeUser()
    for (const _ of ['first', 'second', 'third']) {
      const id = idOf(await adapter.createUser({ email } as AdapterUser))
      ids.add(id)
      await adapter.deleteUser(id)
    }
    expectEqual(ids.size, 3, 'createUser, number of different ids')
  }),

  strictCase('lookups and deleteUser work with more than a hundred rows', ['createUser', 'deleteUser'], async (adapter) => {
    const fixture = await createFixture(adapter)
    const { id } = await createUser(adapter)
    // Some databases read or delete 25 or 100 rows at a time.
    const sessions = Array.from({ length: 101 }, () => makeSession(id))
    const accounts = Array.from({ length: 26 }, () => makeAccount(id))
    const authenticators = Array.from({ length: 26 }, () => makeAuthenticator(id))
    await Promise.all(Array.from({ length: 101 }, () => createUser(adapter)))
    await Promise.all(sessions.map((session) => adapter.createSession?.(session)))
    await Promise.all(accounts.map((account) => adapter.linkAccount?.(account)))
    await Promise.all(authenticators.map((authenticator) => adapter.createAuthenticator?.(authenticator)))
    const last = makePerson(await createUser(adapter))
    await storePerson(adapter, last)
    await adapter.deleteUser(id)
    for (const { sessionToken } of sessions) expectNothing(await adapter.deleteSession?.(sessionToken), 'deleteSession after deleteUser')
    for (const account of accounts) expectNothing(await adapter.unlinkAccount?.(accountKey(account)), 'unlinkAccount after deleteUser')
    for (const { credentialID } of authenticators)
      expectNothing(await adapter.getAuthenticator?.(credentialID), 'getAuthenticator after deleteUser')
    await verifyPerson(adapter, last, 'after a hundred others')
    await fixture.verify('before a hundred others')
  }),
]
