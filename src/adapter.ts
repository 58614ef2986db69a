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
import { keys, models } from './models.js'
import { operationError } from './query/classify.js'
import { equal } from './query/conditions.js'
import type { Dialect } from './query/dialect.js'
import { primaryOf } from './query/internals.js'
import type { Rows } from './query/rows.js'
import { openTable, orNotFound } from './query/rows.js'
import { connect } from './query/statements.js'
import type { Adapter, AdapterOptions, Tables } from './types.js'

const caller = 'DrizzleAdapter'

/** How accounts and sessions refer to their user. */
const owner = { from: 'userId', to: 'id' }

/** Creates the adapter of one dialect. `DrizzleAdapter` of each entry point calls it. */
export function createAdapter<T extends Tables>(dialect: Dialect, db: unknown, tables: T, options: AdapterOptions = {}): Adapter<T> {
  const database = primaryOf(db, caller)
  checkAdapter(caller, dialect.name, database, tables, options)
  const connection = connect(dialect, database, options)

  const open = (name: ModelName, owners?: Rows) => {
    const table = (tables as Tables)[`${name}Table`]
    const rows = table && openTable(connection, table, models[name], keys[name], owners)
    return rows && (options.secrets?.protect(name, rows) ?? rows)
  }
  const users = open('users') as Rows
  const accounts = open('accounts', users) as Rows
  const sessions = open('sessions', users)
  const tokens = open('verificationTokens')
  const authenticators = open('authenticators', users)
  // Sessions come last, because there can be many of them.
  const belongings = [authenticators, accounts, sessions].filter((rows) => rows != null)

  const operations = {
    ...userOperations(users, accounts, belongings),
    ...accountOperations(accounts),
    ...(sessions && sessionOperations(sessions, users)),
    ...(tokens && tokenOperations(tokens)),
    ...(authenticators && authenticatorOperations(authenticators)),
    ...accountExtensions(accounts),
    ...(sessions && sessionExtensions(sessions)),
  }
  // Drizzle's types end at its query builders. The operations return rows of the tables that `Adapter<T>` describes.
  return redactErrors(operations, dialect, options) as unknown as Adapter<T>
}

function userOperations(users: Rows, accounts: Rows, belongings: Rows[]) {
  return {
    createUser: (user: Partial<AdapterUser>) => users.insert(user),

    getUser: (id: string) => users.find({ id }),

    getUserByEmail: (email: string) => users.find({ email }, ['email']),

    getUserByAccount: async (account: AccountKey) => (await accounts.findWith(account, users, owner))?.other ?? null,

    updateUser: async (user: Partial<AdapterUser>) => orNotFound(await users.update(user), users),

    deleteUser: (id: string) => users.removeWith(belongings, id),
  }
}

function accountOperations(accounts: Rows) {
  return {
    linkAccount: (account: AdapterAccount) => accounts.insert(account),

    unlinkAccount: async (account: AccountKey) => (await accounts.remove(account)) ?? undefined,

    getAccount: (providerAccountId: string, provider: string) => accounts.find({ provider, providerAccountId }),
  }
}

function sessionOperations(sessions: Rows, users: Rows) {
  return {
    createSession: (session: AdapterSession) => sessions.insert(session),

    getSessionAndUser: async (sessionToken: string) => {
      const found = await sessions.findWith({ sessionToken }, users, owner)
      return found && { session: found.row, user: found.other }
    },

    updateSession: (session: Partial<AdapterSession>) => sessions.update(session),

    deleteSession: (sessionToken: string) => sessions.remove({ sessionToken }),
  }
}

function tokenOperations(tokens: Rows) {
  return {
    createVerificationToken: (token: VerificationToken) => tokens.insert(token),

    useVerificationToken: (token: Pick<VerificationToken, 'identifier' | 'token'>) => tokens.remove(token),
  }
}

function authenticatorOperations(authenticators: Rows) {
  return {
    createAuthenticator: (authenticator: AdapterAuthenticator) => authenticators.insert(authenticator),

    getAuthenticator: (credentialID: string) => authenticators.find({ credentialID }),

    listAuthenticatorsByUserId: (userId: string) => authenticators.list(equal({ userId })),

    updateAuthenticatorCounter: async (credentialID: string, counter: number) =>
      orNotFound(await authenticators.update({ credentialID, counter: counter ?? null }), authenticators),
  }
}

type Operation = (...parameters: never[]) => Promise<unknown>

/** The operations, with errors that hold no value. */
function redactErrors(
  operations: Record<string, Operation>,
  { sql }: Dialect,
  { onError }: Pick<AdapterOptions, 'onError'>,
): Record<string, Operation> {
  const redacted: Record<string, Operation> = {}
  for (const [name, operation] of Object.entries(operations))
    redacted[name] = async (...parameters) => {
      try {
        return await operation(...parameters)
      } catch (error) {
        throw operationError(name, error, sql.failures, onError)
      }
    }
  return redacted
}
