import Database from 'better-sqlite3'
import type { Table } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { models } from '../../src/contract.js'
import { accountExtensions } from '../../src/extensions.js'
import type { Writes } from '../../src/query/dialect.js'
import type { Database as DrizzleDatabase } from '../../src/query/drizzle.js'
import { Failure } from '../../src/query/errors.js'
import { createRows } from '../../src/query/rows.js'
import { secretsAtRest } from '../../src/secrets/index.js'
import { sqlite } from '../../src/sqlite/dialect.js'
import { defineTables } from '../../src/sqlite/tables.js'

// Accounts that other clients change at the same time. test/extensions/ tests the operations on every database.

const keys = [{ id: 'k1', secret: 'a secret of the tests, long enough' }]
const secrets = secretsAtRest({ accountTokens: { mode: 'migrating', keys } })
const key = { provider: 'github', providerAccountId: '1' }

interface Options {
  /** Called before each change, as if another client came first. Returns what the change must report, if it is not to run. */
  before?: (count: number) => unknown
  isProtected?: boolean
  table?: object
  /** Called after each time that rows are selected, as if another client came next. */
  afterSelect?: () => void
}

function openAccounts({ before = () => undefined, isProtected, table = defineTables().accountsTable, afterSelect }: Options = {}) {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  const columns = Object.keys(models.accounts).map((name) => `${name} ${name.startsWith('expires') ? 'integer' : 'text'}`)
  client.exec(`create table account (${columns.join(', ')}, primary key (provider, providerAccountId))`)
  const calls = { change: 0 }
  const change: Writes['change'] = async (...parameters) => {
    if (++calls.change > 20) throw new Error('called too often')
    const reported = await before(calls.change)
    return reported === undefined ? sqlite.writes.change(...parameters) : (reported as boolean)
  }
  const db = drizzle({ client }) as unknown as DrizzleDatabase
  const connection = { db, sql: sqlite.sql, writes: sqlite.writes, retry: false as const }
  const rows = createRows(connection, table as Table, models.accounts, ['provider', 'providerAccountId'], (statements) =>
    isProtected ? secrets.protect('accounts', statements, sqlite.sql) : undefined,
  )
  const select: typeof rows.internals.select = async (where) => {
    const selected = await rows.internals.select(where)
    afterSelect?.()
    return selected
  }
  const set = (values: object) => {
    for (const [name, value] of Object.entries(values)) client.prepare(`update account set ${name} = ?`).run(value)
  }
  return {
    ...accountExtensions({ ...rows, internals: { ...rows.internals, select } }, { ...sqlite.writes, change }),
    calls,
    set,
    stored: () => client.prepare('select * from account').get() as Record<string, unknown>,
    link(values: object = {}) {
      client.exec("insert into account (provider, providerAccountId, userId, type) values ('github', '1', 'ada', 'oauth')")
      set(values)
    },
  }
}

