import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Row, TableStatements, Writes } from '../../src/query/dialect.js'
import { Failure } from '../../src/query/errors.js'
import type { AccountTokens } from '../../src/secrets/accounts.js'
import { createCipher, parse } from '../../src/secrets/cipher.js'
import { converting, decrypting, encrypting, hashing } from '../../src/secrets/rewrite.js'
import type { SessionTokens } from '../../src/secrets/sessions.js'
import { hashWith } from '../../src/secrets/sessions.js'
import type { OpenedTables } from '../../src/secrets/tables.js'
import { openTables } from '../../src/secrets/tables.js'

// How one stored row gets its new form.

const newer = { id: '2026b', secret: 'the new secret of the tests with 32 characters or more' }
const older = { id: '2025a', secret: 'the old secret of the tests with 32 characters or more' }
const lost = { id: 'lost', secret: 'a secret that nobody has any more, of 32 characters' }
const tokens: AccountTokens = { mode: 'migrating', cipher: createCipher([newer, older]) }
const sessions: SessionTokens = { mode: 'migrating', hash: hashWith(undefined) }
const key = { provider: 'github', providerAccountId: '42' }
const under = (given: typeof newer, token: string) => createCipher([given]).encrypt(token, 'access_token', key)
const decrypt = (stored: unknown) => tokens.cipher.decrypt(parse(String(stored)) ?? {}, 'access_token', key)

const changed = () => integer('changed at').$onUpdate(() => 99)
const sessionsTable = sqliteTable('session', {
  sessionToken: text().primaryKey(),
  userId: text().notNull(),
  expires: integer({ mode: 'timestamp_ms' }).notNull(),
  changedAt: changed(),
})
const accountsTable = sqliteTable('account', {
  userId: text().notNull(),
  type: text().notNull(),
  provider: text().notNull(),
  providerAccountId: text().notNull(),
  access_token: text('the access token'),
  refresh_token: text(),
  changedAt: changed(),
  // No statement may write it.
  label: text().generatedAlwaysAs(sql`provider`),
})

let client: Database.Database
let opened: OpenedTables
beforeEach(() => {
  client = new Database(':memory:')
  const more = '"changed at" integer'
  client.exec(`create table session (sessionToken text primary key check (sessionToken <> 'never'), userId text, expires integer, ${more})`)
  client.exec(
    `create table account (userId text, type text, provider text, providerAccountId text, "the access token" text, refresh_token text, ${more}, label text generated always as (provider))`,
  )
  opened = openTables('test', drizzle({ client }), { sessionsTable, accountsTable }, { sessions, accounts: tokens })
})
afterEach(() => client.close())

const all = (statement: string) => client.prepare(statement).all() as Row[]

describe('a session', () => {
  const add = (...given: string[]) => {
    for (const token of given) client.prepare('insert into session values (?, ?, 0, 7)').run(token, `of ${token}`)
  }
  const hash = (sessionToken: string) => hashing(sessions, opened, opened.sessions as TableStatements)({ sessionToken })

  test('is hashed, and nothing else of it changes', async () => {
    add('ada', 'eva')
    expect(await hash('ada')).toBe(true)
    const sessionToken = await sessions.hash('ada')
    expect(all('select * from session order by userId')).toEqual([
      { sessionToken, userId: 'of ada', expires: 0, 'changed at': 7 },
      { sessionToken: 'eva', userId: 'of eva', expires: 0, 'changed at': 7 },
    ])
  })

  test('that is hashed or gone has nothing to change', async () => {
    const stored = await sessions.hash('ada')
    add(stored)
    expect(await hash(stored)).toBe(false)
    expect(await hash('gone')).toBe(false)
    expect(all('select sessionToken from session')).toEqual([{ sessionToken: stored }])
  })

  test('that is there in both forms keeps the hashed one', async () => {
    const stored = await sessions.hash('ada')
    add(stored, 'ada', 'eva')
    expect(await hash('ada')).toBe(true)
    expect(all('select sessionToken, userId from session order by userId')).toEqual([
      { sessionToken: 'eva', userId: 'of eva' },
      { sessionToken: stored, userId: `of ${stored}` },
    ])
  })

  test('that cannot be changed stays, and the failure is not hidden', async () => {
    add('ada')
    const rejected = { ...sessions, hash: async () => 'never' }
    const run = hashing(rejected, opened, opened.sessions as TableStatements)
    await expect(run({ sessionToken: 'ada' })).rejects.toMatchObject({ kind: 'invalid' })
    const broken = { ...opened, writes: { ...opened.writes, change: () => Promise.reject(new TypeError('broken')) } }
    await expect(hashing(sessions, broken, opened.sessions as TableStatements)({ sessionToken: 'ada' })).rejects.toThrow(TypeError)
    expect(all('select sessionToken from session')).toEqual([{ sessionToken: 'ada' }])
  })
})

