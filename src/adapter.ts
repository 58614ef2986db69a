import { checkAdapter } from './checks.js'
import { accountExtensions } from './extensions/accounts.js'
import { sessionExtensions } from './extensions/sessions.js'
import type {
  AccountKey,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  ModelName,
  VerificationToken,
} from './models.js'
import { belongings, keys, models, owner } from './models.js'
import { equal } from './query/conditions.js'
import { connect } from './query/connection.js'
import type { Dialect } from './query/dialect.js'
import { redactErrors } from './query/failures.js'
import type { ModelTable } from './query/table.js'
import { openTable, orNotFound } from './query/table.js'
import type { Adapter, AdapterOptions, Tables } from './types.js'

const caller = 'DrizzleAdapter'

/** Creates the adapter of one dialect. `DrizzleAdapter` of each entry point calls it. */
export function createAdapter<T extends Tables>(dialect: Dialect, db: unknown, tables: T, options: AdapterOptions = {}): Adapter<T> {
  checkAdapter(caller, dialect.name, tables, options)
  const connection = connect(caller, dialect, db, options)

  const open = (name: ModelName) => {
    const drizzleTable = (tables as Tables)[`${name}Table`]
    const table = drizzleTable && openTable(connection, drizzleTable, models[name], keys[name])
    return table && (options.secrets?.protect(name, table) ?? table)
  }
  const users = open('users') as ModelTable
  const accounts = open('accounts') as ModelTable
  const sessions = open('sessions')
  const verificationTokens = open('verificationTokens')
  const authenticators = open('authenticators')
  const opened = { accounts, sessions, authenticators }
  const owned = belongings.flatMap((name) => opened[name] ?? [])

  const operations = {
    ...userOperations(users, accounts, owned),
    ...accountOperations(accounts),
    ...(sessions && sessionOperations(sessions, users)),
    ...(verificationTokens && tokenOperations(verificationTokens)),
    ...(authenticators && authenticatorOperations(authenticators)),
    ...accountExtensions(accounts),
    ...(sessions && sessionExtensions(sessions)),
  }
  // Drizzle's types end at its query builders. The operations return rows of the tables that `Adapter<T>` describes.
  return redactErrors(operations, dialect.failures, options.onError) as unknown as Adapter<T>
}

function userOperations(users: ModelTable, accounts: ModelTable, owned: readonly ModelTable[]) {
  const byId = users.lookup(['id'])
  const byEmail = users.lookup(['email'])
  const byAccount = accounts.lookupWith(keys.accounts, users, owner, (_account, user) => user)
  return {
    createUser: (user: Partial<AdapterUser>) => users.insert(user),

    getUser: (id: string) => byId({ id }),

    getUserByEmail: (email: string) => byEmail({ email }),

    getUserByAccount: (account: AccountKey) => byAccount(account),

    updateUser: async (user: Partial<AdapterUser>) => orNotFound(await users.updateByKey(user), users),

    deleteUser: (id: string) => users.deleteUser(id, owned),
  }
}

function accountOperations(accounts: ModelTable) {
  const byKey = accounts.lookup(keys.accounts)
  return {
    linkAccount: (account: AdapterAccount) => accounts.insert(account),

    unlinkAccount: async (account: AccountKey) => (await accounts.deleteByKey(account)) ?? undefined,

    getAccount: (providerAccountId: string, provider: string) => byKey({ provider, providerAccountId }),
  }
}

function sessionOperations(sessions: ModelTable, users: ModelTable) {
  const withUser = sessions.lookupWith(keys.sessions, users, owner, (session, user) => ({ session, user }))
  return {
    createSession: (session: AdapterSession) => sessions.insert(session),

    getSessionAndUser: (sessionToken: string) => withUser({ sessionToken }),

    updateSession: (session: Partial<AdapterSession>) => sessions.updateByKey(session),

    deleteSession: (sessionToken: string) => sessions.deleteByKey({ sessionToken }),
  }
}

function tokenOperations(verificationTokens: ModelTable) {
  return {
    createVerificationToken: (token: VerificationToken) => verificationTokens.insert(token),

    useVerificationToken: (token: Pick<VerificationToken, 'identifier' | 'token'>) => verificationTokens.deleteByKey(token),
  }
}

function authenticatorOperations(authenticators: ModelTable) {
  const byKey = authenticators.lookup(keys.authenticators)
  return {
    createAuthenticator: (authenticator: AdapterAuthenticator) => authenticators.insert(authenticator),

    getAuthenticator: (credentialID: string) => byKey({ credentialID }),

    listAuthenticatorsByUserId: (userId: string) => authenticators.list(equal({ userId })),

    updateAuthenticatorCounter: async (credentialID: string, counter: number) =>
      orNotFound(await authenticators.updateByKey({ credentialID, counter: counter ?? null }), authenticators),
  }
}
