import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  Adapter as AuthJsAdapter,
  VerificationToken,
} from '@auth/core/adapters'
import type { Adapter } from 'drizzle-auth-adapter'

/** A user and one row of each other kind. */
export interface Person {
  user: AdapterUser
  account: AdapterAccount
  session: AdapterSession
  token: VerificationToken
  authenticator: AdapterAuthenticator
  /** The id of the session as `listSessions` gives it. */
  sessionId?: string
}

type Contract = Required<AuthJsAdapter>

export interface Operation<A = Contract> {
  /** The rows that must be in the database first. */
  needs: (keyof typeof create)[]
  run(adapter: A, person: Person): unknown
  /** Whether its write is in the database. Operations that only read have no such check. */
  isDone?(adapter: A, person: Person): Promise<boolean>
}

const expires = new Date('2031-05-06T07:08:09.123Z')
const later = new Date('2032-05-06T07:08:09.123Z')

const accountKey = ({ account: { provider, providerAccountId } }: Person) => ({ provider, providerAccountId })
const tokenKey = ({ token: { identifier, token } }: Person) => ({ identifier, token })

/** Creates one row of each kind. */
const create = {
  user: (adapter: Contract, { user }: Person) => adapter.createUser(user),
  account: (adapter: Contract, { account }: Person) => adapter.linkAccount(account),
  session: (adapter: Contract, { session }: Person) => adapter.createSession(session),
  token: (adapter: Contract, { token }: Person) => adapter.createVerificationToken(token),
  authenticator: (adapter: Contract, { authenticator }: Person) => adapter.createAuthenticator(authenticator),
}

/**
 * The operations of the contract with arguments for a person, ordered so that they can run one after another on the same person: each finds
 * the rows that earlier ones wrote, and the last deletes the user.
 */
export const operations: Record<keyof Contract, Operation> = {
  createUser: {
    needs: [],
    run: create.user,
    isDone: async (adapter, { user }) => (await adapter.getUserByEmail(user.email)) !== null,
  },
  getUser: { needs: ['user'], run: (adapter, { user }) => adapter.getUser(user.id) },
  getUserByEmail: { needs: ['user'], run: (adapter, { user }) => adapter.getUserByEmail(user.email) },
  updateUser: {
    needs: ['user'],
    run: (adapter, { user }) => adapter.updateUser({ id: user.id, name: 'Another Name' }),
    isDone: async (adapter, { user }) => (await adapter.getUser(user.id))?.name === 'Another Name',
  },
  linkAccount: {
    needs: ['user'],
    run: create.account,
    isDone: async (adapter, person) => (await adapter.getUserByAccount(accountKey(person))) !== null,
  },
  getAccount: {
    needs: ['user', 'account'],
    run: (adapter, { account }) => adapter.getAccount(account.providerAccountId, account.provider),
  },
  getUserByAccount: { needs: ['user', 'account'], run: (adapter, person) => adapter.getUserByAccount(accountKey(person)) },
  createSession: {
    needs: ['user'],
    run: create.session,
    isDone: async (adapter, { session }) => (await adapter.getSessionAndUser(session.sessionToken)) !== null,
  },
  getSessionAndUser: { needs: ['user', 'session'], run: (adapter, { session }) => adapter.getSessionAndUser(session.sessionToken) },
  updateSession: {
    needs: ['user', 'session'],
    run: (adapter, { session }) => adapter.updateSession({ sessionToken: session.sessionToken, expires: later }),
    isDone: async (adapter, { session }) =>
      (await adapter.getSessionAndUser(session.sessionToken))?.session.expires.getTime() === later.getTime(),
  },
  createVerificationToken: {
    needs: [],
    run: create.token,
    isDone: async (adapter, person) => (await adapter.useVerificationToken(tokenKey(person))) !== null,
  },
  useVerificationToken: {
    needs: ['token'],
    run: (adapter, person) => adapter.useVerificationToken(tokenKey(person)),
    isDone: async (adapter, person) => (await adapter.useVerificationToken(tokenKey(person))) === null,
  },
  createAuthenticator: {
    needs: ['user'],
    run: create.authenticator,
    isDone: async (adapter, { user }) => (await adapter.listAuthenticatorsByUserId(user.id)).length === 1,
  },
  getAuthenticator: {
    needs: ['user', 'authenticator'],
    run: (adapter, { authenticator }) => adapter.getAuthenticator(authenticator.credentialID),
  },
  listAuthenticatorsByUserId: {
    needs: ['user', 'authenticator'],
    run: (adapter, { user }) => adapter.listAuthenticatorsByUserId(user.id),
  },
  updateAuthenticatorCounter: {
    needs: ['user', 'authenticator'],
    run: (adapter, { authenticator }) => adapter.updateAuthenticatorCounter(authenticator.credentialID, 2),
    isDone: async (adapter, { authenticator }) => (await adapter.getAuthenticator(authenticator.credentialID))?.counter === 2,
  },
  deleteSession: {
    needs: ['user', 'session'],
    run: (adapter, { session }) => adapter.deleteSession(session.sessionToken),
    isDone: async (adapter, { session }) => (await adapter.getSessionAndUser(session.sessionToken)) === null,
  },
  unlinkAccount: {
    needs: ['user', 'account'],
    run: (adapter, person) => adapter.unlinkAccount(accountKey(person)),
    isDone: async (adapter, person) => (await adapter.getUserByAccount(accountKey(person))) === null,
  },
  deleteUser: {
    needs: ['user', 'account', 'session'],
    run: (adapter, { user }) => adapter.deleteUser(user.id),
    isDone: async (adapter, { user }) => (await adapter.getUser(user.id)) === null,
  },
}

/** The operations that this adapter has beyond the contract. */
export const extensions: Record<Exclude<keyof Adapter, keyof Contract>, Operation<Adapter>> = {
  listAccounts: { needs: ['user', 'account'], run: (adapter, { user }) => adapter.listAccounts(user.id) },
  updateAccount: { needs: ['user', 'account'], run: (adapter, person) => adapter.updateAccount({ ...accountKey(person), scope: 'x' }) },
  listSessions: { needs: ['user', 'session'], run: (adapter, { user }) => adapter.listSessions(user.id) },
  revokeSession: {
    needs: ['user', 'session'],
    run: (adapter, { user, sessionId }) => adapter.revokeSession(user.id, sessionId ?? ''),
  },
  revokeSessions: { needs: ['user', 'session'], run: (adapter, { user }) => adapter.revokeSessions(user.id) },
}

/** Creates a person in the database, with the rows that an operation needs. */
export async function seedPerson(adapter: Adapter, { needs }: Operation<Adapter>): Promise<Person> {
  const person = newPerson()
  for (const row of needs) await create[row](adapter, person)
  const [session] = needs.includes('session') ? await adapter.listSessions(person.user.id) : []
  return { ...person, ...(session && { sessionId: session.id }) }
}

/** A person with unique keys, of whom nothing is in the database yet. */
export function newPerson(): Person {
  const id = crypto.randomUUID()
  const email = `${id}@example.com`
  return {
    user: { id, name: 'Some Body', email, emailVerified: expires, image: `https://example.com/${id}.png` },
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
    session: { sessionToken: crypto.randomUUID(), userId: id, expires },
    token: { identifier: email, token: crypto.randomUUID(), expires },
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
}
