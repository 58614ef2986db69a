// Compiled, never run: each line that must not compile is expected to fail.
import type { Adapter as CoreAdapter } from '@auth/core/adapters'
import type { Tables } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { MySql2Database } from 'drizzle-orm/mysql2'
import {
  bigint,
  boolean,
  char,
  customType,
  json,
  pgSchema,
  pgTable,
  pgTableCreator,
  serial,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { integer as sqliteInteger, sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core'
import type { Adapter as AdapterOf4 } from 'next-auth-4/adapters'
import type { Adapter as AdapterOf5 } from 'next-auth-5/adapters'

declare const pg: PostgresJsDatabase
declare const mysql: MySql2Database
declare const sqlite: BetterSQLite3Database

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_T extends true>() => {}

// The default tables of each dialect fit the library's own types, of every version.
export const adapters = {
  pg: DrizzleAdapter(pg, definePg()),
  mysql: DrizzleAdapter(mysql, defineMysql()),
  sqlite: DrizzleAdapter(sqlite, defineSqlite()),
} satisfies Record<string, CoreAdapter & AdapterOf4 & AdapterOf5>

// What the columns hold is what the tables' types say.
const tables = { pg: definePg(), mysql: defineMysql(), sqlite: defineSqlite() }
type Users = { id: string; name: string | null; email: string; emailVerified: Date | null; image: string | null }
type Plain<T> = { [K in keyof T]: T[K] }
holds<Equal<Plain<(typeof tables.pg.usersTable)['$inferSelect']>, Users>>()
holds<Equal<Plain<(typeof tables.mysql.usersTable)['$inferSelect']>, Users>>()
holds<Equal<Plain<(typeof tables.sqlite.usersTable)['$inferSelect']>, Users>>()
holds<Equal<(typeof tables.mysql.authenticatorsTable)['$inferSelect']['counter'], number>>()
holds<Equal<(typeof tables.sqlite.authenticatorsTable)['$inferSelect']['credentialBackedUp'], boolean>>()
holds<Equal<(typeof tables.sqlite.sessionsTable)['$inferInsert']['expires'], Date>>()

// The library's account holds JSON only, but added columns may hold anything. columns.ts tests the operations with added columns.
const withColumns = DrizzleAdapter(
  pg,
  definePg({ columns: { accounts: { linkedAt: timestamp(), profile: json().$type<{ a: number }>() } } }),
)
withColumns satisfies CoreAdapter
withColumns satisfies AdapterOf4
type Known<T> = NonNullable<Awaited<T>>
const account = {} as Known<ReturnType<typeof withColumns.getAccount>>
export const linkedAt: Date | null = account.linkedAt
export const linkedTime: number | undefined = account.linkedAt?.getTime()

// Table creators.
definePg({ table: pgTableCreator((name) => `auth_${name}`) })
definePg({ table: pgSchema('auth').table })
// @ts-expect-error a creator of another dialect
definePg({ table: sqliteTable })
// @ts-expect-error there is no such option
definePg({ prefix: 'auth' })

// The app's own users table: userId takes the type of its id.
const numbered = pgTable('people', { id: serial().primaryKey(), email: text().notNull(), emailVerified: timestamp() })
const ownUsers = definePg({ usersTable: numbered })
holds<Equal<(typeof ownUsers)['usersTable'], typeof numbered>>()
holds<Equal<(typeof ownUsers)['sessionsTable']['$inferSelect']['userId'], number>>()
const ofNumbered = DrizzleAdapter(pg, ownUsers)
ofNumbered satisfies CoreAdapter
holds<Equal<Known<ReturnType<typeof ofNumbered.getUser>>['id'], string>>()

// Tables written by hand: what a column holds counts, not its class.
const citext = customType<{ data: string }>({ dataType: () => 'citext' })
const handwritten = {
  usersTable: pgTable('u', {
    id: uuid().primaryKey().defaultRandom(),
    email: citext().notNull(),
    emailVerified: timestamp({ withTimezone: true }),
  }),
  accountsTable: pgTable('a', {
    userId: uuid().notNull(),
    type: text().$type<'oauth' | 'oidc'>().notNull(),
    provider: char({ length: 20 }).notNull(),
    providerAccountId: text().notNull(),
  }),
}
const small = DrizzleAdapter(pg, handwritten)
small satisfies CoreAdapter

// Without a table, the operations that need it are not there.
// @ts-expect-error no sessions table
small.createSession
// @ts-expect-error no verification tokens table
small.useVerificationToken
// @ts-expect-error no authenticators table
small.getAuthenticator

// What is missing or wrong is an error.
const { usersTable, accountsTable, sessionsTable } = definePg()
// @ts-expect-error accountsTable is required
DrizzleAdapter(pg, { usersTable })
// @ts-expect-error usersTable is required
DrizzleAdapter(pg, { accountsTable })
// @ts-expect-error users have no email
DrizzleAdapter(pg, { usersTable: pgTable('u', { id: text().primaryKey(), emailVerified: timestamp() }), accountsTable })
// @ts-expect-error emailVerified holds a string
DrizzleAdapter(pg, { usersTable: pgTable('u', { id: text(), email: text(), emailVerified: timestamp({ mode: 'string' }) }), accountsTable })
// @ts-expect-error image holds a boolean
DrizzleAdapter(pg, { usersTable: pgTable('u', { id: text(), email: text(), emailVerified: timestamp(), image: boolean() }), accountsTable })
// @ts-expect-error expires is missing
DrizzleAdapter(pg, { usersTable, accountsTable, sessionsTable: pgTable('s', { sessionToken: text().primaryKey(), userId: text() }) })
// @ts-expect-error tables are mixed up
DrizzleAdapter(pg, { usersTable, accountsTable: sessionsTable })
DrizzleAdapter(pg, {
  usersTable: pgTable('u', { id: bigint({ mode: 'bigint' }), email: text(), emailVerified: timestamp() }),
  accountsTable,
})

// The database must be of the tables' dialect. test/package/typing has each driver.
// @ts-expect-error MySQL tables
DrizzleAdapter(pg, defineMysql())
// @ts-expect-error tables of two dialects
DrizzleAdapter(pg, { ...definePg(), accountsTable: defineMysql().accountsTable })
// @ts-expect-error no database
DrizzleAdapter({}, definePg())

// A transaction is a database, too.
pg.transaction(async (tx) => DrizzleAdapter(tx, definePg()).getUser('1'))
export const sqliteOwn = DrizzleAdapter(sqlite, {
  ...defineSqlite(),
  usersTable: sqliteTable('u', {
    id: sqliteInteger().primaryKey(),
    email: sqliteText().notNull(),
    emailVerified: sqliteInteger({ mode: 'timestamp' }),
  }),
})

// Tables of any kind, as a wrapper passes them on.
export const wrap = (tables: Tables) => DrizzleAdapter(pg, tables)

// What `defineTables` gives is a schema for `drizzle({ schema })`.
export const schemas = [definePg(), defineMysql(), defineSqlite()] satisfies Record<string, unknown>[]
