import { checkAdapter } from './checks.js'
import type {
  AccountKey,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  ModelName,
  VerificationToken,
} from './contract.js'
import { models } from './contract.js'
import { accountExtensions, sessionExtensions } from './extensions.js'
import { isTransaction, primaryOf } from './query/detection.js'
import type { Dialect, TableStatements } from './query/dialect.js'
import { operationError } from './query/failures.js'
import type { Connection, Rows } from './query/rows.js'
import { createRows } from './query/rows.js'
import type { Adapter, AdapterOptions, Tables } from './types.js'

const caller = 'DrizzleAdapter'

/** Creates the adapter of one dialect. `DrizzleAdapter` of each entry point calls it. */
export function createAdapter<T extends Tables>(dialect: Dialect, db: unknown, tables: T, options: AdapterOptions = {}): Adapter<T> {
  const database = primaryOf(db, caller)
  checkAdapter(caller, dialect.name, database, tables, options)
  const connection: Connection = {
    db: database,
    sql: dialect.forDriver?.(database, options) ?? dialect.sql,
    writes: dialect.writes,
    // A conflict ends the app's transaction: only the app can begin it again.
    retry: isTransaction(database) ? false : (options.retry ?? {}),
  }

  const rowsOf = (name: ModelName, key: string[]) => {
    const table = (tables as Tables)[`${name}Table`]
    const protect = (statements: TableStatements) => options.secrets?.protect(name, statements, connection.sql)
    return table && createRows(connection, table, models[name], key, protect)
  }
  const users = rowsOf('users', ['id']) as Rows
  const accounts = rowsOf('accounts', ['provider', 'providerAccountId']) as Rows
  const sessions = rowsOf('sessions', ['sessionToken'])
  const tokens = rowsOf('verificationTokens', ['identifier', 'token'])
  const authenticators = rowsOf('authenticators', ['credentialID'])
  // Sessions come last, because there can be many of them.
  const belongings = [authenticators, accounts, sessions].filter((rows) => rows != null)

  const operations = {
    ...userOperations(users, accounts, belongings),
    ...accountOperations(accounts),
    ...(sessions && sessionOperations(sessions, users)),
    ...(tokens && tokenOperations(tokens)),
    ...(authenticators && authenticatorOperations(authenticators)),
    ...accountExtensions(accounts, connection.writes),
    ...(sessions && sessionExtensions(sessions, connection.writes)),
  }
  // Drizzle's types end at its query builders. The operations return rows of the tables that `Adapter<T>` describes.
  return redactErrors(operations, connection) as unknown as Adapter<T>
}

function userOperations(users: Rows, accounts: Rows, belongings: Rows[]) {
  return {
    createUser: (user: Partial<AdapterUser>) => users.insert(user),

    getUser: (id: string) => users.find({ id }),

    getUserByEmail: (email: string) => users.find({ email }, ['email']),

    getUserByAccount: async (account: AccountKey) => (await accounts.findWithUser(account, users))?.user ?? null,

    updateUser: (user: Partial<AdapterUser>) => users.updateExisting(user),

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
      const found = await sessions.findWithUser({ sessionToken }, users)
      return found && { session: found.row, user: found.user }
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

    listAuthenticatorsByUserId: (userId: string) => authenticators.list({ userId }, ['userId']),

    updateAuthenticatorCounter: (credentialID: string, counter: number) =>
      authenticators.updateExisting({ credentialID, counter: counter ?? null }),
  }
}

type Operation = (...parameters: never[]) => Promise<unknown>

/** The operations, with errors that hold no value. */
function redactErrors(operations: Record<string, Operation>, { sql }: Connection): Record<string, Operation> {
  const redacted: Record<string, Operation> = {}
  for (const [name, operation] of Object.entries(operations))
    redacted[name] = async (...parameters) => {
      try {
        return await operation(...parameters)
      } catch (error) {
        throw operationError(name, error, sql.failures)
      }
    }
  return redacted
}
