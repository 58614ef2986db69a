// Every operation that takes or returns a row knows the added columns of its table.
import type { Adapter as CoreAdapter } from '@auth/core/adapters'
import type { Adapter as AdapterOf4 } from 'next-auth-4/adapters'
import type { Adapter as AdapterOf5 } from 'next-auth-5/adapters'
import * as pg from './columns/pg.js'

interface NewUser {
  id?: string
  email: string
  emailVerified?: Date | null
  name?: string | null
  image?: string | null
  role?: string | undefined
  age?: number | null | undefined
  tenant?: string
}

interface User {
  id: string
  email: string
  emailVerified: Date | null
  name?: string | null
  image?: string | null
  role: string
  age: number | null
  tenant: string
  handle: string | null
}

type AccountKey = { provider: string; providerAccountId: string }

interface OfContract extends AccountKey {
  userId: string
  type: 'oauth' | 'oidc' | 'email' | 'webauthn'
  access_token?: string
  refresh_token?: string
  id_token?: string
  expires_in?: number
  expires_at?: number
  scope?: string
  token_type?: Lowercase<string>
  session_state?: string
}
type NewAccount = OfContract & { note?: string | null | undefined; linkedBy?: string }
type Account = OfContract & { note: string | null; linkedBy: string }

type SessionColumns = { device?: string; visits?: number | undefined; lastSeen?: Date | null | undefined }
type NewSession = { sessionToken: string; userId: string; expires: Date } & SessionColumns
type SessionUpdate = { sessionToken: string; userId?: string; expires?: Date } & SessionColumns
type Session = { sessionToken: string; userId: string; expires: Date; device: string; visits: number; lastSeen: Date | null }

type TokenKey = { identifier: string; token: string }
type NewToken = TokenKey & { expires: Date; purpose?: string | undefined; attempts?: number | null | undefined }
type Token = TokenKey & { expires: Date; purpose: string; attempts: number | null }

interface Passkey {
  credentialID: string
  userId: string
  providerAccountId: string
  credentialPublicKey: string
  counter: number
  credentialDeviceType: string
  credentialBackedUp: boolean
  transports?: string
}
type NewAuthenticator = Passkey & { label?: string | null | undefined; trusted?: boolean }
type Authenticator = Passkey & { label: string | null; trusted: boolean }

/** What each operation takes first, and what it returns where there is something to return. */
interface Operations {
  createUser: [NewUser, User]
  getUser: [string, User]
  getUserByEmail: [string, User]
  getUserByAccount: [AccountKey, User]
  updateUser: [Partial<NewUser> & { id: string }, User]
  deleteUser: [string, User]
  linkAccount: [NewAccount, Account]
  unlinkAccount: [AccountKey, Account]
  getAccount: [string, Account]
  createSession: [NewSession, Session]
  getSessionAndUser: [string, { session: Session; user: User }]
  updateSession: [SessionUpdate, Session]
  deleteSession: [string, Session]
  createVerificationToken: [NewToken, Token]
  useVerificationToken: [TokenKey, Token]
  createAuthenticator: [NewAuthenticator, Authenticator]
  getAuthenticator: [string, Authenticator]
  listAuthenticatorsByUserId: [string, Authenticator[]]
  updateAuthenticatorCounter: [string, Authenticator]
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Flat<T> = T extends string | Date | null | undefined ? T : { [Name in keyof T]: T[Name] extends object ? Flat<T[Name]> : T[Name] }

/** The operations whose types are not exactly these. */
type Wrong<A> = {
  [Name in keyof Operations]: Name extends keyof A
    ? A[Name] extends (input: infer Input, ...others: never[]) => Promise<infer Row>
      ? [Equal<Flat<Input>, Flat<Operations[Name][0]>>, Equal<Flat<NonNullable<Row>>, Flat<Operations[Name][1]>>] extends [true, true]
        ? never
        : Name
      : Name
    : Name
}[keyof Operations]

const none = <_Wrong extends never>() => {}
none<Wrong<typeof pg.defined>>()
none<Wrong<typeof pg.ownUsers>>()
none<Wrong<typeof pg.written>>()

// Added columns leave it an adapter for the library, of every version.
export const adapters: (CoreAdapter & AdapterOf4 & AdapterOf5)[] = Object.values(pg)
