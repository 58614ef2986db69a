import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { App } from './app.js'
import { newApp, signalAt } from './app.js'

// The command on SQLite. test/integration/commands/sweep.once.test.ts runs it on every database.

const schema = (sessions: string, tokens: string, mode = 'timestamp_ms') => `
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
const expires = () => integer('expires', { mode: '${mode}' })
export const ${sessions} = sqliteTable('session', { sessionToken: text('sessionToken').primaryKey(), userId: text('userId'), expires: expires() })
export const ${tokens} = sqliteTable('verificationToken', { identifier: text(), token: text(), expires: expires() })
`

let app: App
beforeEach(async () => {
  app = await newApp({
    'usual.js': schema('sessions', 'verificationTokens'),
    'odd.js': schema('a', 'b'),
    'seconds.js': schema('a', 'b', 'timestamp'),
  })
})

afterEach(() => vi.restoreAllMocks())

/** Adds expired rows, and one of each table that has not expired. */
function add(sessions: number, tokens = sessions): void {
  const [past, future] = [Date.now() - 1_000, Date.now() + 3_600_000]
  for (let count = 0; count <= sessions; count++)
    app.client.prepare(`insert into session values (?, 'u', ?)`).run(`s${count}`, count ? past : future)
  for (let count = 0; count <= tokens; count++)
    app.client.prepare(`insert into "verificationToken" values ('u', ?, ?)`).run(`t${count}`, count ? past : future)
}

const left = () => ['session', 'verificationToken'].map((name) => app.client.prepare(`select count(*) from "${name}"`).pluck().get())
const sweep = (...args: string[]) => app.run(['sweep', '--pause', '0', ...args])

describe('expired rows', () => {
  test('are deleted', async () => {
    add(3, 1)
    expect(await sweep()).toEqual({
      code: 0,
      stdout: 'deleted 3 sessions and 1 verification token\n',
      stderr: `sweeping ${app.cwd}/app.db\n`,
    })
    expect(left()).toEqual([1, 1])
    expect(await sweep()).toMatchObject({ code: 0, stdout: 'deleted 0 sessions and 0 verification tokens\n' })
  })

  test('are counted in a dry run', async () => {
    add(1, 2)
    expect(await sweep('--dry-run')).toEqual({
      code: 0,
      stdout: '1 session and 2 verification tokens would be deleted\n',
      stderr: `counting ${app.cwd}/app.db\n`,
    })
    expect(await sweep('--dry-run', '--only', 'tokens')).toMatchObject({ stdout: '2 verification tokens would be deleted\n' })
    expect(left()).toEqual([2, 3])
  })

  test.each([
    ['sessions', 'deleted 2 sessions\n', [1, 3]],
    ['tokens', 'deleted 2 verification tokens\n', [3, 1]],
  ])('of %s alone are deleted', async (only, stdout, rows) => {
    add(2)
    expect(await sweep('--only', only)).toMatchObject({ code: 0, stdout })
    expect(left()).toEqual(rows)
  })

  test('are those that expired before a date', async () => {
    add(2)
    app.client.exec(`update session set expires = ${Date.UTC(2020, 0, 1)} where "sessionToken" = 's1'`)
    expect(await sweep('--before', '2020-01-01')).toMatchObject({ stdout: 'deleted 0 sessions and 0 verification tokens\n' })
    expect(await sweep('--before', '2020-01-02')).toMatchObject({ stdout: 'deleted 1 session and 0 verification tokens\n' })
  })

  test('are deleted quietly', async () => {
    add(2)
    expect(await sweep('--quiet')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(left()).toEqual([1, 1])
  })

  test('are shown on a terminal as bars, batch by batch', async () => {
    add(4, 2)
    const { stderr } = await app.run(['sweep', '--batch', '2', '--pause', '0'], { columns: 80 })
    for (const text of [/sessions +█+░+ +50 % {2}2 of 4/, /sessions +█+ +100 % {2}4 of 4/, /verification tokens +█+ +100 % {2}2 of 2/])
      expect(stderr).toMatch(text)
    expect(stderr.endsWith('\n')).toBe(true)
  })

  test('are shown elsewhere as a line now and then', async () => {
    add(2)
    let now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => (now += 5_000))
    expect((await sweep()).stderr).toMatch(/^sessions: 2 deleted$/m)
  })
})

