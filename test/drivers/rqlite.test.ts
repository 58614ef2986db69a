import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openSqlite } from '../support/databases.js'
import * as tables from '../support/schema/sqlite.js'

// If rqlite's parser cannot read a statement with RETURNING, rqlite silently drops the returned rows. It does not know COLLATE there.
// `npm run test:cluster` runs rqlite itself.
test.runIf(inject('dialects').includes('sqlite'))('no SQLite statement uses syntax that rqlite cannot parse', async () => {
  const statements = new Set<string>()
  const { db, close } = await openSqlite({ logger: { logQuery: (statement) => void statements.add(statement) } })
  onTestFinished(close)
  const adapter = DrizzleAdapter(db, tables)
  for (const c of adapterContract) await c.run(adapter)
  expect([...statements].filter((statement) => /\breturning\b/.test(statement)).length).toBeGreaterThan(10)
  expect([...statements].filter((statement) => /\bcollate\b/i.test(statement))).toEqual([])
})
