import { equal, isNull, ok, rejection } from './expect.js'
import { casesAbout, inDays, someAccount, someAuthenticator, someSession, someToken, someUser, unique } from './fixtures.js'

const contractCase = casesAbout('exactness')
const storageCase = casesAbout('storage')

/** A key, and others that a loose comparison takes for it. */
function lookalikes(): { key: string; others: string[] } {
  const key = unique('Jos\u00e9')
  return {
    key,
    others: [
      key.toUpperCase(),
      key.toLowerCase(),
      key.replace('\u00e9', 'e'),
      key.normalize('NFD'),
      `${key} `,
      ` ${key}`,
      `${key}\t`,
      `${key}\u0000`,
      `${key}\u200b`,
      `\ufeff${key}`,
      `${key}%`,
      key.slice(0, -1),
      `${key.slice(0, -1)}_`,
    ],
  }
}

export const exactnessCases = [
  contractCase('no lookalike of an email address finds its user', ['createUser', 'getUserByEmail'], async (adapter) => {
    const { key, others } = lookalikes()
    const user = await adapter.createUser(someUser({ email: key }))
    for (const other of others) isNull(await adapter.getUserByEmail(other), `getUserByEmail(${JSON.stringify(other)})`)
    equal(await adapter.getUserByEmail(key), user, 'getUserByEmail')
  }),

  contractCase(
    'no lookalike of a user id finds, changes or deletes the user',
    ['createUser', 'getUser', 'updateUser', 'deleteUser'],
    async (adapter) => {
      const user = await adapter.createUser(someUser({ id: lookalikes().key }))
      for (const other of [
        user.id.toUpperCase(),
        user.id.toLowerCase(),
        `${user.id} `,
        `0${user.id}`,
        `+${user.id}`,
        `${user.id}.0`,
        user.id.normalize('NFD'),
      ]) {
        if (other === user.id) continue
        isNull(await adapter.getUser(other), `getUser(${JSON.stringify(other)})`)
        await rejection(adapter.updateUser({ id: other, name: 'Mallory' }), `updateUser(${JSON.stringify(other)})`)
        isNull((await adapter.deleteUser(other)) ?? null, `deleteUser(${JSON.stringify(other)})`)
      }
      equal(await adapter.getUser(user.id), user, 'getUser')
    },
  ),

  contractCase(
    'no lookalike of an account id finds or unlinks the account',
    ['createUser', 'linkAccount', 'getUserByAccount', 'getAccount', 'unlinkAccount'],
    async (adapter) => {
      const { key, others } = lookalikes()
      const user = await adapter.createUser(someUser())
      const account = someAccount(user.id, { provider: 'GitHub', providerAccountId: key })
      await adapter.linkAccount(account)
      for (const other of [
        ...others.map((providerAccountId) => ({ provider: 'GitHub', providerAccountId })),
        { provider: 'github', providerAccountId: key },
        { provider: 'GitHub ', providerAccountId: key },
      ]) {
        isNull(await adapter.getUserByAccount(other), `getUserByAccount(${JSON.stringify(other)})`)
        isNull(await adapter.getAccount(other.providerAccountId, other.provider), `getAccount(${JSON.stringify(other)})`)
        ok((await adapter.unlinkAccount(other)) == null, `unlinkAccount(${JSON.stringify(other)}) must find nothing`)
      }
      equal(await adapter.getUserByAccount(account), user, 'getUserByAccount')
    },
  ),

  contractCase(
    'no lookalike of a session token finds, changes or deletes the session',
    ['createUser', 'createSession', 'getSessionAndUser', 'updateSession', 'deleteSession'],
    async (adapter) => {
      const { key, others } = lookalikes()
      const user = await adapter.createUser(someUser())
      const session = await adapter.createSession(someSession(user.id, { sessionToken: key }))
      for (const other of others) {
        isNull(await adapter.getSessionAndUser(other), `getSessionAndUser(${JSON.stringify(other)})`)
        isNull(
          (await adapter.updateSession({ sessionToken: other, expires: inDays(99) })) ?? null,
          `updateSession(${JSON.stringify(other)})`,
        )
        isNull((await adapter.deleteSession(other)) ?? null, `deleteSession(${JSON.stringify(other)})`)
      }
      equal((await adapter.getSessionAndUser(key))?.session, session, 'getSessionAndUser')
    },
  ),

  contractCase(
    'no lookalike of a verification token or its address uses it',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      const [identifier, token] = [lookalikes(), lookalikes()]
      const stored = someToken({ identifier: identifier.key, token: token.key })
      await adapter.createVerificationToken(stored)
      for (const other of identifier.others)
        isNull(await adapter.useVerificationToken({ identifier: other, token: token.key }), `the address ${JSON.stringify(other)}`)
      for (const other of token.others)
        isNull(await adapter.useVerificationToken({ identifier: identifier.key, token: other }), `the token ${JSON.stringify(other)}`)
      equal(await adapter.useVerificationToken(stored), stored, 'useVerificationToken')
    },
  ),

  contractCase(
    'no lookalike of a credential id finds or changes the authenticator',
    ['createUser', 'createAuthenticator', 'getAuthenticator', 'updateAuthenticatorCounter'],
    async (adapter) => {
      const { key, others } = lookalikes()
      const { id } = await adapter.createUser(someUser())
      const authenticator = await adapter.createAuthenticator(someAuthenticator(id, { credentialID: key }))
      for (const other of others) {
        isNull(await adapter.getAuthenticator(other), `getAuthenticator(${JSON.stringify(other)})`)
        await rejection(adapter.updateAuthenticatorCounter(other, 99), `updateAuthenticatorCounter(${JSON.stringify(other)})`)
      }
      equal(await adapter.getAuthenticator(key), authenticator, 'getAuthenticator')
    },
  ),

  storageCase('lookalikes of an email address can be users of their own', ['createUser', 'getUserByEmail'], async (adapter) => {
    const { key, others } = lookalikes()
    for (const email of new Set([key, ...others.filter((other) => !other.includes('\0'))])) {
      const user = await adapter.createUser(someUser({ email }))
      equal(user.email, email, 'createUser')
      equal(await adapter.getUserByEmail(email), user, `getUserByEmail(${JSON.stringify(email)})`)
    }
  }),

  storageCase(
    'lookalikes of an account id can be accounts of their own',
    ['createUser', 'linkAccount', 'getUserByAccount'],
    async (adapter) => {
      const suffix = unique('')
      for (const key of ['QUJD', 'qujd', 'QUJD ', 'Q\u00dcJD', 'QU\u0308JD']) {
        const user = await adapter.createUser(someUser())
        const account = someAccount(user.id, { providerAccountId: suffix + key })
        await adapter.linkAccount(account)
        equal(await adapter.getUserByAccount(account), user, JSON.stringify(key))
      }
    },
  ),

  storageCase(
    'lookalikes of a session token can be sessions of their own',
    ['createUser', 'createSession', 'getSessionAndUser'],
    async (adapter) => {
      const { id } = await adapter.createUser(someUser())
      const token = unique('Session')
      for (const sessionToken of [token, token.toUpperCase(), `${token} `]) await adapter.createSession(someSession(id, { sessionToken }))
      equal((await adapter.getSessionAndUser(`${token} `))?.session.sessionToken, `${token} `, 'getSessionAndUser')
    },
  ),
]
