import type { Faults, OperationName } from './fault.js'
import { all, confusing, given, on, rowsOf } from './fault.js'

/** Lookups that use too little of the key, or the wrong part of it. */
const wrongKeys: Faults = {
  'getAccount has its parameters in the wrong order': on('getAccount', async ([provider, id], sound) => sound.getAccount(id, provider)),
  'listAuthenticatorsByUserId finds by the account id': on('listAuthenticatorsByUserId', async ([userId], _, { authenticators }) => {
    const [first] = authenticators.all((each) => each.userId === userId)
    return authenticators.all((each) => each.providerAccountId === first?.providerAccountId)
  }),
  'updateAuthenticatorCounter finds by the account id': on(
    'updateAuthenticatorCounter',
    async ([id, counter], sound, { authenticators }) => {
      const found = authenticators.find({ credentialID: id })
      for (const row of authenticators.all((each) => each.providerAccountId === found?.providerAccountId))
        if (row.credentialID !== id) await sound.updateAuthenticatorCounter(row.credentialID, counter)
      return sound.updateAuthenticatorCounter(id, counter)
    },
  ),
  'getUser finds by the email, too': on('getUser', async ([id], sound) => (await sound.getUser(id)) ?? sound.getUserByEmail(id)),
  'getSessionAndUser finds by the user id, too': on('getSessionAndUser', async ([token], sound, { sessions }) => {
    const [session] = sessions.all((each) => each.sessionToken === token || each.userId === token)
    return session ? sound.getSessionAndUser(session.sessionToken) : null
  }),
}

/** A condition that is dropped if its value is undefined, as query builders do. */
const droppedConditions: Faults = Object.fromEntries(
  (
    [
      ['getUser', 'users', 'id'],
      ['getUserByEmail', 'users', 'email'],
      ['deleteUser', 'users', 'id'],
      ['getSessionAndUser', 'sessions', 'sessionToken'],
      ['deleteSession', 'sessions', 'sessionToken'],
      ['getAuthenticator', 'authenticators', 'credentialID'],
      ['listAuthenticatorsByUserId', 'authenticators', 'userId'],
    ] as const
  ).map(([operation, rows, field]) => [
    `${operation} drops an undefined condition`,
    (sound, store) => given(operation, (key) => [key === undefined ? rowsOf(store, rows)[0]?.[field] : key])(sound, store),
  ]),
)

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const like = (stored: string, key: string) =>
  new RegExp(`^${[...key].map((each) => (each === '%' ? '.*' : each === '_' ? '.' : escaped(each))).join('')}$`, 's').test(stored)
const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '')
const withoutTag = (text: string) => text.toLowerCase().replace(/\+[^@]*@/, '@')
const sameNumber = (a: string, b: string) => b.trim() !== '' && Number(a) === Number(b)

/** Comparisons that are too loose. */
const comparisons: Record<string, (stored: string, given: string) => boolean> = {
  'ignores what is': () => true,
  'ignores case': (a, b) => a.toLowerCase() === b.toLowerCase(),
  'ignores accents': (a, b) => fold(a) === fold(b),
  'ignores spaces at the end': (a, b) => a.trimEnd() === b.trimEnd(),
  trims: (a, b) => a.trim() === b.trim(),
  'normalizes Unicode': (a, b) => a.normalize('NFC') === b.normalize('NFC'),
  'compares with LIKE': like,
  'compares a prefix': (a, b) => b !== '' && a.startsWith(b),
  'compares the first 64 characters': (a, b) => a.slice(0, 64) === b.slice(0, 64),
  'compares numbers': sameNumber,
  'stops at NUL': (a, b) => b.includes('\0') && a === b.slice(0, b.indexOf('\0')),
}

const loose = (entries: readonly [OperationName, string, ...(keyof typeof comparisons)[]][]): Faults =>
  Object.fromEntries(
    entries.flatMap(([operation, field, ...names]) =>
      names.map((name) => [`${operation} ${name} in ${field}`, confusing(operation, field, comparisons[name] as () => boolean)]),
    ),
  )

