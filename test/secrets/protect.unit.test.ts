import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AdapterOperationError } from '../../src/query/errors.js'
import type { ProtectProgress, RewriteOptions } from '../../src/secrets/protect.js'
import { protectSecrets, rewriteSecrets } from '../../src/secrets/protect.js'
import { partsOf, secretsAtRest } from '../../src/secrets/secrets.js'

const newer = { id: '2026b', secret: 'the new secret of the tests with 32 characters or more' }
const lost = { id: 'lost', secret: 'a secret that nobody has any more, of 32 characters' }
const accountTokens = { mode: 'migrating' as const, keys: [newer] }
const secrets = secretsAtRest({ sessionTokens: 'migrating', accountTokens })
const parts = partsOf(secrets, 'test')

const sessionsTable = sqliteTable('session', {
  sessionToken: text().primaryKey(),
  userId: text().notNull(),
  expires: integer({ mode: 'timestamp_ms' }).notNull(),
})
const accountsTable = sqliteTable('account', {
  userId: text().notNull(),
  type: text().notNull(),
  provider: text().notNull(),
  providerAccountId: text().notNull(),
  access_token: text(),
})
const tables = { sessionsTable, accountsTable }

let client: Database.Database
let pauses: unknown[]
beforeEach(() => {
  client = new Database(':memory:')
  client.exec('create table session (sessionToken text primary key, userId text, expires integer)')
  client.exec('create table account (userId, type, provider, providerAccountId, access_token)')
  pauses = []
  // Pauses are recorded, and not waited for.
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, milliseconds: unknown) => {
    pauses.push(milliseconds)
    setImmediate(run)
  }) as never)
})
afterEach(() => {
  vi.restoreAllMocks()
  client.close()
})

const addSessions = (...tokens: string[]) => {
  for (const token of tokens) client.prepare('insert into session values (?, ?, 0)').run(token, '1')
}
const addAccounts = (...tokens: (string | null)[]) => {
  for (const [index, token] of tokens.entries())
    client.prepare('insert into account values (?, ?, ?, ?, ?)').run('1', 'oauth', 'github', `${index}`, token)
}
const sessions = () => client.prepare('select sessionToken from session order by 1').pluck().all() as string[]
const accounts = () => client.prepare('select access_token from account order by providerAccountId').pluck().all() as string[]
const protect = (options: object = {}, given: object = tables) =>
  protectSecrets(drizzle({ client }), given as typeof tables, { secrets, pause: 0, ...options })
const rewrite = (options: Partial<RewriteOptions>) =>
  rewriteSecrets('caller', drizzle({ client }), tables, parts, {
    batch: 10,
    pause: 0,
    signal: undefined,
    onProgress: undefined,
    ...options,
  })