describe('a sweep that ends early', () => {
  test.each([
    [[], 'stopped; deleted 1 session and 0 verification tokens\n'],
    [['--only', 'sessions'], 'stopped; deleted 1 session\n'],
  ])('because of a signal exits with 130: %j', async (args, stdout) => {
    add(3)
    const listeners = process.listenerCount('SIGINT')
    const stop = { columns: 80, onStderr: signalAt('1 of 3', 'SIGINT') }
    expect(await app.run(['sweep', '--batch', '1', '--pause', '600000', ...args], stop)).toMatchObject({ code: 130, stdout })
    expect(left()).toEqual([3, 4])
    expect(process.listenerCount('SIGINT')).toBe(listeners)
  })

  test('because of a signal says so even if it has deleted nothing', async () => {
    const stop = { columns: 80, onStderr: signalAt('0 of 0', 'SIGTERM') }
    expect(await app.run(['sweep'], stop)).toMatchObject({ code: 143, stdout: 'stopped; deleted 0 sessions and 0 verification tokens\n' })
  })

  test('because of a failure counts the rows of the second table as well', async () => {
    add(0, 2)
    app.client.exec(
      `create trigger keep before delete on "verificationToken" when (select count(*) from "verificationToken") = 2 begin select raise(abort, 'no'); end`,
    )
    expect(await sweep('--batch', '1')).toMatchObject({ code: 1, stdout: 'stopped; deleted 0 sessions and 1 verification token\n' })
  })

  test('because of a failure says what it has deleted, and what to do', async () => {
    add(3)
    app.client.exec('drop table "verificationToken"')
    const { code, stdout, stderr } = await sweep('--schema', 'usual.js')
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'stopped; deleted 3 sessions and 0 verification tokens\n' })
    expect(stderr).toMatch(/say so with --sessions and --tokens/)
    const again = await sweep('--schema', 'usual.js')
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 1, stdout: '' })
    const quiet = await sweep('--schema', 'usual.js', '--quiet')
    expect({ ...quiet }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^drizzle-auth-adapter: .*--tokens/) })
  })
})

describe('the tables', () => {
  test('may have other names in the database, whatever the configuration exports', async () => {
    add(1, 2)
    app.client.exec('alter table session rename to logins; alter table "verificationToken" rename to links')
    const other = await sweep('--sessions', 'logins', '--tokens', 'links')
    expect(other).toMatchObject({ code: 0, stdout: 'deleted 1 session and 2 verification tokens\n' })
    const configured = await newApp({ 'drizzle.config.json': '{ "schema": "nowhere.js" }' })
    expect(await configured.run(['sweep', '--sessions', 'session'])).toMatchObject({ code: 0 })
    expect(await configured.run(['sweep', '--tokens', 'verificationToken'])).toMatchObject({ code: 0 })
    expect(await configured.run(['sweep'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/names no file/) })
  })

  test('may be exports of a schema, by the usual names, by the names of the tables or by options', async () => {
    add(1, 2)
    const counted = { code: 0, stdout: '1 session and 2 verification tokens would be deleted\n' }
    for (const args of [['usual.js'], ['odd.js'], ['odd.js', '--sessions', 'a', '--tokens', 'b']])
      expect(await sweep('--dry-run', '--schema', ...args)).toMatchObject(counted)
    expect(await sweep('--dry-run', '--schema', 'odd.js', '--tokens', 'c')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^drizzle-auth-adapter: --tokens names no table.*exports a, b/m),
    })
    expect(await sweep('--dry-run', '--schema', 'odd.js', '--sessions', 'c')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--sessions names no table/),
    })
  })

  test('may have other names in the database and usual ones in the schema', async () => {
    const text = schema('sessions', 'verificationTokens').replace("'session'", "'logins'").replace("'verificationToken'", "'links'")
    const own = await newApp({ 'own.js': text })
    own.client.exec('alter table session rename to logins; alter table "verificationToken" rename to links')
    expect(await own.run(['sweep', '--schema', 'own.js'])).toMatchObject({
      code: 0,
      stdout: 'deleted 0 sessions and 0 verification tokens\n',
    })
  })

  test('may be one of them', async () => {
    const one = await newApp({
      'one.js': schema('sessions', 'tokens').replace("'verificationToken'", "'other'"),
      'none.js': schema('x', 'y').replace("'session'", "'x'").replace("'verificationToken'", "'y'"),
    })
    expect(await one.run(['sweep', '--schema', 'one.js'])).toMatchObject({ code: 0, stdout: 'deleted 0 sessions\n' })
    for (const args of [['none.js'], ['one.js', '--only', 'tokens']])
      expect(await one.run(['sweep', '--schema', ...args])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/--schema exports neither sessionsTable nor verificationTokensTable/),
      })
  })

  test('seem to hold seconds if nobody says that they do', async () => {
    app.client.exec(`insert into session values ('live', 'u', unixepoch() + 3600)`)
    expect(await sweep()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/seems to hold seconds/) })
    expect(await sweep('--schema', 'seconds.js')).toMatchObject({ code: 0 })
    expect(await sweep('--schema', 'usual.js', '--dry-run')).toMatchObject({ code: 0 })
    expect(left()).toEqual([1, 0])
  })

  test('must have a column for the time', async () => {
    const broken = await newApp({ 'broken.js': schema('sessions', 'tokens').replace('expires: expires()', 'until: expires()') })
    expect(await broken.run(['sweep', '--dry-run', '--schema', 'broken.js'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/expires/),
    })
  })
})

test.each([
  [['--dry-run', '--quiet'], /--dry-run prints a count/],
  [['--only', 'users'], /--only takes sessions or tokens/],
  [['--sessions', 'a b'], /--sessions takes the name of a table/],
  [['--tokens', 'a b'], /--tokens takes the name of a table/],
  [['--before', 'then'], /--before takes a date/],
  [['--batch', '0'], /--batch takes a whole number/],
  [['--dry-run=x'], /--dry-run takes no value/],
  [['--check'], /argument 3 after the command/],
])('%j is rejected', async (args, message) => {
  expect(await sweep(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
})
