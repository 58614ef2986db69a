import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { openTables } from '../../../src/secrets/tables.js'

test('what is known about the accounts of Better Auth does not grow with each run of protectSecrets', () => {
  const names = ['providerId', 'accountId', 'userId', 'accessToken', 'refreshToken', 'idToken', 'password', 'scope']
  const account = sqliteTable('account', { id: text().primaryKey(), ...Object.fromEntries(names.map((name) => [name, text()])) })
  const db = drizzle({ client: new Database(':memory:') })
  const open = () => openTables('test', db, { account }, { accounts: {} as never }).accounts[0]?.table.stored.definition.id
  expect(open()).toBe(open())
})
