import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { DialectName } from '../../../test/support/dialects.js'
import { root } from '../../../test/support/root.js'
import { documentedFile, openApp } from './app.js'
import * as keptUsers from './keep-users.js'
import * as officialMysql from './official-mysql.js'
import * as officialSqlite from './official-sqlite.js'
import { expectRows } from './rows.js'

const adapterOf = (db: unknown, schema: object) => DrizzleAdapter(db as never, schema as never) as unknown as Adapter

const on = (dialect: DialectName) => describe.runIf(inject('dialects').includes(dialect))

on('pg')('an app on pg', () => {
  test('can change only the import, or keep its users table and users without an address', async () => {
    const { database, kit, old, close } = await openApp('pg')
    onTestFinished(close)
    process.env.DATABASE_URL = database.url
    const { adapter: same } = await import('./auth.js')
    const { db } = await import('./db.js')
    await expectRows(same as unknown as Adapter, old)
    await db.$client.end()

    await kit.generate('./kit/test/moving/keep-users.ts')
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
  test('can change only the import', async () => {
    const { database, old, close } = await openApp('sqlite')
    onTestFinished(close)
    await expectRows(adapterOf(database.db, officialSqlite), old)
  })
})

test('every snippet of docs/moving.md is a file that these tests run', async () => {
  const page = await readFile(join(root, 'docs', 'moving.md'), 'utf8')
  const names = ['account-ids.sql', 'applied.sql']
  const files = await Promise.all(
    ['auth.ts', '../../../test/support/schema/pg.ts', 'keep-users.ts', 'migrate.ts', 'posts.ts', ...names].map(documentedFile),
  )
  const blocks = [...page.matchAll(/^( *)```(?:ts|sql)\n(.*?)^ *```$/gms)]
  const snippets = blocks.map(([, indent, text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
  const withoutFileName = (text: string) => text.replace(/^\/\/ [\w-]+\.ts\n/, '')
  expect(snippets.map(withoutFileName).sort()).toEqual(files.map(withoutFileName).sort())
})
