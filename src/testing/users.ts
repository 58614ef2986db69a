import type { AdapterUser } from '../models.js'
import { casesAbout } from './case.js'
import { equal, fieldOf, isNothing, isNull, isObject, isRowOrNothing, isUser, ok, rejection, settled, successes } from './expect.js'
import { inDays, someUser } from './fixtures.js'
import { show } from './show.js'
import { expectUser } from './views.js'
import { furnish, idOf, keyOfAccount, newUser } from './world.js'

const contractCase = casesAbout('operations')

/** How users are created and deleted. */
export const userCases = [
  contractCase('createUser returns and stores every field, also an empty one', ['createUser'], async (adapter) => {
    for (const fields of [
      { emailVerified: inDays(-1) },
      { name: '', image: '' },
      { name: null, image: null },
      { name: undefined, image: undefined },
      { name: undefined },
      { name: null },
    ]) {
      const user = someUser(fields as Partial<AdapterUser>)
      const created = await adapter.createUser(user)
      const stored = { ...user, id: idOf(created) }
      isUser(created, stored, `createUser with ${show(fields)}`)
      await expectUser(adapter, stored, `after createUser with ${show(fields)}`)
    }
  }),

  contractCase('createUser makes an id where it is given none', ['createUser'], async (adapter) => {
    // As the library sends it for passkeys.
    const { email } = someUser()
    const created = await adapter.createUser({ email })
    const user = { id: idOf(created), email, emailVerified: null }
    isUser(created, user, 'createUser')
    equal(created.emailVerified, null, 'createUser, field emailVerified')
    await expectUser(adapter, user, 'after createUser')
  }),

  contractCase(
    'emailVerified is null, and not left out, until there is a date',
    ['createUser', ['getUser', 'getUserByEmail', 'getUserByAccount', 'getSessionAndUser', 'updateUser', 'deleteUser']],
    async (adapter) => {
      const given = await newUser(adapter)
      const { email } = someUser()
      const notGiven = { ...given, email, id: idOf(await adapter.createUser({ email })) }
      const takenBack = await newUser(adapter, { emailVerified: adapter.updateUser ? inDays(-1) : null })
      await adapter.updateUser?.({ id: takenBack.id, emailVerified: null })
      for (const owner of [given, notGiven, takenBack]) {
        const { user, account, session } = await furnish(adapter, {}, owner)
        const found = {
          getUser: await adapter.getUser?.(user.id),
          getUserByEmail: await adapter.getUserByEmail?.(user.email),
          getUserByAccount: adapter.linkAccount && (await adapter.getUserByAccount?.(keyOfAccount(account))),
          getSessionAndUser: adapter.createSession && (await adapter.getSessionAndUser?.(session.sessionToken))?.user,
          updateUser: await adapter.updateUser?.({ id: user.id, name: 'Grace' }),
          deleteUser: await adapter.deleteUser?.(user.id),
        }
        for (const [operation, each] of Object.entries(found))
          if (each) equal(fieldOf(each, 'emailVerified', operation), null, `${operation}, field emailVerified`)
      }
    },
  ),

  contractCase('createUser makes a new id for each user, also for many at once', ['createUser'], async (adapter, { peer }) => {
    const create = (by: typeof adapter) => by.createUser({ email: someUser().email })
    const users = await Promise.all(Array.from({ length: 20 }, (_, index) => create(index % 2 ? peer : adapter)))
    equal(new Set(users.map(idOf)).size, users.length, 'createUser: how many ids were made for 20 users')
  }),

  contractCase('createUser takes properties that it does not know', ['createUser'], async (adapter) => {
    const user = someUser()
    const extra = { 'no such column': 1, locale: 'en', constructor: 'x', toString: 'y', nested: { list: ['a'] } }
    const created = await adapter.createUser({ ...user, ...extra } as AdapterUser)
    await expectUser(adapter, { ...user, id: idOf(created) }, 'after createUser with unknown properties')
  }),

  contractCase('createUser refuses an address that is taken, and leaves its user alone', ['createUser'], async (adapter) => {
    for (const emailVerified of [inDays(-1), null]) {
      const user = await newUser(adapter, { emailVerified })
      const eve = someUser({ email: user.email, name: 'Eve', image: null })
      await rejection(adapter.createUser(eve), 'createUser with a taken address')
      await expectUser(adapter, user, 'after createUser with its address')
      if (adapter.getUser) isNull(await adapter.getUser(eve.id), 'getUser of the id that was refused with a taken address')
    }
  }),

  contractCase('createUser refuses an id that is taken, or makes another', ['createUser', 'getUser'], async (adapter) => {
    const user = await newUser(adapter)
    const eve = someUser({ id: user.id, name: 'Eve' })
    const result = await settled(adapter.createUser(eve))
    if ('thrown' in result)
      isNothing(await adapter.getUserByEmail?.(eve.email), 'getUserByEmail of the address that was refused with a taken id')
    if ('value' in result) ok(idOf(result.value) !== user.id, `createUser, field id: expected a new one, got ${show(user.id)} again`)
    isUser(await adapter.getUser(user.id), user, 'getUser after createUser with its id')
  }),

  contractCase('a user without an address is refused, or found by no address', ['createUser', 'getUserByEmail'], async (adapter) => {
    for (const email of [undefined, null]) {
      await settled(adapter.createUser({ ...someUser(), email } as unknown as AdapterUser))
      for (const key of [undefined, null, '', 'undefined', 'null']) {
        const found = await settled(adapter.getUserByEmail(key as string))
        if ('value' in found) isNothing(found.value, `getUserByEmail(${show(key)}) after createUser with email: ${show(email)}`)
      }
    }
    if (!adapter.updateUser) return
    const user = await newUser(adapter)
    const result = await settled(adapter.updateUser({ id: user.id, email: null } as unknown as AdapterUser))
    if ('value' in result) isObject(result.value, 'updateUser with email: null: expected a user or an error')
    // To leave the address alone is as good as to refuse null.
    const email = 'value' in result ? (fieldOf(result.value, 'email', 'updateUser with email: null') ?? null) : user.email
    if (email !== user.email) isNull(email, 'updateUser with email: null, field email')
    const found = await adapter.getUserByEmail(user.email)
    const what = 'getUserByEmail of its address after updateUser with email: null'
    if (email === null) isNull(found, what)
    else isUser(found, user, what)
  }),

  contractCase('deleteUser deletes the user, and does not mind an unknown one', ['createUser', 'deleteUser'], async (adapter) => {
    const [user, bystander] = [await newUser(adapter), await newUser(adapter)]
    isRowOrNothing(await adapter.deleteUser(user.id), user, 'deleteUser', isUser)
    if (adapter.getUser) isNull(await adapter.getUser(user.id), 'getUser of a deleted user')
    if (adapter.getUserByEmail) isNull(await adapter.getUserByEmail(user.email), 'getUserByEmail of a deleted user')
    if (adapter.updateUser) await rejection(adapter.updateUser({ id: user.id, name: 'Ghost' }), 'updateUser of a deleted user')
    isNothing(await adapter.deleteUser(user.id), 'deleteUser, a second time')
    for (const id of [crypto.randomUUID(), 'invalid-user-id', '', bystander.email])
      isNothing(await adapter.deleteUser(id), `deleteUser(${show(id)}), of nobody`)
    await expectUser(adapter, bystander, 'after deleteUser of others')
  }),

  contractCase('one address makes one user, also when many are created at once', ['createUser'], async (adapter, { peer }) => {
    const { email } = someUser()
    // Some of the calls are the same in every field.
    const create = (by: typeof adapter, index: number) => by.createUser(index % 3 === 2 ? someUser({ email }) : { email })
    const created = await successes(Array.from({ length: 10 }, (_, index) => create(index % 2 ? peer : adapter, index)))
    equal(created.length, 1, 'createUser: how many of ten users with one address were created')
    if (adapter.getUserByEmail) {
      const found = await adapter.getUserByEmail(email)
      isObject(found, 'getUserByEmail: expected the user that was created')
      equal(fieldOf(found, 'id', 'getUserByEmail'), idOf(created[0]), 'getUserByEmail, field id')
    }
  }),
]
