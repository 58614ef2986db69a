import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../../test/support/databases.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { root } from '../../../../test/support/root.js'
import * as mysqlSchema from '../../../../test/support/schema/mysql.js'
import * as pgSchema from '../../../../test/support/schema/pg.js'
import * as sqliteSchema from '../../../../test/support/schema/sqlite.js'
import type { OldRows } from '../../support/moving/app.js'
import { documentedFile, migrateSqlite, openApp } from '../../support/moving/app.js'
import * as keptUsers from '../../support/moving/keep-users.js'
import * as officialMysql from '../../support/moving/official-mysql.js'
import * as officialSqlite from '../../support/moving/official-sqlite.js'
import { expectRows, expectSignIns, expectTokens } from '../../support/moving/rows.js'
import { describeTables } from '../../support/moving/shape.js'

interface Scenario {
  name: string
  dialect: DialectName
  characterSet?: string
  timeZone?: string
  /** Files of kit/test/support/moving whose statements are added before the generated migration, and after it. */
  before: string[]
  after?: string[]
  /** How the move changes an address. */
  email?: (email: string) => string
}

const scenarios: Scenario[] = [
  { name: 'sqlite', dialect: 'sqlite', before: ['emails.sql'] },
  { name: 'pg', dialect: 'pg', before: ['emails.sql'] },
  {
    name: 'mysql, tables in utf8mb4, addresses in lower case',
    dialect: 'mysql',
    before: ['mysql-lower.sql', 'mysql-before.sql'],
    after: ['mysql-after.sql'],
    email: (email) => email.toLowerCase(),
  },
  {
    name: 'mysql, tables in latin1, connections in another time zone',
    dialect: 'mysql',
    characterSet: 'latin1',
    timeZone: '+05:30',
    before: ['time-zone.sql', 'mysql-before.sql'],
    after: ['mysql-after.sql'],
  },
]

const chosen = scenarios.filter(({ dialect }) => inject('dialects').includes(dialect))
const schemas = { sqlite: sqliteSchema, pg: pgSchema, mysql: mysqlSchema }

const adapterOf = (db: unknown, schema: object) => DrizzleAdapter(db as never, schema as never) as unknown as Adapter

// Concurrently, because most of the time is spent waiting for drizzle-kit.
test.concurrent.for(chosen)('docs/moving.md moves an app from the official adapter: $name', async (scenario, { onTestFinished }) => {
  const { dialect, before, after = [], email = (same) => same } = scenario
  const app = await openApp(dialect, scenario)
  onTestFinished(app.close)
  const texts = async (names: string[]) => (await Promise.all(names.map(documentedFile))).join('')
  const [head, tail] = [await texts(before), await texts(after)]
  await app.writeMigration((text) => head + text + tail)
  if (dialect === 'sqlite') await migrateSqlite(app.kit, app.database.url)
  else await app.kit.migrate()

  const users = app.old.users.map((user) => ({ ...user, email: email(user.email ?? `${user.id}@no-email.invalid`) }))
  expect(users.length).toBeGreaterThanOrEqual(5)
  const adapter = adapterOf(app.database.db, schemas[dialect])
  const old = { ...app.old, users } as OldRows
  await expectRows(adapter, old)
  await expectTokens(adapter, old)
  await expectSignIns(adapter)
  const fresh = await openDatabase(dialect)
  onTestFinished(fresh.close)
  expect(await describeTables(dialect, app.database.run)).toEqual(await describeTables(dialect, fresh.run))
})

const on = (dialect: DialectName) => describe.runIf(inject('dialects').includes(dialect))

on('pg')('an app on pg', () => {
  test('can change only the import, or keep its users table and users without an address', async () => {
    const { database, kit, old, close } = await openApp('pg')
    onTestFinished(close)
    process.env.DATABASE_URL = database.url
    const { adapter: same } = await import('../../support/moving/auth.js')
    const { db } = await import('../../support/moving/db.js')
    await expectRows(same as unknown as Adapter, old)
    await db.$client.end()

    await kit.generate('./kit/test/support/moving/keep-users.ts')
    await kit.migrate()
    const adapter = adapterOf(database.db, keptUsers)
    await expectRows(adapter, old)
    expect(await adapter.createUser({ name: 'Silent' } as never)).toMatchObject({ name: 'Silent', email: null })
  })
})

on('mysql')('an app on mysql', () => {
  test('can change only the import', async () => {
    const { database, old, close } = await openApp('mysql')
    onTestFinished(close)
    await expectRows(adapterOf(database.db, officialMysql), old)
  })
})

on('sqlite')('an app on sqlite', () => {
  test('can change only the import, or leave out the statements that rebuild the users table', async () => {
    const { database, kit, writeMigration, old, close } = await openApp('sqlite')
    onTestFinished(close)
    await expectRows(adapterOf(database.db, officialSqlite), old)
    await writeMigration((text) => text.replace(/PRAGMA foreign_keys=OFF.*ON `user` \(`email`\);--> statement-breakpoint\n/s, ''))
    await kit.migrate()
    await expectRows(adapterOf(database.db, sqliteSchema), old)
  })
})

test('every snippet of docs/moving.md is a file that these tests run', async () => {
  const page = await readFile(join(root, 'docs', 'moving.md'), 'utf8')
  const names = ['account-ids.sql', 'emails.sql', 'mysql-before.sql', 'mysql-after.sql', 'mysql-lower.sql', 'time-zone.sql', 'applied.sql']
  const files = await Promise.all(
    ['auth.ts', '../../../../test/support/schema/pg.ts', 'keep-users.ts', 'migrate.ts', 'posts.ts', ...names].map(documentedFile),
  )
  const blocks = [...page.matchAll(/^( *)```(?:ts|sql)\n(.*?)^ *```$/gms)]
  const snippets = blocks.map(([, indent, text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
  const withoutFileName = (text: string) => text.replace(/^\/\/ [\w-]+\.ts\n/, '')
  expect(snippets.map(withoutFileName).sort()).toEqual(files.map(withoutFileName).sort())
})
