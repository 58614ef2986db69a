import { createHash } from 'node:crypto'
import { domainToASCII, domainToUnicode } from 'node:url'
import type { Entry, Fault, Row, Sound } from '../fault.js'
import { faultsOf, given, keyed, mistaking, on, operationOf } from '../fault.js'
import { mapOf, rowsOf } from './helpers.js'

const of = (operation: string) => keyed.find((each) => each.operation === operation) as (typeof keyed)[number]

/** A lookup that tries a key a second time, in another spelling. */
const trying = (
  operation: 'getUserByEmail' | 'getSessionAndUser' | 'getAuthenticator',
  respelt: (key: string) => string,
): Fault['broken'] =>
  on(operation, (sound) => async (key) => {
    const lookUp = operationOf(sound, operation)
    return (await lookUp(key)) ?? (typeof key === 'string' ? lookUp(respelt(key)) : null)
  })

/** The path of a row in a web API, where a dot as a key leads to the collection, and two to what is above it. */
const pathFaults = [
  ...(
    [
      ['getUser', '.'],
      ['getSessionAndUser', '.'],
      ['getAuthenticator', '.'],
      ['getUser', '..'],
      ['getSessionAndUser', '..'],
    ] as const
  ).map(
    ([operation, path]): Entry => [
      `${operation} by ${path} gives what is found at that path`,
      on(operation, (sound) => async (key) => (key === path ? { items: [] } : operationOf(sound, operation)(key))),
    ],
  ),
  ...(
    [
      ['deleteUser', 'users'],
      ['deleteSession', 'sessions'],
    ] as const
  ).map(
    ([operation, rows]): Entry => [
      `${operation} by a dot deletes the collection`,
      on(operation, (sound, store) => async (key) => {
        if (key === '.') mapOf(store, rows).clear()
        return operationOf(sound, operation)(key)
      }),
    ],
  ),
]

type Join = (first: unknown, second: unknown) => string

/** Accounts whose unique key is one text. */
const accountsBy = (says: string, join: Join): Entry => [
  `accounts are stored under ${says}`,
  on('linkAccount', (sound, store) => async (account) => {
    const joined = join(account.provider, account.providerAccountId)
    const isTaken = rowsOf(store, 'accounts').some(({ provider, providerAccountId }) => join(provider, providerAccountId) === joined)
    if (isTaken) throw new Error('taken')
    return sound.linkAccount(account)
  }),
]

/** Verification tokens that are found by one text. */
const tokensBy = (says: string, join: Join): Entry => [
  `verification tokens are found by ${says}`,
  mistaking(
    of('useVerificationToken'),
    (row, key) =>
      typeof key.identifier === 'string' &&
      typeof key.token === 'string' &&
      join(row.identifier, row.token) === join(key.identifier, key.token),
  ),
]

const hash = (text: unknown, encoding: 'hex' | 'base64' | 'base64url') => createHash('sha256').update(String(text)).digest(encoding)
const encodings = ['hex', 'base64', 'base64url'] as const

/** An account whose access token is stored encrypted, as far as it is not already. */
const encrypt = (text: string) => (text.startsWith('enc:') ? text : `enc:${[...text].reverse().join('')}`)
const decrypt = (text: string) => [...text.slice(4)].reverse().join('')
const decrypted = (account: Row | null | undefined) =>
  typeof account?.access_token === 'string' ? { ...account, access_token: decrypt(account.access_token) } : account

