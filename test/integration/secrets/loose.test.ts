import type { ProtectSecretsOptions, Secrets } from 'drizzle-auth-adapter/secrets'
import { protectSecrets } from 'drizzle-auth-adapter/secrets'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { createTables, mysqlTables, pgTables, sqliteTables } from '../../support/loose.js'
import { inAnHour, secretsOf } from './modes.js'

/** Removes the composite primary keys, so that rows can have keys that differ only in case. */
const withoutKeys = (all: string[]) => all.map((statement) => statement.replace(/,\s*primary key \([^)]*\)/, ''))

const loose = {
  pg: { tables: pgTables, migrations: ['create extension citext', ...withoutKeys(createTables(pgTables, '"'))] },
  mysql: {
    tables: mysqlTables,
    migrations: withoutKeys(createTables(mysqlTables, '`', ' character set utf8mb4 collate utf8mb4_general_ci')),
  },
  sqlite: { tables: sqliteTables, migrations: withoutKeys(createTables(sqliteTables, '`')) },
}

async function openLoose(dialect: DialectName) {
  const { db, adapter, tables, run, close } = await openDatabase(dialect, loose[dialect])
  onTestFinished(close)
  const protect = (options: ProtectSecretsOptions) => protectSecrets(db as never, tables as typeof pgTables, options)
  return { adapter: (secrets?: Secrets) => adapter({ secrets }), protect, run }
}

const spellings = ['google', 'GOOGLE', 'Google', 'gOOgle']

describe.each(inject('dialects'))('tables with case-insensitive keys on %s', (dialect) => {
  test.each([1, 3])('are protected completely, in batches of %i', async (batch) => {
    const { adapter, protect, run } = await openLoose(dialect)
    const plain = adapter()
    const { id: userId } = await plain.createUser({ email: 'ada@example.com' })
    for (const provider of spellings)
      for (const providerAccountId of ['x', 'X', 'y'])
        await plain.linkAccount({ userId, type: 'oauth', provider, providerAccountId, access_token: `${provider}-${providerAccountId}` })
    for (const sessionToken of ['b', 'c', 'd']) await plain.createSession({ sessionToken, userId, expires: inAnHour() })
    expect(await protect({ secrets: secretsOf('migrating'), batch, pause: 0 })).toEqual({ sessions: 3, accounts: 12, finished: true })
    const stored = (await run('select * from a')).map(({ access_token }) => String(access_token).slice(0, 9))
    expect(stored).toEqual(Array(12).fill('e1.2026b.'))
    const last = adapter(secretsOf('final'))
    for (const provider of spellings)
      expect(await last.getAccount('X', provider)).toMatchObject({ provider, access_token: `${provider}-X` })
  })
})
