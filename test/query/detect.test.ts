import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import { withReplicas } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { detectDialect, dialects } from '../../src/detect.js'
import { DrizzleAdapter, deleteExpired } from '../../src/index.js'
import { AdapterConfigError } from '../../src/query/errors.js'
import { defineTables } from '../../src/sqlite/tables.js'

const sqlite = drizzle({ client: new Database(':memory:') })
const databases = {
  pg: drizzlePg(async () => ({ rows: [] })),
  mysql: drizzleMysql(async () => ({ rows: [] })),
  sqlite,
}

test.each(Object.entries(databases))('the dialect of a database is detected: %s', (name, db) => {
  expect(detectDialect(db, 'Test')).toBe(dialects[name as keyof typeof databases])
  expect(detectDialect(db, 'Test').name).toBe(name)
})

test('with replicas, it is that of the primary', () => {
  expect(detectDialect(withReplicas(sqlite, [sqlite]), 'Test')).toBe(dialects.sqlite)
})

test.each([undefined, null, {}, { select: () => {} }, 'file:app.db'])('anything else is rejected: %o', (value) => {
  expect(() => detectDialect(value, 'Test')).toThrow(AdapterConfigError)
  expect(() => detectDialect(value, 'Test')).toThrow(/^Test: /)
})

test('the entry point for any dialect detects it, and says which function was called', async () => {
  const { usersTable, accountsTable, sessionsTable } = defineTables()
  const adapter = DrizzleAdapter(sqlite, { usersTable, accountsTable }, { retry: false })
  await expect(adapter.getUser('ada')).rejects.toMatchObject({ operation: 'getUser', kind: 'schema' })
  await expect(deleteExpired(sqlite, { sessionsTable })).rejects.toMatchObject({ operation: 'deleteExpired', kind: 'schema' })
  expect(() => DrizzleAdapter(sqlite, { usersTable, accountsTable }, { retries: 1 } as object)).toThrow(/^DrizzleAdapter: .*retries/)
  await expect(deleteExpired(sqlite, { sessionsTable }, { batch: 0 })).rejects.toThrow(/^deleteExpired: batch/)
  expect(() => DrizzleAdapter({} as never, { usersTable, accountsTable })).toThrow(/^DrizzleAdapter: /)
  await expect(deleteExpired({} as never, { sessionsTable })).rejects.toThrow(/^deleteExpired: /)
})
