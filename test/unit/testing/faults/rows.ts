import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser } from '@auth/core/adapters'
import type { Fault, Faults, OperationName, Row } from './fault.js'
import { given, on, operationOf, result } from './fault.js'

type Both = { session: AdapterSession; user: AdapterUser }
type Change = (value: unknown) => unknown

const edit = (row: Row, changes: Record<string, Change>): Row => ({
  ...row,
  ...Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, change(row[name])])),
})
/** Returns other values of these fields. */
const returns = (operation: OperationName, changes: Record<string, Change>): Fault => result(operation, (row: Row) => edit(row, changes))
/** Stores other values of these fields. */
const stores = (operation: OperationName, changes: Record<string, Change>): Fault => given(operation, (row: Row) => [edit(row, changes)])
/** Returns something else, made of the operation's answer and its argument. */
const answers = (operation: OperationName, answer: (found: never, given: never) => unknown): Fault => {
  return (sound) => ({
    [operation]: async (...parameters: unknown[]) =>
      answer((await operationOf(sound, operation)(...parameters)) as never, parameters[0] as never),
  })
}

const text = (change: (text: string) => string): Change => {
  return (value) => (typeof value === 'string' ? change(value) : value)
}
const date = (change: (milliseconds: number) => number): Change => {
  return (value) => (value instanceof Date ? new Date(change(value.getTime())) : value)
}
const iso: Change = (value) => (value instanceof Date ? value.toISOString() : value)
const seconds = date((milliseconds) => Math.floor(milliseconds / 1000) * 1000)
const lowerCase = text((each) => each.toLowerCase())
const firstCharacters = (count: number) => text((each) => each.slice(0, count))

const finders: OperationName[] = [
  'getUser',
  'getUserByEmail',
  'getUserByAccount',
  'getAccount',
  'getSessionAndUser',
  'useVerificationToken',
  'getAuthenticator',
]

/** Rows that are not as they are stored. */
const results: Faults = {
  ...Object.fromEntries(
    finders.map((name) => [`${name} returns undefined if nothing is found`, answers(name, (found) => found ?? undefined)]),
  ),
  'getUser throws if nothing is found': answers('getUser', (user) => user ?? Promise.reject(new Error('not found'))),
  'getUser returns an empty object if nothing is found': answers('getUser', (user) => user ?? {}),
  'getUser leaves out the image': result('getUser', ({ image: _, ...user }: AdapterUser) => user),
  'getUser returns no emailVerified': returns('getUser', { emailVerified: (value) => value ?? undefined }),
  'getUserByEmail returns emailVerified as text': returns('getUserByEmail', { emailVerified: iso }),
  'getUserByAccount returns the columns of the join': on('getUserByAccount', async ([key], sound) => {
    const [account, user] = [await sound.getAccount(key.providerAccountId, key.provider), await sound.getUserByAccount(key)]
    return user && { ...account, ...user }
  }),
  'createUser returns what it was given': answers('createUser', (_, user) => user),
  'createUser returns only the id': result('createUser', ({ id }: AdapterUser) => ({ id })),
  'createUser returns nothing': answers('createUser', () => undefined),
  'updateUser returns only the changes': answers('updateUser', (_, user) => user),
  'updateUser returns the user as it was before': on('updateUser', async ([user], sound) => {
    const before = await sound.getUser(user.id)
    await sound.updateUser(user)
    return before
  }),
  'createSession returns expires as text': returns('createSession', { expires: iso }),
  'getSessionAndUser returns one object': result('getSessionAndUser', ({ session, user }: Both) => ({ ...session, ...user })),
  'getSessionAndUser returns expires as a number': returns('getSessionAndUser', {
    session: (session) => edit(session as Row, { expires: Number }),
  }),
  'getSessionAndUser shifts expires by an hour': returns('getSessionAndUser', {
    session: (session) => edit(session as Row, { expires: date((milliseconds) => milliseconds + 3_600_000) }),
  }),
  'getSessionAndUser hides expired sessions': result('getSessionAndUser', (both: Both) =>
    both.session.expires > new Date() ? both : null,
  ),
  'getSessionAndUser returns a session without a user': on('getSessionAndUser', async ([sessionToken], _, { sessions, users }) => {
    const session = sessions.find({ sessionToken })
    return session && { session, user: users.find({ id: session.userId }) }
  }),
  'updateSession returns the session as it was before': on('updateSession', async ([session], sound, { sessions }) => {
    const before = sessions.find(session)
    await sound.updateSession(session)
    return before
  }),
  'deleteSession returns true': result('deleteSession', () => true),
  'getAccount returns null for absent fields': returns('getAccount', { scope: (value) => value ?? null }),
  'getAccount returns expires_at as text': returns('getAccount', { expires_at: (value) => value && String(value) }),
  'linkAccount returns token_type as it was given': answers('linkAccount', (found: AdapterAccount, { token_type }: AdapterAccount) => ({
    ...found,
    token_type,
  })),
  'useVerificationToken returns expires as text': returns('useVerificationToken', { expires: iso }),
  'useVerificationToken hides expired tokens': result('useVerificationToken', (token: Row) =>
    (token.expires as Date) > new Date() ? token : null,
  ),
  'getAuthenticator returns the counter as text': returns('getAuthenticator', { counter: String }),
  'getAuthenticator returns credentialBackedUp as a number': returns('getAuthenticator', { credentialBackedUp: Number }),
  'getAuthenticator returns transports as a list': returns('getAuthenticator', { transports: (value) => (value as string)?.split(',') }),
  'listAuthenticatorsByUserId returns one row': answers('listAuthenticatorsByUserId', ([row]: AdapterAuthenticator[]) => row ?? null),
  'listAuthenticatorsByUserId returns null for nobody': answers('listAuthenticatorsByUserId', (rows: AdapterAuthenticator[]) =>
    rows.length > 0 ? rows : null,
  ),
  'listAuthenticatorsByUserId returns the first hundred': answers('listAuthenticatorsByUserId', (rows: AdapterAuthenticator[]) =>
    rows.slice(0, 100),
  ),
  'listAuthenticatorsByUserId returns those of everybody': on('listAuthenticatorsByUserId', async (_given, _sound, { authenticators }) =>
    authenticators.all(() => true),
  ),
}