const looseComparisons: Faults = {
  ...loose([
    ['getUser', 'id', 'ignores case', 'compares a prefix'],
    ['getUserByEmail', 'email', 'ignores case', 'ignores accents', 'trims', 'compares with LIKE', 'normalizes Unicode'],
    ['getUserByAccount', 'provider', 'ignores what is'],
    ['getUserByAccount', 'providerAccountId', 'ignores what is', 'ignores case', 'ignores spaces at the end', 'compares numbers'],
    ['getAccount', 'providerAccountId', 'compares numbers', 'stops at NUL'],
    ['getAccount', 'provider', 'ignores what is', 'ignores case'],
    ['unlinkAccount', 'provider', 'ignores what is'],
    ['unlinkAccount', 'providerAccountId', 'ignores what is', 'ignores case', 'compares with LIKE'],
    ['getSessionAndUser', 'sessionToken', 'ignores case', 'ignores accents', 'compares the first 64 characters', 'stops at NUL'],
    ['updateSession', 'sessionToken', 'ignores case'],
    ['deleteSession', 'sessionToken', 'compares with LIKE', 'ignores spaces at the end'],
    ['useVerificationToken', 'identifier', 'ignores what is', 'ignores case', 'normalizes Unicode'],
    ['useVerificationToken', 'token', 'ignores what is', 'ignores case', 'compares a prefix', 'trims'],
    ['getAuthenticator', 'credentialID', 'ignores case', 'compares the first 64 characters'],
    ['updateAuthenticatorCounter', 'credentialID', 'ignores case'],
    ['deleteUser', 'id', 'compares with LIKE', 'ignores case'],
    ['updateUser', 'id', 'ignores case'],
    ['listAuthenticatorsByUserId', 'userId', 'ignores spaces at the end'],
  ]),
  'getUserByEmail ignores tags': confusing('getUserByEmail', 'email', (a, b) => withoutTag(a) === withoutTag(b)),
  'getUserByEmail ignores dots of gmail.com': confusing('getUserByEmail', 'email', (a, b) => {
    return b.endsWith('@gmail.com') && a.replace(/\.(?=.*@)/g, '') === b.replace(/\.(?=.*@)/g, '')
  }),
  'getSessionAndUser accepts base64url': confusing('getSessionAndUser', 'sessionToken', (a, b) => {
    return a === b.replaceAll('-', '+').replaceAll('_', '/')
  }),
  'deleteSession is open to injection': on('deleteSession', async ([token], sound, { sessions }) => {
    if (/' OR /i.test(token)) sessions.rows.clear()
    return sound.deleteSession(token)
  }),
  'getUserByEmail is open to injection': on('getUserByEmail', async ([email], sound, { users }) => {
    return /' OR '1'='1/.test(email) ? (users.all(() => true)[0] ?? null) : sound.getUserByEmail(email)
  }),
  'getUserByEmail accepts operators': on('getUserByEmail', async ([email], sound, { users }) => {
    return typeof email === 'object' && email ? (users.all(() => true)[0] ?? null) : sound.getUserByEmail(email)
  }),
  'getSessionAndUser uses a list as its first element': given('getSessionAndUser', (token: unknown) => [
    Array.isArray(token) ? token[0] : token,
  ]),
}

const separated = (separator: string) => ({
  account: (row: { provider: string; providerAccountId: string }) => ({
    provider: '',
    providerAccountId: [row.provider, row.providerAccountId].join(separator),
  }),
  token: (row: { identifier: string; token: string }) => ({ identifier: '', token: [row.identifier, row.token].join(separator) }),
})

/** Keys that are joined into one text, or used as names of properties. */
const joinedKeys: Faults = {
  ...Object.fromEntries(
    [':', '|', ''].map((separator) => [
      `getUserByAccount joins provider and id with ${JSON.stringify(separator)}`,
      on('getUserByAccount', async ([key], sound, { accounts }) => {
        const join = (row: typeof key) => separated(separator).account(row).providerAccountId
        const [account] = accounts.all((each) => join(each) === join(key))
        return account ? sound.getUser(account.userId) : null
      }),
    ]),
  ),
  'useVerificationToken joins identifier and token with ":"': on('useVerificationToken', async ([key], _, { tokens }) => {
    const join = (row: typeof key) => separated(':').token(row).token
    const [row] = tokens.all((each) => join(each) === join(key))
    return row ? tokens.delete(row) : null
  }),
  'sessions are properties of a plain object': on('getSessionAndUser', async ([token], sound) => {
    const inherited = Reflect.get({}, token) as unknown
    return inherited ? { session: inherited, user: inherited } : sound.getSessionAndUser(token)
  }),
  'linkAccount cannot store the provider __proto__': on('linkAccount', async ([account], sound) => {
    return account.provider === '__proto__' ? account : sound.linkAccount(account)
  }),
  'users, sessions and tokens share their keys': all(
    on('createSession', async ([session], sound, { users }) => {
      if (users.all((user) => user.email === session.sessionToken).length > 0) throw new Error('taken')
      return sound.createSession(session)
    }),
  ),
}

export const keyFaults: Faults = { ...wrongKeys, ...droppedConditions, ...looseComparisons, ...joinedKeys }
