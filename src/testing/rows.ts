import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from '../models.js'

// Each function makes a valid row with unique values. They are called while a case runs: Workers cannot generate random values at import time.

export const unique = (prefix: string) => `${prefix}-${crypto.randomUUID()}`

/** Random text, so that compression does not shorten it. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) text += crypto.randomUUID().replaceAll('-', '')
  return text.slice(0, length)
}

const randomInteger = (end: number) => Math.floor(Math.random() * end)

/** A safe integer beyond 32 bits. */
export const uniqueInteger = () => 2 ** 40 + randomInteger(2 ** 50)

/** A date without milliseconds. Only the topic `storage` requires them. */
export function daysFromNow(days: number): Date {
  const date = new Date(Date.now() + days * 86_400_000)
  date.setMilliseconds(0)
  return date
}

export const makeUser = (fields: Partial<AdapterUser> = {}): AdapterUser => ({
  id: crypto.randomUUID(),
  email: `${unique('mail')}@example.com`,
  emailVerified: null,
  name: unique('name'),
  image: `https://example.com/${unique('image')}.png`,
  ...fields,
})

export const makeAccount = (userId: string, fields: Partial<AdapterAccount> = {}): AdapterAccount => ({
  userId,
  type: 'oauth',
  provider: 'github',
  providerAccountId: unique('account'),
  ...fields,
})

/** The response of a token endpoint, without `expires_in`: few adapters store it, and a separate case checks it. */
export const makeTokens = () => ({
  access_token: unique('access'),
  refresh_token: unique('refresh'),
  id_token: unique('id'),
  expires_at: 1_700_000_000 + randomInteger(1_000_000),
  scope: `read write ${unique('scope')}`,
  token_type: 'bearer' as const,
  session_state: unique('state'),
})

export const makeSession = (userId: string, fields: Partial<AdapterSession> = {}): AdapterSession => ({
  sessionToken: unique('session'),
  userId,
  expires: daysFromNow(20 + randomInteger(20)),
  ...fields,
})

export const makeToken = (fields: Partial<VerificationToken> = {}): VerificationToken => ({
  identifier: `${unique('mail')}@example.com`,
  token: unique('token'),
  expires: daysFromNow(1 + randomInteger(9)),
  ...fields,
})

export const makeAuthenticator = (userId: string, fields: Partial<AdapterAuthenticator> = {}): AdapterAuthenticator => ({
  credentialID: unique('credential'),
  userId,
  providerAccountId: unique('account'),
  credentialPublicKey: `${unique('cHVi+Glj/')}==`,
  counter: 1_000 + randomInteger(1_000),
  credentialDeviceType: 'multiDevice',
  credentialBackedUp: true,
  transports: 'internal,hybrid',
  ...fields,
})

/** The key of an account, as the library sends it. */
export const accountKey = ({ provider, providerAccountId }: AdapterAccount) => ({ provider, providerAccountId })

/** The key of a verification token, as the library sends it. */
export const tokenKey = ({ identifier, token }: VerificationToken) => ({ identifier, token })
