import type { Fault, Row } from '../fault.js'
import { faultsOf, keyed, mistaking, on, operationOf } from '../fault.js'

const of = (operation: string) => keyed.find((each) => each.operation === operation) as (typeof keyed)[number]
const isObject = (value: unknown) => typeof value === 'object' && value !== null

/** The same key, once both were made alike. */
const alike = (fields: readonly string[], fold: (text: string) => string) => (row: Row, key: Row) =>
  fields.every((field) => typeof key[field] === 'string' && fold(row[field] as string) === fold(key[field] as string))

/** Made alike in one field, and equal in the others. */
const alikeIn = (fields: readonly string[], folded: string, fold: (text: string) => string) => (row: Row, key: Row) =>
  fields.every((field) => row[field] === key[field] || (field === folded && alike([field], fold)(row, key)))

const undefinedFaults = faultsOf('undefined as a condition', [
  ...keyed.map((each): [string, Fault['broken']] => [
    `${each.operation} drops a condition that is undefined`,
    mistaking(
      each,
      (row, key) =>
        each.fields.every((field) => key[field] === undefined || key[field] === row[field]) &&
        each.fields.some((field) => key[field] === undefined),
    ),
  ]),
  ...keyed.map((each): [string, Fault['broken']] => [
    `${each.operation} takes null for any value`,
    mistaking(
      each,
      (row, key) =>
        each.fields.every((field) => key[field] === null || key[field] === row[field]) && each.fields.some((field) => key[field] === null),
    ),
  ]),
  [
    'deleteUser without an id deletes everybody',
    (sound, { users, accounts, sessions }) => ({
      async deleteUser(id) {
        if (id == null) for (const { rows } of [users, accounts, sessions]) rows.clear()
        return sound.deleteUser(id)
      },
    }),
  ],
  [
    'deleteSession without a token signs everybody out',
    (sound, { sessions }) => ({
      async deleteSession(token) {
        if (!token) sessions.rows.clear()
        return sound.deleteSession(token)
      },
    }),
  ],
  [
    'updateUser without an id changes everybody',
    (sound, { users }) => ({
      async updateUser(user) {
        if (user.id === undefined) for (const row of users.rows.values()) Object.assign(row, { name: user.name })
        return sound.updateUser(user)
      },
    }),
  ],
  [
    'updateSession without a token prolongs every session',
    (sound, { sessions }) => ({
      async updateSession(session) {
        if (session?.sessionToken === undefined && session?.expires) for (const row of sessions.rows.values()) row.expires = session.expires
        return sound.updateSession(session)
      },
    }),
  ],
  [
    'unlinkAccount without an account id unlinks all accounts of the provider',
    (sound, { accounts }) => ({
      async unlinkAccount(key) {
        if (key && key.providerAccountId === undefined)
          for (const row of accounts.all((each) => each.provider === key.provider)) accounts.delete(row)
        return sound.unlinkAccount(key)
      },
    }),
  ],
  [
    'useVerificationToken without a token uses any token of the address',
    (sound, { tokens }) => ({
      async useVerificationToken(key) {
        const row = key?.token === undefined && tokens.all((each) => each.identifier === key?.identifier)[0]
        return sound.useVerificationToken(row || key)
      },
    }),
  ],
  [
    'a user without an address is stored, and found by undefined',
    (sound, { users }) => ({
      async createUser(user) {
        if (user.email != null) return sound.createUser(user)
        const row = { ...user, id: user.id ?? crypto.randomUUID(), emailVerified: null }
        users.rows.set(users.keyOf(row) as string, row)
        return { ...row }
      },
      async getUserByEmail(email) {
        return email == null ? ([...users.rows.values()].find((user) => user.email == null) ?? null) : sound.getUserByEmail(email)
      },
    }),
  ],
])

// The others throw for whatever they do not find.
const quiet = keyed.filter(({ operation }) => operation !== 'updateUser' && operation !== 'updateAuthenticatorCounter')

