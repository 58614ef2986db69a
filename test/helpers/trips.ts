import type { Adapter } from 'drizzle-auth-adapter'
import type { DialectName } from './dialects.js'

const read = { pg: 1, mysql: 1, sqlite: 1 }
const create = read
// MySQL has no RETURNING.
const write = { pg: 1, mysql: 2, sqlite: 1 }

/** The round trips that each operation takes. */
export const roundTrips: Record<keyof Adapter, Record<DialectName, number>> = {
  createUser: create,
  getUser: read,
  getUserByEmail: read,
  getUserByAccount: read,
  updateUser: write,
  deleteUser: { ...write, sqlite: 5 },
  linkAccount: create,
  unlinkAccount: write,
  getAccount: read,
  createSession: create,
  getSessionAndUser: read,
  updateSession: write,
  deleteSession: write,
  createVerificationToken: create,
  useVerificationToken: write,
  createAuthenticator: create,
  getAuthenticator: read,
  listAuthenticatorsByUserId: read,
  updateAuthenticatorCounter: write,
  listAccounts: read,
  updateAccount: { pg: 2, mysql: 2, sqlite: 2 },
  listSessions: read,
  revokeSession: { pg: 2, mysql: 3, sqlite: 2 },
  revokeSessions: read,
}