/** Values that are stored as something else. */
const stored: Faults = {
  'createUser stores emails in lower case': stores('createUser', { email: lowerCase }),
  'createUser trims names': stores('createUser', { name: text((each) => each.trim()) }),
  'createUser stores empty names as null': stores('createUser', { name: (name) => name || null }),
  'createUser cuts names at 255 characters': stores('createUser', { name: firstCharacters(255) }),
  'createUser normalizes names': stores('createUser', { name: text((each) => each.normalize()) }),
  'createUser stores names in Latin-1': stores('createUser', { name: text((each) => each.replace(/[^\0-\xff]/gu, '?')) }),
  'createUser loses milliseconds': stores('createUser', { emailVerified: seconds }),
  'createUser ignores emailVerified': stores('createUser', { emailVerified: () => null }),
  'createUser stores an invalid date as null': stores('createUser', {
    emailVerified: (value) => (Number.isNaN(Number(value)) ? null : value),
  }),
  'updateUser loses milliseconds': stores('updateUser', { emailVerified: seconds }),
  'linkAccount keeps token_type as it is': on('linkAccount', async ([account], _, { accounts }) => {
    accounts.insert(account)
    const row = [...accounts.rows.values()].at(-1) as AdapterAccount
    return Object.assign(row, { token_type: account.token_type })
  }),
  'linkAccount does not store id_token': stores('linkAccount', { id_token: () => undefined }),
  'linkAccount calls every account oauth': stores('linkAccount', { type: () => 'oauth' }),
  'linkAccount cuts tokens at 2,048 characters': stores('linkAccount', { access_token: firstCharacters(2048) }),
  'linkAccount stores expires_at in 32 bits': stores('linkAccount', {
    expires_at: (value) => (typeof value === 'number' ? value | 0 : value),
  }),
  'linkAccount stores empty tokens as absent': stores('linkAccount', { access_token: (token) => token || undefined }),
  'linkAccount stores account ids as numbers': stores('linkAccount', {
    providerAccountId: text((each) => (/^\d+$/.test(each) ? String(Number(each)) : each)),
  }),
  'createSession loses milliseconds': stores('createSession', { expires: seconds }),
  'createSession stores local time': stores('createSession', { expires: date((milliseconds) => milliseconds - 7_200_000) }),
  'createSession cannot store dates after 2038': stores('createSession', {
    expires: date((milliseconds) => Math.min(milliseconds, 2 ** 31 * 1000)),
  }),
  'updateSession loses milliseconds': stores('updateSession', { expires: seconds }),
  'createVerificationToken loses milliseconds': stores('createVerificationToken', { expires: seconds }),
  'createVerificationToken stores identifiers in lower case': stores('createVerificationToken', { identifier: lowerCase }),
  'createVerificationToken cuts identifiers at 191 characters': stores('createVerificationToken', { identifier: firstCharacters(191) }),
  'createAuthenticator stores 0 as 1': stores('createAuthenticator', { counter: (counter) => counter || 1 }),
  'createAuthenticator stores false as true': stores('createAuthenticator', { credentialBackedUp: () => true }),
  'createAuthenticator stores keys as base64url': stores('createAuthenticator', {
    credentialPublicKey: text((each) => each.replaceAll('+', '-')),
  }),
  'createAuthenticator cuts credential ids at 255 characters': stores('createAuthenticator', { credentialID: firstCharacters(255) }),
  'updateAuthenticatorCounter stores 32 bits': given('updateAuthenticatorCounter', (id: string, counter: number) => [
    id,
    Math.min(counter, 2 ** 31 - 1),
  ]),
}

export const rowFaults: Faults = { ...results, ...stored }
