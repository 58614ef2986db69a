import type { Adapter as CoreAdapter } from '@auth/core/adapters'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { db } from '../driver.js'
import { mysql, pg, sqlite } from '../tables.js'

DrizzleAdapter(db, mysql.defined) satisfies CoreAdapter
DrizzleAdapter(db, mysql.written) satisfies CoreAdapter
DrizzleAdapter(db, { usersTable: mysql.written.usersTable, accountsTable: mysql.defined.accountsTable }) satisfies CoreAdapter
db.transaction(async (tx) => DrizzleAdapter(tx, mysql.defined))
db.transaction(async (tx) => DrizzleAdapter(tx, mysql.written))

// @ts-expect-error tables of another dialect
DrizzleAdapter(db, pg.defined)
// @ts-expect-error tables of another dialect
DrizzleAdapter(db, pg.written)
// @ts-expect-error tables of another dialect
DrizzleAdapter(db, sqlite.defined)
// @ts-expect-error tables of another dialect
DrizzleAdapter(db, sqlite.written)
// @ts-expect-error one table of another dialect
DrizzleAdapter(db, { ...mysql.defined, sessionsTable: pg.defined.sessionsTable })
db.transaction(async (tx) => {
  // @ts-expect-error tables of another dialect
  DrizzleAdapter(tx, pg.defined)
  // @ts-expect-error tables of another dialect
  DrizzleAdapter(tx, sqlite.defined)
})
