import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser } from '@auth/core/adapters'
import type { Faults, OperationName, Row } from './fault.js'
import { given, on, result } from './fault.js'

type Both = { session: AdapterSession; user: AdapterUser }

const lookups: OperationName[] = [
  'getUser',
  'getUserByEmail',
  'getUserByAccount',
  'getAccount',
  'getSessionAndUser',
  'useVerificationToken',
  'getAuthenticator',
]

const undefinedForNull: Faults = Object.fromEntries(
  lookups.map((operation) => [
    `${operation} returns undefined if nothing is found`,
    (sound) => ({
      [operation]: async (...key: never[]) => (await (sound[operation] as (...key: never[]) => Promise<unknown>)(...key)) ?? undefined,
    }),
  ]),
)

/** Rows that are not as they are stored. */
const results: Faults = {
  ...undefinedForNull,
  'getUser throws if nothing is found': on(
    'getUser',
    (sound) => async (id) => (await sound.getUser(id)) ?? Promise.reject(new Error('not found')),
  ),
  'getUser returns an empty object if nothing is found': on('getUser', (sound) => async (id) => (await sound.getUser(id)) ?? {}),
  'getUser leaves out the image': result('getUser', ({ image: _, ...user }: AdapterUser) => user),
  'getUser returns no emailVerified': result('getUser', ({ emailVerified, ...user }: AdapterUser) =>
    emailVerified ? { ...user, emailVerified } : user,
  ),
  'getUserByEmail returns emailVerified as text': result('getUserByEmail', (user: AdapterUser) => ({
    ...user,
    emailVerified: user.emailVerified?.toISOString() ?? null,
  })),
  'getUserByAccount returns the columns of the join': on('getUserByAccount', (sound) => async (key) => {
    const [account, user] = [await sound.getAccount(key.providerAccountId, key.provider), await sound.getUserByAccount(key)]
    return user && { ...account, ...user }
  }),
  'createUser returns what it was given': on('createUser', (sound) => async (user) => {
    await sound.createUser(user)
    return user
  }),
  'createUser returns only the id': result('createUser', ({ id }: AdapterUser) => ({ id })),
  'createUser returns nothing': on('createUser', (sound) => async (user) => void (await sound.createUser(user))),
  'updateUser returns only the changes': on('updateUser', (sound) => async (user) => {
    await sound.updateUser(user)
    return user
  }),
  'updateUser returns the user as it was before': on('updateUser', (sound) => async (user) => {
    const before = await sound.getUser(user.id)
    await sound.updateUser(user)
    return before
  }),
  'createSession returns expires as text': result('createSession', (session: AdapterSession) => ({
    ...session,
    expires: session.expires.toISOString(),
  })),
  'getSessionAndUser returns one object': result('getSessionAndUser', ({ session, user }: Both) => ({ ...session, ...user })),
  'getSessionAndUser returns expires as a number': result('getSessionAndUser', ({ session, user }: Both) => ({
    user,
    session: { ...session, expires: session.expires.getTime() },
  })),
  'getSessionAndUser shifts expires by an hour': result('getSessionAndUser', ({ session, user }: Both) => ({
    user,
    session: { ...session, expires: new Date(session.expires.getTime() + 3_600_000) },
  })),
  'getSessionAndUser hides expired sessions': result('getSessionAndUser', (both: Both) =>
    both.session.expires > new Date() ? both : null,
  ),
  'getSessionAndUser returns a session without a user': on('getSessionAndUser', (_, { sessions, users }) => async (sessionToken) => {
    const session = sessions.find({ sessionToken })
    return session && { session, user: users.find({ id: session.userId }) }
  }),
  'updateSession returns the session as it was before': on('updateSession', (sound, { sessions }) => async (session) => {
    const before = sessions.find(session)
    await sound.updateSession(session)
    return before
  }),
  'deleteSession returns true': result('deleteSession', () => true),
  'getAccount returns null for absent fields': result('getAccount', (account: AdapterAccount) => ({
    ...account,
    scope: account.scope ?? null,
  })),
  'getAccount returns expires_at as text': result('getAccount', (account: AdapterAccount) => ({
    ...account,
    expires_at: account.expires_at === undefined ? undefined : String(account.expires_at),
  })),
  'linkAccount returns token_type as it was given': on('linkAccount', (sound) => async (account) => ({
    ...(await sound.linkAccount(account)),
    token_type: account.token_type,
  })),
  'useVerificationToken returns expires as text': result('useVerificationToken', (token: Row) => ({
    ...token,
    expires: (token.expires as Date).toISOString(),
  })),
  'useVerificationToken hides expired tokens': result('useVerificationToken', (token: Row) =>
    (token.expires as Date) > new Date() ? token : null,
  ),
  'getAuthenticator returns the counter as text': result('getAuthenticator', (row: AdapterAuthenticator) => ({
    ...row,
    counter: String(row.counter),
  })),
  'getAuthenticator returns credentialBackedUp as a number': result('getAuthenticator', (row: AdapterAuthenticator) => ({
    ...row,
    credentialBackedUp: Number(row.credentialBackedUp),
  })),
  'getAuthenticator returns transports as a list': result('getAuthenticator', (row: AdapterAuthenticator) => ({
    ...row,
    transports: row.transports?.split(','),
  })),
  'listAuthenticatorsByUserId returns one row': result('listAuthenticatorsByUserId', ([row]: AdapterAuthenticator[]) => row ?? null),
  'listAuthenticatorsByUserId returns null for nobody': result('listAuthenticatorsByUserId', (rows: AdapterAuthenticator[]) =>
    rows.length > 0 ? rows : null,
  ),
  'listAuthenticatorsByUserId returns the first hundred': result('listAuthenticatorsByUserId', (rows: AdapterAuthenticator[]) =>
    rows.slice(0, 100),
  ),
  'listAuthenticatorsByUserId returns those of everybody': on(
    'listAuthenticatorsByUserId',
    (_, { authenticators }) =>
      async () =>
        authenticators.all(() => true),
  ),
}

