import type { AdapterAccount, AdapterSession, AdapterUser, VerificationToken } from 'drizzle-auth-adapter'

// The name of a row in the ledger, and the part of it that the ledger compares.

export const userRow = ({ id }: Pick<AdapterUser, 'id'>) => `user ${id}`
export const userState = ({ email, name }: Pick<AdapterUser, 'email' | 'name'>) => `${email} ${name}`

export const accountRow = ({ providerAccountId }: Pick<AdapterAccount, 'providerAccountId'>) => `account ${providerAccountId}`
export const accountState = ({ userId }: Pick<AdapterAccount, 'userId'>) => userId

export const sessionRow = ({ sessionToken }: Pick<AdapterSession, 'sessionToken'>) => `session ${sessionToken}`
export const sessionState = ({ userId, expires }: Pick<AdapterSession, 'userId' | 'expires'>) => `${userId} ${expires.getTime()}`

export const tokenRow = ({ token }: Pick<VerificationToken, 'token'>) => `token ${token}`
export const tokenState = ({ identifier }: Pick<VerificationToken, 'identifier'>) => identifier

interface Readable {
  select(): { from(table: never): PromiseLike<unknown> }
}

export interface Tables {
  usersTable: object
  accountsTable: object
  sessionsTable: object
  verificationTokensTable: object
}

/** All rows of one database node, read directly and not through an adapter. */
export async function rowsOf(db: object, tables: Tables): Promise<Map<string, string>> {
  const all = async <Row>(table: object) => (await (db as Readable).select().from(table as never)) as Row[]
  const rows = new Map<string, string>()
  for (const user of await all<AdapterUser>(tables.usersTable)) rows.set(userRow(user), userState(user))
  for (const account of await all<AdapterAccount>(tables.accountsTable)) rows.set(accountRow(account), accountState(account))
  for (const session of await all<AdapterSession>(tables.sessionsTable)) rows.set(sessionRow(session), sessionState(session))
  for (const token of await all<VerificationToken>(tables.verificationTokensTable)) rows.set(tokenRow(token), tokenState(token))
  return rows
}
