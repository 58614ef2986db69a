import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from '@auth/core/adapters'
import type { Database } from 'better-sqlite3'
import type { Operations } from './contender.js'

type Row = Record<string, unknown>
type Stored<T> = { [Name in keyof T]: T[Name] extends Date ? number : T[Name] extends Date | null ? number | null : T[Name] }
type JoinedRow = Stored<AdapterSession> & Stored<AdapterUser>

const userColumns = 'id, name, email, emailVerified, image'
const accountValues =
  '@userId, @type, @provider, @providerAccountId, @refresh_token, @access_token, @expires_at, @expires_in, @token_type, @scope, @id_token, @session_state'
const authenticatorValues =
  '@credentialID, @userId, @providerAccountId, @credentialPublicKey, @counter, @credentialDeviceType, @credentialBackedUp, @transports'

/** The operations as one would write them by hand for these tables: each statement is prepared once, without a layer above the driver. */
export function handWritten(db: Database): Operations {
  const createUser = db.prepare(`insert into user (${userColumns}) values (?, ?, ?, ?, ?) returning *`)
  const getUser = db.prepare('select * from user where id = ?')
  const getUserByEmail = db.prepare('select * from user where email = ?')
  const getUserByAccount = db.prepare(
    'select u.* from account a join user u on u.id = a.userId where a.provider = ? and a.providerAccountId = ?',
  )
  const updateUser = db.prepare('update user set name = ? where id = ? returning *')
  const deleteUser = db.prepare('delete from user where id = ? returning *')
  const linkAccount = db.prepare(`insert into account (${columnsOf(accountValues)}) values (${accountValues}) returning *`)
  const unlinkAccount = db.prepare('delete from account where provider = ? and providerAccountId = ? returning *')
  const getAccount = db.prepare('select * from account where provider = ? and providerAccountId = ?')
  const createSession = db.prepare('insert into session (sessionToken, userId, expires) values (?, ?, ?) returning *')
  const getSessionAndUser = db.prepare(
    `select sessionToken, userId, expires, ${userColumns} from session join user on user.id = session.userId where sessionToken = ?`,
  )
  const updateSession = db.prepare('update session set expires = ? where sessionToken = ? returning *')
  const deleteSession = db.prepare('delete from session where sessionToken = ? returning *')
  const createToken = db.prepare('insert into verificationToken (identifier, token, expires) values (?, ?, ?) returning *')
  const takeToken = db.prepare('delete from verificationToken where identifier = ? and token = ? returning *')
  const createAuthenticator = db.prepare(
    `insert into authenticator (${columnsOf(authenticatorValues)}) values (${authenticatorValues}) returning *`,
  )
  const getAuthenticator = db.prepare('select * from authenticator where credentialID = ?')
  const listAuthenticators = db.prepare('select * from authenticator where userId = ?')
  const updateCounter = db.prepare('update authenticator set counter = ? where credentialID = ? returning *')

  // Writes use `all`, which runs the statement to its end. `get` stops at the first row, and then SQLite cannot checkpoint its log.
  return {
    createUser: (u) => toUser(createUser.all(u.id, u.name, u.email, u.emailVerified?.getTime() ?? null, u.image)[0]) as AdapterUser,
    getUser: (id) => toUser(getUser.get(id)),
    getUserByEmail: (email) => toUser(getUserByEmail.get(email)),
    getUserByAccount: ({ provider, providerAccountId }) => toUser(getUserByAccount.get(provider, providerAccountId)),
    updateUser: ({ id, name }) => toUser(updateUser.all(name, id)[0]) as AdapterUser,
    deleteUser: (id) => toUser(deleteUser.all(id)[0]),
    linkAccount: (account) => linkAccount.all(account)[0] as AdapterAccount,
    unlinkAccount: ({ provider, providerAccountId }) => unlinkAccount.all(provider, providerAccountId)[0] as AdapterAccount,
    getAccount: (providerAccountId, provider) => (getAccount.get(provider, providerAccountId) as AdapterAccount | undefined) ?? null,
    createSession: (s) => toExpiring<AdapterSession>(createSession.all(s.sessionToken, s.userId, s.expires.getTime())[0]) as AdapterSession,

    getSessionAndUser(token) {
      const row = getSessionAndUser.get(token) as JoinedRow | undefined
      if (!row) return null
      const { sessionToken, userId, expires, id, name = null, email, emailVerified, image = null } = row
      return {
        session: { sessionToken, userId, expires: new Date(expires) },
        user: { id, name, email, emailVerified: emailVerified === null ? null : new Date(emailVerified), image },
      }
    },

    updateSession: (s) => toExpiring<AdapterSession>(updateSession.all(s.expires?.getTime(), s.sessionToken)[0]),
    deleteSession: (token) => toExpiring<AdapterSession>(deleteSession.all(token)[0]),
    createVerificationToken: (t) => toExpiring<VerificationToken>(createToken.all(t.identifier, t.token, t.expires.getTime())[0]),
    useVerificationToken: ({ identifier, token }) => toExpiring<VerificationToken>(takeToken.all(identifier, token)[0]),
    createAuthenticator: (a) =>
      toAuthenticator(createAuthenticator.all({ ...a, credentialBackedUp: Number(a.credentialBackedUp) })[0]) as AdapterAuthenticator,
    getAuthenticator: (credentialID) => toAuthenticator(getAuthenticator.get(credentialID)),
    listAuthenticatorsByUserId: (userId) => listAuthenticators.all(userId).map(toAuthenticator) as AdapterAuthenticator[],
    updateAuthenticatorCounter: (credentialID, counter) =>
      toAuthenticator(updateCounter.all(counter, credentialID)[0]) as AdapterAuthenticator,
  }
}

const columnsOf = (values: string) => values.replaceAll('@', '')

// SQLite has no types for dates and booleans, so these are converted.

function toUser(row: unknown): AdapterUser | null {
  if (!row) return null
  const user = row as Row
  if (user.emailVerified !== null) user.emailVerified = new Date(user.emailVerified as number)
  return user as unknown as AdapterUser
}

function toExpiring<T>(row: unknown): T | null {
  if (!row) return null
  const found = row as Row
  found.expires = new Date(found.expires as number)
  return found as T
}

function toAuthenticator(row: unknown): AdapterAuthenticator | null {
  if (!row) return null
  const found = row as Row
  found.credentialBackedUp = found.credentialBackedUp === 1
  return found as unknown as AdapterAuthenticator
}
