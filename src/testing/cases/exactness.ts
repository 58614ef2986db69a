import { casesAbout } from '../case.js'
import { expectAccount, expectNull, expectToken, expectUser, settle } from '../expect.js'
import type { FirstRows } from '../fixture.js'
import { createFixture, createUser, makePerson, storePerson, verifyPerson, verifyUser } from '../fixture.js'
import type { KeyField } from '../keys.js'
import { expectNoMatch, operationsBy } from '../keys.js'
import { gmailAddress, longText, lookalikesOf, manyDigits, mixedText } from '../lookalikes.js'
import { accountKey, makeAccount, makeToken, randomText, tokenKey, unique } from '../rows.js'
import { show } from '../show.js'
import type { OperationName } from '../subject.js'
import { allWrites, expectStoredOrRejected } from '../writes.js'

const strictCase = casesAbout('exactness')

/** A case in which no operation that finds its row by this field may accept a lookalike. */
const lookalikeCase = (name: string, field: KeyField, creator: OperationName, rows: (key: string) => FirstRows) =>
  strictCase(name, [creator, operationsBy(field)], async (adapter) => {
    for (const key of [mixedText(), manyDigits(), gmailAddress(), longText()]) {
      const create = (first: FirstRows) => createFixture(adapter, first)
      // The adapter may accept only ids of another form.
      const fixture = field === 'id' ? await create(rows(key)).catch(() => create({})) : await create(rows(key))
      const keysFor = (all: { [Field in KeyField]?: string }) => lookalikesOf(all[field] ?? '').map((other) => ({ ...all, [field]: other }))
      await expectNoMatch(adapter, fixture, keysFor, { field })
      await fixture.verify(`after lookups by lookalikes of its ${field}`)
    }
  })

/** Two pairs of texts that become the same text if they are joined. */
function pairsJoinedBy(separator: string): [first: [string, string], second: [string, string]] {
  const part = `p${randomText(12)}`
  const [two, three] = [[part, part].join(separator), [part, part, part].join(separator)]
  return [
    [two, two],
    [part, three],
  ]
}

const separators = ['', ':', '::', '|', '/', '-', '_', ',', ' ', '.', '#', '&', '\n', '","']

export const exactnessCases = [
  lookalikeCase('a lookalike of an email finds no user', 'email', 'createUser', (email) => ({ user: { email } })),
  lookalikeCase('a lookalike of a user id finds, changes and deletes no user', 'id', 'createUser', (id) => ({ user: { id } })),
  lookalikeCase('a lookalike of an account id finds and unlinks no account', 'providerAccountId', 'linkAccount', (providerAccountId) => ({
    account: { providerAccountId },
  })),
  lookalikeCase('a lookalike of a provider finds and unlinks no account', 'provider', 'linkAccount', (provider) => ({
    account: { provider },
  })),
  lookalikeCase(
    'a lookalike of a session token finds, changes and deletes no session',
    'sessionToken',
    'createSession',
    (sessionToken) => ({ session: { sessionToken } }),
  ),
  lookalikeCase('a lookalike of a verification token does not work', 'token', 'createVerificationToken', (token) => ({ token: { token } })),
  lookalikeCase('a lookalike of an identifier uses no verification token', 'identifier', 'createVerificationToken', (identifier) => ({
    token: { identifier },
  })),
  lookalikeCase(
    'a lookalike of a credential id finds and changes no authenticator',
    'credentialID',
    'createAuthenticator',
    (credentialID) => ({ authenticator: { credentialID } }),
  ),

  ...allWrites
    .filter(({ keys }) => keys.length > 0)
    .map((write) =>
      strictCase(`${write.operation} stores a lookalike of a taken key as it is, or rejects it`, write.needs, async (adapter) => {
        for (const field of write.keys) {
          for (const key of [mixedText(), manyDigits()]) {
            for (const value of [key, ...lookalikesOf(key)]) await expectStoredOrRejected(adapter, write, { [field]: value })
          }
        }
      }),
    ),

  strictCase('a provider and an account id are separate keys', ['createUser', 'linkAccount'], async (adapter) => {
    const [ada, bob] = [await createUser(adapter), await createUser(adapter)]
    for (const separator of separators) {
      const [one, other] = pairsJoinedBy(separator)
      const first = makeAccount(ada.id, { provider: one[0], providerAccountId: one[1] })
      const second = makeAccount(bob.id, { provider: other[0], providerAccountId: other[1] })
      await adapter.linkAccount(first)
      if (adapter.getUserByAccount)
        expectNull(await adapter.getUserByAccount(accountKey(second)), `getUserByAccount(${show(accountKey(second))})`)
      await adapter.linkAccount(second)
      for (const [account, user] of [
        [first, ada],
        [second, bob],
      ] as const) {
        if (adapter.getUserByAccount) expectUser(await adapter.getUserByAccount(accountKey(account)), user, 'getUserByAccount')
        if (adapter.getAccount) expectAccount(await adapter.getAccount(account.providerAccountId, account.provider), account, 'getAccount')
      }
    }
  }),

  strictCase('an identifier and a token are separate keys', ['createVerificationToken', 'useVerificationToken'], async (adapter) => {
    for (const separator of separators) {
      const [one, other] = pairsJoinedBy(separator)
      const first = makeToken({ identifier: one[0], token: one[1] })
      const second = makeToken({ identifier: other[0], token: other[1] })
      await adapter.createVerificationToken(first)
      expectNull(await adapter.useVerificationToken(tokenKey(second)), `useVerificationToken(${show(tokenKey(second))})`)
      await adapter.createVerificationToken(second)
      for (const token of [first, second]) expectToken(await adapter.useVerificationToken(tokenKey(token)), token, 'useVerificationToken')
    }
  }),

  strictCase('one text can be the key of a row of every kind', ['createUser'], async (adapter) => {
    const key = unique('key')
    const fixture = await createFixture(adapter, {
      user: { email: key },
      account: { provider: key, providerAccountId: key },
      session: { sessionToken: key },
      token: { identifier: key, token: key },
      authenticator: { credentialID: key },
    })
    const other = await createUser(adapter, { email: fixture.ada.user.id })
    await fixture.verify('if all keys are the same text')
    if (adapter.createSession && adapter.deleteSession) {
      await adapter.deleteSession(key)
      fixture.remove(fixture.ada.sessions[0])
    }
    await fixture.verify('after deleteSession by a text that is also the key of other rows')
    await verifyUser(adapter, other, 'if the email is the id of another user')
  }),

  strictCase('deleteUser deletes nothing of users whose ids begin alike', ['createUser', 'deleteUser'], async (adapter) => {
    const id = unique('id')
    const people = []
    for (const each of [id, `${id}1`, `${id}:1`, `1${id}`]) {
      // The adapter may generate ids, or accept only ids of another form.
      const created = await settle(createUser(adapter, { id: each }))
      const person = makePerson('value' in created ? created.value : await createUser(adapter))
      await storePerson(adapter, person)
      people.push(person)
    }
    await adapter.deleteUser(people[0]?.user.id as string)
    for (const person of people.slice(1)) await verifyPerson(adapter, person, 'after deleteUser of a user whose id begins alike')
  }),
]