describe('the new form of a token', () => {
  const formsOf = async (convert: typeof encrypting, stored: string) => {
    const onUnreadable = vi.fn()
    const form = await convert(tokens, onUnreadable)(stored, 'access_token', key)
    // Nobody need be told.
    expect((await convert(tokens)(stored, 'access_token', key)) === undefined).toBe(form === undefined)
    return { form, unreadable: onUnreadable.mock.calls.flat() }
  }

  test.each([
    ['plain', () => 'token'],
    ['under an old key', () => under(older, 'token')],
  ])('that is %s is encrypted with the newest key', async (_, make) => {
    const { form, unreadable } = await formsOf(encrypting, await make())
    expect(form).toMatch(/^e1\.2026b\./)
    expect(await decrypt(form)).toBe('token')
    expect(unreadable).toEqual([])
  })

  test('that is under the newest key stays, whether it can be read or not', async () => {
    for (const stored of [await under(newer, 'token'), await under({ ...lost, id: newer.id }, 'token'), 'e1.2026b.damaged'])
      expect(await formsOf(encrypting, stored)).toEqual({ form: undefined, unreadable: [] })
  })

  test('that is encrypted is decrypted', async () => {
    for (const each of [newer, older])
      expect(await formsOf(decrypting, await under(each, 'token'))).toEqual({ form: 'token', unreadable: [] })
    expect(await formsOf(decrypting, 'token')).toEqual({ form: undefined, unreadable: [] })
  })

  test('that would look encrypted stays encrypted', async () => {
    expect(await formsOf(decrypting, await under(newer, 'e1.mine'))).toEqual({ form: undefined, unreadable: [] })
  })

  test.each([
    ['encrypting', encrypting],
    ['decrypting', decrypting],
  ] as const)('that cannot be read stays, and its key is reported: %s', async (_, convert) => {
    expect(await formsOf(convert, await under(lost, 'token'))).toEqual({ form: undefined, unreadable: ['lost'] })
    expect(await formsOf(convert, 'e1.damaged')).toEqual({ form: undefined, unreadable: [undefined] })
  })
})

describe('an account', () => {
  const set = (column: string, value: string | null) => client.prepare(`update account set "${column}" = ?`).run(value)
  const row = { ...key, access_token: 'token', refresh_token: null }
  const stored = () => all('select "the access token" as access_token, refresh_token, "changed at" as changedAt from account')[0]
  beforeEach(() => {
    client.prepare(`insert into account values ('1', 'oauth', 'github', '42', 'token', null, 7)`).run()
  })

  /** Rewrites the account, with a function that runs before each write. */
  async function encrypt(before: (time: number) => unknown = () => {}, given: Row = row) {
    let times = 0
    const change: Writes['change'] = async (...parameters) => {
      before(++times)
      return opened.writes.change(...parameters)
    }
    const rewrite = converting(encrypting(tokens), { ...opened, writes: { ...opened.writes, change } }, opened.accounts as TableStatements)
    return { result: await rewrite(given), times }
  }

  test('gets its tokens encrypted, and nothing else of it changes', async () => {
    expect(await encrypt()).toEqual({ result: true, times: 1 })
    expect(stored()).toEqual({ access_token: expect.stringMatching(/^e1\.2026b\./), refresh_token: null, changedAt: 7 })
    expect(await decrypt(stored()?.access_token)).toBe('token')
  })

  test('without anything to change is not written', async () => {
    for (const access_token of [null, await under(newer, 'token')])
      expect(await encrypt(undefined, { ...row, access_token })).toEqual({ result: false, times: 0 })
    expect(await encrypt(undefined, { ...row, providerAccountId: 42 })).toEqual({ result: false, times: 0 })
    expect(stored()).toMatchObject({ access_token: 'token' })
  })

  test('that somebody changes meanwhile keeps what they wrote', async () => {
    expect(await encrypt((time) => time === 1 && set('the access token', 'newer'))).toEqual({ result: true, times: 2 })
    expect(await decrypt(stored()?.access_token)).toBe('newer')
  })

  test('whose other token somebody changes meanwhile is written at once', async () => {
    expect(await encrypt((time) => time === 1 && set('refresh_token', 'newer'))).toEqual({ result: true, times: 1 })
    expect(stored()).toMatchObject({ refresh_token: 'newer' })
  })

  test('that has the token of others is the only one to change, and to be read again', async () => {
    const add = client.prepare(`insert into account values ('2', 'oauth', ?, ?, 'token', null, 7)`)
    add.run('github', '41')
    add.run('google', '42')
    // Those that were added before it are the first that a read of too much would find.
    client.exec('update account set rowid = 9 where rowid = 1')
    const change = client.prepare(`update account set "the access token" = 'newer' where provider = 'github' and providerAccountId = '42'`)
    expect(await encrypt((time) => time === 1 && change.run())).toEqual({ result: true, times: 2 })
    const [first, second, ours] = all('select "the access token" as token from account order by rowid')
    expect([first, second]).toEqual([{ token: 'token' }, { token: 'token' }])
    expect(await decrypt(ours?.token)).toBe('newer')
  })

  test('that somebody encrypts, clears or removes meanwhile is left alone', async () => {
    const theirs = await under(newer, 'token')
    for (const value of [theirs, null]) {
      set('the access token', 'token')
      expect(await encrypt(() => set('the access token', value))).toEqual({ result: false, times: 1 })
      expect(stored()).toMatchObject({ access_token: value })
    }
    set('the access token', 'token')
    expect(await encrypt(() => client.exec('delete from account'))).toEqual({ result: false, times: 1 })
  })

  test('that somebody changes every time is given up', async () => {
    expect(await encrypt((time) => set('the access token', `newer ${time}`))).toEqual({ result: false, times: 10 })
    expect(stored()).toMatchObject({ access_token: 'newer 10' })
  })

  test('whose column cannot hold the new form is not written, and the failure names the column', async () => {
    const dialect = { ...opened.sql, reasonToReject: () => 'too-long' as const }
    const rewrite = converting(encrypting(tokens), { ...opened, sql: dialect }, opened.accounts as TableStatements)
    const failure = await rewrite({ ...row, access_token: 'secret token' }).catch((error) => error)
    expect(failure).toBeInstanceOf(Failure)
    expect(failure).toMatchObject({ kind: 'too-long', details: { table: 'account', column: 'the access token' } })
    expect(failure.message).not.toContain('secret token')
    expect(stored()).toMatchObject({ access_token: 'token' })
  })
})
