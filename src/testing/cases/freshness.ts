import type { Needed, Needs } from '../case.js'
import { casesAbout } from '../case.js'
import { changes } from '../changes.js'
import { expectNothing, expectNull, expectToken, expectUser } from '../expect.js'
import { createFixture, createUser, makePerson, storePerson, verifyPerson, verifyUser } from '../fixture.js'
import { makeToken, makeUser, tokenKey } from '../rows.js'
import type { Subject } from '../subject.js'

const strictCase = casesAbout('freshness')

/** A case in which one adapter reads and the other writes, in both directions if there are two. */
const freshCase = <const N extends Needs>(
  name: string,
  needs: N,
  run: (reader: Subject<Needed<N>>, writer: Subject<Needed<N>>) => Promise<void>,
) =>
  strictCase(name, needs, async (adapter, { peer }) => {
    await run(peer, adapter)
    if (peer !== adapter) await run(adapter, peer)
  })

export const freshnessCases = [
  ...changes.map(({ operation, needs, apply }) =>
    freshCase(`lookups return the result of ${operation} at once`, needs, async (reader, writer) => {
      const fixture = await createFixture(reader)
      for (const time of ['first', 'second']) await fixture.verify(`before ${operation}, the ${time} time`)
      await apply(writer, fixture)
      await fixture.verify(`after ${operation}`)
    }),
  ),

  freshCase('getUserByEmail returns a changed email at once', ['createUser', 'updateUser', 'getUserByEmail'], async (reader, writer) => {
    const user = await createUser(reader)
    const { email } = user
    user.email = makeUser().email
    expectNull(await reader.getUserByEmail(user.email), 'getUserByEmail of the new email before updateUser')
    expectUser(await reader.getUserByEmail(email), { ...user, email }, 'getUserByEmail of the old email before updateUser')
    await writer.updateUser({ id: user.id, email: user.email })
    expectNull(await reader.getUserByEmail(email), 'getUserByEmail of the old email after updateUser')
    await verifyUser(reader, user, 'after updateUser of the email')
  }),

  freshCase('lookups find rows that did not exist before', ['createUser'], async (reader, writer) => {
    const user = makeUser()
    for (const _ of ['first', 'second']) {
      expectNothing(await reader.getUser?.(user.id), 'getUser before createUser')
      expectNothing(await reader.getUserByEmail?.(user.email), 'getUserByEmail before createUser')
    }
    const person = makePerson(await createUser(writer, user))
    await verifyUser(reader, person.user, 'after createUser')
    const missing = new Set<object>([...person.accounts, ...person.sessions, ...person.authenticators])
    for (const time of ['first', 'second']) await verifyPerson(reader, person, `before the rows exist, the ${time} time`, missing)
    await storePerson(writer, person)
    await verifyPerson(reader, person, 'after the rows were created')
  }),

  freshCase('a token works once, through either adapter', ['createVerificationToken', 'useVerificationToken'], async (reader, writer) => {
    const token = makeToken()
    expectNull(await reader.useVerificationToken(tokenKey(token)), 'useVerificationToken before createVerificationToken')
    await writer.createVerificationToken(token)
    expectToken(await reader.useVerificationToken(tokenKey(token)), token, 'useVerificationToken')
    expectNull(await writer.useVerificationToken(tokenKey(token)), 'useVerificationToken, the second time')
  }),
]
