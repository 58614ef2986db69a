import type { AdapterAccount, AdapterSession, AdapterUser, VerificationToken } from 'drizzle-auth-adapter'

const unique = (prefix: string) => `${prefix}-${crypto.randomUUID()}`

export const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)

export const someUser = (email = `${unique('mail')}@example.com`): AdapterUser => ({
  id: crypto.randomUUID(),
  email,
  emailVerified: null,
  name: 'Ada',
  image: null,
})

export const someAccount = (userId: string): AdapterAccount => ({
  userId,
  type: 'oauth',
  provider: 'github',
  providerAccountId: unique('account'),
  access_token: unique('access'),
})

export const someSession = (userId: string): AdapterSession => ({ sessionToken: unique('session'), userId, expires: inDays(30) })

export const someToken = (): VerificationToken => ({
  identifier: `${unique('mail')}@example.com`,
  token: unique('token'),
  expires: inDays(1),
})
