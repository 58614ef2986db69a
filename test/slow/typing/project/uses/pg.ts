import type { Adapter as CoreAdapter } from '@auth/core/adapters'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { db } from '../driver.js'
import { mysql, pg, sqlite } from '../tables.js'

DrizzleAdapter(db, pg.defined) satisfies CoreAdapter
DrizzleAdapter(db, pg.written) satisfies CoreAdapter
DrizzleAdapter(db, { usersTable: pg.written.usersTable, accountsTable: pg.defined.accountsTable }) satisfies CoreAdapter
db.transaction(async (tx) => DrizzleAdapter(tx, pg.defined))
db.transaction(async (tx) => DrizzleAdapter(tx, pg.written))

// @ts-expect-error tables of another dialect
DrizzleAdapter(db, mysql.defined)
// @ts-expect-error tables of another dialect
DrizzleAdapter(db, mysql.written)
// @ts-expect-error tables of another dialect
DrizzleAdapter(db, sqlite.defined)
// @ts-expect-error tables of another dialect
DrizzleAdapter(db, sqlite.written)
// @ts-expect-error one table of another dialect
DrizzleAdapter(db, { ...pg.defined, sessionsTable: mysql.defined.sessionsTable })
db.transaction(async (tx) => {
  // @ts-expect-error tables of another dialect
  DrizzleAdapter(tx, mysql.defined)
  // @ts-expect-error tables of another dialect
  DrizzleAdapter(tx, sqlite.defined)
})
