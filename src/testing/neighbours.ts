import type { ContractCase } from './case.js'
import { casesAbout } from './case.js'
import { isAccount, isAuthenticator, isNothing, isSession, isToken, isUser } from './expect.js'
import type { OperationName, Subject } from './subject.js'
import { expectWorld } from './views.js'
import type { Part, World } from './world.js'
import { commonCounter, commonExpiry, furnish, keyOfAccount, keyOfToken, neighbourhood } from './world.js'

const contractCase = casesAbout('operations')

/** An operation on one row of a world, and what it does to it. */
interface Act {
  operation: OperationName
  /** What creates its row. */
  creator: OperationName
  act(adapter: Subject, world: World): Promise<unknown> | undefined
  /** What it returns, where it returns anything. */
  expect(returned: unknown, world: World, what: string): void
  gone?: readonly Part[]
  changed?: (world: World) => World
}

const acts: Act[] = [
  {
    operation: 'updateUser',
    creator: 'createUser',
    act: (adapter, { user }) => adapter.updateUser?.({ id: user.id, name: 'Grace', emailVerified: commonExpiry }),
    expect: (returned, { user }, what) => isUser(returned, user, what),
    changed: (world) => ({ ...world, user: { ...world.user, name: 'Grace', emailVerified: commonExpiry } }),
  },
  {
    operation: 'unlinkAccount',
    creator: 'linkAccount',
    act: (adapter, { account }) => adapter.unlinkAccount?.(keyOfAccount(account)),
    expect: (returned, { account }, what) => isAccount(returned, account, what),
    gone: ['account'],
  },
  {
    operation: 'updateSession',
    creator: 'createSession',
    act: (adapter, { session }) => adapter.updateSession?.({ sessionToken: session.sessionToken, expires: commonExpiry }),
    expect: (returned, { session }, what) => isSession(returned, session, what),
    changed: (world) => ({ ...world, session: { ...world.session, expires: commonExpiry } }),
  },
  {
    operation: 'deleteSession',
    creator: 'createSession',
    act: (adapter, { session }) => adapter.deleteSession?.(session.sessionToken),
    expect: (returned, { session }, what) => isSession(returned, session, what),
    gone: ['session'],
  },
  {
    operation: 'useVerificationToken',
    creator: 'createVerificationToken',
    act: (adapter, { token }) => adapter.useVerificationToken?.(keyOfToken(token)),
    expect: (returned, { token }, what) => isToken(returned, token, what),
    gone: ['token'],
  },
  {
    operation: 'updateAuthenticatorCounter',
    creator: 'createAuthenticator',
    act: (adapter, { authenticator }) => adapter.updateAuthenticatorCounter?.(authenticator.credentialID, commonCounter),
    expect: (returned, { authenticator }, what) => isAuthenticator(returned, authenticator, what),
    changed: (world) => ({ ...world, authenticator: { ...world.authenticator, counter: commonCounter } }),
  },
]

const aloneCases = acts.map(({ operation, creator, act, expect, gone = [], changed = (world) => world }): ContractCase => {
  const verb = gone.length > 0 ? 'takes away' : 'changes'
  return contractCase(
    `${operation} ${verb} its own row, and no other of the same user or of others`,
    [creator, operation],
    async (adapter) => {
      const [first, second, other] = await neighbourhood(adapter)
      const returned = await act(adapter, first)
      if (returned != null) expect(returned, changed(first), operation)
      // To take away what is gone already is no error.
      if (gone.length > 0) isNothing(await act(adapter, first), `${operation}, a second time`)
      const { user } = changed(first)
      // Ada's user is one and the same in both of her worlds.
      await expectWorld(adapter, changed(first), `after ${operation} of this one`, { gone })
      // To look at a token uses it up, so that the other tokens are looked at only where the case is about tokens.
      const ignored = operation === 'useVerificationToken' ? [] : (['token'] as const)
      await expectWorld(adapter, { ...second, user }, `after ${operation} of another row of the user`, { ignored })
      await expectWorld(adapter, other, `after ${operation} of another user's row`, { ignored })
    },
  )
})

export const neighbourCases = [
  ...aloneCases,

  contractCase(
    'a user keeps being there without accounts and sessions',
    ['createUser', ['getUser', 'getUserByEmail'], ['unlinkAccount', 'deleteSession']],
    async (adapter) => {
      const world = await furnish(adapter, { account: { type: 'webauthn', provider: 'passkey' } })
      const { user, account, session } = world
      await adapter.unlinkAccount?.(keyOfAccount(account))
      await adapter.deleteSession?.(session.sessionToken)
      const gone = [...(adapter.unlinkAccount ? (['account'] as const) : []), ...(adapter.deleteSession ? (['session'] as const) : [])]
      await expectWorld(adapter, world, 'after its last account and session are gone', { gone })
      const back = await furnish(adapter, {}, user)
      await expectWorld(adapter, back, 'after it came back')
    },
  ),
]
