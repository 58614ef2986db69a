import type { InferInsertModel, InferSelectModel, Table } from 'drizzle-orm'
import type {
  AccountKey,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  TokenField,
  VerificationToken,
} from './models.js'
import type { Protections } from './protection.js'
import type { OnError } from './query/errors.js'

export type {
  AccountKey,
  AdapterAccount,
  AdapterAccountType,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from './models.js'

/** A column, described by its data and not by its class. */
interface Holds<Data> {
  readonly _: { readonly data: Data }
}

type Id = string | number | bigint

type OptionalNames<Model> = { [Name in keyof Model]-?: undefined extends Model[Name] ? Name : never }[keyof Model]

/** The data of a field's column. An id is a string for callers, and may have another type in the database. */
type Held<Name, Value> = Holds<Name extends 'id' | 'userId' ? Id : Value extends string ? string : NonNullable<Value>>

/** The columns that store a model. Those of optional fields may be missing. */
type ColumnsOf<Model> = { readonly [Name in Exclude<keyof Model, OptionalNames<Model>>]: Held<Name, Model[Name]> } & {
  readonly [Name in OptionalNames<Model>]?: Held<Name, NonNullable<Model[Name]>>
}

/** A users table, with the columns that the adapter requires or uses. */
export interface UsersTable extends Table, ColumnsOf<AdapterUser> {}

/** An accounts table, with the columns that the adapter requires or uses. */
export interface AccountsTable extends Table, ColumnsOf<AdapterAccount> {}

/** A sessions table, with the columns that the adapter requires. */
export interface SessionsTable extends Table, ColumnsOf<AdapterSession> {}

/** A verification tokens table, with the columns that the adapter requires. */
export interface VerificationTokensTable extends Table, ColumnsOf<VerificationToken> {}

/** A passkeys table, with the columns that the adapter requires or uses. */
export interface AuthenticatorsTable extends Table, ColumnsOf<AdapterAuthenticator> {}

/** The tables of an adapter. Without an optional table, the adapter does not have the operations that need it. */
export interface Tables {
  usersTable: UsersTable
  accountsTable: AccountsTable
  sessionsTable?: SessionsTable | undefined
  verificationTokensTable?: VerificationTokensTable | undefined
  authenticatorsTable?: AuthenticatorsTable | undefined
}

type Method = (...parameters: never) => unknown

// The dialect is read from the type of an insert, because Drizzle's database classes of different dialects are structurally compatible.
interface DatabaseNamed<Name> {
  insert(table: never): { values(values: never): { readonly _: { readonly dialect: Name } } }
}

// Where Drizzle's types name the dialect: in 0.45, then in 1.0.
type DialectOf<T> = T extends { _: { config: { dialect: infer Name } } } ? Name : T extends { _: { dialect: infer Name } } ? Name : never

/** A Drizzle database of the dialect that all of these tables have. */
export type DatabaseOf<T extends Partial<Tables>> = DatabaseOfAll<DialectOf<T[keyof T & keyof Tables]>>

/** The same for a schema whose tables have any names. */
export type DatabaseOfSchema<T> = DatabaseOfAll<DialectOf<T[[keyof T & keyof Tables] extends [never] ? keyof T : keyof T & keyof Tables]>>

// If the types of the tables do not contain the dialect, any database is accepted. If they have different dialects, no database is.
type DatabaseOfAll<Name> = string extends Name
  ? { insert: Method }
  : (Name extends unknown ? (database: DatabaseNamed<Name>) => void : never) extends (database: infer Database) => void
    ? Database
    : never

// The columns that the app added to a table.
type Extra<T extends Table, Contract> = Omit<InferSelectModel<T>, keyof Contract>

// `infer` makes TypeScript 5 wait until the table is known. Without it, that compiler evaluates `keyof InferInsertModel<T>` for a T that can
// be any table, and loses all optional columns of Drizzle 0.45.
type ExtraInput<T extends Table, Contract> =
  InferInsertModel<T> extends infer Row ? { [Name in Exclude<keyof Row, keyof Contract>]?: Row[Name] } : never

type Json = string | number | boolean | null | Json[] | { [key in string]?: Json }

// The library's account type has an index signature of JSON values, so other values must be typed as JSON, too.
type ExtraJson<Row> = { [Name in keyof Row]: Row[Name] extends Json | undefined ? Row[Name] : Row[Name] & Json }

type User<T extends UsersTable> = AdapterUser & Extra<T, AdapterUser>
type Account<T extends AccountsTable> = AdapterAccount & ExtraJson<Extra<T, AdapterAccount>>
type Session<T extends SessionsTable> = AdapterSession & Extra<T, AdapterSession>
type Token<T extends VerificationTokensTable> = VerificationToken & Extra<T, VerificationToken>
type Authenticator<T extends AuthenticatorsTable> = AdapterAuthenticator & Extra<T, AdapterAuthenticator>

/** A user to create. */
export interface NewUser extends Omit<AdapterUser, 'id' | 'emailVerified'> {
  /** Stored if the column `id` has no default. A default creates the id itself, and this one is ignored. */
  id?: string
  emailVerified?: Date | null
}

/** The operations on users and accounts that the authentication library calls. */
export interface UserOperations<Users extends UsersTable, Accounts extends AccountsTable> {
  /** Stores a new user. The id comes from the default of the column `id`. Without a default, it is the given one, or a UUID. */
  createUser(user: NewUser & ExtraInput<Users, AdapterUser>): Promise<User<Users>>
  /** The user with this id, or `null`. */
  getUser(id: string): Promise<User<Users> | null>
  /** The user with this address, or `null`. */
  getUserByEmail(email: string): Promise<User<Users> | null>
  /** The user whom this account signs in, or `null`. */
  getUserByAccount(account: AccountKey): Promise<User<Users> | null>
  /** Changes a user. Fields that are `undefined` stay unchanged. Returns the changed user, and throws `not-found` if it does not exist. */
  updateUser(user: Partial<AdapterUser> & Pick<AdapterUser, 'id'> & ExtraInput<Users, AdapterUser>): Promise<User<Users>>
  /** Deletes a user and everything that belongs to the user, or nothing. Returns the deleted user, or `null`. */
  deleteUser(userId: string): Promise<User<Users> | null>
  /** Stores an account of a user. Throws `duplicate` if the account is already linked to a user. */
  linkAccount(account: AdapterAccount & ExtraInput<Accounts, AdapterAccount>): Promise<Account<Accounts>>
  /** Deletes an account. Returns the deleted account, or `undefined`. */
  unlinkAccount(account: AccountKey): Promise<Account<Accounts> | undefined>
  /** The account with this id at the provider, or `null`. */
  getAccount(providerAccountId: string, provider: string): Promise<Account<Accounts> | null>
}

/** The operations on sessions that the authentication library calls. */
export interface SessionOperations<Sessions extends SessionsTable, Users extends UsersTable> {
  /** Stores a new session. */
  createSession(session: AdapterSession & ExtraInput<Sessions, AdapterSession>): Promise<Session<Sessions>>
  /** The session with this token and its user, or `null`. */
  getSessionAndUser(sessionToken: string): Promise<{ session: Session<Sessions>; user: User<Users> } | null>
  /** Changes a session. Fields that are `undefined` stay unchanged. Returns the changed session, or `null`. */
  updateSession(
    session: Partial<AdapterSession> & Pick<AdapterSession, 'sessionToken'> & ExtraInput<Sessions, AdapterSession>,
  ): Promise<Session<Sessions> | null>
  /** Deletes a session. Returns the deleted session, or `null`. */
  deleteSession(sessionToken: string): Promise<Session<Sessions> | null>
}

/** The operations on verification tokens that the authentication library calls. */
export interface TokenOperations<Tokens extends VerificationTokensTable> {
  /** Stores a new verification token. */
  createVerificationToken(token: VerificationToken & ExtraInput<Tokens, VerificationToken>): Promise<Token<Tokens>>
  /** Deletes a verification token and returns it. Of concurrent callers, only one gets the token, and the others get `null`. */
  useVerificationToken(params: { identifier: string; token: string }): Promise<Token<Tokens> | null>
}

/** The operations on passkeys that the authentication library calls. */
export interface AuthenticatorOperations<Authenticators extends AuthenticatorsTable> {
  /** Stores a new passkey. */
  createAuthenticator(
    authenticator: AdapterAuthenticator & ExtraInput<Authenticators, AdapterAuthenticator>,
  ): Promise<Authenticator<Authenticators>>
  /** The passkey with this credential id, or `null`. */
  getAuthenticator(credentialID: string): Promise<Authenticator<Authenticators> | null>
  /** The user's passkeys. */
  listAuthenticatorsByUserId(userId: string): Promise<Authenticator<Authenticators>[]>
  /** Sets the counter of a passkey. Returns the changed passkey, and throws `not-found` if it does not exist. */
  updateAuthenticatorCounter(credentialID: string, newCounter: number): Promise<Authenticator<Authenticators>>
}

/** Operations on accounts beyond the contract, for your app: the library does not call them. */
export interface AccountExtensions<Accounts extends AccountsTable> {
  /** The user's accounts. */
  listAccounts(userId: string): Promise<Account<Accounts>[]>
  /**
   * Changes an account. Fields that are `undefined` stay unchanged, `null` clears a field, and unknown fields are ignored. The owner cannot
   * change. With `unlessChanged`, the row is changed only if it still has the tokens of that account. Returns the changed account, or `null`.
   *
   * @param account The key of the account, and the columns to change.
   * @param options The tokens that the account must still have.
   */
  updateAccount(
    account: AccountKey & AccountChanges & ExtraInput<Accounts, AdapterAccount>,
    options?: { unlessChanged?: AccountTokens },
  ): Promise<Account<Accounts> | null>
}

type AccountChanges = { [Name in keyof Omit<AdapterAccount, keyof AccountKey>]?: AdapterAccount[Name] | null | undefined }
type AccountTokens = { [Name in TokenField]?: string | null | undefined }

/** A session as its user may see it. Its `id` cannot be used to sign in. */
export interface ListedSession {
  /** A digest of the token, for `revokeSession`. */
  id: string
  /** When the session ends. */
  expires: Date
  /** Whether this is the session whose token was given. */
  current: boolean
}

/** Operations on sessions beyond the contract. */
export interface SessionExtensions<Sessions extends SessionsTable> {
  /**
   * The user's unexpired sessions, latest expiry first, without their tokens: at most `limit` of them, 100 by default.
   *
   * @param userId The id of the signed-in user.
   * @param options The session token of the request, to mark that session as `current`, and the limit.
   */
  listSessions(
    userId: string,
    options?: { current?: string | undefined; limit?: number },
  ): Promise<(ListedSession & Omit<Extra<Sessions, AdapterSession>, keyof ListedSession>)[]>
  /**
   * Deletes one session of the user. Returns whether it existed.
   *
   * @param userId The id of the signed-in user.
   * @param id The `id` of the session in the result of `listSessions`.
   */
  revokeSession(userId: string, id: string): Promise<boolean>
  /**
   * Deletes the user's sessions, except the one with the token `except`. Returns the number deleted.
   *
   * @param userId The id of the signed-in user.
   * @param options The session token of the request, to keep that session.
   */
  revokeSessions(userId: string, options?: { except?: string | undefined }): Promise<number>
}

/** The options of `DrizzleAdapter`. */
export interface AdapterOptions {
  /**
   * Limits retries: `tries` is how often a statement runs at most, and `within` is for how many milliseconds after its start it may be
   * retried (with a synchronous driver, after its first failure). A statement is retried after a failure that changed nothing: a conflict, a
   * deadlock, or a refused connection of a client that was connected before. Reads are also retried after a lost connection. Nothing is
   * retried in a transaction. `false` disables retries.
   *
   * @default { tries: 15, within: 6000 }
   */
  retry?: false | { tries?: number; within?: number }

  /**
   * Called once for each operation that fails, just before it throws. It gets the error, which contains no values, and the original error of
   * the driver or of your own code, which may contain values. If it throws, that is ignored.
   */
  onError?: OnError

  /** Hashes session tokens and encrypts OAuth tokens: the result of `secretsAtRest` from `drizzle-auth-adapter/secrets`. */
  secrets?: Protections | undefined
}

type AllTables = { [Name in keyof Tables]-?: NonNullable<Tables[Name]> }

/** The operations that an adapter with these tables has. */
export type Adapter<T extends Tables = AllTables> = UserOperations<T['usersTable'], T['accountsTable']> &
  AccountExtensions<T['accountsTable']> &
  (T['sessionsTable'] extends SessionsTable
    ? SessionOperations<T['sessionsTable'], T['usersTable']> & SessionExtensions<T['sessionsTable']>
    : unknown) &
  (T['verificationTokensTable'] extends VerificationTokensTable ? TokenOperations<T['verificationTokensTable']> : unknown) &
  (T['authenticatorsTable'] extends AuthenticatorsTable ? AuthenticatorOperations<T['authenticatorsTable']> : unknown)