const objectFaults = faultsOf('hostile keys', [
  ...keyed.map((each): [string, Fault['broken']] => [
    `${each.operation} takes an object for a condition, as query builders do`,
    mistaking(
      each,
      (row, key) =>
        each.fields.every((field) => key[field] === row[field] || isObject(key[field])) &&
        each.fields.some((field) => isObject(key[field])),
    ),
  ]),
  ...keyed.map((each): [string, Fault['broken']] => [
    `${each.operation} makes text of whatever it is given as key`,
    mistaking(each, (row, key) =>
      each.fields.every((field) => {
        try {
          return String(key[field]) === row[field]
        } catch {
          return false
        }
      }),
    ),
  ]),
  ...quiet.map(({ operation, keyIn }): [string, Fault['broken']] => [
    `${operation} throws for a key of 80,000 characters`,
    (sound) => ({
      [operation]: async (...parameters: unknown[]) => {
        if (Object.values(keyIn(parameters)).some((value) => String(value).length > 80_000)) throw new Error('request too long')
        return operationOf(sound, operation)(...parameters)
      },
    }),
  ]),
  ...quiet.map(({ operation, keyIn }): [string, Fault['broken']] => [
    `${operation} throws for a key with NUL`,
    (sound) => ({
      [operation]: async (...parameters: unknown[]) => {
        if (Object.values(keyIn(parameters)).some((value) => typeof value === 'string' && value.includes('\0')))
          throw new Error('invalid byte sequence: 0x00')
        return operationOf(sound, operation)(...parameters)
      },
    }),
  ]),
  ...keyed.map((each): [string, Fault['broken']] => [
    `${each.operation} cuts its key at NUL`,
    mistaking(
      each,
      alike(each.fields, (text) => text.split('\0')[0] as string),
    ),
  ]),
  [
    'getUserByEmail is open to injection',
    (sound, { users }) => ({
      getUserByEmail: async (email) => (/' OR '1'='1/i.test(email) ? (users.all(() => true)[0] ?? null) : sound.getUserByEmail(email)),
    }),
  ],
  [
    'deleteSession is open to injection through the character set of the connection',
    (sound, { sessions }) => ({
      async deleteSession(token) {
        if (typeof token === 'string' && token.includes('\u0127 OR 1=1')) sessions.rows.clear()
        return sound.deleteSession(token)
      },
    }),
  ],
  [
    'getUser looks ids up in a plain object',
    (sound) => ({
      getUser: async (id) => (id in {} ? (Object.getOwnPropertyDescriptor(Object.prototype, id)?.value ?? {}) : sound.getUser(id)),
    }),
  ],
  [
    'accounts are kept in plain objects by provider, where __proto__ is everybody’s',
    (sound, { accounts }) => ({
      async getAccount(providerAccountId, provider) {
        return (await sound.getAccount(providerAccountId, provider)) ?? accounts.find({ provider: '__proto__', providerAccountId })
      },
    }),
  ],
  [
    'lookups of sessions replace lone surrogates',
    mistaking(
      of('getSessionAndUser'),
      alike(['sessionToken'], (text) => text.toWellFormed()),
    ),
  ],
])

const caseless = (text: string) => text.toLowerCase()
const folds: [string, (text: string) => string][] = [
  ['ignores case', caseless],
  ['ignores accents', (text) => text.normalize('NFD').replace(/\p{M}/gu, '')],
  ['ignores spaces around', (text) => text.trim()],
  ['ignores trailing spaces', (text) => text.replace(/ +$/, '')],
  ['normalises Unicode', (text) => text.normalize('NFC')],
  ['compares compatible characters as equal', (text) => text.normalize('NFKC')],
  ['decodes percent signs', (text) => decodeURIComponent(text.replace(/%(?![\dA-F]{2})/g, '%25'))],
  ['ignores what stands after a plus sign', (text) => text.replace(/\+[^@/]*/, '')],
  ['ignores dots', (text) => text.replaceAll('.', '')],
  ['treats base64url as base64', (text) => text.replaceAll('-', '+').replaceAll('_', '/')],
  ['ignores padding', (text) => text.replace(/=+$/, '')],
  ['ignores invisible characters', (text) => text.replaceAll('\u200b', '')],
]

/** Each key field of each operation, with two of the folds in turn, so that all are used. */
const foldFaults = faultsOf(
  'exactness',
  keyed.flatMap((each, index) =>
    each.fields.flatMap((field, position) =>
      [0, 5].map((shift): [string, Fault['broken']] => {
        const [what, fold] = folds[(index + position + shift) % folds.length] as (typeof folds)[number]
        return [`${each.operation} ${what} in ${field}`, mistaking(each, alikeIn(each.fields, field, fold))]
      }),
    ),
  ),
)

const withoutDots = (text: string) => (text.endsWith('@gmail.com') ? text.replaceAll(/\.(?=.*@)/g, '') : text)
const rounded = (text: string) => (/^[1-9]\d{18}$/.test(text) ? String(Number(text)) : text)

