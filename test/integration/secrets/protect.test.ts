import type { ProtectProgress } from 'drizzle-auth-adapter/secrets'
import { protectSecrets, secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../support/databases.js'
import type * as pgSchema from '../../support/schema/pg.js'
import { tableSet, typesOf } from '../../support/table-sets.js'
import { inAnHour, oldKey, secretsOf } from './modes.js'
import type { Store } from './stores.js'
import { openStore, signUp } from './stores.js'

describe.each(inject('dialects'))('protectSecrets on %s', (dialect) => {
  let store: Store
  beforeEach(async () => {
    store = await openStore(dialect)
  })
  afterEach(() => store.close())

  const migrating = secretsOf('migrating')
  const plainAdapter = () => store.adapter()

  async function forms() {
    const kind = (value: unknown) =>
      value === null ? null : /^s1\.[\w-]{43}$/.test(value as string) ? 's1' : (/^e1\.\w+/.exec(value as string)?.[0] ?? 'plain')
    return {
      sessions: (await store.rows('session')).map(({ sessionToken }) => kind(sessionToken)),
      tokens: (await store.rows('account')).flatMap(({ access_token, refresh_token, id_token }) =>
        [access_token, refresh_token, id_token].map(kind),
      ),
    }
  }

  test('hashes sessions and encrypts tokens, batch by batch, once', async () => {
    const people = []
    for (let count = 0; count < 7; count++) people.push(await signUp(plainAdapter()))
    const reports = { sessions: [0], accounts: [0] }
    const onProgress = ({ table, rewritten }: ProtectProgress) => void reports[table].push(rewritten)
    const result = await store.protect({ secrets: migrating, batch: 3, pause: 0, onProgress })
    expect(result).toEqual({ sessions: 7, accounts: 7, finished: true })
    expect(reports.accounts).toEqual([0, 3, 6, 7])
    // A hashed token sorts elsewhere, so that a later batch can contain it again.
    expect(reports.sessions.length).toBeGreaterThan(3)
    expect(reports.sessions.at(-1)).toBe(7)
    expect(await forms()).toEqual({ sessions: Array(7).fill('s1'), tokens: Array(21).fill('e1.2026b') })
    const last = store.adapter(secretsOf('final'))
    for (const { session, account } of people) {
      expect((await last.getSessionAndUser(session.sessionToken))?.session).toEqual(session)
      expect(await last.getAccount(account.providerAccountId, account.provider)).toMatchObject(account)
    }
    expect(await store.protect({ secrets: secretsOf('final'), pause: 0 })).toEqual({ sessions: 0, accounts: 0, finished: true })
  })

  test('handles unusual keys, nulls and rows with mixed forms', async () => {
    const { userId } = await signUp(plainAdapter())
    const unusual = ["b\\' or 1=1 -- ", '😀é', 'UPPER', 'upper', 'trailing ', ' leading', 's1.short', '']
    for (const text of unusual) {
      await plainAdapter().createSession({ sessionToken: text, userId, expires: inAnHour() })
      await plainAdapter().linkAccount({ userId, type: 'oauth', provider: `p${text}`, providerAccountId: text, refresh_token: text })
    }
    const old = store.adapter(secretsAtRest({ accountTokens: { keys: [oldKey] } }))
    const mixed = await signUp(old)
    await store.exec(`update ${store.quote('account')} set id_token = 'plain' where ${store.quote('userId')} = '${mixed.userId}'`)
    const result = await store.protect({ secrets: migrating, batch: 2, pause: 0 })
    expect(result).toEqual({ sessions: unusual.length + 2, accounts: unusual.length + 2, finished: true })
    const last = store.adapter(secretsOf('final'))
    for (const text of unusual) {
      expect((await last.getSessionAndUser(text))?.session.sessionToken).toBe(text)
      expect(await last.getAccount(text, `p${text}`)).toMatchObject({ refresh_token: text })
    }
    expect(await last.getAccount(mixed.account.providerAccountId, 'google')).toMatchObject({ ...mixed.account, id_token: 'plain' })
    expect((await forms()).tokens.filter((form) => form !== null && form !== 'e1.2026b')).toEqual([])
  })

  test('stops at a signal, continues with the next call, and does nothing if the signal is already aborted', async () => {
    for (let count = 0; count < 5; count++) await signUp(plainAdapter())
    expect(await store.protect({ secrets: migrating, signal: AbortSignal.abort() })).toEqual({ sessions: 0, accounts: 0, finished: false })
    const stop = new AbortController()
    const options = { secrets: migrating, batch: 2, pause: 600_000, signal: stop.signal, onProgress: () => stop.abort() }
    const first = await store.protect(options)
    expect(first).toMatchObject({ accounts: 0, finished: false })
    expect(first.sessions).toBeGreaterThan(0)
    expect(first.sessions).toBeLessThan(5)
    const second = await store.protect({ secrets: migrating, pause: 0 })
    expect(second).toEqual({ sessions: 5 - first.sessions, accounts: 5, finished: true })
  })

  test('keeps the hashed session if another session has the same token in plain form', async () => {
    const { session } = await signUp(store.adapter(secretsOf('final')))
    const other = await signUp(plainAdapter())
    await plainAdapter().createSession({ ...session, userId: other.userId })
    expect(await store.protect({ secrets: migrating, pause: 0 })).toMatchObject({ sessions: 2, finished: true })
    expect((await store.adapter(secretsOf('final')).getSessionAndUser(session.sessionToken))?.session).toEqual(session)
    expect((await forms()).sessions).toEqual(['s1', 's1'])
  })

  // Each change is made when the row has been read, and before it is written.
  test.each([
    ['changes the token', { access_token: 'newer' }, { access_token: 'newer', refresh_token: 'refresh' }],
    ['clears the token', { access_token: null }, { refresh_token: 'refresh' }],
    ['removes the account', undefined, null],
  ])('overwrites nothing if the app %s meanwhile', async (_, change, expected) => {
    const { userId } = await signUp(store.adapter(secretsOf('final')))
    const key = { provider: 'github', providerAccountId: '1' }
    await plainAdapter().linkAccount({ userId, type: 'oauth', ...key, access_token: 'access', refresh_token: 'refresh' })
    const encrypt = crypto.subtle.encrypt.bind(crypto.subtle)
    const spy = vi.spyOn(crypto.subtle, 'encrypt').mockImplementationOnce(async (...parameters) => {
      await (change ? plainAdapter().updateAccount({ ...key, ...change } as never) : plainAdapter().unlinkAccount(key))
      return encrypt(...parameters)
    })
    onTestFinished(() => spy.mockRestore())
    await store.protect({ secrets: migrating, pause: 0 })
    expect(spy).toHaveBeenCalled()
    const account = await store.adapter(secretsOf('final')).getAccount('1', 'github')
    expect(account).toEqual(expected && { userId, type: 'oauth', ...key, ...expected })
  })

  test('keeps the values of columns with $onUpdate', async () => {
    const note = () => ({ note: typesOf[dialect].text().$onUpdate(() => 'changed') })
    const set = tableSet(dialect, { columns: { sessions: note(), accounts: note() } })
    const { db, adapter, tables, run, exec, quote, close } = await openDatabase(dialect, set)
    onTestFinished(close)
    await signUp(adapter())
    for (const table of ['session', 'account']) await exec(`update ${quote(table)} set note = 'before'`)
    const result = await protectSecrets(db as never, tables as typeof pgSchema, { secrets: migrating })
    expect(result).toEqual({ sessions: 1, accounts: 1, finished: true })
    for (const table of ['session', 'account']) expect(await run(`select note from ${quote(table)}`)).toEqual([{ note: 'before' }])
  })

  test('fails without showing values, and names itself', async () => {
    const { session } = await signUp(plainAdapter())
    await store.exec(`drop table ${store.quote('account')}`)
    const failure = await store.protect({ secrets: migrating }).catch((error) => error)
    expect(failure).toMatchObject({ operation: 'protectSecrets', kind: 'schema' })
    expect(failure.message).not.toContain(session.sessionToken)
  })
})
