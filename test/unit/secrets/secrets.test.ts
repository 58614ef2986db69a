import { AdapterConfigError } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter/pg'
import { protectSecrets, secretsAtRest } from 'drizzle-auth-adapter/secrets'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { describe, expect, test } from 'vitest'
import { keys } from '../../integration/secrets/modes.js'
import * as schema from '../../support/schema/pg.js'

const db = drizzle(async () => ({ rows: [] }))
const all = secretsAtRest({ sessionTokens: 'migrating', accountTokens: { mode: 'migrating', keys } })

const sessionsTable = pg.pgTable('session', {
  sessionToken: pg.varchar({ length: 45 }).primaryKey(),
  userId: pg.text().notNull(),
  expires: pg.timestamp({ mode: 'date' }).notNull(),
})
const accountsTable = pg.pgTable('account', {
  userId: pg.text().notNull(),
  type: pg.text().notNull(),
  provider: pg.text().notNull(),
  providerAccountId: pg.text().notNull(),
  id_token: pg.varchar({ length: 255 }),
})

describe('DrizzleAdapter', () => {
  const open = (tables: object, secrets?: unknown) => () =>
    DrizzleAdapter(db, { ...schema, ...tables } as typeof schema, { secrets: secrets as typeof all })

  test('rejects columns that cannot hold secrets, where they are protected', () => {
    expect(open({ sessionsTable }, all)).toThrow(/^DrizzleAdapter: the column sessionToken of sessionsTable is varchar\(45\), which/)
    expect(open({ accountsTable }, all)).toThrow(/^DrizzleAdapter: the column id_token of accountsTable is varchar\(255\), which/)
    expect(open({ accountsTable }, secretsAtRest({ sessionTokens: 'hashed' }))).not.toThrow()
    expect(open({ sessionsTable }, secretsAtRest({ accountTokens: { keys } }))).not.toThrow()
  })

  test('rejects secrets that are not from secretsAtRest', () => {
    for (const secrets of [{}, null, { keys }]) expect(open({}, secrets)).toThrow(/secrets must be the result of secretsAtRest/)
  })
})

test.each([
  [/options must be an object/, undefined],
  [/secrets must be the result of secretsAtRest/, { secrets: { ...all } }],
  [/sessionTokens is at 'ready'.*'migrating' first/, { secrets: secretsAtRest({ sessionTokens: 'ready' }) }],
  [/accountTokens is at 'ready'/, { secrets: secretsAtRest({ accountTokens: { mode: 'ready', keys } }) }],
  [/the given tables have no secrets that are protected/, { secrets: secretsAtRest({}) }],
  [/options\.before is unknown/, { secrets: all, before: new Date() }],
  [/batch must be a whole number/, { secrets: all, batch: 0 }],
])('protectSecrets rejects its options: %s', async (message, options) => {
  const run = protectSecrets(db, schema, options as never)
  await expect(run).rejects.toThrow(AdapterConfigError)
  await expect(run).rejects.toThrow(message)
})

test('protectSecrets rejects tables whose columns are too small', async () => {
  for (const tables of [{ sessionsTable }, { accountsTable }])
    await expect(protectSecrets(db, tables as never, { secrets: all })).rejects.toThrow(/^protectSecrets: the column/)
})
