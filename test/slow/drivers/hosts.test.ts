import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { getTableConfig } from 'drizzle-orm/mysql-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { runOperationCases } from '../../support/contract.js'
import { openMysql, openPg } from '../../support/databases.js'
import { migrationsOf } from '../../support/migrations.js'
import { root } from '../../support/root.js'
import type * as mysqlSchema from '../../support/schema/mysql.js'
import { startPgBouncer } from '../../support/servers/pgbouncer.js'
import { snippets } from '../../support/snippets.js'

const dialects = inject('dialects')

/** Writes the snippets of a page in docs/hosts, with the ordinary schema if the page shows none. Imports one of them. */
async function load(page: string, file: string) {
  // Inside the project, so that the snippets can import the package by its name.
  const folder = join(root, '.tmp', 'hosts', crypto.randomUUID())
  await mkdir(folder, { recursive: true })
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'schema.ts'), `export * from '../../../test/support/schema/pg.js'\n`)
  for (const { file, text } of await snippets(join('docs', 'hosts', `${page}.md`))) await writeFile(join(folder, file), text)
  return import(join(folder, file))
}

describe.runIf(dialects.includes('pg'))('the snippets of docs/hosts work, on PostgreSQL', () => {
  // All in one query, so that all statements run with the same search path.
  const migrationsInSchema = async () =>
    ['create schema sign_in', 'set search_path to sign_in', ...(await migrationsOf('pg'))].join(';').replaceAll('"public".', '')

  test('Supabase: tables in a separate schema, behind a pooler in transaction mode', async () => {
    const { url, run, close } = await openPg({ migrations: [await migrationsInSchema()] })
    onTestFinished(close)
    const pooler = await startPgBouncer(url, () => {})
    onTestFinished(pooler.stop)
    process.env.DATABASE_URL = pooler.url
    const { db } = await load('supabase', 'db.ts')
    await runOperationCases(DrizzleAdapter(db, await load('supabase', 'schema.ts')))
    expect(await run(`select tablename from pg_tables where schemaname = 'public'`)).toEqual([])
  })

  test('Vercel: a database that is opened on first use, behind a pooler in transaction mode', async () => {
    delete process.env.DATABASE_URL
    const { config } = await load('vercel', 'auth.ts')
    const { url, close } = await openPg()
    onTestFinished(close)
    const pooler = await startPgBouncer(url, () => {})
    onTestFinished(pooler.stop)
    process.env.DATABASE_URL = pooler.url
    await runOperationCases(config().adapter)
  })
})

describe.runIf(dialects.includes('mysql'))('the snippets of docs/hosts work, on MySQL', () => {
  test('PlanetScale: tables without foreign keys', async () => {
    const migrations = (await migrationsOf('mysql')).filter((statement) => !/foreign key/i.test(statement))
    const { db, close } = await openMysql({ migrations })
    onTestFinished(close)
    const tables: typeof mysqlSchema = await load('planetscale', 'schema.ts')
    for (const table of Object.values(tables)) expect(getTableConfig(table).foreignKeys).toEqual([])
    await runOperationCases(DrizzleAdapter(db, tables))
  })
})