describe('updateAccount with unlessChanged', () => {
  const tokens = { access_token: 'a1', refresh_token: 'r1', id_token: 'i1' }

  test.each([
    ['all tokens are the same', tokens, tokens],
    ['a token is absent on both sides', { access_token: 'a1' }, { access_token: 'a1', refresh_token: undefined, id_token: null }],
    ['there are no tokens', {}, {}],
  ])('changes the row if %s', async (_case, stored, unlessChanged) => {
    const { link, updateAccount, stored: row } = openAccounts()
    link(stored)
    expect(await updateAccount({ ...key, access_token: 'a2', scope: 'read' }, { unlessChanged })).toMatchObject({ access_token: 'a2' })
    expect(row()).toMatchObject({ ...stored, access_token: 'a2', scope: 'read' })
  })

  test.each([
    ['access_token', { ...tokens, access_token: 'other' }],
    ['refresh_token', { ...tokens, refresh_token: 'other' }],
    ['id_token', { ...tokens, id_token: 'other' }],
    ['a token that was cleared', { ...tokens, id_token: undefined }],
  ])('leaves the row alone if its tokens differ: %s', async (_case, unlessChanged) => {
    const { link, updateAccount, stored, calls } = openAccounts()
    link(tokens)
    expect(await updateAccount({ ...key, access_token: 'a2' }, { unlessChanged })).toBeNull()
    expect(stored()).toMatchObject(tokens)
    expect(calls.change).toBe(0)
  })

  test('leaves the row alone if another client changes a token in between', async () => {
    const accounts = openAccounts({ before: () => accounts.set({ refresh_token: 'r2' }) })
    accounts.link(tokens)
    expect(await accounts.updateAccount({ ...key, access_token: 'a2' }, { unlessChanged: tokens })).toBeNull()
    expect(accounts.stored()).toMatchObject({ ...tokens, refresh_token: 'r2' })
  })

  test('gives null if there is no such account', async () => {
    expect(await openAccounts().updateAccount({ ...key, access_token: 'a2' }, { unlessChanged: {} })).toBeNull()
  })

  test('changes the row if the same tokens get another form in between', async () => {
    const accounts = openAccounts({
      isProtected: true,
      before: async (count) => void (count < 4 && accounts.set(await secrets.encryptAccount({ ...key, ...tokens }))),
    })
    accounts.link(tokens)
    expect(await accounts.updateAccount({ ...key, access_token: 'the new token' }, { unlessChanged: tokens })).toMatchObject({
      ...tokens,
      access_token: 'the new token',
    })
    expect(accounts.calls.change).toBe(4)
    expect(accounts.stored().access_token).not.toContain('the new token')
  })

  test('fails with a conflict if the form has changed ten times', async () => {
    const accounts = openAccounts({
      isProtected: true,
      before: async () => void accounts.set(await secrets.encryptAccount({ ...key, ...tokens })),
    })
    accounts.link(tokens)
    const failure = await accounts.updateAccount({ ...key, access_token: 'a2' }, { unlessChanged: tokens }).catch((error) => error)
    expect(failure).toBeInstanceOf(Failure)
    expect(failure).toMatchObject({ kind: 'conflict', details: { table: 'account' } })
    expect(accounts.calls.change).toBe(10)
  })

  test('a database that counts only rows with new values: an unchanged row is up to date', async () => {
    const { link, updateAccount, calls } = openAccounts({ before: () => false })
    link({ ...tokens, scope: 'read' })
    expect(await updateAccount({ ...key, scope: 'read' }, { unlessChanged: tokens })).toMatchObject({ ...tokens, scope: 'read' })
    expect(calls.change).toBe(1)
  })

  test('compares the tokens that the table has a column for', async () => {
    const table = sqliteTable('account', {
      userId: text(),
      type: text(),
      provider: text(),
      providerAccountId: text(),
      access_token: text(),
      scope: text(),
    })
    const { link, updateAccount, stored } = openAccounts({ table })
    link({ access_token: 'a1' })
    expect(await updateAccount({ ...key, scope: 'read' }, { unlessChanged: tokens })).toMatchObject({ scope: 'read' })
    expect(stored()).toMatchObject({ access_token: 'a1', scope: 'read' })
  })
})

test('listAccounts gives the accounts of one user', async () => {
  const { link, listAccounts } = openAccounts()
  link({ scope: 'read' })
  expect(await listAccounts('ada')).toEqual([{ ...key, userId: 'ada', type: 'oauth', scope: 'read' }])
  for (const nobody of ['eva', '', undefined]) expect(await listAccounts(nobody as string)).toEqual([])
})

describe('updateAccount', () => {
  test('changes nothing where nothing is given', async () => {
    const { link, updateAccount, calls } = openAccounts()
    link({ scope: 'read' })
    expect(await updateAccount(key)).toEqual({ ...key, userId: 'ada', type: 'oauth', scope: 'read' })
    expect(await updateAccount({ ...key, scope: undefined, other: 1 })).toMatchObject({ scope: 'read' })
    expect(calls.change).toBe(0)
  })

  test('gives null without a key, and without such an account', async () => {
    const { link, updateAccount } = openAccounts()
    expect(await updateAccount({ ...key, scope: 'read' })).toBeNull()
    expect(await updateAccount({ ...key, userId: 'ada', scope: 'read' })).toBeNull()
    link()
    expect(await updateAccount({ provider: 'github', scope: 'read' })).toBeNull()
  })

  test('gives null if another client links the account only then', async () => {
    const accounts = openAccounts({ afterSelect: () => accounts.link() })
    expect(await accounts.updateAccount({ ...key, scope: 'read' })).toBeNull()
    expect(accounts.stored()).toMatchObject({ userId: 'ada', scope: null })
  })

  test('fails if the account belongs to another user, and names the column', async () => {
    const { link, updateAccount, stored } = openAccounts()
    link()
    expect(await updateAccount({ ...key, userId: 'ada', scope: 'read' })).toMatchObject({ userId: 'ada', scope: 'read' })
    const failure = await updateAccount({ ...key, userId: 'eva', scope: 'write' }).catch((error) => error)
    expect(failure).toMatchObject({ kind: 'invalid', details: { table: 'account', column: 'userId' } })
    expect(stored()).toMatchObject({ userId: 'ada', scope: 'read' })
  })

  test('works where a token cannot be decrypted any more', async () => {
    const { link, updateAccount } = openAccounts({ isProtected: true })
    const lost = secretsAtRest({ accountTokens: { keys: [{ id: 'lost', secret: 'another secret of the tests, as long' }] } })
    link({ ...(await lost.encryptAccount({ ...key, id_token: 'i1' })), access_token: 'a1' })
    expect(await updateAccount({ ...key, scope: 'read' })).toEqual({
      ...key,
      userId: 'ada',
      type: 'oauth',
      access_token: 'a1',
      scope: 'read',
    })
  })
})
