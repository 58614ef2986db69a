import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from '../models.js'
import { fieldOf, isObject, ok } from './expect.js'
import { inDays, someAccount, someAuthenticator, someSession, someToken, someTokens, someUser } from './fixtures.js'
import { show } from './show.js'
import type { Subject } from './subject.js'

/** A person with one row of every kind. */
export interface World {
  user: AdapterUser
  account: AdapterAccount
  session: AdapterSession
  authenticator: AdapterAuthenticator
  token: VerificationToken
}

export type Part = keyof World

/**
 * Creates a user, and gives it as it was meant, under the id that the adapter gave.
 * An adapter that cannot create users is asked with the id of nobody.
 */
export async function newUser(adapter: Subject, over: Partial<AdapterUser> = {}): Promise<AdapterUser> {
  const user = someUser(over)
  return adapter.createUser ? { ...user, id: idOf(await adapter.createUser(user)) } : user
}

/** The id of a user that `createUser` returned. */
export function idOf(created: unknown): string {
  isObject(created, 'createUser: expected a user')
  const id = fieldOf(created, 'id', 'createUser')
  ok(typeof id === 'string' && id !== '', `createUser, field id: expected a string, got ${show(id)}`)
  return id
}

/** Values of rows that a user has. */
export type Rows = { [P in Exclude<Part, 'user'>]?: Partial<World[P]> }

/** Creates as much of a world as the adapter can hold, for a new user or for one that is there. */
export async function furnish(adapter: Subject, over: Rows = {}, owner?: AdapterUser): Promise<World> {
  const user = owner ?? (await newUser(adapter, { emailVerified: inDays(-1) }))
  const account = someAccount(user.id, { ...someTokens(), ...over.account })
  const world = {
    user,
    account,
    session: someSession(user.id, over.session),
    authenticator: someAuthenticator(user.id, { providerAccountId: account.providerAccountId, ...over.authenticator }),
    token: someToken({ identifier: user.email, ...over.token }),
  }
  await adapter.linkAccount?.(world.account)
  await adapter.createSession?.(world.session)
  await adapter.createAuthenticator?.(world.authenticator)
  await adapter.createVerificationToken?.(world.token)
  return world
}

/** The key of an account, as the library sends it: without the rest of the row. */
export const keyOfAccount = ({ provider, providerAccountId }: AdapterAccount) => ({ provider, providerAccountId })

/** The key of a verification token, as the library sends it. */
export const keyOfToken = ({ identifier, token }: VerificationToken) => ({ identifier, token })

/** What one row of a neighbourhood has, and another may be changed to. */
export const commonExpiry = inDays(77)
export const commonCounter = 77_777

/** Three worlds that have much in common: two of Ada's, and one of Bob's. */
export async function neighbourhood(adapter: Subject): Promise<[World, World, World]> {
  const first = await furnish(adapter)
  const { account, token } = first
  const ofSecond = {
    account: { provider: account.provider },
    session: { expires: commonExpiry },
    token: { identifier: token.identifier },
    authenticator: { counter: commonCounter },
  }
  const second = await furnish(adapter, ofSecond, first.user)
  const { name, image, emailVerified } = first.user
  const bob = await newUser(adapter, { name: name ?? null, image: image ?? null, emailVerified })
  const over = {
    account: { provider: 'gitlab', providerAccountId: account.providerAccountId },
    session: { expires: first.session.expires },
    token: { token: token.token },
    authenticator: {
      providerAccountId: first.authenticator.providerAccountId,
      counter: first.authenticator.counter,
      credentialDeviceType: 'singleDevice',
      credentialBackedUp: false,
    },
  }
  const other = await furnish(adapter, over, bob)
  return [first, second, other]
}
