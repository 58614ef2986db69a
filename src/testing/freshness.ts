import type { Needed, Needs } from './case.js'
import { casesAbout } from './case.js'
import { isNothing, isNull, isSessionAndUser, isToken } from './expect.js'
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
    const world = await furnish(writer)
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
    const world = await furnish(writer)
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
      await writer.unlinkAccount(keyOfAccount(world.account))
      await expectWorld(reader, world, 'after unlinkAccount', { gone: ['account'], ignored })
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
      for (const _ of [1, 2]) {
        isNull(await ask(), 'getSessionAndUser before createSession')
        await writer.createSession(session)
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
      const world = await furnish(writer)
      const { sessionToken } = world.session
      for (const expires of [inDays(60), inDays(1)]) {
        await lookAround(reader, world)
        await writer.updateSession({ sessionToken, expires })
        const found = await reader.getSessionAndUser(sessionToken)
        isSessionAndUser(found, { ...world.session, expires }, world.user, 'getSessionAndUser after updateSession')
      }
    },
  ),

  contractCase(
    'an authenticator is found where none was found before',
    ['createAuthenticator', ['getAuthenticator', 'listAuthenticatorsByUserId']],
    async (reader, writer) => {
      const user = await newUser(writer)
      for (const authenticator of [someAuthenticator(user.id), someAuthenticator(user.id)]) {
        for (const _ of [1, 2]) {
          if (reader.getAuthenticator) isNull(await reader.getAuthenticator(authenticator.credentialID), 'getAuthenticator of none')
          await reader.listAuthenticatorsByUserId?.(user.id)
        }
        await writer.createAuthenticator(authenticator)
        await expectAuthenticator(reader, authenticator, 'after createAuthenticator')
      }
    },
  ),

  contractCase(
    'a changed counter is seen at once',
    ['createAuthenticator', 'updateAuthenticatorCounter', ['getAuthenticator', 'listAuthenticatorsByUserId']],
    async (reader, writer) => {
      const world = await furnish(writer)
      for (const counter of [8, 9, 2]) {
        await lookAround(reader, world)
        await writer.updateAuthenticatorCounter(world.authenticator.credentialID, counter)
        await expectAuthenticator(reader, { ...world.authenticator, counter }, 'after updateAuthenticatorCounter')
      }
    },
  ),
]
