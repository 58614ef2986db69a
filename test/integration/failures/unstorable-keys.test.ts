import { defineTables } from 'drizzle-auth-adapter/pg'
import * as pg from 'drizzle-orm/pg-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { createTable } from '../../support/ddl.js'
import { createTables, mysqlTables } from '../../support/loose.js'
import { migrationsOf } from '../../support/migrations.js'
import type { AnyAdapter } from './database.js'
import { changes, createRows, lookups, makeAdapter, openDatabase, useDatabase } from './database.js'

const dialects = inject('dialects')

/** Every operation fails with an error of the database: no key is called nobody's because of a failure. */
async function expectInvalid(adapter: AnyAdapter, key: string, calls = { ...lookups, ...changes }) {
  const answers: Record<string, unknown> = {}
  for (const [operation, run] of Object.entries(calls))
    answers[operation] = await run(adapter, key).then(
      (answer) => ({ answer }),
      ({ kind }) => kind,
    )
  expect(answers).toEqual(Object.fromEntries(Object.keys(calls).map((operation) => [operation, 'invalid'])))
}

describe.runIf(dialects.includes('mysql')).each([
  ['latin1', ['\u{1F600}', 'jos\u0113', "\u{1F600}'"]],
  ['utf8mb3', ['\u{1F600}']],
])('a key outside the character set of a MySQL column in %s', (charset, unstorable) => {
  const database = useDatabase(
    () => openDatabase('mysql', { migrations: createTables(mysqlTables, '`', ` character set ${charset}`), tables: mysqlTables }),
    ({ adapter }) => createRows(adapter, 'jose'),
  )

  test.each(unstorable)('is an error of the database: %j', async (key) => {
    await expectInvalid(database().adapter, key)
    expect(await database().adapter.getSessionAndUser('jose')).toMatchObject({ user: { id: 'jose' } })
  })
})

test.runIf(dialects.includes('pg'))('a key outside an enum of PostgreSQL is an error of the database', async () => {
  const provider = pg.pgEnum('provider', ['github', 'gitlab'])
  const accountsTable = pg.pgTable('linked', {
    userId: pg.text().notNull(),
    type: pg.text().notNull(),
    provider: provider().notNull(),
    providerAccountId: pg.text().notNull(),
  })
  const migrations = [`create type provider as enum ('github', 'gitlab')`, createTable(accountsTable, '"')]
  const { db, close } = await openDatabase('pg', { migrations: [...(await migrationsOf('pg')), ...migrations] })
  onTestFinished(close)
  const adapter = makeAdapter(db, { usersTable: defineTables().usersTable, accountsTable })
  const user = await adapter.createUser({ email: 'ada@example.com' })
  await adapter.linkAccount({ userId: user.id, type: 'oauth', provider: 'github', providerAccountId: '1' })
  for (const other of ['google', 'GitHub', '']) {
    const key = { provider: other, providerAccountId: '1' }
    for (const call of [adapter.getUserByAccount, adapter.unlinkAccount])
      await expect(call(key), other).rejects.toMatchObject({ kind: 'invalid' })
  }
  expect(await adapter.getUserByAccount({ provider: 'github', providerAccountId: '1' })).toEqual(user)
})