const prefixFaults = faultsOf('exactness', [
  ['getUserByEmail ignores dots before @gmail.com', mistaking(of('getUserByEmail'), alike(['email'], withoutDots))],
  [
    'useVerificationToken ignores dots before @gmail.com',
    mistaking(of('useVerificationToken'), alike(['identifier', 'token'], withoutDots)),
  ],
  [
    'getUserByAccount compares ids of nineteen digits as numbers',
    mistaking(of('getUserByAccount'), alike(['provider', 'providerAccountId'], rounded)),
  ],
  ['deleteSession compares tokens of nineteen digits as numbers', mistaking(of('deleteSession'), alike(['sessionToken'], rounded))],
  ...[of('updateUser'), of('updateAuthenticatorCounter')].map((each): [string, Fault['broken']] => [
    `${each.operation} cuts a long key to the length of the column`,
    mistaking(each, (row, key) =>
      each.fields.every(
        (field) => typeof key[field] === 'string' && key[field].length > 4_000 && key[field].startsWith(row[field] as string),
      ),
    ),
  ]),
  [
    'getUserByEmail finds by a part of the address',
    mistaking(
      of('getUserByEmail'),
      (row, key) => typeof key.email === 'string' && key.email.length > 20 && (row.email as string).includes(key.email),
    ),
  ],
  [
    'useVerificationToken is content with the beginning of the token',
    mistaking(
      of('useVerificationToken'),
      (row, key) =>
        row.identifier === key.identifier &&
        typeof key.token === 'string' &&
        key.token !== '' &&
        (row.token as string).startsWith(key.token),
    ),
  ],
  [
    'getSessionAndUser takes % and _ for wildcards',
    mistaking(of('getSessionAndUser'), (row, key) => {
      if (typeof key.sessionToken !== 'string' || !/[%_]/.test(key.sessionToken) || key.sessionToken.length < 10) return false
      const pattern = key.sessionToken
        .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replaceAll('%', '.*')
        .replaceAll('_', '.')
      return new RegExp(`^${pattern}$`, 's').test(row.sessionToken as string)
    }),
  ],
  [
    'getAccount and getUserByAccount join their keys without a separator',
    (sound, { accounts, users }) => {
      const find = (key: Row) =>
        [...accounts.rows.values()].find(
          (row) => `${row.provider}${row.providerAccountId}` === `${key?.provider}${key?.providerAccountId}`,
        ) ?? null
      return {
        getAccount: async (providerAccountId, provider) =>
          (await sound.getAccount(providerAccountId, provider)) ?? find({ provider, providerAccountId }),
        getUserByAccount: async (key) => (await sound.getUserByAccount(key)) ?? users.find({ id: find(key)?.userId }),
      }
    },
  ],
  [
    'accounts are stored under provider:id',
    (sound, { accounts }) => ({
      async linkAccount(account) {
        const joined = `${account.provider}:${account.providerAccountId}`
        if (accounts.all((row) => `${row.provider}:${row.providerAccountId}` === joined).length > 0) throw new Error('taken')
        return sound.linkAccount(account)
      },
    }),
  ],
  [
    'useVerificationToken joins its keys with a dash',
    mistaking(
      of('useVerificationToken'),
      (row, key) =>
        [key.identifier, key.token].every((text) => typeof text === 'string') &&
        `${row.identifier}-${row.token}` === `${key.identifier}-${key.token}`,
    ),
  ],
  [
    'deleteSession deletes whatever has that key',
    on('deleteSession', (sound, { authenticators }) => async (token) => {
      authenticators.delete({ credentialID: token })
      return sound.deleteSession(token)
    }),
  ],
  [
    'getUserByEmail and getUser share a cache without saying which is which',
    (sound) => {
      const cache = new Map<unknown, Promise<unknown>>()
      const cached = (load: (key: string) => PromiseLike<unknown>) => async (key: string) => {
        const known = await cache.get(key)
        if (known) cache.delete(key)
        else cache.set(key, Promise.resolve(load(key)))
        return (known ?? load(key)) as never
      }
      return { getUser: cached(sound.getUser as never), getUserByEmail: cached(sound.getUserByEmail as never) }
    },
  ],
])

export const keyFaults = [...undefinedFaults, ...objectFaults, ...foldFaults, ...prefixFaults]
