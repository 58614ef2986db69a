import { AdapterConfigError } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { Table } from 'drizzle-orm'
import { getTableName } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'

// Without types, as JavaScript code calls them.
interface Core {
  text(name?: string): object
  table(name: string, columns: Record<string, object>): Table
  creator(rename: (name: string) => string): unknown
}
type Define = (options?: unknown) => Record<string, Table>

const pgCore = { text: pg.text, table: pg.pgTable, creator: pg.pgTableCreator } as unknown as Core
const mysqlCore = { text: my.text, table: my.mysqlTable, creator: my.mysqlTableCreator } as unknown as Core
const sqliteCore = { text: lite.text, table: lite.sqliteTable, creator: lite.sqliteTableCreator } as unknown as Core

describe.each([
  ['pg', definePg as unknown as Define, pgCore, sqliteCore],
  ['mysql', defineMysql as unknown as Define, mysqlCore, pgCore],
  ['sqlite', defineSqlite as unknown as Define, sqliteCore, pgCore],
])('defineTables of %s', (dialect, define, { text, table, creator }, other) => {
  function expectConfigError(options: unknown, message: RegExp | string) {
    expect(() => define(options)).toThrow(AdapterConfigError)
    expect(() => define(options)).toThrow(message)
  }

  test('rejects unknown options', () => {
    for (const options of [null, 'table', []]) expectConfigError(options, /options must be an object/)
    expectConfigError({ prefix: 'x' }, /options\.prefix is unknown\. There are columns, table, usersTable, foreignKeys/)
  })

  test('rejects columns that cannot be added', () => {
    expectConfigError({ columns: { user: {} } }, /columns\.user is unknown\. There are users, accounts/)
    expectConfigError({ columns: { users: { email: text() } } }, /columns\.users\.email already exists in the table/)
    const notOfDialect = `columns.sessions.ip is not a column of drizzle-orm/${dialect}-core`
    expectConfigError({ columns: { sessions: { ip: other.text() } } }, notOfDialect)
    expectConfigError({ columns: { sessions: { ip: 'text' } } }, notOfDialect)
  })

  test('accepts a table creator', () => {
    const names = Object.values(define({ table: creator((name) => `auth_${name}`) })).map(getTableName)
    expect(names).toEqual(['auth_user', 'auth_account', 'auth_session', 'auth_verificationToken', 'auth_authenticator'])
  })

  test('accepts a users table, to which it adds no columns', () => {
    const usersTable = table('people', { id: text(), email: text() })
    expect(define({ usersTable }).usersTable).toBe(usersTable)
    expectConfigError({ usersTable, columns: { users: { x: text() } } }, /cannot be combined/)
  })
})