/** An address whose domain is written as the name system has it. */
const inAscii = (email: unknown) => {
  const [, name, domain] = (typeof email === 'string' && /^([^@\s]+)@([^@\s/?#:\\%]+\.[a-z]{2,})$/iu.exec(email)) || []
  return (domain && /[^a-z\d.-]/i.test(domain) && domainToASCII(domain) && `${name}@${domainToASCII(domain)}`) || email
}

const inTenant = (email: unknown) => (typeof email === 'string' ? `t1|${email}` : email)
const outOfTenant = (user: Row | null) => user && { ...user, email: String(user.email).split('|')[1] }

export const spellingFaults = faultsOf('spellings', [
  ...pathFaults,

  ...(['getSessionAndUser', 'getAuthenticator'] as const).map(
    (operation): Entry => [
      `${operation} reads its key as base64url`,
      trying(operation, (key) => key.replaceAll('-', '+').replaceAll('_', '/')),
    ],
  ),

  accountsBy('id:provider', (provider, id) => `${id}:${provider}`),
  accountsBy('id@provider', (provider, id) => `${id}@${provider}`),
  accountsBy('provider__id', (provider, id) => `${provider}__${id}`),
  accountsBy('the provider and, in a new line, the id', (provider, id) => `${provider}\n${id}`),
  tokensBy('token:address', (identifier, token) => `${token}:${identifier}`),
  tokensBy('address~token', (identifier, token) => `${identifier}~${token}`),
  tokensBy('address||token', (identifier, token) => `${identifier}||${token}`),

  ...encodings.map(
    (encoding): Entry => [
      `getSessionAndUser takes the hash of a token for the token, in ${encoding}`,
      mistaking(of('getSessionAndUser'), (row, key) => hash(row.sessionToken, encoding) === key.sessionToken),
    ],
  ),
  [
    'useVerificationToken takes the hash of a token for the token',
    mistaking(of('useVerificationToken'), (row, key) => row.identifier === key.identifier && hash(row.token, 'hex') === key.token),
  ],

  [
    'linkAccount takes a token that begins with enc: for encrypted',
    (sound: Sound) => ({
      linkAccount: async (account) => {
        const { access_token } = account
        const given = typeof access_token === 'string' ? { ...account, access_token: encrypt(access_token) } : account
        return decrypted((await sound.linkAccount(given)) as Row)
      },
      getAccount: async (id, provider) => decrypted((await sound.getAccount(id, provider)) as Row | null),
      unlinkAccount: async (key) => decrypted((await sound.unlinkAccount(key)) as Row | undefined),
    }),
  ],
  [
    'addresses are stored with a tenant before |, which getUser takes off by splitting',
    (sound: Sound) => ({
      createUser: async (user) => outOfTenant({ ...(await sound.createUser(user)), email: inTenant(user.email) }),
      getUser: async (id) => {
        const user = await sound.getUser(id)
        return user && outOfTenant({ ...user, email: inTenant(user.email) })
      },
    }),
  ],
  ...(['createUser', 'updateUser'] as const).map(
    (operation): Entry => [
      `${operation} puts the name into a template in which $$ and $& mean something`,
      given(operation, (user: Row) => [typeof user.name === 'string' ? { ...user, name: '?'.replace('?', user.name) } : user]),
    ],
  ),
  ['createUser stores the domain of an address in ASCII', given('createUser', (user: Row) => [{ ...user, email: inAscii(user.email) }])],
  [
    'getUserByEmail reads a domain in ASCII',
    trying('getUserByEmail', (email) => email.replace(/@(.+)$/, (_, domain: string) => `@${domainToUnicode(domain)}`)),
  ],
  ['getUserByEmail reads a name before the address', trying('getUserByEmail', (email) => /<([^<>]+)>$/.exec(email)?.[1] ?? email)],
  ['getUserByEmail reads a link', trying('getUserByEmail', (email) => email.replace(/^mailto:/, ''))],
  ['getUserByEmail reads a quoted name', trying('getUserByEmail', (email) => email.replace(/^"([^"@]*)"@/, '$1@'))],
  ['getUserByEmail leaves comments out', trying('getUserByEmail', (email) => email.replace(/\([^()]*\)/g, ''))],
  ['getUserByEmail takes a dot off the end of the domain', trying('getUserByEmail', (email) => email.replace(/\.$/, ''))],
])
