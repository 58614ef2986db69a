import type { Column } from 'drizzle-orm'
import { dialectFor } from '#dialects'
import type { AccountKey, AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from './contract.js'
import { isTransaction, primaryOf } from './detection.js'
import { Refusal } from './errors.js'
import { guarded } from './guard.js'
import { retrying } from './retry.js'
import type { Rows } from './rows.js'
import { openRows } from './rows.js'
import type { Row } from './statements.js'
import { openStatements } from './statements.js'
import type { Adapter, AdapterOptions, DatabaseOf, Tables } from './types.js'
import { isDate } from './values.js'

const caller = 'DrizzleAdapter'

type RowName = keyof Tables extends `${infer Name}sTable` ? Name : never

/** The adapter for these tables in this database: the operations that an authentication library calls. */
export function DrizzleAdapter<const T extends Tables>(db: DatabaseOf<T>, tables: T, options: AdapterOptions = {}): Adapter<T> {
  const database = primaryOf(db, caller)
  const found = dialectFor(database, tables, options.dialect, caller)
  found.check?.(caller, database, tables, options)
  let dialect = found.suited?.(database, options) ?? found
  // In a transaction all goes or nothing anyway, and a statement that tables forbid would end it.
  if (isTransaction(database)) dialect = { ...dialect, removeWith: undefined }
  dialect = retrying(dialect, database, options.retry)

  // Each table has the name of its rows.
  const open = (name: RowName, key: string[], userId?: 'id' | 'userId', finish?: (row: Row) => Row) => {
    const table = (tables as Tables)[`${name}sTable`]
    return table && openRows(name, openStatements(database, dialect, table, key), dialect, userId, finish)
  }
  const users = open('user', ['id'], 'id') as Rows
  const accounts = open('account', ['provider', 'providerAccountId'], 'userId', toAccount) as Rows
  const sessions = open('session', ['sessionToken'], 'userId', toExpiring)
  const tokens = open('verificationToken', ['identifier', 'token'], undefined, toExpiring)
  const authenticators = open('authenticator', ['credentialID'], 'userId', toAuthenticator)
  const belongings = [sessions, authenticators, accounts].filter((rows) => rows != null)

  const operations = [
    userOperations(users, accounts, belongings),
    accountOperations(accounts),
    sessions && sessionOperations(sessions, users),
    tokens && tokenOperations(tokens),
    authenticators && authenticatorOperations(authenticators),
  ]
  // Drizzle's types end where its builders do; the operations return rows of the tables that `Adapter<T>` names.
  return guarded(operations, dialect) as Adapter<T>
}

function userOperations(users: Rows, accounts: Rows, belongings: Rows[]) {
  // An id column with a default of its own makes its own ids.
  const makesIds = (users.statements.columns.id as Column).hasDefault

  return {
    createUser: ({ id, ...user }: Partial<AdapterUser>) => users.insert(makesIds ? user : { ...user, id: id ?? crypto.randomUUID() }),

    getUser: (id: string) => users.find({ id }),

    getUserByEmail: (email: string) => users.find({ email }, ['email']),

    getUserByAccount: async (account: AccountKey) => (await accounts.findWithUser(account, users))?.user ?? null,

    updateUser: async (user: Partial<AdapterUser>) => existing(await users.update(user)),

    // What belongs to the user is deleted, too: foreign keys may be missing, or may not cascade.
    deleteUser: (id: string) => users.removeWith(belongings, id),
  }
}

function accountOperations(accounts: Rows) {
  return {
    linkAccount: (account: AdapterAccount) => accounts.insert(lowerCased(account)),

    unlinkAccount: async (account: AccountKey) => (await accounts.remove(account)) ?? undefined,

    getAccount: (providerAccountId: string, provider: string) => accounts.find({ provider, providerAccountId }),
  }
}

function sessionOperations(sessions: Rows, users: Rows) {
  return {
    createSession: (session: AdapterSession) => sessions.insert(session),

    getSessionAndUser: (sessionToken: string) => sessions.findWithUser({ sessionToken }, users),

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

    updateAuthenticatorCounter: async (credentialID: string, counter: number) =>
      existing(await authenticators.update({ credentialID, counter })),
  }
}

const optionalOfAccount = ['access_token', 'refresh_token', 'id_token', 'expires_in', 'expires_at', 'scope', 'token_type', 'session_state']

const toAccount = (row: Row) => withoutNull(lowerCased(row), optionalOfAccount)

// Anything but text is left to the column to refuse.
function lowerCased(account: { token_type?: unknown }): Row {
  const { token_type } = account
  return typeof token_type === 'string' ? { ...account, token_type: token_type.toLowerCase() } : { ...account }
}

const toAuthenticator = (row: Row) => withoutNull(row, ['transports'])

// The library compares it with the time: anything but a real date would never expire.
function toExpiring(row: Row): Row {
  if (row.expires != null && !isDate(row.expires)) throw new Refusal('garbled', 'expires')
  return row
}

// Where the contract has an optional field, an empty column is its absence.
function withoutNull(row: Row, optional: string[]): Row {
  for (const name of optional) if (row[name] === null) delete row[name]
  return row
}

function existing(row: Row | null): Row {
  if (!row) throw new Refusal('not-found')
  return row
}
