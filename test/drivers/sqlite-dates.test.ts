import Database from 'better-sqlite3'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/sqlite'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { createTable } from '../support/ddl.js'

const columns = { timestamp: () => lite.integer({ mode: 'timestamp' }), timestamp_ms: () => lite.integer({ mode: 'timestamp_ms' }) }

function openTables(mode: keyof typeof columns, safe: boolean) {
  const date = columns[mode]
  const usersTable = lite.sqliteTable('user', {
    id: lite.text().primaryKey(),
    email: lite.text().notNull(),
    name: lite.text(),
    emailVerified: date(),
  })
  const { accountsTable } = defineTables({ usersTable })
  const sessionsTable = lite.sqliteTable('session', {
    sessionToken: lite.text().primaryKey(),
    userId: lite.text().notNull(),
    expires: date().notNull(),
  })
  const tables = { usersTable, accountsTable, sessionsTable }
  const client = new Database(':memory:').defaultSafeIntegers(safe)
  onTestFinished(() => void client.close())
  for (const table of Object.values(tables)) client.exec(createTable(table, '`'))
  const store = (value: string) => {
    client.exec('delete from user; delete from session')
    client.exec(`insert into user (id, email, emailVerified) values ('u', 'e', ${value})`)
    client.exec(`insert into session values ('s', 'u', ${value})`)
  }
  const adapter = DrizzleAdapter(drizzle({ client }), tables)
  const readers: Record<string, () => Promise<unknown>> = {
    getUser: async () => (await adapter.getUser('u'))?.emailVerified,
    getUserByEmail: async () => (await adapter.getUserByEmail('e'))?.emailVerified,
    'getSessionAndUser, its session': async () => (await adapter.getSessionAndUser('s'))?.session.expires,
    'getSessionAndUser, its user': async () => (await adapter.getSessionAndUser('s'))?.user.emailVerified,
    updateUser: async () => (await adapter.updateUser({ id: 'u', name: 'm' })).emailVerified,
    deleteSession: async () => (await adapter.deleteSession('s'))?.expires,
    deleteUser: async () => (await adapter.deleteUser('u'))?.emailVerified,
  }
  return { store, readers }
}

describe.runIf(inject('dialects').includes('sqlite')).each([false, true])('on SQLite, with safe integers: %s', (safe) => {
  test.each(['8640000000000001', '9223372036854775807', `'never'`, `''`, `x'00ff'`, '9e999'])(
    'a date of %s is rejected as garbled by every operation that reads it',
    async (value) => {
      for (const mode of ['timestamp', 'timestamp_ms'] as const) {
        const { store, readers } = openTables(mode, safe)
        for (const [operation, read] of Object.entries(readers)) {
          store(value)
          await expect(read(), `${mode}, ${operation}`).rejects.toMatchObject({ kind: 'garbled' })
        }
      }
    },
  )

  test('a date is the instant that its number stands for', async () => {
    for (const seconds of [0, 1_780_621_323, -62_135_596_801, 253_402_300_800]) {
      for (const [mode, factor] of [
        ['timestamp', 1],
        ['timestamp_ms', 1000],
      ] as const) {
        const { store, readers } = openTables(mode, safe)
        for (const [operation, read] of Object.entries(readers)) {
          store(String(seconds * factor))
          expect(await read(), `${mode}, ${operation}`).toEqual(new Date(seconds * 1000))
        }
      }
    }
  })
})
