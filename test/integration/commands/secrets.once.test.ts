import { existsSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { hmac, newKey, oldKey, pairsOf } from '../secrets/modes.js'
import type { Store } from '../secrets/stores.js'
import { openStore, signUp } from '../secrets/stores.js'
import { appWith, run } from './app.js'

const env = { AUTH_TOKEN_KEYS: pairsOf(newKey, oldKey) }
const warning = "Every instance of the app must be at 'migrating' or beyond.\n"

describe.each(inject('dialects'))('secrets on %s', (dialect) => {
  let store: Store
  beforeAll(async () => {
    store = await openStore(dialect, { connections: 3 })
  })
  afterAll(() => store.close())
  beforeEach(() => store.exec(`delete from ${store.quote('user')}`))

  const command = (args: string[], variables: Record<string, string>) =>
    run(['secrets', '--url', store.url, '--pause', '1', ...args], { env: variables })
  const secrets = (args: string[], variables: Record<string, string> = env) => command(['--no-hmac', ...args], variables)
  const finalAdapter = (...keys: (typeof newKey)[]) => store.adapter(secretsAtRest({ sessionTokens: 'hashed', accountTokens: { keys } }))

  test('protects plain values after a warning, and checks the result', async () => {
    const people = [await signUp(store.adapter()), await signUp(store.adapter()), await signUp(finalAdapter(oldKey))]
    expect(await secrets(['--check'])).toEqual({
      code: 1,
      stdout: `sessions: 2 plain, 1 hashed\ntokens: 6 plain, 0 under key 2026b, 3 under key 2025a\nleft to do: 2 sessions and 9 tokens\n`,
      stderr: expect.stringMatching(/^counting \S+\n$/),
    })
    expect((await store.rows('session')).filter(({ sessionToken }) => String(sessionToken).startsWith('s1.'))).toHaveLength(1)
    const done = await secrets([])
    expect(done).toEqual({
      code: 0,
      stdout: 'hashed 2 sessions and encrypted the tokens of 3 accounts\n',
      stderr: expect.stringMatching(new RegExp(`^counting \\S+\n${warning}$`)),
    })
    expect(await secrets(['--check'])).toMatchObject({
      code: 0,
      stdout: 'sessions: 0 plain, 3 hashed\ntokens: 0 plain, 9 under key 2026b\nnothing is left to do\n',
    })
    for (const { session, account } of people) {
      expect((await finalAdapter(newKey).getSessionAndUser(session.sessionToken))?.session).toEqual(session)
      expect(await finalAdapter(newKey).getAccount(account.providerAccountId, 'google')).toEqual(account)
    }
    expect(await secrets(['--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('can protect a single table, and without AUTH_TOKEN_KEYS only sessions', async () => {
    await signUp(store.adapter())
    expect(await secrets([], {})).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^drizzle-auth-adapter: AUTH_TOKEN_KEYS is not set\. .*pass --only sessions\.\n$/),
    })
    expect(await secrets(['--only', 'accounts'], {})).toMatchObject({ code: 2 })
    expect(await secrets(['--only', 'sessions'], {})).toMatchObject({ code: 0, stdout: 'hashed 1 session\n' })
    expect(await secrets(['--only', 'sessions', '--check'], {})).toMatchObject({
      code: 0,
      stdout: 'sessions: 0 plain, 1 hashed\nnothing is left to do\n',
    })
    expect(await secrets(['--check'])).toMatchObject({ code: 1, stdout: expect.stringMatching(/left to do: 0 sessions and 3 tokens/) })
    expect(await secrets(['--only', 'accounts'])).toMatchObject({ code: 0, stdout: 'encrypted the tokens of 1 account\n' })
  })

  test('decrypts the tokens of accounts', async () => {
    const { account } = await signUp(finalAdapter(newKey))
    expect(await secrets(['--decrypt', '--check'])).toMatchObject({ code: 1, stdout: expect.stringMatching(/0 sessions and 3 tokens/) })
    expect(await secrets(['--decrypt'])).toEqual({
      code: 0,
      stdout: 'decrypted the tokens of 1 account\n',
      stderr: expect.stringMatching(/Every instance of the app must be at 'ready'\./),
    })
    expect(await secrets(['--decrypt', '--check'])).toMatchObject({ code: 0 })
    expect(await store.adapter().getAccount(account.providerAccountId, 'google')).toEqual(account)
    expect((await store.rows('session'))[0]?.sessionToken).toMatch(/^s1\./)
    expect(await secrets(['--decrypt', '--only', 'sessions'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/cannot go back/) })
  })

  test('does not change tokens that it cannot decrypt, and reports them', async () => {
    await signUp(finalAdapter({ id: 'lost', secret: 'a secret that nobody has any more in his hands' }))
    const done = await secrets([])
    expect(done).toMatchObject({ code: 1, stderr: expect.stringMatching(/3 tokens cannot be decrypted \(of key lost\) and stayed/) })
    expect(await secrets(['--check'])).toMatchObject({ code: 1, stdout: expect.stringMatching(/3 under key lost\nleft to do/) })
  })

  test('rejects secrets that differ from those of the app, and changes nothing', async () => {
    await signUp(finalAdapter(newKey))
    const plain = await signUp(store.adapter())
    const wrong = { AUTH_TOKEN_KEYS: `2026b:${'x'.repeat(40)}` }
    expect(await secrets([], wrong)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/under key 2026b were not encrypted with its/),
    })
    expect(await secrets(['--check'], wrong)).toMatchObject({ code: 2 })
    expect(await command([], { ...env, AUTH_SESSION_HMAC: hmac })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is AUTH_SESSION_HMAC set exactly where/),
    })
    expect(await store.adapter().getSessionAndUser(plain.session.sessionToken)).not.toBeNull()
    await store.exec(`delete from ${store.quote('user')}`)
    const { session } = await signUp(store.adapter())
    expect(await command([], env)).toMatchObject({ code: 2, stderr: expect.stringMatching(/does sessionTokens of the app have hmac\?/) })
    expect(await command([], { ...env, AUTH_SESSION_HMAC: hmac })).toMatchObject({ code: 0 })
    for (const args of [[], ['--check']]) expect(await command(args, env)).toMatchObject({ code: 2 })
    const secret = store.adapter(secretsAtRest({ sessionTokens: { mode: 'hashed', hmac } }))
    expect((await secret.getSessionAndUser(session.sessionToken))?.session).toEqual(session)
  })

  test('stops after a batch at a signal, and continues when started again', async () => {
    for (let count = 0; count < 12; count++) await signUp(store.adapter())
    const plain = async () => (await store.rows('session')).filter(({ sessionToken }) => !String(sessionToken).startsWith('s1.')).length
    const ended = run(['secrets', '--no-hmac', '--url', store.url, '--batch', '4', '--pause', '600000'], { env })
    while ((await plain()) === 12) await sleep(20)
    process.emit('SIGINT', 'SIGINT')
    expect(await ended).toMatchObject({
      code: 130,
      stdout: expect.stringMatching(/^stopped; hashed [1-4] sessions? and encrypted the tokens of 0 accounts\n$/),
    })
    expect(await secrets([])).toMatchObject({ code: 0 })
    expect(await plain()).toBe(0)
  })

  test('draws progress bars on a terminal', async () => {
    await signUp(store.adapter())
    const { stderr } = await run(['secrets', '--no-hmac', '--url', store.url], { env, columns: 80 })
    expect(stderr).toMatch(/sessions +█+ +100 % {2}1 of 1/)
    expect(stderr).toMatch(/accounts +█+ +100 % {2}1 of 1/)
  })
})

