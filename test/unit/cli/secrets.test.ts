import { statSync } from 'node:fs'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Driver } from '../../../src/cli/drivers.js'
import { driversOf } from '../../../src/cli/drivers.js'
import type { App } from './app.js'
import { newApp, signalAt } from './app.js'

// The command on SQLite. test/integration/commands/secrets.once.test.ts runs it on every database.

const secret = 'TopSecret-TopSecret-TopSecret-TopSecret'
const env = { AUTH_TOKEN_KEYS: `new:${secret}` }

const schema = (sessions: string, accounts: string) => `
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const ${sessions} = sqliteTable('session', {
  sessionToken: text('sessionToken').primaryKey(), userId: text('userId').notNull(), expires: integer('expires', { mode: 'timestamp_ms' }).notNull() })
export const ${accounts} = sqliteTable('account', {
  userId: text('userId').notNull(), type: text().notNull(), provider: text().notNull(), providerAccountId: text('providerAccountId').notNull(),
  access_token: text(), refresh_token: text(), id_token: text() })
`

let app: App
beforeEach(async () => {
  app = await newApp({ 'usual.js': schema('sessions', 'accounts'), 'odd.js': schema('a', 'b') })
  const add = {
    session: app.client.prepare(`insert into session values (?, 'u', 1)`),
    account: app.client.prepare(
      `insert into account ("userId", type, provider, "providerAccountId", access_token) values ('u', 'oauth', 'google', ?, 'plain')`,
    ),
  }
  for (const name of ['1', '2', '3']) add.session.run(name)
  for (const name of ['1', '2']) add.account.run(name)
})

afterEach(() => vi.restoreAllMocks())

const secrets = (...args: string[]) => app.run(['secrets', '--no-hmac', '--pause', '0', ...args], { env })

/** How many sessions are hashed, and the tokens of how many accounts are encrypted. */
const protectedRows = () => ({
  sessions: app.client.prepare(`select count(*) from session where "sessionToken" like 's1.%'`).pluck().get(),
  accounts: app.client.prepare(`select count(*) from account where access_token like 'e1.new.%'`).pluck().get(),
})

describe('secrets', () => {
  test('are protected, after a warning', async () => {
    const { code, stdout, stderr } = await secrets()
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'hashed 3 sessions and encrypted the tokens of 2 accounts\n' })
    expect(stderr).toMatch(/^counting \S+app\.db\nEvery instance of the app must be at 'migrating' or beyond\.\n$/)
    expect(protectedRows()).toEqual({ sessions: 3, accounts: 2 })
  })

  test('are counted with --check, and nothing is changed', async () => {
    const { code, stdout, stderr } = await secrets('--check')
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: 'sessions: 3 plain, 0 hashed\ntokens: 2 plain, 0 under key new\nleft to do: 3 sessions and 2 tokens\n',
    })
    expect(stderr).toMatch(/^counting \S+app\.db\n$/)
    expect(protectedRows()).toEqual({ sessions: 0, accounts: 0 })
  })

  test.each([
    ['sessions', 'hashed 3 sessions\n', { sessions: 3, accounts: 0 }],
    ['accounts', 'encrypted the tokens of 2 accounts\n', { sessions: 0, accounts: 2 }],
  ])('of %s alone are protected', async (only, stdout, rows) => {
    expect(await secrets('--only', only)).toMatchObject({ code: 0, stdout })
    expect(protectedRows()).toEqual(rows)
  })

  test('of sessions need no keys', async () => {
    expect(await app.run(['secrets', '--no-hmac', '--only', 'sessions'])).toMatchObject({ code: 0 })
    expect(await app.run(['secrets'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/AUTH_TOKEN_KEYS is not set/) })
  })

  test('of accounts are decrypted, and sessions stay hashed', async () => {
    await secrets()
    expect(await secrets('--decrypt', '--check')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/left to do: 0 sessions and 2 tokens/),
    })
    const { code, stdout, stderr } = await secrets('--decrypt')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'decrypted the tokens of 2 accounts\n' })
    expect(stderr).toMatch(/must be at 'ready'\.\n/)
    expect(protectedRows()).toEqual({ sessions: 3, accounts: 0 })
    expect(await secrets('--decrypt', '--only', 'accounts', '--check')).toMatchObject({ code: 0 })
  })

  test('are protected quietly', async () => {
    expect(await secrets('--quiet')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(protectedRows()).toEqual({ sessions: 3, accounts: 2 })
  })

  test('are not changed if those of the environment differ', async () => {
    await secrets('--only', 'accounts')
    const wrong = { AUTH_TOKEN_KEYS: `new:${secret}x` }
    expect(await app.run(['secrets'], { env: wrong })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/under key new were not encrypted/),
    })
    expect(protectedRows()).toEqual({ sessions: 0, accounts: 2 })
    expect(await app.run(['secrets', '--check'], { env: wrong })).toMatchObject({ code: 2 })
  })

  test('of sessions are hashed as the caller says or the table shows', async () => {
    const unknown = { code: 2, stdout: '', stderr: expect.stringMatching(/set AUTH_SESSION_HMAC .*pass --no-hmac/) }
    expect(await app.run(['secrets'], { env })).toMatchObject(unknown)
    expect(protectedRows()).toEqual({ sessions: 0, accounts: 0 })
    expect(await app.run(['secrets', '--no-hmac'], { env: { ...env, AUTH_SESSION_HMAC: secret } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('AUTH_SESSION_HMAC is set, and --no-hmac says'),
    })
    app.client.exec(`insert into session values ('s1.${'x'.repeat(43)}', 'u', 1)`)
    expect(await app.run(['secrets'], { env })).toMatchObject({ code: 0 })
    app.client.exec(`insert into session values ('s2.${'x'.repeat(43)}', 'u', 1)`)
    for (const args of [[], ['--check']]) expect(await app.run(['secrets', ...args], { env })).toMatchObject(unknown)
    expect(await secrets('--check')).toMatchObject({ code: 0, stdout: expect.stringContaining('4 hashed, 1 hashed in the other way') })
    expect(await app.run(['secrets', '--only', 'accounts'], { env })).toMatchObject({ code: 0 })
  })

  test('are protected in batches until a signal comes', async () => {
    const stop = { env, columns: 80, onStderr: signalAt('1 of 3', 'SIGTERM') }
    expect(await app.run(['secrets', '--no-hmac', '--batch', '1', '--pause', '600000'], stop)).toMatchObject({
      code: 143,
      stdout: 'stopped; hashed 1 session and encrypted the tokens of 0 accounts\n',
    })
  })

  test('do not stay in the write-ahead log', async () => {
    app.client.pragma('journal_mode = wal')
    const log = join(app.cwd, 'app.db-wal')
    app.client.exec(`update session set expires = 2`)
    expect(statSync(log).size).toBeGreaterThan(0)
    expect(await secrets()).toMatchObject({ code: 0, stderr: expect.not.stringContaining('write-ahead log') })
    expect(statSync(log).size).toBe(0)
  })

  test('of PostgreSQL are protected without a word about the log of SQLite', async () => {
    const db = Object.assign(
      drizzle(async () => ({ rows: [] })),
      { $client: { end: async () => {} } },
    )
    const [driver] = driversOf({ scheme: 'postgres', dialect: 'pg' } as never) as [Driver]
    vi.spyOn(driver, 'load').mockResolvedValue({ drizzle: () => db })
    expect(await secrets('--url', 'postgres://host/app')).toEqual({
      code: 0,
      stdout: 'hashed 0 sessions and encrypted the tokens of 0 accounts\n',
      stderr: expect.not.stringContaining('log'),
    })
  })
})

