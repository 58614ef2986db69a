import { equal, isNull, ok, rejection } from './expect.js'
import { casesAbout, inDays, someAccount, someSession, someToken, someUser, unique } from './fixtures.js'

const contractCase = casesAbout('hostile input')

const injections = [
  `' OR '1'='1`,
  `" OR ""="`,
  `\\' OR 1=1 -- `,
  `x'; DROP TABLE "user"; --`,
  '%',
  '_',
  '?',
  '$1',
  ':sessionToken',
  '${1}',
  '`',
  '\\',
  '\\0',
  '/**/',
  '\r\n',
  '[object Object]',
]
const unholdable = ['\ud800', 'a\udfffb', '\udc00\ud800', '\ufffd\ud83d']

export const hostileCases = [
  contractCase(
    'quotes, wildcards and comments find nothing',
    ['getUser', 'getUserByEmail', 'getUserByAccount', 'getSessionAndUser', 'useVerificationToken'],
    async (adapter) => {
      for (const text of injections) {
        isNull(await adapter.getUser(text), `getUser(${JSON.stringify(text)})`)
        isNull(await adapter.getUserByEmail(text), `getUserByEmail(${JSON.stringify(text)})`)
        isNull(await adapter.getUserByAccount({ provider: text, providerAccountId: text }), `getUserByAccount(${JSON.stringify(text)})`)
        isNull(await adapter.getSessionAndUser(text), `getSessionAndUser(${JSON.stringify(text)})`)
        isNull(await adapter.useVerificationToken({ identifier: text, token: text }), `useVerificationToken(${JSON.stringify(text)})`)
      }
    },
  ),

  contractCase('quotes, wildcards and comments are stored as they are', ['createUser', 'updateUser', 'getUserByEmail'], async (adapter) => {
    for (const text of injections) {
      const email = unique(text)
      const user = await adapter.createUser(someUser({ email, name: text }))
      equal((await adapter.updateUser({ id: user.id, image: text })).image, text, `updateUser(${JSON.stringify(text)})`)
      equal(await adapter.getUserByEmail(email), { ...user, image: text }, `getUserByEmail(${JSON.stringify(email)})`)
    }
  }),

  contractCase(
    'a lookup by 100,000 characters finds nothing',
    ['getUser', 'getUserByEmail', 'getSessionAndUser', 'useVerificationToken', 'getUserByAccount'],
    async (adapter) => {
      const text = 'x'.repeat(100_000)
      isNull(await adapter.getUser(text), 'getUser')
      isNull(await adapter.getUserByEmail(text), 'getUserByEmail')
      isNull(await adapter.getSessionAndUser(text), 'getSessionAndUser')
      isNull(await adapter.useVerificationToken({ identifier: text, token: text }), 'useVerificationToken')
      isNull(await adapter.getUserByAccount({ provider: text, providerAccountId: text }), 'getUserByAccount')
    },
  ),

  contractCase('an email address of 100,000 characters is stored whole or refused', ['createUser', 'getUserByEmail'], async (adapter) => {
    const email = unique('y').repeat(2_700)
    const user = await adapter
      .createUser(someUser({ email }))
      .catch((error) => ok(error instanceof Error, 'createUser must throw an Error'))
    equal((await adapter.getUserByEmail(email))?.email, user?.email, 'getUserByEmail')
    isNull(await adapter.getUserByEmail(email.slice(0, 255)), 'getUserByEmail of its beginning')
  }),

  contractCase(
    'a lookup by text that is no Unicode finds nothing',
    ['createUser', 'getUser', 'getUserByEmail', 'getSessionAndUser', 'useVerificationToken'],
    async (adapter) => {
      const suffix = unique('')
      // What careless encoders make of lone surrogates.
      for (const text of new Set(unholdable.map((text) => text.toWellFormed())))
        await adapter.createUser(someUser({ email: text + suffix }))
      for (const text of unholdable) {
        isNull(await adapter.getUserByEmail(text + suffix), `getUserByEmail(${JSON.stringify(text)})`)
        isNull(await adapter.getUser(text), `getUser(${JSON.stringify(text)})`)
        isNull(await adapter.getSessionAndUser(text), `getSessionAndUser(${JSON.stringify(text)})`)
        isNull(await adapter.useVerificationToken({ identifier: text, token: text }), `useVerificationToken(${JSON.stringify(text)})`)
      }
    },
  ),

  contractCase(
    'text that is no Unicode uses up no token, not even one that it would be stored as',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      const identifier = unique('mail')
      for (const text of unholdable) {
        const stored = someToken({ identifier, token: text.toWellFormed() + unique() })
        await adapter.createVerificationToken(stored)
        const token = text + stored.token.slice(text.length)
        isNull(await adapter.useVerificationToken({ identifier, token }), `useVerificationToken(${JSON.stringify(text)})`)
        equal((await adapter.useVerificationToken(stored))?.token, stored.token, 'useVerificationToken of what was stored')
      }
    },
  ),

  contractCase(
    'a write of text that is no Unicode is refused',
    ['createUser', 'updateUser', 'getUser', 'linkAccount', 'createVerificationToken'],
    async (adapter) => {
      const user = await adapter.createUser(someUser())
      for (const text of unholdable) {
        await rejection(adapter.createUser(someUser({ email: text + unique() })), 'createUser')
        await rejection(adapter.updateUser({ id: user.id, name: text }), 'updateUser')
        await rejection(adapter.linkAccount(someAccount(user.id, { access_token: text })), 'linkAccount')
        await rejection(adapter.createVerificationToken(someToken({ token: text })), 'createVerificationToken')
      }
      equal(await adapter.getUser(user.id), user, 'getUser')
    },
  ),

  contractCase(
    'NUL in a key is found exactly or not at all, and never cuts it',
    ['createUser', 'getUserByEmail', 'getSessionAndUser', 'createSession'],
    async (adapter) => {
      const victim = await adapter.createUser(someUser())
      isNull(await adapter.getUserByEmail(`${victim.email}\0`), 'getUserByEmail')
      isNull(await adapter.getUserByEmail(`${victim.email}\0.evil.example`), 'getUserByEmail')
      const email = `${victim.email}\0suffix`
      const stored = await adapter.createUser(someUser({ email })).catch(() => null)
      equal((await adapter.getUserByEmail(email))?.id, stored?.id, 'getUserByEmail of what was stored')
      equal((await adapter.getUserByEmail(victim.email))?.id, victim.id, 'getUserByEmail of the other')
      isNull(await adapter.getSessionAndUser('\0'), 'getSessionAndUser')
    },
  ),

  contractCase(
    'a key that is no string finds nothing',
    ['createUser', 'createSession', 'getUser', 'getUserByEmail', 'getSessionAndUser', 'useVerificationToken', 'deleteSession'],
    async (adapter) => {
      const user = await adapter.createUser(someUser())
      await adapter.createSession(someSession(user.id, { expires: inDays(1) }))
      for (const value of [0, 1, true, false, null, undefined, {}, { sessionToken: 1 }, ['x'], Number.NaN, new Date()]) {
        const key = value as unknown as string
        isNull(await adapter.getUser(key), `getUser(${String(value)})`)
        isNull(await adapter.getUserByEmail(key), `getUserByEmail(${String(value)})`)
        isNull(await adapter.getSessionAndUser(key), `getSessionAndUser(${String(value)})`)
        isNull((await adapter.deleteSession(key)) ?? null, `deleteSession(${String(value)})`)
        isNull(await adapter.useVerificationToken({ identifier: key, token: key }), `useVerificationToken(${String(value)})`)
      }
    },
  ),

  contractCase('a text field takes no object', ['createUser', 'updateUser', 'getUser'], async (adapter) => {
    const user = await adapter.createUser(someUser())
    for (const value of [{ email: 1 }, ['a', 'b'], () => 'x']) {
      await rejection(adapter.updateUser({ id: user.id, name: value as unknown as string }), 'updateUser')
      await rejection(adapter.createUser(someUser({ name: value as unknown as string })), 'createUser')
    }
    equal(await adapter.getUser(user.id), user, 'getUser')
  }),
]
