import type { Tables } from 'drizzle-auth-adapter'
import type { Table } from 'drizzle-orm'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import * as mysqlTables from '../../slow/typing/project/written/mysql.js'
import * as pgTables from '../../slow/typing/project/written/pg.js'
import * as sqliteTables from '../../slow/typing/project/written/sqlite.js'
import { openDatabase } from '../../support/databases.js'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'

const handwritten = { pg: pgTables, mysql: mysqlTables, sqlite: sqliteTables }

/** Imports the package again, as in a new process: no dialect is loaded yet. */
async function importAgain(): Promise<typeof import('drizzle-auth-adapter')> {
  vi.resetModules()
  return import('drizzle-auth-adapter')
}

async function openTables(dialect: DialectName) {
  const { usersTable, accountsTable } = handwritten[dialect] as { usersTable: Table; accountsTable: Table }
  const quote = dialect === 'mysql' ? '`' : '"'
  const { db, close } = await openDatabase(dialect, { migrations: [usersTable, accountsTable].map((table) => createTable(table, quote)) })
  onTestFinished(close)
  return { db, tables: { usersTable, accountsTable } as Tables }
}

describe.each(inject('dialects'))('hand-written tables without defineTables on %s', (dialect) => {
  test('have all operations immediately, and the first calls may be concurrent', async () => {
    const { DrizzleAdapter } = await importAgain()
    const { db, tables } = await openTables(dialect)
    const adapter = DrizzleAdapter(db, tables)
    expect(Object.keys(adapter)).toContain('getUserByAccount')
    const created = await Promise.all(Array.from({ length: 20 }, (_, n) => adapter.createUser({ email: `${n}@example.com` })))
    for (const user of created) expect(await adapter.getUser(user.id)).toEqual(user)
  })

  test('classify errors of the database from the first operation on', async () => {
    const { db, tables } = await openTables(dialect)
    const first = (await importAgain()).DrizzleAdapter(db, tables)
    await first.createUser({ email: 'ada@example.com' })
    const { DrizzleAdapter } = await importAgain()
    await expect(DrizzleAdapter(db, tables).createUser({ email: 'ada@example.com' })).rejects.toMatchObject({ kind: 'duplicate' })
  })
})
