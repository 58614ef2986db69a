// Applies the migrations of an app, seeds its database through the official adapter, and prints the rows as JSON:
// fill.ts <dialect> <url> <folder of the migrations>
import { DrizzleAdapter } from '@auth/drizzle-adapter'
import Database from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { migrate as migrateSqlite } from 'drizzle-orm/better-sqlite3/migrator'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { migrate as migrateMysql } from 'drizzle-orm/mysql2/migrator'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import { migrate as migratePg } from 'drizzle-orm/postgres-js/migrator'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import * as mysqlTables from './official-mysql.js'
import * as pgTables from './official-pg.js'
import * as sqliteTables from './official-sqlite.js'
import { people } from './people.js'

const [dialect, url = '', migrationsFolder = ''] = process.argv.slice(2)

type Rows = PromiseLike<unknown[]>

async function open() {
  if (dialect === 'sqlite') {
    const client = new Database(url)
    const db = drizzleSqlite({ client })
    migrateSqlite(db, { migrationsFolder })
    return { tables: sqliteTables, adapter: DrizzleAdapter(db), read: (t: never): Rows => db.select().from(t), close: () => client.close() }
  }
  if (dialect === 'pg') {
    const client = postgres(url, { onnotice: () => {} })
    const db = drizzlePg({ client })
    await migratePg(db, { migrationsFolder })
    return { tables: pgTables, adapter: DrizzleAdapter(db), read: (t: never): Rows => db.select().from(t), close: () => client.end() }
  }
  const client = await mysql.createConnection(url)
  const db = drizzleMysql({ client })
  await migrateMysql(db, { migrationsFolder })
  return { tables: mysqlTables, adapter: DrizzleAdapter(db), read: (t: never): Rows => db.select().from(t), close: () => client.end() }
}

/** The adapter has every operation, although its type declares them as optional. */
type Official = Required<ReturnType<typeof DrizzleAdapter>>

const { tables, adapter, read, close } = await open()
const { createUser, linkAccount, createSession, createVerificationToken, createAuthenticator } = adapter as Official

/** Creates a user and returns its id; undefined if the character set or the collation of the database rejects it. */
async function create(user: object) {
  try {
    return (await createUser(user as Parameters<typeof createUser>[0])).id
  } catch (error) {
    if (/Incorrect string value|Duplicate entry/.test(String((error as Error).cause))) return undefined
    throw error
  }
}

for (const { user, accounts, sessions, tokens, authenticators } of people) {
  const userId = await create(user)
  if (!userId) continue
  for (const account of accounts) await linkAccount({ ...account, userId })
  for (const session of sessions) await createSession({ ...session, userId })
  for (const token of tokens) await createVerificationToken(token)
  for (const authenticator of authenticators) await createAuthenticator({ ...authenticator, userId })
}

const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = tables
process.stdout.write(
  JSON.stringify({
    users: await read(usersTable as never),
    accounts: await read(accountsTable as never),
    sessions: await read(sessionsTable as never),
    tokens: await read(verificationTokensTable as never),
    authenticators: await read(authenticatorsTable as never),
  }),
)
await close()
