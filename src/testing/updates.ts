import type { AdapterUser } from '../models.js'
import { casesAbout } from './case.js'
import { isNull, isToken, isUser, rejection } from './expect.js'
import { inDays, someToken, someUser } from './fixtures.js'
import { show } from './show.js'
import { expectUser } from './views.js'
import { keyOfToken, newUser } from './world.js'

const contractCase = casesAbout('operations')

/** How users are changed. */
export const updateCases = [
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
    // And back: nobody keeps it forever.
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
]
