import { KyselyAdapter } from '@auth/kysely-adapter'
import Database from 'better-sqlite3'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import mysql from 'mysql2'
import type { DialectName } from '../../../../../test/support/dialects.js'
import { openPool } from '../../../../../test/support/pool.js'
import type { OldRows } from '../app.js'
import type { Person } from '../people.js'
import { people } from '../people.js'

// biome-ignore lint/suspicious/noExplicitAny: the tables are of several shapes.
type Any = any

const open: Record<DialectName, (url: string) => Kysely<Any>> = {
  pg: (url) => new Kysely({ dialect: new PostgresDialect({ pool: openPool({ connectionString: url, max: 1 }) }) }),
  mysql: (url) => new Kysely({ dialect: new MysqlDialect({ pool: mysql.createPool({ uri: url, connectionLimit: 1, timezone: 'Z' }) }) }),
  sqlite: (url) => new Kysely({ dialect: new SqliteDialect({ database: new Database(url) }) }),
}

type Seed = (db: Kysely<Any>, person: Person, dialect: DialectName) => Promise<string>

/** Creates the rows through the Kysely adapter. */
export const seedWithKysely: Seed = async (db, { user, accounts, sessions, tokens }) => {
  const adapter = KyselyAdapter(db as never) as Required<ReturnType<typeof KyselyAdapter>>
  const { id } = await adapter.createUser(user as never)
  for (const account of accounts) await adapter.linkAccount({ ...account, userId: id })
  for (const session of sessions) await adapter.createSession({ ...session, userId: id })
  for (const token of tokens) await adapter.createVerificationToken(token)
  return id
}

/** Inserts the values that @auth/prisma-adapter 2.11 writes with Prisma 7. Prisma itself is not used: its client must be generated. */
export const seedAsPrisma: Seed = async (db, { user, accounts, sessions, tokens, authenticators }, dialect) => {
  const encodeRow = (row: object) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === undefined ? null : encode(value, dialect)]))
  const insert = (table: string, row: object) => db.insertInto(table).values(encodeRow(row)).execute()
  const id = `c${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`
  const updatedAt = new Date()
  await insert('User', { ...user, id, updatedAt })
  for (const account of accounts) await insert('Account', { ...account, userId: id, updatedAt })
  for (const session of sessions) await insert('Session', { ...session, userId: id, updatedAt })
  for (const token of tokens) await insert('VerificationToken', token)
  for (const authenticator of authenticators) await insert('Authenticator', { ...authenticator, userId: id })
  return id
}

function encode(value: unknown, dialect: DialectName): unknown {
  if (dialect !== 'sqlite') return value
  if (value instanceof Date) return value.toISOString().replace('Z', '+00:00')
  return typeof value === 'boolean' ? Number(value) : value
}

/** Seeds a database with people, and returns the rows that the old app then has. */
export async function seedOldApp(dialect: DialectName, url: string, seed: Seed, hasPasskeys: boolean): Promise<OldRows> {
  const db = open[dialect](url)
  const old: OldRows = { users: [], accounts: [], sessions: [], tokens: [], authenticators: [] }
  for (const person of people.filter(({ user }) => user.email)) {
    const { user, accounts, sessions, tokens, authenticators } = person
    const userId = await seed(db, person, dialect).catch((error) => {
      // Two addresses are equal under the collation.
      if (/Duplicate entry/.test(String(error))) return undefined
      throw error
    })
    if (!userId) continue
    const { name = null, email = null, emailVerified, image = null } = user
    old.users.push({ id: userId, name, email, emailVerified, image })
    old.accounts.push(...accounts.map((account) => ({ ...account, userId, token_type: account.token_type ?? null })))
    old.sessions.push(...sessions.map((session) => ({ ...session, userId })))
    old.tokens.push(...tokens.map((token) => ({ ...token })))
    if (hasPasskeys) old.authenticators.push(...authenticators.map((authenticator) => ({ ...authenticator, userId })))
  }
  await db.destroy()
  return old
}
