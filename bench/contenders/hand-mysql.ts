import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from '@auth/core/adapters'
import type { Pool, RowDataPacket } from 'mysql2/promise'
import type { Operations } from './contender.js'

const userColumns = 'id name email emailVerified image'.split(' ')
const accountColumns =
  'userId type provider providerAccountId refresh_token access_token expires_at expires_in token_type scope id_token session_state'.split(
    ' ',
  )
const authenticatorColumns =
  'credentialID userId providerAccountId credentialPublicKey counter credentialDeviceType credentialBackedUp transports'.split(' ')

const insertInto = (table: string, columns: string[]) => `insert into ${table} (${columns}) values (${columns.map(() => '?')})`
const insertUser = insertInto('user', userColumns)
const insertAccount = insertInto('account', accountColumns)
const insertSession = insertInto('session', ['sessionToken', 'userId', 'expires'])
const insertToken = insertInto('verificationToken', ['identifier', 'token', 'expires'])
const insertAuthenticator = insertInto('authenticator', authenticatorColumns)

const whereAccount = 'from account where provider = ? and providerAccountId = ?'
const whereToken = 'from verificationToken where identifier = ? and token = ?'
const userOfAccount = 'from account a join user u on u.id = a.userId where a.provider = ? and a.providerAccountId = ?'
const sessionAndUser = `select s.sessionToken, s.userId, s.expires, u.id, u.name, u.email, u.emailVerified, u.image
  from session s join user u on u.id = s.userId where s.sessionToken = ?`

/**
 * The operations as one would write them by hand for these tables.
 *
 * They use `execute`, which prepares each statement on the server: with mysql2 it is faster than `query` on both MariaDB and MySQL.
 */
export function handWritten(pool: Pool): Operations {
  async function rows(statement: string, values: unknown[]): Promise<RowDataPacket[]> {
    return (await pool.execute<RowDataPacket[]>(statement, values as string[]))[0]
  }
  const first = async (statement: string, values: unknown[]) => (await rows(statement, values))[0]
  const write = (statement: string, values: unknown[]) => pool.execute(statement, values as string[])
  const cells = (row: object, columns: string[]) => columns.map((name) => (row as Record<string, unknown>)[name] ?? null)

  const getUser = async (id: string) => toUser(await first('select * from user where id = ?', [id]))
  const getSession = async (token: string) => toSession(await first('select * from session where sessionToken = ?', [token]))
  const findAuthenticator = async (id: string) => toAuthenticator(await first('select * from authenticator where credentialID = ?', [id]))

  return {
    async createUser(user) {
      await write(insertUser, cells(user, userColumns))
      return user
    },
    getUser,
    getUserByEmail: async (email) => toUser(await first('select * from user where email = ?', [email])),
    getUserByAccount: async ({ provider, providerAccountId }) =>
      toUser(await first(`select u.* ${userOfAccount}`, [provider, providerAccountId])),
    async updateUser({ id, name }) {
      await write('update user set name = ? where id = ?', [name, id])
      return (await getUser(id)) as AdapterUser
    },
    async deleteUser(id) {
      const user = await getUser(id)
      await write('delete from user where id = ?', [id])
      return user
    },

    async linkAccount(account) {
      await write(insertAccount, cells(account, accountColumns))
      return account
    },
    async unlinkAccount({ provider, providerAccountId }) {
      const account = toAccount(await first(`select * ${whereAccount}`, [provider, providerAccountId]))
      await write(`delete ${whereAccount}`, [provider, providerAccountId])
      return account ?? undefined
    },
    getAccount: async (providerAccountId, provider) => toAccount(await first(`select * ${whereAccount}`, [provider, providerAccountId])),

    async createSession(session) {
      await write(insertSession, [session.sessionToken, session.userId, session.expires])
      return session
    },
    async getSessionAndUser(token) {
      const row = await first(sessionAndUser, [token])
      if (!row) return null
      const { expires, name, emailVerified, image } = row
      return {
        session: { sessionToken: row.sessionToken.toString(), userId: row.userId.toString(), expires },
        user: { id: row.id.toString(), name, email: row.email.toString(), emailVerified, image },
      }
    },
    async updateSession({ sessionToken, expires }) {
      await write('update session set expires = ? where sessionToken = ?', [expires, sessionToken])
      return getSession(sessionToken)
    },
    async deleteSession(token) {
      const session = await getSession(token)
      await write('delete from session where sessionToken = ?', [token])
      return session
    },

    async createVerificationToken(token) {
      await write(insertToken, [token.identifier, token.token, token.expires])
      return token
    },
    async useVerificationToken({ identifier, token }) {
      const row = await first(`select * ${whereToken}`, [identifier, token])
      await write(`delete ${whereToken}`, [identifier, token])
      return withText<VerificationToken>(row, 'identifier', 'token')
    },

    async createAuthenticator(authenticator) {
      await write(insertAuthenticator, cells(authenticator, authenticatorColumns))
      return authenticator
    },
    getAuthenticator: findAuthenticator,
    listAuthenticatorsByUserId: async (userId) =>
      (await rows('select * from authenticator where userId = ?', [userId])).map(toAuthenticator) as AdapterAuthenticator[],
    async updateAuthenticatorCounter(credentialID, counter) {
      await write('update authenticator set counter = ? where credentialID = ?', [counter, credentialID])
      return (await findAuthenticator(credentialID)) as AdapterAuthenticator
    },
  }
}

// The keys of these tables are binary, so mysql2 returns them as buffers.
function withText<T>(row: RowDataPacket | undefined, ...names: string[]): T | null {
  if (!row) return null
  for (const name of names) row[name] = row[name].toString()
  return row as unknown as T
}

const toUser = (row?: RowDataPacket) => withText<AdapterUser>(row, 'id', 'email')
const toAccount = (row?: RowDataPacket) => withText<AdapterAccount>(row, 'userId', 'provider', 'providerAccountId')
const toSession = (row?: RowDataPacket) => withText<AdapterSession>(row, 'sessionToken', 'userId')

function toAuthenticator(row?: RowDataPacket): AdapterAuthenticator | null {
  const found = withText<AdapterAuthenticator>(row, 'credentialID', 'userId', 'providerAccountId')
  if (found) found.credentialBackedUp = Boolean(found.credentialBackedUp)
  return found
}
