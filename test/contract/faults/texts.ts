import type { Entry, Fault, OperationName, Row } from '../fault.js'
import { faultsOf, given, on, refusing } from '../fault.js'

/** The texts of each operation that writes, and its keys. */
const writes = {
  createUser: { text: 'name', key: 'email' },
  updateUser: { text: 'image', key: 'email' },
  linkAccount: { text: 'scope', key: 'providerAccountId' },
  createSession: { text: 'sessionToken', key: 'sessionToken' },
  createVerificationToken: { text: 'identifier', key: 'token' },
  createAuthenticator: { text: 'transports', key: 'credentialID' },
} as const

type Writing = keyof typeof writes
const operations = Object.keys(writes) as Writing[]

const changing = (operation: OperationName, field: string, change: (text: string) => unknown): Fault['broken'] =>
  given(operation, (row: Row) => [typeof row[field] === 'string' ? { ...row, [field]: change(row[field] as string) } : row])

const latin1 = (text: string) =>
  [...text].map((character) => (character.length === 1 && character.charCodeAt(0) < 256 ? character : '?')).join('')

export const textFaults = faultsOf('garbling', [
  ['linkAccount makes one blank of two in scopes', changing('linkAccount', 'scope', (text) => text.replaceAll('  ', ' '))],
  [
    'createSession makes a number of nineteen digits',
    changing('createSession', 'sessionToken', (text) => (/^[1-9]\d{18}$/.test(text) ? String(Number(text)) : text)),
  ],
  [
    'linkAccount makes a number of nineteen digits',
    changing('linkAccount', 'providerAccountId', (text) => (/^[1-9]\d{18}$/.test(text) ? String(Number(text)) : text)),
  ],
  ['createUser takes the text null for null', changing('createUser', 'name', (text) => (text === 'null' ? null : text))],
  ['updateUser makes a number of the text 007', changing('updateUser', 'image', (text) => (text === '007' ? '7' : text))],
  [
    'linkAccount makes dates of texts that look like one',
    on('getAccount', (sound) => async (id, provider) => {
      const account = await sound.getAccount(id, provider)
      return (
        account && { ...account, scope: /^\d{4}-\d\d-\d\dT/.test(account.scope ?? '') ? new Date(account.scope as string) : account.scope }
      )
    }),
  ],
  ['createSession trims line breaks', changing('createSession', 'sessionToken', (text) => text.replace(/\r\n/g, '\n'))],
  ['createVerificationToken decodes entities', changing('createVerificationToken', 'identifier', (text) => text.replaceAll('&amp;', '&'))],
  [
    'createAuthenticator parses texts that are JSON',
    on('getAuthenticator', (sound) => async (id) => {
      const row = await sound.getAuthenticator(id)
      return row && { ...row, transports: row.transports?.startsWith('[') ? JSON.parse(row.transports) : row.transports }
    }),
  ],
  ...operations.map(
    (operation): Entry => [
      `${operation} replaces lone surrogates`,
      changing(operation, writes[operation].text, (text) => text.toWellFormed()),
    ],
  ),
  ...operations.map(
    (operation): Entry => [`${operation} cuts texts at NUL`, changing(operation, writes[operation].text, (text) => text.split('\0')[0])],
  ),
  ...operations.map(
    (operation): Entry => [`${operation} drops NUL`, changing(operation, writes[operation].key, (text) => text.replaceAll('\0', ''))],
  ),
  ...operations.map(
    (operation): Entry => [
      `${operation} cuts texts at 65,535 characters`,
      changing(operation, writes[operation].text, (text) => text.slice(0, 65_535)),
    ],
  ),
  ...operations.map(
    (operation): Entry => [
      `${operation} cuts keys at 4,000 characters, and refuses more than 60,000`,
      (sound, store) => {
        const { key } = writes[operation]
        const limited = refusing(operation, (row) => String((row as Row)[key]).length > 60_000)(sound, store)
        return changing(operation, key, (text) => (text.length > 60_000 ? text : text.slice(0, 4_000)))(
          { ...sound, ...limited } as typeof sound,
          store,
        )
      },
    ],
  ),
  ...operations.map(
    (operation): Entry => [
      `${operation} stores latin1`,
      changing(operation, writes[operation].text, (text) =>
        /^[\ud800-\udfff\0]|\0|[\ud800-\udfff]$/.test(text) || text.length > 200 ? text : latin1(text),
      ),
    ],
  ),
  ...operations.map((operation): Entry => [`${operation} trims`, changing(operation, writes[operation].text, (text) => text.trim())]),
  ...operations.map(
    (operation): Entry => [
      `${operation} takes a backslash for an escape`,
      changing(operation, writes[operation].text, (text) => text.replaceAll('\\n', '\n')),
    ],
  ),
  ['createUser stores three bytes a character', changing('createUser', 'name', (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'))],
  ['updateUser normalises Unicode', changing('updateUser', 'image', (text) => text.normalize())],
  [
    'linkAccount stores tokens as base64 of latin1',
    changing('linkAccount', 'id_token', (text) => (text.length > 200 || /[\0\ud800-\udfff]/.test(text) ? text : latin1(text))),
  ],
  [
    'a refused user is stored all the same',
    on('createUser', (sound) => async (user) => {
      if (typeof user.name !== 'string' || user.name.isWellFormed()) return sound.createUser(user)
      await sound.createUser({ ...user, name: null })
      throw new Error('invalid')
    }),
  ],
  [
    'a refused session is stored all the same',
    on('createSession', (sound) => async (session) => {
      const created = await sound.createSession(session)
      if (session.sessionToken.includes('\0')) throw new Error('invalid')
      return created
    }),
  ],
])
