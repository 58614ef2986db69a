import { inspect } from 'node:util'
import { makeAccount, makeAuthenticator, makeSession, makeToken, makeUser, unique } from '../../src/testing/rows.js'
import type { Fact } from './measures.js'
import { fact, found, kept } from './measures.js'

const all = ['SQLite', 'PostgreSQL', 'MariaDB', 'MySQL']
const servers = ['PostgreSQL', 'MariaDB', 'MySQL']
const mysql = ['MariaDB', 'MySQL']

export const facts: Fact[] = [
  fact('one verification token, 50 uses at once, 20 rounds: winners', mysql, async (adapter) => {
    let winners = 0
    for (let round = 0; round < 20; round++) {
      const token = makeToken()
      await adapter.createVerificationToken(token)
      const answers = await Promise.all(Array.from({ length: 50 }, () => adapter.useVerificationToken(token)))
      winners += answers.filter((answer) => answer !== null).length
    }
    return { shown: `${winners}`, right: winners === 20 }
  }),

  fact('`getUserByAccount` of `abcdef` where `AbCdEf` is linked', mysql, async (adapter) => {
    const { id } = await adapter.createUser(makeUser())
    await adapter.linkAccount(makeAccount(id, { providerAccountId: 'AbCdEf' }))
    return found(adapter.getUserByAccount({ provider: 'github', providerAccountId: 'abcdef' }), 'the other user')
  }),

  fact('`getUserByEmail` of `josé@…` where `jose@…` exists', mysql, async (adapter) => {
    await adapter.createUser(makeUser({ email: 'jose@example.com' }))
    return found(adapter.getUserByEmail('jos\u00e9@example.com'), 'the other user')
  }),

  fact('`getSessionAndUser` of a session token in another case', mysql, async (adapter) => {
    const { id } = await adapter.createUser(makeUser())
    const { sessionToken } = await adapter.createSession(makeSession(id))
    return found(adapter.getSessionAndUser(sessionToken.toUpperCase()), 'a session')
  }),

  // The default collation of MySQL 8 and later counts trailing spaces, that of MariaDB does not.
  fact('`getSessionAndUser` of a session token and a space', ['MariaDB'], async (adapter) => {
    const { id } = await adapter.createUser(makeUser())
    const { sessionToken } = await adapter.createSession(makeSession(id))
    return found(adapter.getSessionAndUser(`${sessionToken} `), 'a session')
  }),

  fact('access token of 2,000, ID token of 4,000, image of 600, public key of 500 characters', mysql, async (adapter) => {
    const { id } = await adapter.createUser(makeUser())
    const link = async (tokens: object) => {
      const account = { ...makeAccount(id), ...tokens }
      await adapter.linkAccount(account)
      const stored = await adapter.getAccount(account.providerAccountId, account.provider)
      return Object.entries(tokens).every(([name, value]) => stored?.[name as 'scope'] === value)
    }
    const credentialPublicKey = 'x'.repeat(500)
    return kept({
      'access token': () => link({ access_token: 'x'.repeat(2000) }),
      'ID token': () => link({ id_token: 'x'.repeat(4000) }),
      image: async () => (await adapter.createUser(makeUser({ image: 'x'.repeat(600) }))).image?.length === 600,
      'public key': async () =>
        (await adapter.createAuthenticator(makeAuthenticator(id, { credentialPublicKey }))).credentialPublicKey === credentialPublicKey,
    })
  }),

  fact('a session that expires in 2040', mysql, async (adapter) => {
    const { id } = await adapter.createUser(makeUser())
    const expires = new Date('2040-01-01T00:00:00Z')
    return kept({ expires: async () => Number((await adapter.createSession(makeSession(id, { expires }))).expires) === Number(expires) })
  }),

  fact('an access token that expires in 2040; a counter of 2,147,483,648', servers, async (adapter) => {
    const { id } = await adapter.createUser(makeUser())
    const account = makeAccount(id, { expires_at: 2_208_988_800 })
    return kept({
      'access token': async () => {
        await adapter.linkAccount(account)
        return (await adapter.getAccount(account.providerAccountId, account.provider))?.expires_at === account.expires_at
      },
      counter: async () => (await adapter.createAuthenticator(makeAuthenticator(id, { counter: 2 ** 31 }))).counter === 2 ** 31,
    })
  }),

  fact('secrets in the error of a `linkAccount` that fails, of 3', servers, async (adapter) => {
    const tokens = { access_token: unique('access'), refresh_token: unique('refresh'), id_token: unique('id') }
    const error = await Promise.resolve(adapter.linkAccount(makeAccount('nobody', tokens))).catch((error: unknown) => error)
    const text = inspect(error, { depth: null })
    const count = Object.values(tokens).filter((token) => text.includes(token)).length
    return { shown: `${count}`, right: error instanceof Error && count === 0 }
  }),

  {
    what: 'rows that `deleteUser` leaves behind without foreign keys, of 3',
    wrong: all,
    withoutForeignKeys: true,
    async measure({ adapter, number }) {
      const { id } = await adapter.createUser(makeUser())
      await adapter.linkAccount(makeAccount(id))
      await adapter.createSession(makeSession(id))
      await adapter.createAuthenticator(makeAuthenticator(id))
      await adapter.deleteUser(id)
      const left = await number(
        'select (select count(*) from account) + (select count(*) from session) + (select count(*) from authenticator)',
      )
      return { shown: `${left}`, right: left === 0 }
    },
  },

  {
    what: 'a database of `withReplicas`',
    wrong: all,
    async measure({ overReplicas }) {
      const right = await Promise.resolve()
        .then(() => overReplicas().getUser('nobody'))
        .then(
          (user) => user === null,
          () => false,
        )
      return { shown: right ? 'works' : 'refused', right }
    },
  },
]
