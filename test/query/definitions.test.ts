import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { checkDefinition, checkNames } from '../../src/checks.js'
import { AdapterConfigError } from '../../src/query/errors.js'

// The options of `defineTables`, and the names of the tables that it makes.

const cores = {
  pg: { table: pg.pgTable, creator: pg.pgTableCreator, text: pg.text, alias: pg.alias },
  mysql: { table: my.mysqlTable, creator: my.mysqlTableCreator, text: my.text, alias: my.alias },
  sqlite: { table: lite.sqliteTable, creator: lite.sqliteTableCreator, text: lite.text, alias: lite.alias },
}
type Table = (name: string, columns: object) => object

/** Expects an error for whoever calls `defineTables`, which contains these words. */
function rejects(run: () => unknown, ...words: string[]) {
  let error: unknown
  try {
    run()
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(AdapterConfigError)
  for (const word of ['defineTables: ', ...words]) expect((error as Error).message).toContain(word)
}

describe.each(['pg', 'mysql', 'sqlite'] as const)('options of defineTables on %s', (dialect) => {
  const check = (options: unknown) => checkDefinition(dialect, options as object)
  const { creator, text } = cores[dialect]
  const table = cores[dialect].table as unknown as Table
  const alias = cores[dialect].alias as unknown as (table: object, name: string) => object
  const other = cores[dialect === 'pg' ? 'sqlite' : 'pg']

  test('none is required, and all can be given at once', () => {
    const usersTable = table('people', { id: text() })
    check({})
    check({ columns: undefined, table: undefined, usersTable: undefined, foreignKeys: undefined, casing: undefined })
    check({ columns: { sessions: { ip: text() } }, table, usersTable, foreignKeys: false, casing: 'snake_case' })
    check({ columns: {}, foreignKeys: true, casing: 'camelCase' })
  })

  test('are an object, with these names alone', () => {
    for (const options of [null, 'table', 3, true, [], () => {}]) rejects(() => check(options), 'options must be an object')
    rejects(() => check({ prefix: 'auth_' }), 'options has no prefix', 'columns, table, usersTable, foreignKeys, casing')
  })

  test('foreignKeys and casing have the values that are documented', () => {
    for (const foreignKeys of ['no', 0, null]) rejects(() => check({ foreignKeys }), 'foreignKeys')
    for (const casing of ['kebab-case', '', null, 1]) rejects(() => check({ casing }), 'casing')
  })

  test('table creates tables of this database', () => {
    check({ table: creator((name) => `auth_${name}`) })
    // A creator may expect that a table has a name.
    check({ table: creator((name) => (name[0] as string).toUpperCase() + name.slice(1)) })
    for (const creator of ['auth_', {}, null, true]) rejects(() => check({ table: creator }), 'table must be a table creator')
    rejects(() => check({ table: other.table }), `a creator of ${dialect} tables`)
    rejects(() => check({ table: () => ({}) }), 'what the table creator makes')
  })

  test('usersTable is a table of this database, with an id', () => {
    const usersTable = table('people', { id: text(), email: text() })
    check({ usersTable })
    check({ usersTable, columns: { accounts: { note: text() } } })
    rejects(() => check({ usersTable, columns: { users: { note: text() } } }), 'columns.users', 'usersTable')
    rejects(() => check({ usersTable: {} }), 'usersTable is not a Drizzle table')
    rejects(() => check({ usersTable: null }), 'usersTable is not a Drizzle table')
    rejects(() => check({ usersTable: (other.table as unknown as Table)('people', { id: other.text() }) }), `a ${dialect} table`)
    rejects(() => check({ usersTable: alias(usersTable, 'p') }), 'usersTable is an alias')
    rejects(() => check({ usersTable: table('people', { key: text() }) }), 'usersTable has no column id')
  })

  test('columns are new columns of this database', () => {
    for (const model of ['users', 'accounts', 'sessions', 'verificationTokens', 'authenticators'])
      check({ columns: { [model]: { note: text(), toString: text() } } })
    for (const columns of [null, 'users', []]) rejects(() => check({ columns }), 'columns must be an object')
    rejects(() => check({ columns: { user: {} } }), 'columns has no user', 'users, accounts')
    rejects(() => check({ columns: { users: { note: text(), email: text() } } }), 'columns.users.email', 'already')
    rejects(() => check({ columns: { accounts: { access_token: text() } } }), 'columns.accounts.access_token', 'already')
    for (const column of ['text', {}, null, other.text(), table('people', { id: text() })])
      rejects(() => check({ columns: { sessions: { note: column } } }), 'columns.sessions.note', `drizzle-orm/${dialect}-core`)
  })
})

describe('names in the database', () => {
  const { table, text } = { table: lite.sqliteTable, text: lite.text }
  const tablesOf = (changes: object = {}) => ({
    usersTable: table('user', { id: text(), email: text() }),
    accountsTable: table('account', { userId: text() }),
    sessionsTable: table('session', { sessionToken: text('token') }),
    verificationTokensTable: table('verificationToken', { token: text() }),
    authenticatorsTable: table('authenticator', { userId: text() }),
    ...changes,
  })

  test('differ between the tables', () => {
    checkNames(tablesOf(), {})
    rejects(() => checkNames(tablesOf({ sessionsTable: table('user', {}) }), {}), 'usersTable and sessionsTable', 'user')
    rejects(() => checkNames(tablesOf({ authenticatorsTable: table('account', {}) }), {}), 'accountsTable and authenticatorsTable')
  })

  test('may be the same in two schemas', () => {
    const other = pg.pgSchema('other')
    checkNames(tablesOf({ usersTable: pg.pgTable('auth', {}), accountsTable: other.table('auth', {}) }), {})
    rejects(() => checkNames(tablesOf({ usersTable: other.table('auth', {}), accountsTable: other.table('auth', {}) }), {}), 'auth')
  })

  test('differ between an added column and those before it', () => {
    const checkAdded = (added: Record<string, ReturnType<typeof text>>) =>
      checkNames(tablesOf({ usersTable: table('user', { id: text(), email: text(), ...added }) }), { users: added })
    checkAdded({ mail: text(), note: text('remark') })
    rejects(() => checkAdded({ mail: text('email') }), 'columns.users.mail', 'email')
    rejects(() => checkAdded({ note: text(), mail: text('note') }), 'columns.users.mail', 'note')
    rejects(() => checkAdded({ note: text('x'), mail: text('x') }), 'columns.users.mail', 'x')
  })

  test('of columns in other tables do not matter', () => {
    const ip = text('token')
    checkNames(tablesOf({ accountsTable: table('account', { userId: text(), ip }) }), { accounts: { ip } })
  })
})
