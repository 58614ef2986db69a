import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from '@auth/core/adapters'
import type { OperationName, Operations } from './contenders/contender.js'

/** Somebody who signs up, in every way there is, and leaves again. */
export interface Person {
  user: AdapterUser
  account: AdapterAccount
  session: AdapterSession
  token: VerificationToken
  authenticator: AdapterAuthenticator
}

interface Operation {
  name: OperationName
  /** Done before, and not measured. */
  before?(adapter: Operations, person: Person): unknown
  run(adapter: Operations, person: Person): unknown
  /** Done with the result afterwards, and not measured. */
  after?(person: Person, result: never): void
}

const sometime = new Date('2031-05-06T07:08:09.123Z')
const later = new Date('2032-05-06T07:08:09.123Z')

const keyOf = ({ account: { provider, providerAccountId } }: Person) => ({ provider, providerAccountId })

/** The operations in an order in which each finds what it needs, and the last leaves nothing behind. */
export const operations: Operation[] = [
  { name: 'createUser', run: (adapter, { user }) => adapter.createUser(user), after: (person, user: AdapterUser) => own(person, user.id) },
  { name: 'getUser', run: (adapter, { user }) => adapter.getUser(user.id) },
  { name: 'getUserByEmail', run: (adapter, { user }) => adapter.getUserByEmail(user.email) },
  { name: 'updateUser', run: (adapter, { user }) => adapter.updateUser({ id: user.id, name: 'Another Name' }) },
  { name: 'linkAccount', run: (adapter, { account }) => adapter.linkAccount(account) },
  { name: 'getAccount', run: (adapter, { account }) => adapter.getAccount(account.providerAccountId, account.provider) },
  { name: 'getUserByAccount', run: (adapter, person) => adapter.getUserByAccount(keyOf(person)) },
  { name: 'createSession', run: (adapter, { session }) => adapter.createSession(session) },
  { name: 'getSessionAndUser', run: (adapter, { session }) => adapter.getSessionAndUser(session.sessionToken) },
  { name: 'updateSession', run: (adapter, { session }) => adapter.updateSession({ sessionToken: session.sessionToken, expires: later }) },
  { name: 'createVerificationToken', run: (adapter, { token }) => adapter.createVerificationToken(token) },
  {
    name: 'useVerificationToken',
    run: (adapter, { token: { identifier, token } }) => adapter.useVerificationToken({ identifier, token }),
  },
  { name: 'createAuthenticator', run: (adapter, { authenticator }) => adapter.createAuthenticator(authenticator) },
  { name: 'getAuthenticator', run: (adapter, { authenticator }) => adapter.getAuthenticator(authenticator.credentialID) },
  { name: 'listAuthenticatorsByUserId', run: (adapter, { user }) => adapter.listAuthenticatorsByUserId(user.id) },
  {
    name: 'updateAuthenticatorCounter',
    run: (adapter, { authenticator }) => adapter.updateAuthenticatorCounter(authenticator.credentialID, 2),
  },
  { name: 'deleteSession', run: (adapter, { session }) => adapter.deleteSession(session.sessionToken) },
  { name: 'unlinkAccount', run: (adapter, person) => adapter.unlinkAccount(keyOf(person)) },
  {
    name: 'deleteUser',
    async before(adapter, { account, session }) {
      await adapter.linkAccount(account)
      await adapter.createSession(session)
    },
    run: (adapter, { user }) => adapter.deleteUser(user.id),
  },
]

/** People who have not been there before. */
export function newPeople(count: number): Person[] {
  return Array.from({ length: count }, () => {
    const id = crypto.randomUUID()
    const email = `${id}@example.com`
    return {
      user: { id, name: 'Some Body', email, emailVerified: sometime, image: `https://example.com/${id}.png` },
      account: {
        userId: id,
        type: 'oidc',
        provider: 'example',
        providerAccountId: id,
        refresh_token: 'r'.repeat(100),
        access_token: 'a'.repeat(200),
        expires_at: 1_900_000_000,
        expires_in: 3600,
        token_type: 'bearer',
        scope: 'openid profile email',
        id_token: 'i'.repeat(800),
        session_state: 's',
      },
      session: { sessionToken: crypto.randomUUID(), userId: id, expires: sometime },
      token: { identifier: email, token: crypto.randomUUID(), expires: sometime },
      authenticator: {
        credentialID: crypto.randomUUID(),
        userId: id,
        providerAccountId: id,
        credentialPublicKey: 'k'.repeat(100),
        counter: 1,
        credentialDeviceType: 'singleDevice',
        credentialBackedUp: true,
        transports: 'internal',
      },
    }
  })
}

// Some adapters make up the ids of their users.
function own(person: Person, id: string): void {
  person.user.id = id
  for (const thing of [person.account, person.session, person.authenticator]) thing.userId = id
}
