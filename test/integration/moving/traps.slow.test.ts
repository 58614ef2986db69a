import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import { afterEach, describe, expect, inject, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { statementsOf } from '../../support/migrations.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'
import type { OldRows } from './app.js'
import { documentedFile, migrateSqlite, openApp } from './app.js'
import * as keptUsers from './keep-users.js'
import * as officialMysql from './official-mysql.js'
import * as officialPg from './official-pg.js'
import * as officialSqlite from './official-sqlite.js'
import { expectRows } from './rows.js'

/** Checks that the problems that docs/moving.md warns of do occur, and that the alternatives that it describes work. */

const official = { sqlite: officialSqlite, pg: officialPg, mysql: officialMysql }
const adapterOf = (db: unknown, schema: object) => DrizzleAdapter(db as never, schema as never) as unknown as Adapter

// Contract cases that hold as soon as the import is changed, because they do not depend on the types of the columns.
const independentCases = adapterContract.filter(({ name }) => name.startsWith('of fifty'))

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const app of opened.splice(0)) await app.close()
})

async function openOldApp<Name extends DialectName>(dialect: Name, options: Parameters<typeof openApp>[1] = {}) {
  const app = await openApp(dialect, options)
  opened.push(app)
  return app
}

describe.each(inject('dialects'))('the old tables on %s', (dialect) => {
  test('can be read by the new adapter, and the generated migration alone fails without a change', async () => {
    const { database, kit, writeMigration, old } = await openOldApp(dialect)
    const adapter = adapterOf(database.db, official[dialect])
    await expectRows(adapter, old)
    expect(independentCases).toHaveLength(1)
    for (const c of independentCases) await c.run(adapter)
    for (const { id, email } of old.users) {
      expect(await adapter.getUser(`${id} `)).toBeNull()
      if (email) expect(await adapter.getUserByEmail(`${email} `)).toBeNull()
    }
    await writeMigration()
    if (dialect === 'sqlite') await expect(migrateSqlite(kit, database.url)).rejects.toThrow('NOT NULL constraint failed: __new_user.email')
    else await expect(kit.migrate()).rejects.toThrow()
    await expectRows(adapter, old)
  })
})

// The following tests are about drizzle-kit and the databases, and do not depend on the app's version of Drizzle. So they run once.
function on(dialect: DialectName, define: () => void) {
  if (inject('dialects').includes(dialect) && process.env.DRIZZLE !== 'drizzle 1.0') describe(`on ${dialect}`, define)
}

on('sqlite', () => {
  test('drizzle-kit migrate alone silently deletes every account and session', async () => {
    const { database, kit, writeMigration, old } = await openOldApp('sqlite')
    const emails = await documentedFile('emails.sql')
    await writeMigration((text) => emails + text)
    await kit.migrate()
    const count = 'select (select count(*) from user) as users, (select count(*) from session) + (select count(*) from account) as others'
    expect(await database.run(count)).toEqual([{ users: old.users.length, others: 0 }])
  })

  test('drizzle-kit migrate deletes nothing if the users table is not rebuilt, and an address may stay null', async () => {
    const { database, kit, writeMigration, old } = await openOldApp('sqlite')
    await writeMigration((text) => text.replace(/PRAGMA foreign_keys=OFF.*ON `user` \(`email`\);--> statement-breakpoint\n/s, ''))
    await kit.migrate()
    await expectRows(adapterOf(database.db, sqliteSchema), old)
  })
})

on('pg', () => {
  test('an app can change only the import, or keep its users table and users without an address', async () => {
    const { database, kit, old } = await openOldApp('pg')
    process.env.DATABASE_URL = database.url
    const { adapter: same } = await import('./auth.js')
    const { db } = await import('./db.js')
    await expectRows(same as unknown as Adapter, old)
    await db.$client.end()

    await kit.generate('./test/integration/moving/keep-users.ts')
    await kit.migrate()
    const adapter = adapterOf(database.db, keptUsers)
    await expectRows(adapter, old)
    expect(await adapter.createUser({ name: 'Silent' } as never)).toMatchObject({ name: 'Silent', email: null })
  })
})

on('mysql', () => {
  test('the generated migration alone fails, even if foreign keys are not checked', async () => {
    const { database, kit, writeMigration } = await openOldApp('mysql')
    await writeMigration()
    const [first = ''] = statementsOf(Object.entries(await kit.read()).findLast(([path]) => path.endsWith('.sql'))?.[1] ?? '')
    const connection = await database.client.getConnection()
    for (const checks of [1, 0]) {
      await connection.query(`SET FOREIGN_KEY_CHECKS = ${checks}`)
      // The codes of MariaDB and MySQL for: a column of a foreign key cannot be changed alone.
      await expect(connection.query(first)).rejects.toMatchObject({ errno: expect.toBeOneOf([1832, 3780]) })
    }
    connection.release()
  })

  /** Applies the documented migration, with a change to its first part. */
  async function moveWith(options: Parameters<typeof openApp>[1], change: (before: string) => string) {
    const app = await openOldApp('mysql', options)
    const [before, after] = [change(await documentedFile('mysql-before.sql')), await documentedFile('mysql-after.sql')]
    await app.writeMigration((text) => before + text + after)
    await app.kit.migrate()
    return { old: app.old, adapter: adapterOf(app.database.db, mysqlSchema) }
  }

  test('keys in latin1 tables cannot be read if the tables are not converted first', async () => {
    const { adapter, old } = await moveWith({ characterSet: 'latin1' }, (before) => before.replaceAll(/^.* CONVERT TO .*\n/gm, ''))
    const zoe = old.users.find(({ email }) => email === 'zo\u00eb@example.com')
    await expect(adapter.getUser(zoe?.id as string)).rejects.toMatchObject({ kind: 'garbled', table: 'user', column: 'email' })
    expect(await adapter.getUserByEmail('zo\u00eb@example.com')).toBeNull()
  })

  test("a migration in another time zone than the app's connections shifts every date", async () => {
    const { adapter, old } = await moveWith(
      { timeZone: '+05:30' },
      (before) => `SET time_zone = '+00:00';--> statement-breakpoint\n${before}`,
    )
    const { id, emailVerified } = old.users.find(({ name }) => name === 'Ada') as OldRows['users'][number]
    const found = await adapter.getUser(id)
    expect(Number(emailVerified) - Number(found?.emailVerified)).toBe(5.5 * 3_600_000)
  })
})
