import type { AdapterUser } from '../../models.js'
import { casesAbout } from '../case.js'
import { expectEqual, expectError, expectNothing, expectNull, expectRowOrNothing, expectUser, fail, settle } from '../expect.js'
import { createFixture, createUser, fixtureCasesAbout, idOf, makePerson, storePerson, verifyPerson, verifyUser } from '../fixture.js'
import { accountKey, daysFromNow, makeUser, unique } from '../rows.js'
import { show } from '../show.js'

const contractCase = casesAbout('operations')
const fixtureCase = fixtureCasesAbout('operations')

export const userCases = [
  fixtureCase('createUser returns and stores every field', ['createUser'], async (adapter) => {
    const user = makeUser({ emailVerified: daysFromNow(-1) })
    const created = await adapter.createUser(user)
    const stored = { ...user, id: idOf(created) }
    expectUser(created, stored, 'createUser')
    await verifyUser(adapter, stored, 'after createUser')
  }),

  contractCase('createUser stores empty, null and missing fields', ['createUser'], async (adapter) => {
    for (const fields of [{ name: '', image: '' }, { name: null, image: null }, { name: undefined }, { image: undefined }]) {
      const user = makeUser(fields as Partial<AdapterUser>)
      const created = await adapter.createUser(user)
      const stored = { ...user, id: idOf(created) }
      expectUser(created, stored, `createUser with ${show(fields)}`)
      await verifyUser(adapter, stored, `after createUser with ${show(fields)}`)
    }
  }),

  contractCase('createUser generates an id if none is given', ['createUser'], async (adapter) => {
    const emails = [makeUser().email, makeUser().email]
    const users: AdapterUser[] = []
    for (const email of emails) {
      // The library sends only the email of a user who signs up with a passkey.
      const created = await adapter.createUser({ email } as AdapterUser)
      const user = { id: idOf(created), email, emailVerified: null }
      expectUser(created, user, 'createUser with an email only')
      users.push(user)
    }
    for (const user of users) await verifyUser(adapter, user, 'after createUser with an email only')
    expectEqual(new Set(users.map(({ id }) => id)).size, users.length, 'createUser, number of different ids')
  }),

  contractCase('emailVerified is null until it is set', ['createUser'], async (adapter) => {
    const created = await adapter.createUser({ email: makeUser().email } as AdapterUser)
    const person = makePerson({ ...created, id: idOf(created) })
    await storePerson(adapter, person)
    const found = {
      createUser: created,
      getUser: await adapter.getUser?.(created.id),
      getUserByEmail: await adapter.getUserByEmail?.(created.email),
      getUserByAccount: adapter.linkAccount && (await adapter.getUserByAccount?.(accountKey(person.accounts[0]))),
      getSessionAndUser: adapter.createSession && (await adapter.getSessionAndUser?.(person.sessions[0].sessionToken))?.user,
      updateUser: await adapter.updateUser?.({ id: created.id, name: 'Grace' }),
      deleteUser: await adapter.deleteUser?.(created.id),
    }
    for (const [operation, user] of Object.entries(found)) if (user) expectNull(user.emailVerified, `${operation}, field emailVerified`)
  }),

  contractCase('createUser ignores unknown properties', ['createUser'], async (adapter) => {
    const user = makeUser()
    const created = await adapter.createUser({ ...user, locale: 'en', 'no such column': { nested: ['a'] } } as AdapterUser)
    await verifyUser(adapter, { ...user, id: idOf(created) }, 'after createUser with unknown properties')
  }),

  fixtureCase('createUser rejects an email that is already taken', ['createUser'], async (adapter, fixture) => {
    const duplicate = makeUser({ email: fixture.ada.user.email })
    await expectError(adapter.createUser(duplicate), 'createUser with a taken email')
    expectNothing(await adapter.getUser?.(duplicate.id), 'getUser of the user that was rejected')
  }),

  contractCase('a user without an email is rejected or found by no email', ['createUser', 'getUserByEmail'], async (adapter) => {
    for (const email of [undefined, null]) {
      await settle(adapter.createUser({ ...makeUser(), email } as unknown as AdapterUser))
      for (const key of [undefined, null, '', 'undefined', 'null']) {
        const found = await settle(adapter.getUserByEmail(key as string))
        if ('value' in found) expectNothing(found.value, `getUserByEmail(${show(key)}) after createUser with email: ${email}`)
      }
    }
  }),

  fixtureCase('createUser never reuses the id of another user', ['createUser'], async (adapter, fixture) => {
    const { id } = fixture.ada.user
    const result = await settle(adapter.createUser(makeUser({ id })))
    if ('value' in result && idOf(result.value) === id) fail(`createUser with a taken id: expected a new id or an error, got ${show(id)}`)
  }),

  fixtureCase('updateUser changes only the given fields of one user', ['createUser', 'updateUser'], async (adapter, fixture) => {
    const { user } = fixture.ada
    const [verified, email] = [daysFromNow(0), makeUser().email]
    const changes: Partial<AdapterUser>[] = [
      { emailVerified: verified },
      { emailVerified: new Date(verified.getTime() + 1_000) },
      { name: 'Grace' },
      { name: 'grace' },
      { image: 'https://example.com/grace.png' },
      { email },
      { email: email.toUpperCase() },
      { emailVerified: daysFromNow(-9), name: 'Lin', image: 'https://example.com/lin.png', email: makeUser().email },
    ]
    for (const change of changes) {
      Object.assign(user, change)
      expectUser(await adapter.updateUser({ id: user.id, ...change }), user, `updateUser of ${Object.keys(change)}`)
      await verifyUser(adapter, user, `after updateUser of ${Object.keys(change)}`)
    }
  }),

  fixtureCase('updateUser stores null and empty texts', ['createUser', 'updateUser'], async (adapter, fixture) => {
    const { user } = fixture.ada
    for (const change of [{ name: '' }, { name: null }, { image: '' }, { image: null }, { emailVerified: null }]) {
      Object.assign(user, change)
      expectUser(await adapter.updateUser({ id: user.id, ...change }), user, `updateUser with ${show(change)}`)
      await verifyUser(adapter, user, `after updateUser with ${show(change)}`)
    }
  }),

  fixtureCase('updateUser does not change fields that are undefined or unknown', ['createUser', 'updateUser'], async (adapter, fixture) => {
    const { user } = fixture.ada
    const nothing = { email: undefined, name: undefined, image: undefined, emailVerified: undefined }
    for (const fields of [{}, nothing, { 'no such column': 1 }, user])
      expectUser(await adapter.updateUser({ ...fields, id: user.id } as AdapterUser), user, `updateUser with ${show(fields)}`)
    user.name = 'Grace'
    expectUser(await adapter.updateUser({ ...nothing, id: user.id, name: 'Grace' } as unknown as AdapterUser), user, 'updateUser of name')
  }),

  fixtureCase('updateUser of an unknown user creates none', ['updateUser'], async (adapter) => {
    const { id, email } = makeUser()
    await expectError(adapter.updateUser({ id, email, name: 'Nobody' }), 'updateUser of an unknown user')
    await expectError(adapter.updateUser({ id }), 'updateUser of an unknown user without changes')
    expectNothing(await adapter.getUser?.(id), 'getUser after updateUser of an unknown user')
    expectNothing(await adapter.getUserByEmail?.(email), 'getUserByEmail after updateUser of an unknown user')
  }),

  fixtureCase('updateUser rejects an email that is already taken', ['createUser', 'updateUser'], async (adapter, fixture) => {
    const { ada, bob } = fixture
    const change = { id: bob.user.id, email: ada.user.email, name: 'Mallory' }
    await expectError(adapter.updateUser(change), 'updateUser with a taken email')
  }),

  fixtureCase('updateUser of the email frees the old one', ['createUser', 'updateUser'], async (adapter, fixture) => {
    const { user } = fixture.ada
    const { email } = user
    user.email = makeUser().email
    await adapter.updateUser({ id: user.id, email: user.email })
    expectNothing(await adapter.getUserByEmail?.(email), 'getUserByEmail of the old email')
    await adapter.updateUser({ id: user.id, name: user.name ?? null })
    await expectError(adapter.createUser(makeUser({ email: user.email })), 'createUser with the new email')
    const other = await createUser(adapter, { email })
    await verifyUser(adapter, other, 'after createUser with the old email of another user')
    // Tokens still belong to the address that they were sent to.
  }),

  fixtureCase(
    'deleteUser deletes the user with all accounts, sessions and authenticators',
    ['createUser', 'deleteUser'],
    async (adapter, fixture) => {
      const { ada } = fixture
      expectRowOrNothing(await adapter.deleteUser(ada.user.id), ada.user, 'deleteUser', expectUser)
      fixture.removePerson(ada)
      await fixture.verify('after deleteUser')
      // A join with the user can hide rows that still exist.
      for (const { sessionToken } of ada.sessions) {
        expectNothing(await adapter.updateSession?.({ sessionToken, expires: daysFromNow(1) }), 'updateSession after deleteUser')
        expectNothing(await adapter.deleteSession?.(sessionToken), 'deleteSession after deleteUser')
      }
      for (const account of ada.accounts)
        expectNothing(await adapter.unlinkAccount?.(accountKey(account)), 'unlinkAccount after deleteUser')
      if (adapter.updateUser) await expectError(adapter.updateUser({ id: ada.user.id, name: 'Ghost' }), 'updateUser of a deleted user')
    },
  ),

  contractCase('a deleted user can sign up again as a new user', ['createUser', 'deleteUser'], async (adapter) => {
    const { user, accounts, sessions, authenticators } = (await createFixture(adapter)).ada
    await adapter.deleteUser(user.id)
    const created = await adapter.createUser({ email: user.email } as AdapterUser)
    const again = { id: idOf(created), email: user.email, emailVerified: null }
    expectUser(created, again, 'createUser with the email of a deleted user')
    const person = makePerson(again, {
      account: accountKey(accounts[0]),
      session: { sessionToken: sessions[0].sessionToken },
      authenticator: { credentialID: authenticators[0].credentialID },
      token: { token: unique('token') },
    })
    await storePerson(adapter, person)
    await verifyPerson(adapter, person, 'after signing up again')
  }),
]
