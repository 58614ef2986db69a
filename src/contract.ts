/** A person, as the authentication library knows them. */
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
 * A type, not an interface: only a type is assignable to the library's own, which has an index signature.
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

/** What names an account: its provider, and the id it has there. */
export type AccountKey = Pick<AdapterAccount, 'provider' | 'providerAccountId'>