const change = (operation: OperationName, fields: (row: Row) => Row) => given(operation, (row: Row) => [{ ...row, ...fields(row) }])
const text = (value: unknown, edit: (text: string) => string) => (typeof value === 'string' ? edit(value) : value)
const seconds = (value: unknown) => (value instanceof Date ? new Date(Math.floor(value.getTime() / 1000) * 1000) : value)
const latin1 = (value: unknown) => text(value, (each) => each.replace(/[^\0-\xff]/gu, '?'))

/** Values that are stored as something else. */
const stored: Faults = {
  'createUser stores emails in lower case': change('createUser', ({ email }) => ({ email: text(email, (each) => each.toLowerCase()) })),
  'createUser trims names': change('createUser', ({ name }) => ({ name: text(name, (each) => each.trim()) })),
  'createUser stores empty names as null': change('createUser', ({ name }) => ({ name: name || null })),
  'createUser cuts names at 255 characters': change('createUser', ({ name }) => ({ name: text(name, (each) => each.slice(0, 255)) })),
  'createUser normalizes names': change('createUser', ({ name }) => ({ name: text(name, (each) => each.normalize()) })),
  'createUser stores names in Latin-1': change('createUser', ({ name }) => ({ name: latin1(name) })),
  'createUser loses milliseconds': change('createUser', ({ emailVerified }) => ({ emailVerified: seconds(emailVerified) })),
  'createUser ignores emailVerified': change('createUser', () => ({ emailVerified: null })),
  'createUser stores an invalid date as null': change('createUser', ({ emailVerified }) => ({
    emailVerified: Number.isNaN(Number(emailVerified)) ? null : emailVerified,
  })),
  'updateUser loses milliseconds': change('updateUser', ({ emailVerified }) => ({ emailVerified: seconds(emailVerified) })),
  'linkAccount keeps token_type as it is': on('linkAccount', (_, { accounts }) => async (account) => {
    accounts.insert(account)
    const row = [...accounts.rows.values()].at(-1) as AdapterAccount
    return Object.assign(row, { token_type: account.token_type })
  }),
  'linkAccount does not store id_token': change('linkAccount', () => ({ id_token: undefined })),
  'linkAccount calls every account oauth': change('linkAccount', () => ({ type: 'oauth' })),
  'linkAccount cuts tokens at 2,048 characters': change('linkAccount', ({ access_token }) => ({
    access_token: text(access_token, (each) => each.slice(0, 2048)),
  })),
  'linkAccount stores expires_at in 32 bits': change('linkAccount', ({ expires_at }) => ({
    expires_at: typeof expires_at === 'number' ? expires_at | 0 : expires_at,
  })),
  'linkAccount stores empty tokens as absent': change('linkAccount', ({ access_token }) => ({ access_token: access_token || undefined })),
  'linkAccount stores account ids as numbers': change('linkAccount', ({ providerAccountId: id }) => ({
    providerAccountId: text(id, (each) => (/^\d+$/.test(each) ? String(Number(each)) : each)),
  })),
  'createSession loses milliseconds': change('createSession', ({ expires }) => ({ expires: seconds(expires) })),
  'createSession stores local time': change('createSession', ({ expires }) => ({
    expires: expires instanceof Date ? new Date(expires.getTime() - 7_200_000) : expires,
  })),
  'createSession cannot store dates after 2038': change('createSession', ({ expires }) => ({
    expires: expires instanceof Date ? new Date(Math.min(expires.getTime(), 2 ** 31 * 1000)) : expires,
  })),
  'updateSession loses milliseconds': change('updateSession', ({ expires }) => ({ expires: seconds(expires) })),
  'createVerificationToken loses milliseconds': change('createVerificationToken', ({ expires }) => ({ expires: seconds(expires) })),
  'createVerificationToken stores identifiers in lower case': change('createVerificationToken', ({ identifier }) => ({
    identifier: text(identifier, (each) => each.toLowerCase()),
  })),
  'createVerificationToken cuts identifiers at 191 characters': change('createVerificationToken', ({ identifier }) => ({
    identifier: text(identifier, (each) => each.slice(0, 191)),
  })),
  'createAuthenticator stores 0 as 1': change('createAuthenticator', ({ counter }) => ({ counter: counter || 1 })),
  'createAuthenticator stores false as true': change('createAuthenticator', () => ({ credentialBackedUp: true })),
  'createAuthenticator stores keys as base64url': change('createAuthenticator', ({ credentialPublicKey: key }) => ({
    credentialPublicKey: text(key, (each) => each.replaceAll('+', '-')),
  })),
  'createAuthenticator cuts credential ids at 255 characters': change('createAuthenticator', ({ credentialID }) => ({
    credentialID: text(credentialID, (each) => each.slice(0, 255)),
  })),
  'updateAuthenticatorCounter stores 32 bits': given('updateAuthenticatorCounter', (id: string, counter: number) => [
    id,
    counter > 2 ** 31 - 1 ? 2 ** 31 - 1 : counter,
  ]),
}

export const rowFaults: Faults = { ...results, ...stored }
