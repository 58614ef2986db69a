import type { Adapter } from 'drizzle-auth-adapter'
import { expect } from 'vitest'
import type { OldRows } from './app.js'

/** Where the contract has an optional field, an empty column is its absence. */
function present(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
}

/** Every row of the old app is found by its keys, with every value as it was. Uses no verification token up. */
export async function expectRows(adapter: Adapter, old: OldRows): Promise<void> {
  for (const user of old.users) {
    expect(await adapter.getUser(user.id)).toEqual(user)
    if (user.email) expect(await adapter.getUserByEmail(user.email)).toEqual(user)
    const authenticators = old.authenticators.filter(({ userId }) => userId === user.id).map(present)
    expect(await adapter.listAuthenticatorsByUserId(user.id)).toEqual(expect.arrayContaining(authenticators))
    expect(await adapter.listAuthenticatorsByUserId(user.id)).toHaveLength(authenticators.length)
  }
  const owner = ({ userId }: { userId: string }) => old.users.find(({ id }) => id === userId)
  for (const account of old.accounts) {
    const expected = present({ ...account, token_type: account.token_type?.toLowerCase() ?? null })
    expect(await adapter.getAccount(account.providerAccountId, account.provider)).toEqual(expected)
    expect(await adapter.getUserByAccount(account)).toEqual(owner(account))
  }
  for (const session of old.sessions) {
    expect(await adapter.getSessionAndUser(session.sessionToken)).toEqual({ session, user: owner(session) })
  }
  for (const authenticator of old.authenticators) {
    expect(await adapter.getAuthenticator(authenticator.credentialID)).toEqual(present(authenticator))
  }
}

/** Every verification token of the old app still works, once. */
export async function expectTokens(adapter: Adapter, old: OldRows): Promise<void> {
  for (const token of old.tokens) {
    expect(await adapter.useVerificationToken(token)).toEqual(token)
    expect(await adapter.useVerificationToken(token)).toBeNull()
  }
}

/** What a user does who comes back, by a provider and by email, and what a new one does. */
export async function signIn(adapter: Adapter): Promise<void> {
  const ada = await adapter.getUserByAccount({ provider: 'google', providerAccountId: '1234567890' })
  if (!ada) throw new Error('the user must be found by the account')
  const session = { sessionToken: crypto.randomUUID(), userId: ada.id, expires: new Date('2040-01-01T00:00:00.123Z') }
  expect(await adapter.createSession(session)).toEqual(session)
  expect(await adapter.getSessionAndUser(session.sessionToken)).toEqual({ session, user: ada })
  expect(await adapter.deleteSession(session.sessionToken)).toEqual(session)

  const token = { identifier: ada.email, token: crypto.randomUUID(), expires: new Date('2040-01-01T00:00:00.123Z') }
  await adapter.createVerificationToken(token)
  expect(await adapter.useVerificationToken(token)).toEqual(token)
  const emailVerified = new Date('2026-05-05T05:05:05.055Z')
  expect(await adapter.updateUser({ id: ada.id, emailVerified })).toEqual({ ...ada, emailVerified })

  await expect(adapter.createUser({ name: 'Silent' } as never)).rejects.toMatchObject({ kind: 'missing-value' })
  const user = await adapter.createUser({ email: 'new@example.com', name: 'New \u{1F600}' })
  const account = { userId: user.id, type: 'oidc', provider: 'google', providerAccountId: 'new', access_token: 'x'.repeat(5000) } as const
  expect(await adapter.linkAccount(account)).toEqual(account)
  expect(await adapter.deleteUser(user.id)).toEqual(user)
  expect(await adapter.getAccount('new', 'google')).toBeNull()
}