describe('secrets', () => {
  const secret = 'TopSecret-TopSecret-TopSecret-TopSecret'

  test.each([
    secret,
    `:${secret}`,
    `id ${secret}`,
    `id:TopSecret`,
    `i.d:${secret}`,
    `id: ${secret}`,
    `id:${secret}\n`,
    `id:${secret},id:${secret}`,
    `id:${secret},`,
    `id:${secret},${secret}`,
    `${secret}:TopSecret`,
    ',',
    'id:',
  ])('rejects AUTH_TOKEN_KEYS=%j and prints nothing of it', async (keys) => {
    const { code, stdout, stderr } = await run(['secrets', '--url', 'package.json'], {
      env: { AUTH_TOKEN_KEYS: keys },
      cwd: await appWith({ 'package.json': '{}' }, []),
    })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^drizzle-auth-adapter: .*AUTH_TOKEN_KEYS/)
    expect(stderr).not.toContain('TopSecret')
  })

  test('rejects a short or an empty AUTH_SESSION_HMAC, and invalid arguments', async () => {
    const cwd = await appWith({ 'package.json': '{}' }, [])
    const expectRejection = async (args: string[], variables: Record<string, string>, message: RegExp) => {
      const { code, stderr } = await run(['secrets', '--url', 'package.json', ...args], { env: variables, cwd })
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) })
      expect(stderr).not.toContain('TopSecret')
    }
    for (const value of ['TopSecret', ''])
      await expectRejection([], { ...env, AUTH_SESSION_HMAC: value }, /AUTH_SESSION_HMAC (must be|is missing)/)
    await expectRejection(['--check', '--quiet'], env, /--check prints a count/)
    await expectRejection(['--only', 'tokens'], env, /--only takes sessions or accounts/)
    await expectRejection(['--keys', secret], env, /argument 3 after the command is not one of its options/)
  })

  test('splits a pair at its first colon', async () => {
    const store = await openStore('sqlite')
    onTestFinished(store.close)
    const key = { id: 'k', secret: `a:b:c:${'x'.repeat(40)}` }
    const { account } = await signUp(store.adapter())
    expect(await run(['secrets', '--no-hmac', '--url', store.url], { env: { AUTH_TOKEN_KEYS: pairsOf(key) } })).toMatchObject({ code: 0 })
    const adapter = store.adapter(secretsAtRest({ accountTokens: { keys: [key] } }))
    expect(await adapter.getAccount(account.providerAccountId, 'google')).toEqual(account)
  })

  test('reads tables from a schema in TypeScript, and keys from .env', async () => {
    const store = await openStore('sqlite')
    onTestFinished(store.close)
    await signUp(store.adapter())
    const schema = `
      import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
      enum Names { logins = 'session' }
      export const logins = sqliteTable(Names.logins, {
        sessionToken: text('sessionToken').primaryKey(),
        userId: text('userId').notNull(),
        expires: integer('expires', { mode: 'timestamp_ms' }).notNull(),
      })`
    const cwd = await appWith({ 'schema.ts': schema, '.env': `AUTH_TOKEN_KEYS=${env.AUTH_TOKEN_KEYS}\n` })
    const args = ['secrets', '--no-hmac', '--url', store.url, '--schema', './schema.ts']
    expect(await run([...args, '--sessions', 'logins'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--schema exports no accountsTable\. Name its export with --accounts, or narrow with --only/),
    })
    expect(await run([...args, '--sessions', 'logins', '--only', 'sessions'], { cwd })).toMatchObject({
      code: 0,
      stdout: 'hashed 1 session\n',
    })
  })

  test('truncates the write-ahead log of SQLite, and says so if it could not', async () => {
    const store = await openStore('sqlite')
    onTestFinished(store.close)
    const { session } = await signUp(store.adapter())
    expect(statSync(`${store.url}-wal`).size).toBeGreaterThan(0)
    const done = await run(['secrets', '--no-hmac', '--url', store.url], { env })
    expect(done.stderr).not.toMatch(/write-ahead log/)
    expect(existsSync(`${store.url}-wal`) ? statSync(`${store.url}-wal`).size : 0).toBe(0)
    const reader = new Database(store.url)
    onTestFinished(() => void reader.close())
    reader.exec('begin')
    reader.prepare('select * from session').all()
    await store.adapter().createSession({ ...session, sessionToken: 'another' })
    const busy = await run(['secrets', '--url', store.url], { env })
    expect(busy).toMatchObject({ code: 0, stderr: expect.stringMatching(/write-ahead log could not be truncated.*wal_checkpoint/) })
  })
})
