import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import { afterEach, describe, expect, inject, test } from 'vitest'
import type { DialectName } from '../helpers/dialects.js'
import { statementsOf } from '../helpers/migrations.js'
import * as mysqlSchema from '../schema/mysql.js'
import * as sqliteSchema from '../schema/sqlite.js'
import type { OldRows } from './app.js'
import { migrateSqlite, openApp, shown } from './app.js'
import * as keptUsers from './keep-users.js'
import * as officialMysql from './official-mysql.js'
import * as officialPg from './official-pg.js'
import * as officialSqlite from './official-sqlite.js'
import { expectRows } from './rows.js'

/** What docs/moving.md warns of happens, and the other ways that it names work. */

const official = { sqlite: officialSqlite, pg: officialPg, mysql: officialMysql }
const adapterOf = (db: unknown, schema: object) => DrizzleAdapter(db as never, schema as never) as unknown as Adapter

// What comes with the import alone: what the columns hold does not matter to these.
const behaviour = adapterContract.filter(({ name }) => name.startsWith('of fifty'))

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const app of opened.splice(0)) await app.close()
})

async function openOld<Name extends DialectName>(dialect: Name, options: Parameters<typeof openApp>[1] = {}) {
  const app = await openApp(dialect, options)
  opened.push(app)
  return app
}

describe.each(inject('dialects'))('the old tables on %s', (dialect) => {
  test('hold every row for the new adapter, and the generated migration alone is refused and changes none', async () => {
    const { database, kit, prepare, old } = await openOld(dialect)
    const adapter = adapterOf(database.db, official[dialect])
    await expectRows(adapter, old)
    expect(behaviour).toHaveLength(1)
    for (const c of behaviour) await c.run(adapter)
    for (const { id, email } of old.users) {
      expect(await adapter.getUser(`${id} `)).toBeNull()
      if (email) expect(await adapter.getUserByEmail(`${email} `)).toBeNull()
    }
    await prepare()
    if (dialect === 'sqlite') await expect(migrateSqlite(kit, database.url)).rejects.toThrow('NOT NULL constraint failed: __new_user.email')
    else await expect(kit.migrate()).rejects.toThrow()
    await expectRows(adapter, old)
  })
})

// What follows is about drizzle-kit and the databases, not about the version of Drizzle that the app has: once is enough.
function on(dialect: DialectName, define: () => void) {
  if (inject('dialects').includes(dialect) && process.env.DRIZZLE !== 'drizzle 1.0') describe(`on ${dialect}`, define)
}

on('sqlite', () => {
  test('drizzle-kit migrate alone deletes every account and session, and says nothing', async () => {
    const { database, kit, prepare, old } = await openOld('sqlite')
    const emails = await shown('emails.sql')
    await prepare((text) => emails + text)
    await kit.migrate()
    const count = 'select (select count(*) from user) as users, (select count(*) from session) + (select count(*) from account) as others'
    expect(await database.run(count)).toEqual([{ users: old.users.length, others: 0 }])
  })

  test('without the new users table it deletes nothing, and an address may stay null', async () => {
    const { database, kit, prepare, old } = await openOld('sqlite')
    await prepare((text) => text.replace(/PRAGMA foreign_keys=OFF.*ON `user` \(`email`\);--> statement-breakpoint\n/s, ''))
    await kit.migrate()
    await expectRows(adapterOf(database.db, sqliteSchema), old)
  })
})

on('pg', () => {
  test('an app that changes only the import runs, and one that keeps its users table keeps users without an address', async () => {
    const { database, kit, old } = await openOld('pg')
    process.env.DATABASE_URL = database.url
    const { adapter: same, db } = await import('./auth.js')
    await expectRows(same as unknown as Adapter, old)
    await db.$client.end()

    await kit.generate('./test/moving/keep-users.ts')
    await kit.migrate()
    const adapter = adapterOf(database.db, keptUsers)
    await expectRows(adapter, old)
    expect(await adapter.createUser({ name: 'Silent' } as never)).toMatchObject({ name: 'Silent', email: null })
  })
})

on('mysql', () => {
  test('the generated file alone is refused, also where foreign keys are not checked', async () => {
    const { database, kit, prepare } = await openOld('mysql')
    await prepare()
    const [first = ''] = statementsOf(Object.entries(await kit.read()).findLast(([path]) => path.endsWith('.sql'))?.[1] ?? '')
    const connection = await database.client.getConnection()
    for (const checks of [1, 0]) {
      await connection.query(`SET FOREIGN_KEY_CHECKS = ${checks}`)
      // MariaDB's code, or MySQL's: a column of a foreign key cannot change alone.
      await expect(connection.query(first)).rejects.toMatchObject({ errno: expect.toBeOneOf([1832, 3780]) })
    }
    connection.release()
  })

  /** The database after the documented migration, with a change to its first part. */
  async function moved(options: Parameters<typeof openApp>[1], change: (before: string) => string) {
    const app = await openOld('mysql', options)
    const [before, after] = [change(await shown('mysql-before.sql')), await shown('mysql-after.sql')]
    await app.prepare((text) => before + text + after)
    await app.kit.migrate()
    return { old: app.old, adapter: adapterOf(app.database.db, mysqlSchema) }
  }

  test('keys of latin1 tables that are not converted first are lost', async () => {
    const { adapter, old } = await moved({ characterSet: 'latin1' }, (before) => before.replaceAll(/^.* CONVERT TO .*\n/gm, ''))
    const zoe = old.users.find(({ email }) => email === 'zo\u00eb@example.com')
    expect(await adapter.getUser(zoe?.id as string)).toMatchObject({ name: zoe?.name, email: 'zo\ufffd@example.com' })
    expect(await adapter.getUserByEmail('zo\u00eb@example.com')).toBeNull()
  })

  test("a migration in another time zone than the app's sessions moves every date", async () => {
    const { adapter, old } = await moved({ timeZone: '+05:30' }, (before) => `SET time_zone = '+00:00';--> statement-breakpoint\n${before}`)
    const { id, emailVerified } = old.users.find(({ name }) => name === 'Ada') as OldRows['users'][number]
    const found = await adapter.getUser(id)
    expect(Number(emailVerified) - Number(found?.emailVerified)).toBe(5.5 * 3_600_000)
  })
})
