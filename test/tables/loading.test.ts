import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Tables } from 'drizzle-auth-adapter'
import type { Table } from 'drizzle-orm'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../helpers/databases.js'
import { createTable } from '../helpers/ddl.js'
import type { DialectName } from '../helpers/dialects.js'
import * as mysqlTables from '../typing/project/written/mysql.js'
import * as pgTables from '../typing/project/written/pg.js'
import * as sqliteTables from '../typing/project/written/sqlite.js'

const written = { pg: pgTables, mysql: mysqlTables, sqlite: sqliteTables }

/** The package as a new process has it: no dialect is loaded. */
async function newProcess(): Promise<typeof import('drizzle-auth-adapter')> {
  vi.resetModules()
  return import('drizzle-auth-adapter')
}

async function openTables(dialect: DialectName) {
  const { usersTable, accountsTable } = written[dialect] as { usersTable: Table; accountsTable: Table }
  const quote = dialect === 'mysql' ? '`' : '"'
  const { db, close } = await openDatabase(dialect, { migrations: [usersTable, accountsTable].map((table) => createTable(table, quote)) })
  onTestFinished(close)
  return { db, tables: { usersTable, accountsTable } as Tables }
}

describe.each(inject('dialects'))('tables written by hand, without any of defineTables, on %s', (dialect) => {
  test('have their operations at once, and the first of them may be many', async () => {
    const { DrizzleAdapter } = await newProcess()
    const { db, tables } = await openTables(dialect)
    const adapter = DrizzleAdapter(db, tables)
    expect(Object.keys(adapter)).toContain('getUserByAccount')
    const created = await Promise.all(Array.from({ length: 20 }, (_, n) => adapter.createUser({ email: `${n}@example.com` })))
    for (const user of created) expect(await adapter.getUser(user.id)).toEqual(user)
  })

  test("know the database's failures from the first operation on", async () => {
    const { db, tables } = await openTables(dialect)
    const first = (await newProcess()).DrizzleAdapter(db, tables)
    await first.createUser({ email: 'ada@example.com' })
    const { DrizzleAdapter } = await newProcess()
    await expect(DrizzleAdapter(db, tables).createUser({ email: 'ada@example.com' })).rejects.toMatchObject({ kind: 'duplicate' })
  })
})

test('the built package has the dialects of tables written by hand in Node', async () => {
  const program = `
    import { DrizzleAdapter } from 'drizzle-auth-adapter'
    import { drizzle } from 'drizzle-orm/sqlite-proxy'
    import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
    const usersTable = sqliteTable('user', { id: text(), email: text(), emailVerified: integer({ mode: 'timestamp_ms' }) })
    const accountsTable = sqliteTable('account', { userId: text(), type: text(), provider: text(), providerAccountId: text() })
    const adapter = DrizzleAdapter(drizzle(async () => ({ rows: [] })), { usersTable, accountsTable })
    console.log(await adapter.getUser('x'))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: join(import.meta.dirname, '../..'),
  })
  expect(stdout.trim()).toBe('null')
})
