import type { Adapter } from 'drizzle-auth-adapter'
import type { DialectName } from './dialects.js'

const read = { pg: 1, mysql: 1, sqlite: 1 }
// MySQL has no RETURNING: the row is read before or after it is written.
const write = { pg: 1, mysql: 2, sqlite: 1 }

/** The round trips that each operation takes. */
export const roundTrips: Record<keyof Adapter, Record<DialectName, number>> = {
  createUser: write,
  getUser: read,
  getUserByEmail: read,
  getUserByAccount: read,
  updateUser: write,
  // On MySQL BEGIN, the user with a lock, a deletion for each table, and COMMIT. On SQLite, BEGIN and COMMIT are not logged.
  deleteUser: { pg: 1, mysql: 7, sqlite: 4 },
  linkAccount: write,
  unlinkAccount: write,
  getAccount: read,
  createSession: write,
  getSessionAndUser: read,
  updateSession: write,
  deleteSession: write,
  createVerificationToken: write,
  useVerificationToken: write,
  createAuthenticator: write,
  getAuthenticator: read,
  listAuthenticatorsByUserId: read,
  updateAuthenticatorCounter: write,
  listAccounts: read,
  updateAccount: { pg: 1, mysql: 2, sqlite: 1 },
  listSessions: read,
  revokeSession: { pg: 2, mysql: 2, sqlite: 2 },
  revokeSessions: { pg: 1, mysql: 1, sqlite: 1 },
}
