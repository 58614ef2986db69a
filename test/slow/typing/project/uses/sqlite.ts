import type { Adapter as CoreAdapter } from '@auth/core/adapters'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { db } from '../driver.js'
import { mysql, pg, sqlite } from '../tables.js'

DrizzleAdapter(db, sqlite.defined) satisfies CoreAdapter
DrizzleAdapter(db, sqlite.written) satisfies CoreAdapter
DrizzleAdapter(db, { usersTable: sqlite.written.usersTable, accountsTable: sqlite.defined.accountsTable }) satisfies CoreAdapter

// Some drivers are synchronous and take no asynchronous function here, so the transaction is taken as it is.
declare const tx: Parameters<Parameters<typeof db.transaction>[0]>[0]
DrizzleAdapter(tx, sqlite.defined) satisfies CoreAdapter
DrizzleAdapter(tx, sqlite.written) satisfies CoreAdapter

// @ts-expect-error tables of another dialect
DrizzleAdapter(db, pg.defined)
// @ts-expect-error tables of another dialect
DrizzleAdapter(db, pg.written)
// @ts-expect-error tables of another dialect
DrizzleAdapter(db, mysql.defined)
// @ts-expect-error tables of another dialect
DrizzleAdapter(db, mysql.written)
// @ts-expect-error one table of another dialect
DrizzleAdapter(db, { ...sqlite.defined, sessionsTable: pg.defined.sessionsTable })
// @ts-expect-error tables of another dialect
DrizzleAdapter(tx, pg.defined)
// @ts-expect-error tables of another dialect
DrizzleAdapter(tx, mysql.defined)
