import type { AdapterAuthenticator } from '../models.js'
import type { Needed, Needs } from './case.js'
import { casesAbout } from './case.js'
import { isNothing, isNull, isRowOrNothing, isSession, isSessionAndUser, isToken, isUser } from './expect.js'
import { inDays, someAccount, someAuthenticator, someSession, someToken, someUser } from './fixtures.js'
import type { Subject } from './subject.js'
import { expectAuthenticator, expectUser, expectWorld, lookAround } from './views.js'
import { furnish, keyOfAccount, keyOfToken, newUser } from './world.js'

const topicCase = casesAbout('freshness')

/** A case in which one adapter looks and the other writes, in both directions where there are two. */
const contractCase = <const N extends Needs>(
  name: string,
  needs: N,
  run: (reader: Subject<Needed<N>>, writer: Subject<Needed<N>>) => Promise<void>,
) =>
  topicCase(name, needs, async (adapter, { peer }) => {
    await run(peer, adapter)
    if (peer !== adapter) await run(adapter, peer)
  })

const ignored = ['token'] as const

export const freshnessCases = [
  contractCase('a changed user is seen by every lookup', ['createUser', 'updateUser'], async (reader, writer) => {
    const world = await furnish(reader)
    for (const change of [{ name: 'Grace' }, { image: null }, { emailVerified: null }, { email: someUser().email }]) {
      await lookAround(reader, world)
      const { email } = world.user
      Object.assign(world.user, change)
      await reader.getUserByEmail?.(world.user.email)
      await writer.updateUser({ id: world.user.id, ...change })
      await expectWorld(reader, world, `after updateUser of ${Object.keys(change)}`, { ignored })
      if (reader.getUserByEmail && world.user.email !== email)
        isNull(await reader.getUserByEmail(email), 'getUserByEmail of an address that was changed')
    }
  }),

  contractCase('a deleted user is seen by no lookup', ['createUser', 'deleteUser'], async (reader, writer) => {
    const world = await furnish(reader)
    await lookAround(reader, world)
    await writer.deleteUser(world.user.id)
    await expectWorld(reader, world, 'after deleteUser', { gone: ['user', 'account', 'session', 'authenticator'], ignored })
  }),

  contractCase('a user is found where nobody was found before', ['createUser', ['getUser', 'getUserByEmail']], async (reader, writer) => {
    const user = someUser()
    const ask = async () => {
      for (const found of [await reader.getUserByEmail?.(user.email), await reader.getUser?.(user.id)])
        isNothing(found, 'getUser or getUserByEmail of nobody')
    }
    await ask()
    await ask()
    await expectUser(reader, await newUser(writer, user), 'after createUser')
  }),

  contractCase(
    'an account is found where none was found before, and not once it is unlinked',
    ['linkAccount', ['getUserByAccount', 'getAccount']],
    async (reader, writer) => {
      const { linkAccount: _, ...others } = writer
      const world = await furnish(others)
      await writer.linkAccount(someAccount(world.user.id))
      await lookAround(reader, world)
      await writer.linkAccount(world.account)
      await expectWorld(reader, world, 'after linkAccount', { ignored })
      if (!writer.unlinkAccount) return
      await lookAround(reader, world)
      // One key, however it is written.
      const { provider, providerAccountId } = world.account
      const keys = [{ providerAccountId, provider }, world.account]
      for (const key of keys) await reader.getUserByAccount?.(key)
      await writer.unlinkAccount(keyOfAccount(world.account))
      await expectWorld(reader, world, 'after unlinkAccount', { gone: ['account'], ignored })
      for (const key of keys) isNothing(await reader.getUserByAccount?.(key), 'getUserByAccount after unlinkAccount')
      const another = { ...world, account: someAccount(world.user.id) }
      await reader.linkAccount(another.account)
      await writer.unlinkAccount(keyOfAccount(another.account))
      const gone = { gone: ['account'], ignored: [...ignored, 'session', 'authenticator'] } as const
      await expectWorld(reader, another, 'after unlinkAccount of what another linked', gone)
    },
  ),

  contractCase(
    'a verification token works wherever it is used, and only there',
    ['createVerificationToken', 'useVerificationToken'],
    async (reader, writer) => {
      const token = someToken()
      isNull(await reader.useVerificationToken(keyOfToken(token)), 'useVerificationToken before createVerificationToken')
      await writer.createVerificationToken(token)
      isToken(await reader.useVerificationToken(keyOfToken(token)), token, 'useVerificationToken of a token that another created')
      isNull(await writer.useVerificationToken(keyOfToken(token)), 'useVerificationToken of a token that another used')
    },
  ),

  contractCase(
    'a session is found where none was found before, and not once it is deleted',
    ['createUser', 'createSession', 'getSessionAndUser'],
    async (reader, writer) => {
      const user = await newUser(writer)
      const session = someSession(user.id)
      await writer.createSession(someSession(user.id))
      const ask = () => reader.getSessionAndUser(session.sessionToken)
      for (const maker of [writer, reader]) {
        for (const _ of [1, 2]) isNull(await ask(), 'getSessionAndUser before createSession')
        await maker.createSession(session)
        isSessionAndUser(await ask(), session, user, 'getSessionAndUser after createSession')
        if (!writer.deleteSession) return
        await writer.deleteSession(session.sessionToken)
        isNull(await ask(), 'getSessionAndUser after deleteSession')
      }
    },
  ),

  contractCase(
    'a changed session is seen at once',
    ['createUser', 'createSession', 'getSessionAndUser', 'updateSession'],
    async (reader, writer) => {
      const world = await furnish(reader)
      const { sessionToken } = world.session
      for (const expires of [inDays(60), inDays(1)]) {
        await lookAround(reader, world)
        await writer.updateSession({ sessionToken, expires })
        const found = await reader.getSessionAndUser(sessionToken)
        isSessionAndUser(found, { ...world.session, expires }, world.user, 'getSessionAndUser after updateSession')
        world.session.expires = expires
      }
      const bob = await newUser(writer)
      await writer.updateSession({ sessionToken, userId: bob.id })
      const found = await reader.getSessionAndUser(sessionToken)
      isSessionAndUser(found, { ...world.session, userId: bob.id }, bob, 'getSessionAndUser after updateSession to another user')
    },
  ),

  contractCase(
    'an authenticator is found where none was found before',
    ['createAuthenticator', ['getAuthenticator', 'listAuthenticatorsByUserId']],
    async (reader, writer) => {
      const user = await newUser(writer)
      const created: AdapterAuthenticator[] = []
      for (const authenticator of [someAuthenticator(user.id), someAuthenticator(user.id)]) {
        for (const _ of [1, 2]) {
          if (reader.getAuthenticator) isNull(await reader.getAuthenticator(authenticator.credentialID), 'getAuthenticator of none')
          await reader.listAuthenticatorsByUserId?.(user.id)
        }
        await writer.createAuthenticator(authenticator)
        created.push(authenticator)
        for (const each of created) await expectAuthenticator(reader, each, 'after createAuthenticator')
      }
    },
  ),

  contractCase(
    'a changed counter is seen at once',
    ['createAuthenticator', 'updateAuthenticatorCounter', ['getAuthenticator', 'listAuthenticatorsByUserId']],
    async (reader, writer) => {
      const first = await furnish(reader)
      const { authenticator } = await furnish(reader, {}, first.user)
      for (const counter of [8, 9, 2]) {
        await lookAround(reader, { ...first, authenticator })
        await writer.updateAuthenticatorCounter(authenticator.credentialID, counter)
        await expectAuthenticator(reader, { ...authenticator, counter }, 'after updateAuthenticatorCounter')
      }
    },
  ),

  contractCase(
    'a value that another replaced can be written again',
    [
      ['createUser', 'createSession', 'createAuthenticator'],
      ['updateUser', 'updateSession', 'updateAuthenticatorCounter'],
    ],
    async (reader, writer) => {
      const world = await furnish(reader)
      const { user, session, authenticator } = world
      const values = [
        { name: 'Ada', expires: inDays(60), counter: 6_000 },
        { name: 'Grace', expires: inDays(70), counter: 7_000 },
      ] as const
      for (const [each, value] of [
        [reader, values[0]],
        [writer, values[1]],
        [reader, values[0]],
      ] as const) {
        if (each.createUser) await each.updateUser?.({ id: user.id, name: value.name })
        if (each.createSession) await each.updateSession?.({ sessionToken: session.sessionToken, expires: value.expires })
        if (each.createAuthenticator) await each.updateAuthenticatorCounter?.(authenticator.credentialID, value.counter)
      }
      const { name, expires, counter } = values[0]
      const changed = {
        ...world,
        user: reader.updateUser ? { ...user, name } : user,
        session: reader.updateSession ? { ...session, expires } : session,
        authenticator: reader.updateAuthenticatorCounter ? { ...authenticator, counter } : authenticator,
      }
      await expectWorld(writer, changed, 'after it was changed, changed by another, and changed again', { ignored })
    },
  ),

  contractCase(
    'an update or a deletion returns the row as another left it',
    ['createUser', ['updateUser', 'updateSession']],
    async (reader, writer) => {
      const { user, session } = await furnish(reader)
      const { sessionToken } = session
      const [bob, grace] = [await newUser(writer), { ...user, name: 'Grace' }]
      if (reader.createSession && reader.updateSession && writer.updateSession) {
        const left = await writer.updateSession({ sessionToken, userId: bob.id })
        const moved = { ...session, userId: left?.userId ?? bob.id, expires: inDays(60) }
        const updated = await reader.updateSession({ sessionToken, expires: moved.expires })
        isRowOrNothing(updated, moved, 'updateSession after another changed its user', isSession)
        const prolonged = { ...moved, expires: inDays(70) }
        await writer.updateSession({ sessionToken, expires: prolonged.expires })
        const deleted = await reader.deleteSession?.(sessionToken)
        isRowOrNothing(deleted, prolonged, 'deleteSession after another prolonged it', isSession)
      }
      if (!reader.updateUser || !writer.updateUser) return
      await writer.updateUser({ id: user.id, name: grace.name })
      const pictured = { ...grace, image: null }
      isUser(await reader.updateUser({ id: user.id, image: null }), pictured, 'updateUser after another changed the name')
      await writer.updateUser({ id: user.id, name: 'Hedy' })
      isRowOrNothing(await reader.deleteUser?.(user.id), { ...pictured, name: 'Hedy' }, 'deleteUser after another changed the name', isUser)
    },
  ),
]
