import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, OptionalText, VerificationToken } from '../models.js'
import { optionalTexts } from '../models.js'

/** Some text that is nowhere else. */
export function unique(prefix = 'x'): string {
  return `${prefix}-${crypto.randomUUID()}`
}

/** Text as secrets are: without repetition, so that no compression makes it short. */
export function random(length: number): string {
  let text = ''
  while (text.length < length) text += crypto.randomUUID().replaceAll('-', '')
  return text.slice(0, length)
}

/** Some whole number below this one. */
const some = (end: number) => Math.floor(Math.random() * end)

/** A whole number that is nowhere else. */
export const uniqueNumber = () => 2 ** 40 + some(2 ** 50)

/** Nineteen digits that are nowhere else, as some providers make ids: floating point makes another number of them. */
export const uniqueDigits = () => String(10n ** 18n + 2n * BigInt(uniqueNumber()) + 1n)

/** A date with milliseconds, so that losing them shows. */
export function inDays(days: number): Date {
  const date = new Date(Date.now() + days * 86_400_000)
  date.setMilliseconds(789)
  return date
}

export function someUser(over: Partial<AdapterUser> = {}): AdapterUser {
  return {
    id: crypto.randomUUID(),
    email: `${unique('mail')}@example.com`,
    emailVerified: null,
    name: unique('Ada'),
    image: `https://example.com/${unique('ada')}.png`,
    ...over,
  }
}

export function someAccount(userId: string, over: Partial<AdapterAccount> = {}): AdapterAccount {
  return { userId, type: 'oauth', provider: 'github', providerAccountId: unique('account'), ...over }
}

/** What a token endpoint answers, but for `expires_in`: few adapters store it, and a case of its own asks for it. */
export const someTokens = () => ({
  ...someTexts((field) => unique(field)),
  expires_at: 1_700_000_000 + some(1_000_000),
  scope: `write read ${unique()}`,
  token_type: 'bearer' as const,
})

/** A value for each optional text of an account. */
export const someTexts = (make: (field: OptionalText) => string) =>
  Object.fromEntries(optionalTexts.map((field) => [field, make(field)])) as Record<OptionalText, string> & { token_type: Lowercase<string> }

export function someSession(userId: string, over: Partial<AdapterSession> = {}): AdapterSession {
  return { sessionToken: unique('session'), userId, expires: inDays(20 + some(20)), ...over }
}

export function someToken(over: Partial<VerificationToken> = {}): VerificationToken {
  return { identifier: `${unique('mail')}@example.com`, token: unique('token'), expires: inDays(1 + some(9)), ...over }
}

export function someAuthenticator(userId: string, over: Partial<AdapterAuthenticator> = {}): AdapterAuthenticator {
  return {
    credentialID: unique('credential'),
    userId,
    providerAccountId: unique('account'),
    credentialPublicKey: `${unique('cHVi+Glj/')}==`,
    // Cases that choose a counter choose another, so that no two are equal by chance.
    counter: 1_000 + some(1_000),
    credentialDeviceType: 'multiDevice',
    credentialBackedUp: true,
    transports: 'internal,hybrid',
    ...over,
  }
}
