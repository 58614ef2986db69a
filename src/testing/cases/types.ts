import { casesAbout } from '../case.js'
import { expectUser, settle } from '../expect.js'
import { createUser } from '../fixture.js'
import { accountKey, daysFromNow, makeAccount, uniqueInteger } from '../rows.js'
import { allWrites, expectRejected, expectStoredOrRejected, writes } from '../writes.js'

const strictCase = casesAbout('wrong types')

/** Values of another type that cannot be converted. */
const invalid = {
  texts: [{}, { toString: () => 'x' }, ['a', 'b'], true],
  dates: [new Date(Number.NaN), 'tomorrow', '', {}],
  numbers: ['', 'soon', 1.5, Number.NaN, true],
}

/** Values of another type with an obvious conversion, such as a number as text. */
const meaningful = {
  texts: () => {
    const number = uniqueInteger()
    return { value: number, meaning: String(number) }
  },
  dates: () => {
    const date = daysFromNow(9)
    return { value: date.toISOString(), meaning: date }
  },
  numbers: () => ({ value: '3600', meaning: 3_600 }),
}

export const typeCases = [
  ...allWrites.map((write) =>
    strictCase(`${write.operation} rejects values of the wrong type`, write.needs, async (adapter) => {
      const fields = { texts: [...write.keys, ...(write.texts ?? [])], dates: write.dates ?? [], numbers: write.numbers ?? [] }
      for (const type of ['texts', 'dates', 'numbers'] as const) {
        for (const field of fields[type]) {
          for (const value of invalid[type]) await expectRejected(adapter, write, { [field]: value })
          const { value, meaning } = meaningful[type]()
          await expectStoredOrRejected(adapter, write, { [field]: value }, { [field]: meaning })
        }
      }
    }),
  ),

  ...allWrites
    .filter(({ required }) => required)
    .map((write) =>
      strictCase(`${write.operation} rejects rows without required fields`, write.needs, async (adapter) => {
        for (const field of write.required ?? [])
          for (const value of [undefined, null]) await expectRejected(adapter, write, { [field]: value })
      }),
    ),

  strictCase('createAuthenticator rejects text for credentialBackedUp', ['createAuthenticator'], async (adapter) => {
    for (const credentialBackedUp of ['false', '', null]) await expectRejected(adapter, writes.createAuthenticator, { credentialBackedUp })
  }),

  strictCase('linkAccount treats null as absent, or rejects it', writes.linkAccount.needs, async (adapter) => {
    for (const field of ['access_token', 'scope', 'token_type', 'expires_at'])
      await expectStoredOrRejected(adapter, writes.linkAccount, { [field]: null }, { [field]: undefined })
  }),

  // Some providers of the library return numeric ids, and the library passes them on.
  strictCase(
    'a numeric account id that linkAccount accepts finds its user',
    ['createUser', 'linkAccount', 'getUserByAccount'],
    async (adapter) => {
      const user = await createUser(adapter)
      const account = makeAccount(user.id, { providerAccountId: uniqueInteger() as unknown as string })
      if ('thrown' in (await settle(adapter.linkAccount(account)))) return
      expectUser(await adapter.getUserByAccount(accountKey(account)), user, 'getUserByAccount by a number')
    },
  ),
]
