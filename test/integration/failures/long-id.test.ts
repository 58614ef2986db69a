import { defineTables } from 'drizzle-auth-adapter/mysql'
import type { Table } from 'drizzle-orm'
import { datetime, mysqlTable, varchar } from 'drizzle-orm/mysql-core'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createTable } from '../../support/ddl.js'
import { makeAdapter, openDatabase } from './database.js'

test.runIf(inject('dialects').includes('mysql'))('a user of MySQL whose id fits no other table is deleted', async () => {
  const name = () => varchar({ length: 99 })
  const usersTable = mysqlTable('user', { id: name().primaryKey(), email: name().notNull(), emailVerified: datetime() })
  const { accountsTable: defined } = defineTables({ foreignKeys: false })
  const accountsTable = mysqlTable('account', {
    userId: varchar({ length: 9 }).notNull(),
    type: name().$type<'oauth'>().notNull(),
    provider: name().notNull(),
    providerAccountId: name().notNull(),
  })
  const tables = { usersTable, accountsTable: accountsTable as unknown as typeof defined }
  const { db, close } = await openDatabase('mysql', { migrations: Object.values(tables).map((table) => createTable(table as Table, '`')) })
  onTestFinished(close)
  const adapter = makeAdapter(db, tables)
  for (const id of ['short', 'longer than nine characters']) {
    await adapter.createUser({ id, email: `${id}@example.com` })
    expect(await adapter.deleteUser(id)).toMatchObject({ id })
    expect(await adapter.deleteUser(id)).toBeNull()
  }
})
