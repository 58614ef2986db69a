import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from '../contract.js'
import type { Adapter } from '../types.js'

export type OperationName = keyof Adapter

/** What a case is about: `storage` asks for tables that hold what the default tables hold, all others for any tables. */
export type Topic = 'operations' | 'exactness' | 'storage' | 'hostile input' | 'errors'

/** One thing that an adapter must do, with rows of its own. */
export interface ContractCase {
  /** A sentence. */
  readonly name: string
  /** The operations that it calls: an adapter without one of them is not asked. */
  readonly needs: readonly OperationName[]
  readonly topic: Topic
  run(adapter: object): Promise<void>
}

type Subject = Adapter

/** Makes the cases of one topic, each named by a sentence. */
export const casesAbout = (topic: Topic) => (name: string, needs: OperationName[], run: (adapter: Subject) => Promise<void>) =>
  contractCase(name, needs, run, topic)

export function contractCase(
  name: string,
  needs: OperationName[],
  run: (adapter: Subject) => Promise<void>,
  topic: Topic = 'operations',
): ContractCase {
  return {
    name,
    needs,
    topic,
    async run(adapter) {
      const missing = needs.filter((operation) => !(operation in adapter))
      if (missing.length > 0) throw new Error(`the adapter has no ${missing.join(', ')}; see casesFor(adapter)`)
      // The suite is for adapters of any origin: what they really have was checked above.
      await run(adapter as Subject)
    },
  }
}

/** Some text that is nowhere else. */
export function unique(prefix = 'x'): string {
  return `${prefix}-${crypto.randomUUID()}`
}

export function someUser(over: Partial<AdapterUser> = {}): AdapterUser {
  return {
    id: crypto.randomUUID(),
    email: `${unique('mail')}@example.com`,
    emailVerified: null,
    name: 'Ada',
    image: 'https://example.com/ada.png',
    ...over,
  }
}

export function someAccount(userId: string, over: Partial<AdapterAccount> = {}): AdapterAccount {
  return { userId, type: 'oauth', provider: 'github', providerAccountId: unique('account'), ...over }
}

export function someSession(userId: string, over: Partial<AdapterSession> = {}): AdapterSession {
  return { sessionToken: unique('session'), userId, expires: inDays(30), ...over }
}

export function someToken(over: Partial<VerificationToken> = {}): VerificationToken {
  return { identifier: `${unique('mail')}@example.com`, token: unique('token'), expires: inDays(1), ...over }
}

export function someAuthenticator(userId: string, over: Partial<AdapterAuthenticator> = {}): AdapterAuthenticator {
  return {
    credentialID: unique('credential'),
    userId,
    providerAccountId: unique('account'),
    credentialPublicKey: 'cHVibGljIGtleQ==',
    counter: 0,
    credentialDeviceType: 'multiDevice',
    credentialBackedUp: true,
    transports: 'internal,hybrid',
    ...over,
  }
}

/** A date with milliseconds, so that losing them shows. */
export function inDays(days: number): Date {
  const date = new Date(Date.now() + days * 86_400_000)
  date.setMilliseconds(789)
  return date
}
