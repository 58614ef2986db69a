import { casesAbout } from '../case.js'
import { settle } from '../expect.js'
import { createFixture } from '../fixture.js'
import { expectNoMatch, replaceEach } from '../keys.js'
import { expectNoSecrets } from '../leaks.js'
import { accountKey } from '../rows.js'
import type { Fields } from '../writes.js'
import { allWrites } from '../writes.js'

const strictCase = casesAbout('errors')

/** The values of a row that must not appear in errors: texts that are unique. */
const secretsOf = (row: object) =>
  Object.values(row).flatMap((value) => (typeof value === 'string' && value.length > 30 ? [value.slice(0, 100)] : []))

const invalidDate = new Date(Number.NaN)

/** Invalid values for fields that a row may have. */
const invalidFields: readonly Fields[] = [
  ...[{ userId: 'no-such-user' }, { userId: null }, { type: null }, { scope: 'a\ud800b' }, { transports: 'a\ud800b' }],
  ...[{ emailVerified: invalidDate }, { expires: invalidDate }, { expires_at: 'soon' }, { counter: 'many' }],
]

/** Keys that databases reject. */
const malformed = (text: string) => [`${text}\ud800`, `${text}\0`, { text }, [text], text.repeat(500)]

export const errorCases = [
  ...allWrites.map((write) =>
    strictCase(`errors of ${write.operation} contain no values of the row`, write.needs, async (adapter) => {
      const run = async (fields: Fields) => {
        const row = { ...(await write.prepare(adapter)), ...fields }
        const result = await settle(Promise.resolve(write.run(adapter, row, fields)))
        const { id: _, userId: __, ...values } = row
        if ('thrown' in result) expectNoSecrets(result.thrown, secretsOf(values), `error of ${write.operation}`)
        return row
      }
      const stored = await run({})
      await run(Object.fromEntries(write.keys.map((key) => [key, stored[key]])))
      for (const fields of invalidFields) if (Object.keys(fields).every((field) => field in stored)) await run(fields)
      for (const field of [...write.keys, ...(write.texts ?? [])])
        for (const value of [null, ...malformed(String(stored[field]))]) await run({ [field]: value })
    }),
  ),

  strictCase('errors of lookups and deletions contain no keys', [], async (adapter) => {
    const fixture = await createFixture(adapter)
    const { user, accounts, sessions, authenticators, tokens } = fixture.ada
    const { id, ...rest } = user
    const values = [rest, accounts[0], sessions[0], authenticators[0], tokens[0]].flatMap(secretsOf)
    // The id of a user is not a secret.
    const secrets = values.filter((value) => value !== id)
    const keysFor = (key: object) => malformed('').flatMap((_, index) => replaceEach(key, (text) => malformed(text)[index]))
    const onError = (error: unknown, operation: string) => expectNoSecrets(error, secrets, `error of ${operation}`)
    await expectNoMatch(adapter, fixture, keysFor, { mayThrow: true, onError })
  }),

  strictCase('users contain no tokens of their accounts and sessions', ['createUser'], async (adapter) => {
    const { user, accounts, sessions, authenticators } = (await createFixture(adapter)).ada
    const { access_token, refresh_token, id_token } = accounts[0]
    const secrets = [access_token, refresh_token, id_token, sessions[0].sessionToken, authenticators[0].credentialPublicKey] as string[]
    const users = {
      getUser: await adapter.getUser?.(user.id),
      getUserByEmail: await adapter.getUserByEmail?.(user.email),
      getUserByAccount: await adapter.getUserByAccount?.(accountKey(accounts[0])),
      getSessionAndUser: (await adapter.getSessionAndUser?.(sessions[0].sessionToken))?.user,
      updateUser: await adapter.updateUser?.({ id: user.id, name: 'Grace' }),
    }
    for (const [operation, found] of Object.entries(users)) expectNoSecrets(found, secrets, `user that ${operation} returned`)
  }),
]
