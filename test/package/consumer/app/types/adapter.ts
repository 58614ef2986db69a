// The adapter is assignable to Auth.js's `Adapter`, whichever tables it has, and its types have the columns that the app added.
import type { Adapter } from '@auth/core/adapters'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import * as m from 'drizzle-orm/mysql-core'
import * as p from 'drizzle-orm/pg-core'
import * as s from 'drizzle-orm/sqlite-core'
import * as mysql from '../mysql/schema.js'
import * as pg from '../pg/schema.js'
import * as sqlite from '../sqlite/schema.js'
import { onMysql, onPg, onSqlite } from './databases.js'
import type { Equal, Flat } from './equal.js'

const { usersTable, accountsTable } = sqlite
const usersOnly = DrizzleAdapter(onSqlite, { usersTable, accountsTable })

export const adapters: Adapter[] = [
  DrizzleAdapter(onPg, pg),
  DrizzleAdapter(onMysql, mysql),
  DrizzleAdapter(onSqlite, sqlite),
  DrizzleAdapter(p.withReplicas(onPg, [onPg]), pg),
  usersOnly,
]
onPg.transaction(async (tx) => void adapters.push(DrizzleAdapter(tx, pg)))
onMysql.transaction(async (tx) => void adapters.push(DrizzleAdapter(tx, mysql)))
onSqlite.transaction((tx) => void adapters.push(DrizzleAdapter(tx, sqlite)))

export const noSessions: 'createSession' extends keyof typeof usersOnly ? true : false = false

type Contract = { id: string; email: string; emailVerified: Date | null; name?: string | null; image?: string | null }
type Session = { sessionToken: string; userId: string; expires: Date }
type Found<Read extends (...parameters: never[]) => Promise<unknown>> = Flat<NonNullable<Awaited<ReturnType<Read>>>>

// A users table of the app, with ids that the database generates.
const people = p.pgTable('people', {
  id: p.uuid('id').primaryKey().defaultRandom(),
  email: p.text('email').notNull(),
  emailVerified: p.timestamp('email_verified'),
  admin: p.boolean('admin').notNull(),
})
const pgTables = definePg({
  usersTable: people,
  table: p.pgTableCreator((name) => `auth_${name}`),
  columns: { sessions: { device: p.text('device').notNull() } },
})
const onPeople = DrizzleAdapter(onPg, pgTables)
adapters.push(onPeople)
type PgSession = Flat<Found<typeof onPeople.getSessionAndUser>['session']>
export const pgUser: Equal<Found<typeof onPeople.getUser>, Flat<Contract & { admin: boolean }>> = true
export const pgSession: Equal<PgSession, Flat<Session & { device: string }>> = true

// Numeric ids: rows have numbers, and the adapter has strings.
const members = m.mysqlTable('members', {
  id: m.int('id').primaryKey().autoincrement(),
  email: m.varchar('email', { length: 255 }).notNull(),
  emailVerified: m.datetime('email_verified'),
})
const mysqlTables = defineMysql({ usersTable: members, columns: { accounts: { note: m.varchar('note', { length: 9 }) } } })
const onMembers = DrizzleAdapter(onMysql, mysqlTables)
adapters.push(onMembers)
export const mysqlId: Equal<(typeof mysqlTables.sessionsTable.$inferSelect)['userId'], number> = true
export const mysqlUserId: Equal<Found<typeof onMembers.getUser>['id'], string> = true
export const mysqlNote: Equal<Found<typeof onMembers.getAccount>['note'], string | null> = true

// Columns added to the default users table.
const sqliteTables = defineSqlite({
  columns: { users: { role: s.text('role', { enum: ['reader', 'writer'] }).notNull(), age: s.integer('age') } },
})
const withRoles = DrizzleAdapter(onSqlite, sqliteTables)
adapters.push(withRoles)
type Added = { role: 'reader' | 'writer'; age: number | null }
type Row = { id: string; name: string | null; email: string; emailVerified: Date | null; image: string | null }
export const sqliteRow: Equal<Flat<typeof sqliteTables.usersTable.$inferSelect>, Flat<Row & Added>> = true
export const sqliteUser: Equal<Found<typeof withRoles.getUser>, Flat<Contract & Added>> = true
