// Wrong arguments do not compile.
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/pg'
import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import * as mysql from '../mysql/schema.js'
import * as pg from '../pg/schema.js'
import * as sqlite from '../sqlite/schema.js'
import { onMysql, onPg, onSqlite } from './databases.js'

const id = text('id').primaryKey()
const email = text('email').notNull()
const sessionToken = text('session_token').primaryKey()
const userId = text('user_id').notNull()

const withoutEmail = pgTable('user', { id, emailVerified: timestamp('email_verified') })
const verifiedText = pgTable('user', { id, email, emailVerified: text('email_verified') })
const withoutExpires = pgTable('session', { sessionToken, userId })
const expiresNumber = pgTable('session', { sessionToken, userId, expires: integer('expires').notNull() })

// @ts-expect-error a column is missing
DrizzleAdapter(onPg, { ...pg, usersTable: withoutEmail })
// @ts-expect-error a column is missing
DrizzleAdapter(onPg, { ...pg, sessionsTable: withoutExpires })
// @ts-expect-error text instead of a date
DrizzleAdapter(onPg, { ...pg, usersTable: verifiedText })
// @ts-expect-error a number instead of a date
DrizzleAdapter(onPg, { ...pg, sessionsTable: expiresNumber })
// @ts-expect-error the wrong table
DrizzleAdapter(onPg, { ...pg, usersTable: pg.accountsTable })
// @ts-expect-error a required table is missing
DrizzleAdapter(onPg, { usersTable: pg.usersTable })
// @ts-expect-error not a database
DrizzleAdapter({}, pg)

// @ts-expect-error tables of another dialect
DrizzleAdapter(onPg, mysql)
// @ts-expect-error tables of another dialect
DrizzleAdapter(onPg, sqlite)
// @ts-expect-error tables of another dialect
DrizzleAdapter(onMysql, pg)
// @ts-expect-error tables of another dialect
DrizzleAdapter(onMysql, sqlite)
// @ts-expect-error tables of another dialect
DrizzleAdapter(onSqlite, pg)
// @ts-expect-error tables of another dialect
DrizzleAdapter(onSqlite, mysql)
// @ts-expect-error one table of another dialect
DrizzleAdapter(onPg, { ...pg, sessionsTable: mysql.sessionsTable })
// @ts-expect-error one table of another dialect
DrizzleAdapter(onMysql, { ...mysql, sessionsTable: sqlite.sessionsTable })
// @ts-expect-error one table of another dialect
DrizzleAdapter(onSqlite, { ...sqlite, verificationTokensTable: pg.verificationTokensTable })

// @ts-expect-error there is no such table
defineTables({ columns: { user: { nickname: text('nickname') } } })
