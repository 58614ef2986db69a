import { casesAbout } from '../case.js'
import { expectAccount, expectNull, expectToken, expectUser } from '../expect.js'
import type { FirstRows } from '../fixture.js'
import { createFixture, createUser, makePerson, storePerson, verifyPerson } from '../fixture.js'
import type { KeyField } from '../keys.js'
import { expectNoMatch, keyedOperations } from '../keys.js'
import { lookalikes, lookalikesOf, storedLookalikes } from '../lookalikes.js'
import { accountKey, makeAccount, makeToken, randomText, tokenKey, unique } from '../rows.js'
import { show } from '../show.js'
import type { OperationName } from '../subject.js'
import { allWrites, expectStoredOrRejected } from '../writes.js'

const strictCase = casesAbout('exactness')

/** Rows whose key has this value. */
const rowsWith: Record<KeyField, { creator: OperationName; rows(value: string): FirstRows }> = {
  id: { creator: 'createUser', rows: (id) => ({ user: { id } }) },
  email: { creator: 'createUser', rows: (email) => ({ user: { email } }) },
  provider: { creator: 'linkAccount', rows: (provider) => ({ account: { provider } }) },
  providerAccountId: { creator: 'linkAccount', rows: (providerAccountId) => ({ account: { providerAccountId } }) },
  sessionToken: { creator: 'createSession', rows: (sessionToken) => ({ session: { sessionToken } }) },
  identifier: { creator: 'createVerificationToken', rows: (identifier) => ({ token: { identifier } }) },
  token: { creator: 'createVerificationToken', rows: (token) => ({ token: { token } }) },
  credentialID: { creator: 'createAuthenticator', rows: (credentialID) => ({ authenticator: { credentialID } }) },
}

const lookalikeCases = (Object.keys(rowsWith) as KeyField[]).map((field) => {
  const { creator, rows } = rowsWith[field]
  const operations = keyedOperations.filter(({ fields }) => fields.includes(field)).map(({ operation }) => operation)
  return strictCase(`a lookalike of ${field} matches no row`, [creator, operations], async (adapter) => {
    for (const { text, others } of lookalikes(field === 'email' || field === 'identifier')) {
      const create = (first: FirstRows) => createFixture(adapter, first)
      // The adapter may generate ids, or accept only ids of another form.
      const fixture = field === 'id' ? await create(rows(text)).catch(() => create({})) : await create(rows(text))
      const isGenerated = field === 'id' && fixture.ada.user.id !== text
      const all = isGenerated ? lookalikesOf(fixture.ada.user.id).others : others
      await expectNoMatch(adapter, fixture, (key) => all.map((other) => ({ ...key, [field]: other })), { operations })
      if (isGenerated) return
    }
  })
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

const separators = ['', ':', '::', '|', '||', '/', '-', '_', '__', ',', ' ', '.', '#', '&', '@', '~', ';', '\n', '","']

export const exactnessCases = [
  ...lookalikeCases,

  ...allWrites
    .filter(({ keys }) => keys.length > 0)
    .map((write) =>
      strictCase(`${write.operation} stores a lookalike of a taken key as it is, or rejects it`, write.needs, async (adapter) => {
        for (const field of write.keys) {
          for (const { text, others } of storedLookalikes())
            for (const value of [text, ...others]) await expectStoredOrRejected(adapter, write, { [field]: value })
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
    const rows = Object.assign({}, ...Object.values(rowsWith).map(({ rows }) => rows(key))) as FirstRows
    const account = { provider: key, providerAccountId: key }
    const fixture = await createFixture(adapter, { ...rows, user: { email: key }, account, token: { identifier: key, token: key } })
    await fixture.verify('if all keys are the same text')
    if (!adapter.createSession || !adapter.deleteSession) return
    await adapter.deleteSession(key)
    fixture.remove(fixture.ada.sessions[0])
    await fixture.verify('after deleteSession by a text that is also the key of other rows')
  }),

  strictCase('deleteUser deletes nothing of users whose ids or emails look alike', ['createUser', 'deleteUser'], async (adapter) => {
    const [id, name] = [unique('id'), unique('mail')]
    const people = []
    for (const [suffix, email] of Object.entries({
      '': `${name}_%@example.co`,
      x: `${name}_%@example.com`,
      ':1': `${name}xyz@example.co`,
    })) {
      // The adapter may accept only ids of another form.
      const user = await createUser(adapter, { id: `${id}${suffix}`, email }).catch(() => createUser(adapter, { email }))
      const person = makePerson(user)
      await storePerson(adapter, person)
      people.push(person)
    }
    await adapter.deleteUser(people[0]?.user.id as string)
    for (const person of people.slice(1)) {
      await verifyPerson(adapter, person, 'after deleteUser of another user')
      const [token] = person.tokens
      if (adapter.createVerificationToken && adapter.useVerificationToken)
        expectToken(await adapter.useVerificationToken(tokenKey(token)), token, 'useVerificationToken after deleteUser of another user')
    }
  }),
]
