import { existsSync, statSync } from 'node:fs'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { hmac, newKey, oldKey, pairsOf } from '../../../../test/integration/secrets/modes.js'
import type { Store } from '../../../../test/integration/secrets/stores.js'
import { openStore, signUp } from '../../../../test/integration/secrets/stores.js'
import { appWith, run } from '../../support/commands/app.js'

const env = { AUTH_TOKEN_KEYS: pairsOf(newKey, oldKey) }

let store: Store

const command = (args: string[], variables: Record<string, string> = env) =>
  run(['secrets', '--yes', '--url', store.url, '--pause', '1', ...args], { env: variables })
const secrets = (args: string[], variables?: Record<string, string>) => command(['--no-hmac', ...args], variables)

/** The adapter of an app that has moved to hashed sessions and encrypted tokens. */
const finalAdapter = (...keys: (typeof newKey)[]) => store.adapter(secretsAtRest({ sessionTokens: 'hashed', accountTokens: { keys } }))

const deleteUsers = () => store.exec(`delete from ${store.quote('user')}`)
const matching = (stderr: RegExp) => expect.stringMatching(stderr)

describe.each(inject('dialects'))('secrets on %s', (dialect) => {
  beforeAll(async () => {
    store = await openStore(dialect, { connections: 3 })
  })
  afterAll(() => store.close())
  beforeEach(deleteUsers)

  test('protects plain values after a warning, and checks the result', async () => {
    const people = [await signUp(store.adapter()), await signUp(store.adapter()), await signUp(finalAdapter(oldKey))]
    expect(await secrets(['--check'])).toEqual({
      code: 1,
      stdout: `sessions: 2 plain, 1 hashed\ntokens: 6 plain, 0 under key 2026b, 3 under key 2025a\nleft to rewrite: 2 sessions and 9 tokens\n`,
      stderr: matching(/^counting the tables of Auth\.js in \S+\n$/),
    })
    expect((await store.rows('session')).filter(({ sessionToken }) => String(sessionToken).startsWith('s1.'))).toHaveLength(1)
    const warning =
      /\nEvery instance of the app must have the mode 'migrating' or beyond in sessionTokens and accountTokens of secretsAtRest\.\n$/
    const done = 'hashed 2 sessions and encrypted the tokens of 3 accounts\n'
    expect(await secrets([])).toEqual({ code: 0, stdout: done, stderr: matching(warning) })
    expect(await secrets(['--check'])).toMatchObject({
      code: 0,
      stdout: 'sessions: 0 plain, 3 hashed\ntokens: 0 plain, 9 under key 2026b\nnothing left to rewrite\n',
    })
    for (const { session, account } of people) {
      expect((await finalAdapter(newKey).getSessionAndUser(session.sessionToken))?.session).toEqual(session)
      expect(await finalAdapter(newKey).getAccount(account.providerAccountId, 'google')).toEqual(account)
    }
    expect(await secrets(['--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('decrypts the tokens of accounts', async () => {
    const { account } = await signUp(finalAdapter(newKey))
    expect(await secrets(['--decrypt', '--check'])).toMatchObject({ code: 1, stdout: matching(/left to rewrite: 3 tokens/) })
    const stderr = matching(/Every instance of the app must have accountTokens\.mode 'ready' of secretsAtRest\./)
    expect(await secrets(['--decrypt'])).toEqual({ code: 0, stdout: 'decrypted the tokens of 1 account\n', stderr })
    expect(await secrets(['--decrypt', '--check'])).toMatchObject({ code: 0 })
    expect(await store.adapter().getAccount(account.providerAccountId, 'google')).toEqual(account)
    expect((await store.rows('session'))[0]?.sessionToken).toMatch(/^s1\./)
  })
})

describe('secrets', () => {
  beforeAll(async () => {
    store = await openStore('sqlite')
  })
  afterAll(() => store.close())
  beforeEach(deleteUsers)

  test('can protect a single table, and without AUTH_TOKEN_KEYS only sessions', async () => {
    await signUp(store.adapter())
    const stderr = matching(/^drizzle-auth-kit: AUTH_TOKEN_KEYS is not set\. .*pass --only sessions\.\n$/)
    for (const args of [[], ['--only', 'accounts']]) expect(await secrets(args, {})).toEqual({ code: 2, stdout: '', stderr })
    expect(await secrets(['--only', 'sessions'], {})).toMatchObject({ code: 0, stdout: 'hashed 1 session\n' })
    const checked = 'sessions: 0 plain, 1 hashed\nnothing left to rewrite\n'
    expect(await secrets(['--only', 'sessions', '--check'], {})).toMatchObject({ code: 0, stdout: checked })
    expect(await secrets(['--only', 'accounts'])).toMatchObject({ code: 0, stdout: 'encrypted the tokens of 1 account\n' })
  })

  test('does not change tokens that it cannot decrypt, and reports them', async () => {
    const { account } = await signUp(finalAdapter({ id: 'lost', secret: 'a secret that nobody has any more in his hands' }))
    await store.exec(`update account set id_token = 'e1.damaged'`)
    const { code, stderr } = await secrets([])
    expect(code).toBe(1)
    expect(stderr).toMatch(/3 tokens cannot be decrypted and stayed as they are \((key lost, unknown key|unknown key, key lost)\)/)
    expect(stderr).not.toContain(account.access_token)
    const stdout = matching(/2 under key lost, 1 damaged\nleft to rewrite: 0 sessions and 3 tokens/)
    expect(await secrets(['--check'])).toMatchObject({ code: 1, stdout })
  })

  const isHashed = async () => String((await store.rows('session'))[0]?.sessionToken).startsWith('s1.')

  test('asks before it rewrites', async () => {
    const ask = (args: string[], ...answers: string[]) => run(['secrets', '--no-hmac', '--url', store.url, ...args], { env, answers })
    await signUp(store.adapter())
    const question = /^This will hash 1 session, which cannot be undone, and encrypt the tokens of 1 account in \S+\. Go on\?\n/
    const refused = { code: 1, stdout: matching(new RegExp(`${question.source}$`)), stderr: matching(/stopped\. Nothing was changed\.\n$/) }
    expect(await ask([], 'no')).toEqual(refused)
    expect(await ask(['--check'])).toMatchObject({ code: 1 })
    expect(await isHashed()).toBe(false)
    expect(await ask([], 'yes')).toMatchObject({ code: 0, stdout: matching(new RegExp(`${question.source}hashed 1 session and`)) })
    expect(await isHashed()).toBe(true)
    // Nothing is left to ask about.
    expect(await ask([])).toMatchObject({ code: 0 })
    expect(await ask(['--decrypt'], 'yes')).toMatchObject({ code: 0, stdout: matching(/^This will decrypt the tokens of 1 account in /) })
  })

  test('needs --yes without a terminal', async () => {
    await signUp(store.adapter())
    const without = (...args: string[]) => run(['secrets', '--no-hmac', '--url', store.url, ...args], { env })
    const refused = { code: 2, stdout: '', stderr: matching(/no terminal to ask .* Pass --yes, or --check/) }
    for (const more of [[], ['--decrypt'], ['--only', 'sessions'], ['--quiet']]) expect(await without(...more)).toEqual(refused)
    expect(await isHashed()).toBe(false)
    expect(await without('--check')).toMatchObject({ code: 1 })
    expect(await without('--yes')).toMatchObject({ code: 0 })
    expect(await isHashed()).toBe(true)
  })

  test('finds tokens that cannot be read among others, and refuses a key that differs from the one of the app', async () => {
    for (let count = 0; count < 7; count++) await signUp(finalAdapter(newKey))
    const wrong = { AUTH_TOKEN_KEYS: `2026b:${'x'.repeat(40)}` }
    const { session } = await signUp(store.adapter())
    const stderr = matching(/the tokens of key 2026b were encrypted with another secret/)
    for (const args of [[], ['--check']]) expect(await secrets(args, wrong)).toMatchObject({ code: 2, stderr })
    expect(await store.adapter().getSessionAndUser(session.sessionToken)).not.toBeNull()
    await signUp(finalAdapter({ ...oldKey, id: newKey.id }))
    const stdout = /tokens: 3 plain, 24 under key 2026b\nleft .*\ncannot be decrypted: 3 tokens under key 2026b\. /
    expect(await secrets(['--check'])).toMatchObject({ code: 1, stdout: matching(stdout) })
  })

  describe('must know whether the app hashes sessions with a secret', () => {
    const unknown = { code: 2, stdout: '', stderr: matching(/if sessionTokens of the app has hmac, set AUTH_SESSION_HMAC/) }
    const withHmac = { ...env, AUTH_SESSION_HMAC: hmac }

    test('if nothing is hashed yet: by --no-hmac or AUTH_SESSION_HMAC', async () => {
      const { session } = await signUp(store.adapter())
      expect(await command([])).toMatchObject(unknown)
      expect(await secrets([], withHmac)).toMatchObject({ code: 2, stderr: matching(/AUTH_SESSION_HMAC is set, but --no-hmac/) })
      expect(await store.adapter().getSessionAndUser(session.sessionToken)).not.toBeNull()
      expect(await command([], withHmac)).toMatchObject({ code: 0 })
      const adapter = store.adapter(secretsAtRest({ sessionTokens: { mode: 'hashed', hmac } }))
      expect((await adapter.getSessionAndUser(session.sessionToken))?.session).toEqual(session)
      for (const args of [[], ['--check']]) expect(await command(args)).toMatchObject({ code: 2 })
    })

    test('if sessions are hashed already: by those', async () => {
      await signUp(finalAdapter(newKey))
      const { session } = await signUp(store.adapter())
      const stderr = matching(/the stored sessions were hashed differently/)
      expect(await command([], withHmac)).toMatchObject({ code: 2, stderr })
      expect(await command([])).toMatchObject({ code: 0 })
      expect((await finalAdapter(newKey).getSessionAndUser(session.sessionToken))?.session).toEqual(session)
    })

    test('if sessions are hashed in both ways: by --no-hmac or AUTH_SESSION_HMAC', async () => {
      await signUp(finalAdapter(newKey))
      await signUp(store.adapter(secretsAtRest({ sessionTokens: { mode: 'hashed', hmac } })))
      for (const args of [[], ['--check']]) expect(await command(args)).toMatchObject(unknown)
      expect(await command(['--only', 'accounts'])).toMatchObject({ code: 0 })
      const stdout = matching(/1 hashed, 1 hashed differently, which cannot sign anyone in/)
      expect(await secrets(['--check'])).toMatchObject({ code: 0, stdout })
    })
  })

  test('reads tables from a schema, and keys from .env', async () => {
    await signUp(store.adapter())
    const schema = `import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const logins = sqliteTable('session', { sessionToken: text().primaryKey(), userId: text().notNull(), expires: integer({ mode: 'timestamp_ms' }).notNull() })`
    const cwd = await appWith({ 'schema.ts': schema, '.env': `AUTH_TOKEN_KEYS=${env.AUTH_TOKEN_KEYS}\n` })
    const args = ['secrets', '--yes', '--no-hmac', '--url', store.url, '--schema', './schema.ts', '--sessions', 'logins']
    const missing = /--schema exports no accountsTable\. Pass the name of the export with --accounts, or skip the table with --only/
    expect(await run(args, { cwd })).toMatchObject({ code: 2, stderr: matching(missing) })
    expect(await run([...args, '--only', 'sessions'], { cwd })).toMatchObject({ code: 0, stdout: 'hashed 1 session\n' })
  })

  test('accepts tables with other names, and truncates the write-ahead log of SQLite, which holds old values', async () => {
    const store = await openStore('sqlite')
    onTestFinished(store.close)
    await signUp(store.adapter())
    await store.exec('alter table session rename to logins')
    await store.exec('alter table account rename to links')
    expect(statSync(`${store.url}-wal`).size).toBeGreaterThan(0)
    const named = (...args: string[]) =>
      run(['secrets', '--yes', '--no-hmac', '--url', store.url, '--sessions', 'logins', ...args], { env })
    expect(await named()).toMatchObject({ code: 1, stderr: expect.stringContaining('pass them with --sessions and') })
    const done = await named('--accounts', 'links')
    expect(done).toMatchObject({ code: 0, stdout: 'hashed 1 session and encrypted the tokens of 1 account\n' })
    expect(done.stderr).not.toMatch(/write-ahead log/)
    expect(existsSync(`${store.url}-wal`) ? statSync(`${store.url}-wal`).size : 0).toBe(0)
  })
})
