import type { Adapter } from 'drizzle-auth-adapter'
import { expect } from 'vitest'
import type { OldRows } from './app.js'

/** Omits null columns, because the adapter omits optional fields that are empty. */
function omitNulls(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
}

/** Expects that every row of the old app is found by its keys, with unchanged values. Does not read verification tokens. */
export async function expectRows(adapter: Adapter, old: OldRows): Promise<void> {
  for (const user of old.users) {
    expect(await adapter.getUser(user.id)).toEqual(user)
    if (user.email) expect(await adapter.getUserByEmail(user.email)).toEqual(user)
    const authenticators = old.authenticators.filter(({ userId }) => userId === user.id).map(omitNulls)
    expect(await adapter.listAuthenticatorsByUserId(user.id)).toEqual(expect.arrayContaining(authenticators))
    expect(await adapter.listAuthenticatorsByUserId(user.id)).toHaveLength(authenticators.length)
  }
  const owner = ({ userId }: { userId: string }) => old.users.find(({ id }) => id === userId)
  for (const account of old.accounts) {
    const expected = omitNulls({ ...account, token_type: account.token_type?.toLowerCase() ?? null })
    expect(await adapter.getAccount(account.providerAccountId, account.provider)).toEqual(expected)
    expect(await adapter.getUserByAccount(account)).toEqual(owner(account))
  }
  for (const session of old.sessions) {
    expect(await adapter.getSessionAndUser(session.sessionToken)).toEqual({ session, user: owner(session) })
  }
  for (const authenticator of old.authenticators) {
    expect(await adapter.getAuthenticator(authenticator.credentialID)).toEqual(omitNulls(authenticator))
  }
}

/** Expects that every verification token of the old app works once. */
export async function expectTokens(adapter: Adapter, old: OldRows): Promise<void> {
  for (const token of old.tokens) {
    expect(await adapter.useVerificationToken(token)).toEqual(token)
    expect(await adapter.useVerificationToken(token)).toBeNull()
  }
}

/** Expects that an existing user can sign in by a provider and by email, and that a new one can sign up. */
export async function expectSignIns(adapter: Adapter): Promise<void> {
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
