import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import type { Parts, SecretCounts, SecretTables } from '../../../src/cli/core.js'
import { AdapterOperationError, countSecrets } from '../../../src/cli/core.js'
import type { Opened } from '../../../src/cli/database.js'
import { partsOfEnvironment } from '../../../src/cli/keys.js'
import { refuseUnknownHash, refuseWrongSecrets, rewrite, truncateLog } from '../../../src/cli/rewriting.js'
import { defaultTables } from '../../../src/cli/tables.js'
import { migrationsOf } from '../../support/migrations.js'
import { failureOf } from './files.js'

const secret = 'a secret of thirty-two characters and more'
const parts = partsOfEnvironment({ AUTH_TOKEN_KEYS: `new:${secret},old:${secret}` }, undefined)

let client: Database.Database
let opened: Opened
let tables: Required<SecretTables>
let printed: { stdout: string; stderr: string }
let waits: number[]

beforeEach(async () => {
  client = new Database(':memory:')
  for (const statement of await migrationsOf('sqlite')) client.exec(statement)
  client.exec(`insert into "user" (id, email) values ('u', 'ada@example.com')`)
  opened = { db: drizzle({ client }) as never, dialect: 'sqlite', close: async () => {} }
  const { sessionsTable, accountsTable } = await defaultTables('sqlite', {})
  tables = { sessionsTable, accountsTable } as never
  printed = { stdout: '', stderr: '' }
  waits = []
  vi.spyOn(timers, 'setTimeout').mockImplementation(async (milliseconds) => void waits.push(milliseconds as number) as never)
  syncBuiltinESMExports()
})
afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  client.close()
})

/** Adds sessions, and accounts with an access token each. */
function add({ sessions = 0, accounts = 0, token = 'plain' }): void {
  for (let count = 0; count < sessions; count++) client.prepare(`insert into session values (?, 'u', 1)`).run(crypto.randomUUID())
  for (let count = 0; count < accounts; count++)
    client
      .prepare(`insert into account ("userId", type, provider, "providerAccountId", access_token) values ('u', 'oauth', 'google', ?, ?)`)
      .run(crypto.randomUUID(), token)
}

const stored = (query: string) => client.prepare(query).pluck().all() as string[]
const tokens = () => stored('select access_token from account')
const sessions = () => stored('select "sessionToken" from session')

async function run({
  decrypt = false,
  quiet = false,
  columns,
  batch = 200,
  of = tables as SecretTables,
  by = parts as Parts,
}: {
  decrypt?: boolean
  quiet?: boolean
  columns?: number
  batch?: number
  of?: SecretTables
  by?: Parts
} = {}): Promise<number> {
  const counts = await countSecrets('secrets', opened.db, of, by)
  const outputs = {
    stdout: { write: (text: string) => (printed.stdout += text) },
    stderr: { write: (text: string) => (printed.stderr += text), isTTY: columns !== undefined, columns },
  }
  return rewrite(opened, of, by, counts, { limits: { batch, pause: 0 }, quiet, decrypt }, { ...outputs, env: {}, cwd: '/' })
}

/** Has some statements fail as if the connection were gone. */
function failWhere(isLost: (statement: string) => boolean, code = 'SQLITE_IOERR'): void {
  const prepare = client.prepare.bind(client)
  vi.spyOn(client, 'prepare').mockImplementation((statement) => {
    if (isLost(statement)) throw Object.assign(new Error('lost'), { code })
    return prepare(statement) as never
  })
}

