import type { AdapterAccount, AdapterUser } from '../contract.js'
import { casesAbout } from './case.js'
import {
  equal,
  fieldOf,
  isNothing,
  isNull,
  isObject,
  isRowOrNothing,
  isToken,
  isUser,
  ok,
  rejection,
  settled,
  successes,
} from './expect.js'
import { inDays, someAccount, someToken, someUser, unique } from './fixtures.js'
import { show } from './show.js'
import { expectUser } from './views.js'
import { furnish, idOf, keyOfAccount, keyOfToken, newUser } from './world.js'

const contractCase = casesAbout('operations')

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

  contractCase('getUser finds nobody by an unknown or malformed id', ['getUser'], async (adapter) => {
    const malformed = [
      'invalid-user-id',
      '',
      '0',
      '-1',
      '1.0',
      '1e3',
      '99999999999999999999999',
      ' 1',
      'null',
      'undefined',
      'NaN',
      '*',
      '%',
    ]
    const { email, name } = await newUser(adapter)
    for (const id of [crypto.randomUUID(), email, name as string, ...malformed]) isNull(await adapter.getUser(id), `getUser(${show(id)})`)
  }),

  contractCase('getUserByEmail finds nobody by an unknown address', ['getUserByEmail'], async (adapter) => {
    const user = await newUser(adapter)
    for (const email of [`${unique('nobody')}@example.com`, '', '@', '@example.com', user.id])
      isNull(await adapter.getUserByEmail(email), `getUserByEmail(${show(email)})`)
  }),

  contractCase(
    'getUserByAccount finds the owner by provider and id together',
    ['createUser', 'linkAccount', 'getUserByAccount'],
    async (adapter) => {
      const [ada, bob] = [await newUser(adapter), await newUser(adapter)]
      const providerAccountId = unique('account')
      await adapter.linkAccount(someAccount(ada.id, { provider: 'github', providerAccountId }))
      await adapter.linkAccount(someAccount(bob.id, { provider: 'gitlab', providerAccountId }))
      isUser(await adapter.getUserByAccount({ provider: 'github', providerAccountId }), ada, 'getUserByAccount at github')
      isUser(await adapter.getUserByAccount({ providerAccountId, provider: 'gitlab' }), bob, 'getUserByAccount at gitlab')
    },
  ),

  contractCase('getUserByAccount finds nobody by an unknown account', ['getUserByAccount'], async (adapter) => {
    const { account, user } = await furnish(adapter)
    const { provider, providerAccountId } = account
    isNull(await adapter.getUserByAccount({ provider: 'google', providerAccountId }), 'getUserByAccount of an unknown provider')
    isNull(await adapter.getUserByAccount({ provider, providerAccountId: unique('account') }), 'getUserByAccount of an unknown id')
    isNull(await adapter.getUserByAccount({ provider: 'email', providerAccountId: user.email }), 'getUserByAccount of an address')
    isNull(await adapter.getUserByAccount({ provider: 'credentials', providerAccountId: user.id }), 'getUserByAccount of a user id')
    isNull(
      await adapter.getUserByAccount({ provider: providerAccountId, providerAccountId: provider }),
      'getUserByAccount with its keys exchanged',
    )
  }),

  contractCase(
    'getUserByAccount finds the user by each of several accounts, of every type, also of one provider',
    ['createUser', 'linkAccount', 'getUserByAccount'],
    async (adapter) => {
      const user = await newUser(adapter)
      const kinds = { github: 'oauth', google: 'oidc', email: 'email', passkey: 'webauthn' } as const
      const accounts = Object.entries(kinds).map(([provider, type]) => someAccount(user.id, { provider, type }))
      const [github, google] = accounts as [AdapterAccount, AdapterAccount]
      const gitlab = someAccount(user.id, { provider: 'gitlab', providerAccountId: github.providerAccountId })
      accounts.push(someAccount(user.id, { provider: 'github' }), someAccount(user.id, { provider: 'passkey', type: 'webauthn' }), gitlab)
      for (const account of accounts) await adapter.linkAccount(account)
      for (const [{ provider }, { providerAccountId }] of [
        [github, google],
        [google, github],
      ] as const) {
        const key = { provider, providerAccountId }
        const what = 'of the provider of one account and the id of another'
        isNull(await adapter.getUserByAccount(key), `getUserByAccount ${what}`)
        if (adapter.unlinkAccount) isNothing(await adapter.unlinkAccount(key), `unlinkAccount ${what}`)
      }
      for (const account of accounts)
        isUser(await adapter.getUserByAccount(keyOfAccount(account)), user, `getUserByAccount at ${account.provider}`)
      if (!adapter.unlinkAccount) return
      await adapter.unlinkAccount(keyOfAccount(gitlab))
      const what = 'getUserByAccount after unlinkAccount of the same id at another provider'
      isUser(await adapter.getUserByAccount(keyOfAccount(github)), user, what)
    },
  ),

  contractCase('updateUser changes each field that it is given, and nothing else', ['createUser', 'updateUser'], async (adapter) => {
    let user = await newUser(adapter, { emailVerified: inDays(-1) })
    const verified = inDays(0)
    const changes = [
      { emailVerified: verified },
      // Small changes are changes, too.
      ...[1, 1_000, 60_000].map((milliseconds) => ({ emailVerified: new Date(verified.getTime() + milliseconds) })),
      { name: 'Grace' },
      { name: 'grace' },
      { image: 'https://example.com/grace.png' },
      { email: someUser().email },
      { emailVerified: inDays(-9), name: 'Lin', image: 'https://example.com/lin.png', email: someUser().email },
      { name: null },
      { image: 'https://example.com/ada.png' },
    ]
    for (const change of changes) {
      const what = `updateUser of ${Object.keys(change).join(', ')}`
      user = { ...user, ...change }
      isUser(await adapter.updateUser({ id: user.id, ...change }), user, what)
      await expectUser(adapter, user, `after ${what}`)
    }
  }),

  contractCase('updateUser stores empty texts, and null', ['createUser', 'updateUser'], async (adapter) => {
    for (const change of [{ name: '' }, { image: '' }, { name: null }, { image: null }, { emailVerified: null }]) {
      const user = { ...(await newUser(adapter, { emailVerified: inDays(-1) })), ...change }
      isUser(await adapter.updateUser({ id: user.id, ...change }), user, `updateUser with ${show(change)}`)
      await expectUser(adapter, user, `after updateUser with ${show(change)}`)
    }
    const user = await newUser(adapter, { name: null })
    for (const name of ['', null]) {
      const what = `updateUser of the name from ${show(user.name)} to ${show(name)}`
      user.name = name
      isUser(await adapter.updateUser({ id: user.id, name }), user, what)
    }
  }),

  contractCase('updateUser leaves a field alone for undefined', ['createUser', 'updateUser'], async (adapter) => {
    const user = await newUser(adapter, { emailVerified: inDays(-1) })
    const nothing = { email: undefined, name: undefined, image: undefined, emailVerified: undefined }
    isUser(await adapter.updateUser({ ...nothing, id: user.id } as unknown as AdapterUser), user, 'updateUser with undefined alone')
    const changed = { ...user, name: 'Grace' }
    const given = { ...nothing, id: user.id, name: 'Grace' } as unknown as AdapterUser
    isUser(await adapter.updateUser(given), changed, 'updateUser with a name, and undefined')
    await expectUser(adapter, changed, 'after updateUser with undefined')
  }),

  contractCase('updateUser that changes nothing returns the user', ['createUser', 'updateUser'], async (adapter) => {
    const user = await newUser(adapter, { emailVerified: inDays(-1) })
    isUser(await adapter.updateUser({ id: user.id }), user, 'updateUser with no field')
    isUser(await adapter.updateUser(user), user, 'updateUser with every field as it was')
    isUser(await adapter.updateUser({ id: user.id, 'no such column': 1 } as { id: string }), user, 'updateUser with an unknown field')
  }),

  contractCase('updateUser of an unknown user throws, and creates none', ['updateUser'], async (adapter) => {
    const { id, email } = someUser()
    await rejection(adapter.updateUser({ id, email, name: 'Nobody' }), 'updateUser of an unknown id')
    await rejection(adapter.updateUser({ id: 'invalid-user-id', name: 'Nobody' }), 'updateUser of a malformed id')
    await rejection(adapter.updateUser({ id }), 'updateUser of an unknown id with no field')
    if (adapter.getUser) isNull(await adapter.getUser(id), 'getUser after updateUser of an unknown user')
    if (adapter.getUserByEmail) isNull(await adapter.getUserByEmail(email), 'getUserByEmail after updateUser of an unknown user')
    if (adapter.createUser)
      await expectUser(adapter, await newUser(adapter, { email }), 'after updateUser of an unknown user to its address')
  }),

  contractCase('updateUser refuses an address that is taken, and changes nobody', ['createUser', 'updateUser'], async (adapter) => {
    const [ada, bob] = [await newUser(adapter), await newUser(adapter)]
    await rejection(adapter.updateUser({ id: bob.id, email: ada.email, name: 'Bob' }), 'updateUser with a taken address')
    await expectUser(adapter, ada, 'after updateUser of another user with its address')
    await expectUser(adapter, bob, 'after updateUser with a taken address')
  }),

  contractCase('an address that was changed finds nobody, and is free for others', ['createUser', 'updateUser'], async (adapter) => {
    const user = await newUser(adapter)
    const token = someToken({ identifier: user.email })
    await adapter.createVerificationToken?.(token)
    const changed = { ...user, email: someUser().email }
    await adapter.updateUser({ id: user.id, email: changed.email })
    // The link went to the old address, and proves that one alone.
    if (adapter.createVerificationToken && adapter.useVerificationToken)
      isToken(await adapter.useVerificationToken(keyOfToken(token)), token, 'useVerificationToken of the old address after updateUser')
    if (adapter.getUserByEmail) isNull(await adapter.getUserByEmail(user.email), 'getUserByEmail of the old address')
    const other = await newUser(adapter, { email: user.email })
    await expectUser(adapter, other, 'after createUser with an address that was changed')
    await expectUser(adapter, changed, 'after its old address was given to another')
    // And back: nobody has it for ever.
    const moved = { ...other, email: someUser().email }
    await adapter.updateUser({ id: other.id, email: moved.email })
    isUser(await adapter.updateUser({ id: user.id, email: user.email }), user, 'updateUser to an address that it had before')
    await expectUser(adapter, user, 'after it got its old address back')
    await expectUser(adapter, moved, 'after its address went back to another')
    if (!adapter.deleteUser) return
    await adapter.deleteUser(moved.id)
    if (adapter.getUserByEmail) isNull(await adapter.getUserByEmail(moved.email), 'getUserByEmail of the last address of a deleted user')
    await expectUser(adapter, user, 'after deleteUser of a user who had its address before')
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
