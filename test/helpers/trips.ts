import type { Adapter } from 'drizzle-auth-adapter'

interface CountedOperation {
  /** Makes the rows it needs, and gives the call to count. */
  prepare(): Promise<() => Promise<unknown>>
  pg: number
  mysql: number
  sqlite: number
}

/** Each operation, ready to be called on rows of its own, with the round trips that it takes. */
export function operations(adapter: Adapter): Record<string, CountedOperation> {
  const user = () => adapter.createUser({ id: crypto.randomUUID(), email: `${crypto.randomUUID()}@example.com` })
  const newAccount = async () => ({
    userId: (await user()).id,
    type: 'oauth' as const,
    provider: 'p',
    providerAccountId: crypto.randomUUID(),
  })
  const account = async () => adapter.linkAccount(await newAccount())
  const newSession = async () => ({ userId: (await user()).id, sessionToken: crypto.randomUUID(), expires: new Date() })
  const session = async () => adapter.createSession(await newSession())
  const newToken = () => ({ identifier: crypto.randomUUID(), token: crypto.randomUUID(), expires: new Date() })
  const newAuthenticator = async () => ({
    credentialID: crypto.randomUUID(),
    userId: (await user()).id,
    providerAccountId: 'a',
    credentialPublicKey: 'k',
    counter: 0,
    credentialDeviceType: 'd',
    credentialBackedUp: true,
  })
  const authenticator = async () => adapter.createAuthenticator(await newAuthenticator())
  const read = { pg: 1, mysql: 1, sqlite: 1 }
  const write = { ...read, mysql: 2 }
  const create = read
  return {
    createUser: { ...create, prepare: async () => user },
    getUser: {
      ...read,
      prepare: async () =>
        (
          (u) => () =>
            adapter.getUser(u.id)
        )(await user()),
    },
    getUserByEmail: {
      ...read,
      prepare: async () =>
        (
          (u) => () =>
            adapter.getUserByEmail(u.email)
        )(await user()),
    },
    getUserByAccount: {
      ...read,
      prepare: async () =>
        (
          (a) => () =>
            adapter.getUserByAccount(a)
        )(await account()),
    },
    updateUser: {
      ...write,
      prepare: async () =>
        (
          (u) => () =>
            adapter.updateUser({ id: u.id, name: 'x' })
        )(await user()),
    },
    deleteUser: {
      ...write,
      sqlite: 5,
      prepare: async () =>
        (
          (u) => () =>
            adapter.deleteUser(u.id)
        )(await user()),
    },
    linkAccount: {
      ...create,
      prepare: async () =>
        (
          (a) => () =>
            adapter.linkAccount(a)
        )(await newAccount()),
    },
    unlinkAccount: {
      ...write,
      prepare: async () =>
        (
          (a) => () =>
            adapter.unlinkAccount(a)
        )(await account()),
    },
    getAccount: {
      ...read,
      prepare: async () =>
        (
          (a) => () =>
            adapter.getAccount(a.providerAccountId, a.provider)
        )(await account()),
    },
    createSession: {
      ...create,
      prepare: async () =>
        (
          (s) => () =>
            adapter.createSession(s)
        )(await newSession()),
    },
    getSessionAndUser: {
      ...read,
      prepare: async () =>
        (
          (s) => () =>
            adapter.getSessionAndUser(s.sessionToken)
        )(await session()),
    },
    updateSession: {
      ...write,
      prepare: async () =>
        (
          (s) => () =>
            adapter.updateSession({ ...s, expires: new Date(0) })
        )(await session()),
    },
    deleteSession: {
      ...write,
      prepare: async () =>
        (
          (s) => () =>
            adapter.deleteSession(s.sessionToken)
        )(await session()),
    },
    createVerificationToken: {
      ...create,
      prepare: async () =>
        (
          (t) => () =>
            adapter.createVerificationToken(t)
        )(newToken()),
    },
    useVerificationToken: {
      ...write,
      prepare: async () =>
        (
          (t) => () =>
            adapter.useVerificationToken(t)
        )(await adapter.createVerificationToken(newToken())),
    },
    createAuthenticator: {
      ...create,
      prepare: async () =>
        (
          (a) => () =>
            adapter.createAuthenticator(a)
        )(await newAuthenticator()),
    },
    getAuthenticator: {
      ...read,
      prepare: async () =>
        (
          (a) => () =>
            adapter.getAuthenticator(a.credentialID)
        )(await authenticator()),
    },
    listAuthenticatorsByUserId: {
      ...read,
      prepare: async () =>
        (
          (a) => () =>
            adapter.listAuthenticatorsByUserId(a.userId)
        )(await authenticator()),
    },
    updateAuthenticatorCounter: {
      ...write,
      prepare: async () =>
        (
          (a) => () =>
            adapter.updateAuthenticatorCounter(a.credentialID, 1)
        )(await authenticator()),
    },
    listAccounts: {
      ...read,
      async prepare() {
        const { userId } = await account()
        return () => adapter.listAccounts(userId)
      },
    },
    updateAccount: {
      ...{ pg: 2, mysql: 2, sqlite: 2 },
      async prepare() {
        const { provider, providerAccountId } = await account()
        return () => adapter.updateAccount({ provider, providerAccountId, scope: 'x' })
      },
    },
    listSessions: {
      ...read,
      async prepare() {
        const { userId } = await session()
        return () => adapter.listSessions(userId)
      },
    },
    revokeSession: {
      ...{ pg: 2, mysql: 3, sqlite: 2 },
      async prepare() {
        const { userId } = await adapter.createSession({ ...(await newSession()), expires: new Date(Date.now() + 60_000) })
        const [listed] = await adapter.listSessions(userId)
        return () => adapter.revokeSession(userId, listed?.id ?? '')
      },
    },
    revokeSessions: {
      ...read,
      async prepare() {
        const { userId } = await session()
        return () => adapter.revokeSessions(userId)
      },
    },
  }
}