describe('the tables', () => {
  test('may have other names in the database, whatever the configuration exports', async () => {
    app.client.exec('alter table session rename to logins; alter table account rename to links')
    expect(await secrets('--check', '--sessions', 'logins', '--accounts', 'links')).toMatchObject({ code: 1 })
    const configured = await newApp({ 'drizzle.config.json': '{ "schema": "nowhere.js" }' })
    expect(await configured.run(['secrets', '--sessions', 'session'], { env })).toMatchObject({ code: 0 })
    expect(await configured.run(['secrets', '--accounts', 'account'], { env })).toMatchObject({ code: 0 })
    expect(await configured.run(['secrets'], { env })).toMatchObject({ code: 2, stderr: expect.stringMatching(/names no file/) })
  })

  test('that are missing are told with what to do', async () => {
    const { code, stderr } = await secrets('--check', '--accounts', 'links')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^drizzle-auth-adapter: secrets: .*say so with --sessions and --accounts/m)
  })

  test('may be exports of a schema, by the usual names, by the names of the tables or by options', async () => {
    for (const args of [['usual.js'], ['odd.js'], ['odd.js', '--sessions', 'a', '--accounts', 'b']])
      expect(await secrets('--check', '--schema', ...args)).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/left to do: 3 sessions and 2 tokens/),
      })
    for (const option of ['--sessions', '--accounts'])
      expect(await secrets('--schema', 'odd.js', option, 'c')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${option} names no table`),
      })
  })

  test('may have other names in the database and usual ones in the schema', async () => {
    const own = await newApp({ 'own.js': schema('sessions', 'accounts').replace("'session'", "'logins'").replace("'account'", "'links'") })
    own.client.exec('alter table session rename to logins; alter table account rename to links')
    expect(await own.run(['secrets', '--schema', 'own.js'], { env })).toMatchObject({
      code: 0,
      stdout: 'hashed 0 sessions and encrypted the tokens of 0 accounts\n',
    })
  })

  test.each([
    ['session', 'sessionsTable', '--sessions', 'accounts'],
    ['account', 'accountsTable', '--accounts', 'sessions'],
  ])('must be exported: %s', async (table, name, option, other) => {
    const one = await newApp({ 'one.js': schema('a', 'b').replace(`'${table}'`, "'other'") })
    const { code, stderr } = await one.run(['secrets', '--schema', 'one.js'], { env })
    expect(code).toBe(2)
    expect(stderr).toContain(`--schema exports no ${name}. Name its export with ${option}`)
    expect(await one.run(['secrets', '--schema', 'one.js', '--only', other], { env })).toMatchObject({ code: 0 })
  })
})

test.each([
  [['--check', '--quiet'], /--check prints a count/],
  [['--only', 'tokens'], /--only takes sessions or accounts/],
  [['--decrypt', '--only', 'sessions'], /hashed sessions cannot go back/],
  [['--sessions', 'a b'], /--sessions takes the name of a table/],
  [['--accounts', 'a b'], /--accounts takes the name of a table/],
  [['--batch', '0'], /--batch takes a whole number/],
  [['--decrypt=x'], /--decrypt takes no value/],
  [['--check=x'], /--check takes no value/],
  [['--quiet=x'], /--quiet takes no value/],
])('%j is rejected', async (args, message) => {
  expect(await secrets(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
})