describe('secrets are rewritten', () => {
  test('all of them, and the result is printed', async () => {
    add({ sessions: 2, accounts: 1 })
    expect(await run()).toBe(0)
    expect(printed).toEqual({ stdout: 'hashed 2 sessions and encrypted the tokens of 1 account\n', stderr: '' })
    for (const token of sessions()) expect(token).toMatch(/^s1\./)
    for (const token of tokens()) expect(token).toMatch(/^e1\.new\./)
  })

  test('of one table alone', async () => {
    add({ sessions: 1, accounts: 1 })
    const { sessionsTable, accountsTable } = tables
    expect(await run({ of: { accountsTable }, by: { accounts: parts.accounts as never } })).toBe(0)
    expect(printed.stdout).toBe('encrypted the tokens of 1 account\n')
    expect(await run({ of: { sessionsTable }, by: { sessions: parts.sessions as never } })).toBe(0)
    expect(printed.stdout).toMatch(/\nhashed 1 session\n$/)
  })

  test('back to plain tokens', async () => {
    add({ accounts: 3 })
    const { accountsTable } = tables
    const accounts = { of: { accountsTable }, by: { accounts: parts.accounts as never } }
    await run(accounts)
    expect(await run({ ...accounts, decrypt: true, columns: 80 })).toBe(0)
    expect(tokens()).toEqual(['plain', 'plain', 'plain'])
    expect(printed.stdout).toMatch(/\ndecrypted the tokens of 3 accounts\n$/)
    expect(printed.stderr).toMatch(/accounts +█+ +100 % {2}3 of 3/)
  })

  test('with bars on a terminal', async () => {
    add({ sessions: 2, accounts: 2 })
    await run({ columns: 80, batch: 1 })
    for (const text of [/sessions +█+░+ +50 % {2}1 of 2/, /sessions +█+ +100 % {2}2 of 2/, /accounts +█+░+ +50 % {2}1 of 2/])
      expect(printed.stderr).toMatch(text)
    expect(printed.stderr.endsWith('\n')).toBe(true)
  })

  test('with a line now and then where there is no terminal', async () => {
    add({ sessions: 2 })
    let now = 0
    vi.spyOn(Date, 'now').mockImplementation(() => (now += 5_000))
    await run()
    expect(printed.stderr).toMatch(/^sessions: 2 rewritten$/m)
  })

  test('if there are any, and the result is printed in any case', async () => {
    expect(await run()).toBe(0)
    expect(printed).toEqual({ stdout: 'hashed 0 sessions and encrypted the tokens of 0 accounts\n', stderr: '' })
  })

  test('quietly', async () => {
    add({ sessions: 1, accounts: 1 })
    expect(await run({ quiet: true, columns: 80 })).toBe(0)
    expect(printed).toEqual({ stdout: '', stderr: '' })
  })

  test('but for tokens that cannot be decrypted, of which the keys are named', async () => {
    add({ accounts: 1, token: `e1.lost.${'A'.repeat(60)}` })
    expect(await run()).toBe(1)
    expect(printed.stderr).toMatch(/^drizzle-auth-adapter: 1 token cannot be decrypted \(of key lost\) and stayed as it is\..*\n$/)
    add({ accounts: 1, token: `e1.lost.${'A'.repeat(60)}` })
    add({ accounts: 1, token: 'e1.damaged' })
    add({ accounts: 1 })
    printed.stderr = ''
    expect(await run({ quiet: true })).toBe(1)
    expect(printed.stderr).toMatch(
      / 3 tokens cannot be decrypted \((of key lost, of no key|of no key, of key lost)\) and stayed as they are\./,
    )
    expect(tokens().filter((token) => token.startsWith('e1.new.'))).toHaveLength(1)
  })
})

describe('a signal', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s stops the command after a batch', async (signal, code) => {
    add({ sessions: 3, accounts: 3 })
    const listeners = process.listenerCount(signal)
    const ended = run({ batch: 1, columns: 80 })
    while (!printed.stderr.includes('1 of 3')) await new Promise(setImmediate)
    process.emit(signal, signal)
    expect(await ended).toBe(code)
    expect(printed.stdout).toBe('stopped; hashed 1 session and encrypted the tokens of 0 accounts\n')
    expect(process.listenerCount(signal)).toBe(listeners)
  })
})

describe('after a lost connection', () => {
  test('the rest is rewritten, and each row is counted once', async () => {
    add({ sessions: 3, accounts: 3 })
    let updates = 0
    failWhere((statement) => /^update "account"/.test(statement) && ++updates === 1)
    expect(await run({ batch: 2 })).toBe(0)
    expect(printed.stdout).toBe('hashed 3 sessions and encrypted the tokens of 3 accounts\n')
    expect(waits).toEqual([100])
  })

  test('it is tried four times in a row', async () => {
    add({ sessions: 1, accounts: 1 })
    let isLost = false
    failWhere((statement) => {
      isLost ||= /^update "account"/.test(statement)
      return isLost
    })
    const failure = await failureOf(() => run({ columns: 80 }))
    expect(failure).toBeInstanceOf(AdapterOperationError)
    expect(failure).toMatchObject({ kind: 'unreachable' })
    expect(waits).toEqual([100, 200, 300])
    expect(printed.stdout).toBe('stopped; hashed 1 session and encrypted the tokens of 0 accounts\n')
    expect(printed.stderr.endsWith('\n')).toBe(true)
  })

  test('it may be lost more often if something was rewritten in between', async () => {
    add({ accounts: 12 })
    let updates = 0
    client.function('lose', () => {
      if (++updates % 2 === 0) throw Object.assign(new Error('lost'), { code: 'SQLITE_IOERR' })
      return null
    })
    client.exec('create trigger losing before update on account begin select lose(); end')
    expect(await run({ batch: 1 })).toBe(0)
    expect(printed.stdout).toMatch(/the tokens of 12 accounts\n$/)
    expect(waits).toEqual(Array.from({ length: 11 }, () => 100))
  })

  test('what was rewritten is printed, whatever the failure', async () => {
    add({ accounts: 2 })
    let updates = 0
    client.function('fail', () => {
      if (++updates === 1) return null
      throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
    })
    client.exec('create trigger failing before update on account begin select fail(); end')
    expect(await failureOf(() => run({ batch: 1 }))).toMatchObject({ kind: 'full' })
    expect(printed.stdout).toBe('stopped; hashed 0 sessions and encrypted the tokens of 1 account\n')
  })

  test('nothing is printed if nothing was rewritten', async () => {
    add({ sessions: 1 })
    failWhere((statement) => /^update/.test(statement), 'SQLITE_FULL')
    expect(await failureOf(() => run())).toMatchObject({ operation: 'secrets', kind: 'full' })
    expect(waits).toEqual([])
    expect(printed).toEqual({ stdout: '', stderr: '' })
  })
})

