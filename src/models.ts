/** A user of the app. */
export interface AdapterUser {
  id: string
  email: string
  emailVerified: Date | null
  name?: string | null
  image?: string | null
}

/** How an account signs its user in. */
export type AdapterAccountType = 'oauth' | 'oidc' | 'email' | 'webauthn'

/**
 * The connection of a user to a provider.
 *
 * A type and not an interface: only a type is assignable to the library's own, which has an index signature.
 */
export type AdapterAccount = {
  userId: string
  type: AdapterAccountType
  provider: string
  providerAccountId: string
  access_token?: string
  refresh_token?: string
  id_token?: string
  expires_in?: number
  /** Seconds since 1970 at which the access token expires. */
  expires_at?: number
  scope?: string
  token_type?: Lowercase<string>
  session_state?: string
}

/** A passkey. */
export interface AdapterAuthenticator {
  credentialID: string
  userId: string
  providerAccountId: string
  credentialPublicKey: string
  counter: number
  credentialDeviceType: string
  credentialBackedUp: boolean
  transports?: string
}

/** A user's current sign-in. */
export interface AdapterSession {
  sessionToken: string
  userId: string
  expires: Date
}

/** A token that signs a user in by email, once. */
export interface VerificationToken {
  identifier: string
  token: string
  expires: Date
}

/** What identifies an account: its provider, and its id there. */
export type AccountKey = Pick<AdapterAccount, 'provider' | 'providerAccountId'>

/** The models, by the tables that store them. */
export interface Models {
  users: AdapterUser
  accounts: AdapterAccount
  sessions: AdapterSession
  verificationTokens: VerificationToken
  authenticators: AdapterAuthenticator
}

export type ModelName = keyof Models

/** What a column of each kind holds. An `id` is a string for callers, and whatever the column's type is in the database. */
export interface KindData {
  id: string | number | bigint
  string: string
  number: number
  boolean: boolean
  date: Date
}

export type FieldKind = keyof KindData

export interface Field {
  readonly kind: FieldKind
  /** Tables written by hand may lack the column. Without `nullable`, callers see an empty column as an absent field. */
  readonly optional?: true
  readonly nullable?: true
  /** Stored and returned in lower case. */
  readonly lowerCase?: true
  /** A token of the provider, which `secretsAtRest` encrypts. */
  readonly token?: true
}

export type Model = Readonly<Record<string, Field>>

/** The fields of the models: what checks and codecs are made from. */
export const models = {
  users: {
    id: { kind: 'id' },
    email: { kind: 'string' },
    emailVerified: { kind: 'date', nullable: true },
    name: { kind: 'string', optional: true, nullable: true },
    image: { kind: 'string', optional: true, nullable: true },
  },
  accounts: {
    userId: { kind: 'id' },
    type: { kind: 'string' },
    provider: { kind: 'string' },
    providerAccountId: { kind: 'string' },
    access_token: { kind: 'string', optional: true, token: true },
    refresh_token: { kind: 'string', optional: true, token: true },
    id_token: { kind: 'string', optional: true, token: true },
    expires_in: { kind: 'number', optional: true },
    expires_at: { kind: 'number', optional: true },
    scope: { kind: 'string', optional: true },
    token_type: { kind: 'string', optional: true, lowerCase: true },
    session_state: { kind: 'string', optional: true },
  },
  sessions: {
    sessionToken: { kind: 'string' },
    userId: { kind: 'id' },
    expires: { kind: 'date' },
  },
  verificationTokens: {
    identifier: { kind: 'string' },
    token: { kind: 'string' },
    expires: { kind: 'date' },
  },
  authenticators: {
    credentialID: { kind: 'string' },
    userId: { kind: 'id' },
    providerAccountId: { kind: 'string' },
    credentialPublicKey: { kind: 'string' },
    counter: { kind: 'number' },
    credentialDeviceType: { kind: 'string' },
    credentialBackedUp: { kind: 'boolean' },
    transports: { kind: 'string', optional: true },
  },
} as const satisfies { [Name in ModelName]: Record<keyof Models[Name], Field> }

export const modelNames = Object.keys(models) as ModelName[]

/** The columns that identify a row of each model. */
export const keys = {
  users: ['id'],
  accounts: ['provider', 'providerAccountId'],
  sessions: ['sessionToken'],
  verificationTokens: ['identifier', 'token'],
  authenticators: ['credentialID'],
} as const satisfies { [Name in ModelName]: readonly (keyof Models[Name])[] }

/** What belongs to a user, in the order in which it is deleted: sessions come last, because there can be many of them. */
export const belongings = ['authenticators', 'accounts', 'sessions'] as const satisfies ModelName[]

/** How a row refers to its user. */
export const owner = { from: 'userId', to: 'id' }

type AccountFields = typeof models.accounts

/** A field of an account that holds a token of its provider. */
export type TokenField = { [Name in keyof AccountFields]: AccountFields[Name] extends { token: true } ? Name : never }[keyof AccountFields]

/** An optional text field of an account. */
export type OptionalText = {
  [Name in keyof AccountFields]: AccountFields[Name] extends { kind: 'string'; optional: true } ? Name : never
}[keyof AccountFields]

export const optionalTexts = Object.entries<Field>(models.accounts).flatMap(([name, { kind, optional }]) =>
  kind === 'string' && optional ? name : [],
) as OptionalText[]

export const tokenFields = Object.entries<Field>(models.accounts).flatMap(([name, { token }]) => (token ? name : [])) as TokenField[]

/** The columns of an accounts table in code, by the fields of the contract: other libraries have other names for them. */
export type AccountNames = Readonly<Record<TokenField | keyof AccountKey, string>>

/** The kind of a field that holds this value. */
export type KindOf<Value> = [Value] extends [string | null | undefined]
  ? 'string'
  : [Value] extends [number | null | undefined]
    ? 'number'
    : [Value] extends [boolean | null | undefined]
      ? 'boolean'
      : 'date'