describe('protectSecrets', () => {
  test('rewrites the tables that are given, and counts the rows', async () => {
    addSessions('a', 'b')
    addAccounts('x', null, 'y', 'z')
    const both = await protect()
    expect(both).toEqual({ sessions: 2, accounts: 3, finished: true })
    for (const token of sessions()) expect(token).toMatch(/^s1\./)
    expect(accounts()).toEqual([1, 0, 1, 1].map((isEncrypted) => (isEncrypted ? expect.stringMatching(/^e1\.2026b\./) : null)))
    expect(await protect()).toEqual({ sessions: 0, accounts: 0, finished: true })
  })

  test.each([
    ['sessions alone', { sessionsTable }, { sessions: 1, accounts: 0 }],
    ['accounts alone', { accountsTable }, { sessions: 0, accounts: 1 }],
  ])('%s', async (_, given, counts) => {
    addSessions('a')
    addAccounts('x')
    expect(await protect({}, given)).toEqual({ ...counts, finished: true })
    expect([sessions(), accounts()]).toEqual([
      counts.sessions ? [expect.not.stringMatching('^a$')] : ['a'],
      [expect.stringMatching(counts.accounts ? /^e1/ : /^x$/)],
    ])
  })

  test('reports after each batch that changed something, and waits for the report', async () => {
    // Hashed tokens sort after these.
    addSessions('a', 'b', 'c', 'd', 'e')
    addAccounts('v', 'w', null, null, 'z')
    const reports: ProtectProgress[] = []
    let isReporting = false
    const onProgress = async (progress: ProtectProgress) => {
      expect(isReporting).toBe(false)
      isReporting = true
      await new Promise(setImmediate)
      isReporting = false
      reports.push(progress)
    }
    await protect({ batch: 2, onProgress })
    expect(reports.filter(({ table }) => table === 'accounts')).toEqual([
      { table: 'accounts', rewritten: 2 },
      { table: 'accounts', rewritten: 3 },
    ])
    expect(reports.filter(({ table }) => table === 'sessions').map(({ rewritten }) => rewritten)).toEqual([2, 4, 5])
  })

  test('pauses between full batches, and only where something was changed', async () => {
    addAccounts('u', 'v', null, null, 'y')
    await protect({ batch: 2, pause: 70 }, { accountsTable })
    expect(pauses).toEqual([70, 0])
    pauses = []
    await protect({ batch: 6, pause: 70 }, { accountsTable })
    expect(pauses).toEqual([])
  })

  test('stops at a signal, between batches and tables', async () => {
    addSessions('a', 'b', 'c')
    addAccounts('x')
    expect(await protect({ signal: AbortSignal.abort() })).toEqual({ sessions: 0, accounts: 0, finished: false })
    for (const [batch, counts] of [
      [1, { sessions: 1, accounts: 0 }],
      [10, { sessions: 2, accounts: 0 }],
    ] as const) {
      const stop = new AbortController()
      expect(await protect({ batch, signal: stop.signal, onProgress: () => stop.abort() })).toEqual({ ...counts, finished: false })
    }
    expect(await protect()).toEqual({ sessions: 0, accounts: 1, finished: true })
  })

  test('rejects secrets that still write plain tokens', async () => {
    for (const [options, name] of [
      [{ sessionTokens: 'ready', accountTokens }, 'sessionTokens'],
      [{ sessionTokens: 'migrating', accountTokens: { ...accountTokens, mode: 'ready' } }, 'accountTokens'],
    ] as const)
      await expect(protect({ secrets: secretsAtRest(options) })).rejects.toThrow(`protectSecrets: ${name} is at 'ready'`)
    await expect(protect({ secrets: secretsAtRest({ sessionTokens: 'hashed', accountTokens: { keys: [newer] } }) })).resolves.toMatchObject(
      { finished: true },
    )
  })

  test.each(['secrets', 'batch', 'pause', 'signal', 'onProgress'])('knows the option %s, and says so', async (name) => {
    await expect(protect({ other: 1 })).rejects.toThrow(new RegExp(`no option other.*\\b${name}\\b`))
  })

  test('a failure has no values, and names the operation', async () => {
    addSessions('secret-token')
    client.exec("create trigger t before update on session begin select raise(abort, 'secret-token'); end")
    const failure = await protect().catch((error) => error)
    expect(failure).toBeInstanceOf(AdapterOperationError)
    expect(failure.operation).toBe('protectSecrets')
    expect(failure.message).not.toContain('secret-token')
    client.exec('drop table session')
    await expect(protect()).rejects.toMatchObject({ operation: 'protectSecrets', kind: 'schema' })
  })
})

describe('decrypting', () => {
  test('touches no session, and reports the keys of tokens that cannot be read', async () => {
    addSessions('a')
    const key = (index: number) => ({ provider: 'github', providerAccountId: `${index}` })
    const theirs = await secretsAtRest({ accountTokens: { keys: [lost] } }).encryptAccount({ ...key(2), access_token: 'z' })
    const { access_token } = await secrets.encryptAccount({ ...key(0), access_token: 'x' })
    addAccounts(access_token, 'plain', theirs.access_token)
    const unreadable: unknown[] = []
    const options = { decrypt: true, onUnreadable: (id: unknown) => void unreadable.push(id) }
    expect(await rewrite(options)).toEqual({ sessions: 0, accounts: 1, finished: true })
    expect([sessions(), accounts()]).toEqual([['a'], ['x', 'plain', theirs.access_token]])
    expect(unreadable).toEqual(['lost'])
  })
})