describe('secrets of another app', () => {
  const counts = (sessions: Partial<SecretCounts['sessions']>, newest: Partial<SecretCounts['newest']>) =>
    ({ sessions: { plain: 9, hashed: 0, foreign: 0, ...sessions }, newest: { read: 0, unreadable: 0, ...newest } }) as SecretCounts

  test.each([
    [{ foreign: 1 }, {}, /AUTH_SESSION_HMAC/],
    [{}, { unreadable: 1 }, /under key new were not encrypted with its secret in AUTH_TOKEN_KEYS/],
  ])('are rejected: %j, %j', async (sessions, newest, message) => {
    const failure = await failureOf(() => refuseWrongSecrets(counts(sessions, newest), parts))
    expect(failure).toBeInstanceOf(Problem)
    expect(failure).toMatchObject({ message: expect.stringMatching(message), exitCode: 2 })
    expect(String(failure)).toContain('Nothing was changed')
  })

  test.each([
    [{}, {}],
    [{ foreign: 5, hashed: 1 }, {}],
    [{ hashed: 5 }, { read: 5 }],
    [{}, { unreadable: 4, read: 1 }],
  ])('are not assumed: %j, %j', (sessions, newest) => {
    refuseWrongSecrets(counts(sessions, newest), parts)
    refuseWrongSecrets(counts(sessions, newest), { sessions: parts.sessions as never })
  })
})

describe('whether the app hashes with a secret', () => {
  const refusal = (found: Partial<SecretCounts['sessions']>, check: boolean) =>
    failureOf(() => refuseUnknownHash({ sessions: { plain: 0, hashed: 0, foreign: 0, ...found } } as SecretCounts, check))

  test.each([
    [{ plain: 1 }, false],
    [{ plain: 1, hashed: 1, foreign: 1 }, false],
    [{ hashed: 1, foreign: 1 }, true],
  ])('is not known of %j', async (found, check) => {
    const message = expect.stringMatching(/set AUTH_SESSION_HMAC .*pass --no-hmac.*Nothing was changed/)
    expect(await refusal(found, check)).toBeInstanceOf(Problem)
    expect(await refusal(found, check)).toMatchObject({ message, exitCode: 2 })
  })

  test.each([
    [{}, false],
    [{ hashed: 5 }, false],
    [{ plain: 1, hashed: 1 }, false],
    [{ plain: 1 }, true],
  ])('is known or does not matter of %j', async (found, check) => {
    expect(await refusal(found, check)).toBe('nothing')
  })
})

describe('the write-ahead log', () => {
  const said = async (all: () => unknown) => {
    const lines: string[] = []
    await truncateLog({ ...opened, db: { all } as never }, (line) => lines.push(line))
    return lines
  }

  test('is truncated', async () => {
    const lines: string[] = []
    await truncateLog(opened, (line) => lines.push(line))
    expect(lines).toEqual([])
    for (const row of [{ busy: 0, log: 5 }, { busy: '0' }, { busy: 0n }]) expect(await said(() => [row])).toEqual([])
  })

  test.each([
    ['is busy', () => [{ busy: 1, log: 0 }]],
    ['gives no answer', () => []],
    ['fails', () => Promise.reject(new Error('secret'))],
    [
      'fails at once',
      () => {
        throw new Error('secret')
      },
    ],
  ])('may hold old values if the database %s', async (_title, all) => {
    expect(await said(all)).toEqual([expect.stringContaining('PRAGMA wal_checkpoint(truncate)')])
  })
})
