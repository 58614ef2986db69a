import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { db } from '../driver.js'
import { mysql, pg, sqlite } from '../tables.js'

// @ts-expect-error a dialect that is not supported
DrizzleAdapter(db, pg.defined)
// @ts-expect-error a dialect that is not supported
DrizzleAdapter(db, pg.written)
// @ts-expect-error a dialect that is not supported
DrizzleAdapter(db, mysql.defined)
// @ts-expect-error a dialect that is not supported
DrizzleAdapter(db, mysql.written)
// @ts-expect-error a dialect that is not supported
DrizzleAdapter(db, sqlite.defined)
// @ts-expect-error a dialect that is not supported
DrizzleAdapter(db, sqlite.written)
