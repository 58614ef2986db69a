import type { BetterAuthOptions } from '@better-auth/core'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import type { Table } from 'drizzle-orm'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../test/auth/better-auth/store.js'
import { newKey, oldKey, pairsOf } from '../../../../test/integration/secrets/modes.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { installedApp, run, start } from '../../support/commands/app.js'
import { generatedCode, openBetterAuth } from '../../support/doctor/better-auth.js'
import { openTestDatabase } from '../../support/doctor/database.js'

const options: BetterAuthOptions = { rateLimit: { storage: 'database' } }

async function openStored(dialect: DialectName) {
  const store = await openStore(dialect)
  onTestFinished(store.close)
  await store.migrate(options)
  return { ...store, schema: await store.schemaFor(options) }
}

describe.each(inject('dialects'))('doctor on tables of Better Auth on %s', (dialect) => {
  test('says so in its first line, and examines the schema file that auth generate wrote', async () => {
    const { url } = await openBetterAuth(dialect)
    const app = await installedApp({ files: { 'auth-schema.ts': await generatedCode(dialect) } })
    const { code, stdout, stderr } = await start(app, ['doctor', '--url', url, '--schema', 'auth-schema.ts']).ended
    expect(stderr).toMatch(/^examining the tables of Better Auth in \S+\n$/)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'nothing found\n' })
  })

  test('asks for the schema file, instead of examining tables that the database does not have', async () => {
    const { url } = await openBetterAuth(dialect, 'official')
    const { code, stdout, stderr } = await run(['doctor', '--url', url])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/the database has tables of Better Auth: user, account, session, verification, rate_limit\. Pass --schema/)
  })

  test('names both libraries if the schema has both', async () => {
    const { url } = await openTestDatabase(dialect)
    const both = `${await generatedCode(dialect)}
import { defineTables } from 'drizzle-auth-adapter/${dialect}'
export const { usersTable, accountsTable, sessionsTable, verificationTokensTable } = defineTables()
`
    const app = await installedApp({ files: { 'schema.ts': both } })
    const { code, stderr } = await start(app, ['doctor', '--json', '--url', url, '--schema', 'schema.ts']).ended
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^examining the tables of Auth\.js and Better Auth in \S+\n$/),
    })
  })
})

describe.each(inject('dialects'))('sweep on tables of Better Auth on %s', (dialect) => {
  test('says so in its first line, counts and deletes, all of them or some', async () => {
    const { url, db, schema } = await openStored(dialect)
    const [past, future] = [new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000)]
    const dates = { createdAt: past, updatedAt: past }
    const add = (name: string, rows: object[]) =>
      (db as unknown as { insert(table: unknown): { values(rows: object[]): Promise<unknown> } })
        .insert(schema[name] as Table)
        .values(rows.map((row, index) => ({ id: `${name}${index}`, ...dates, ...row })))
    await add('user', [{ name: 'Ada', email: 'ada@example.com', emailVerified: true }])
    await add(
      'session',
      [past, past, future].map((expiresAt, index) => ({ token: `t${index}`, userId: 'user0', expiresAt })),
    )
    await add(
      'verification',
      [past, future].map((expiresAt) => ({ identifier: 'i', value: 'v', expiresAt })),
    )
    await add(
      'rateLimit',
      [0, Date.now()].map((lastRequest) => ({ key: `${lastRequest}`, count: 1, lastRequest })),
    )
    const app = await installedApp({ files: { 'auth-schema.ts': await generatedCode(dialect) } })
    const sweep = (...args: string[]) => start(app, ['sweep', '--url', url, '--schema', 'auth-schema.ts', ...args]).ended
    expect(await sweep('--dry-run')).toEqual({
      code: 0,
      stdout: '2 sessions, 1 verification and 1 rate limit would be deleted\n',
      stderr: expect.stringMatching(/^counting the tables of Better Auth in \S+\n$/),
    })
    expect(await sweep('--only', 'rate-limits')).toMatchObject({ code: 0, stdout: 'deleted 1 rate limit\n' })
    expect(await sweep('--only', 'tokens', '--tokens', 'verification')).toMatchObject({ code: 0, stdout: 'deleted 1 verification\n' })
    expect(await sweep()).toEqual({
      code: 0,
      stdout: 'deleted 2 sessions, 0 verifications and 0 rate limits\n',
      stderr: expect.stringMatching(/^sweeping the tables of Better Auth in \S+\n$/),
    })
    expect(await sweep('--dry-run')).toMatchObject({ stdout: expect.stringMatching(/^0 sessions, 0 verifications and 0 rate limits/) })
  })

  test('asks for the schema file', async () => {
    const { url } = await openBetterAuth(dialect, 'official')
    const { code, stdout, stderr } = await run(['sweep', '--url', url])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/the database has tables of Better Auth: .*\. Pass --schema/)
  })
})

describe.each(inject('dialects'))('secrets on tables of Better Auth on %s', (dialect) => {
  test('encrypts, rotates, checks and decrypts the tokens of accounts', async () => {
    const { url, db, schema, run: query } = await openStored(dialect)
    const dates = { createdAt: new Date(), updatedAt: new Date() }
    const adapterWith = (...keys: (typeof newKey)[]) =>
      drizzleAdapter(db, { schema, ...(keys.length > 0 && { secrets: secretsAtRest({ accountTokens: { keys } }) }) })(options)
    const data = { name: 'Ada', email: 'ada@example.com', emailVerified: true, ...dates }
    const user = await adapterWith().create({ model: 'user', data })
    const tokens = { accessToken: 'access', refreshToken: 'refresh', idToken: 'id' }
    const create = (adapter: ReturnType<typeof adapterWith>, accountId: string) =>
      adapter.create({ model: 'account', data: { userId: user.id, providerId: 'github', accountId, ...tokens, ...dates } })
    await create(adapterWith(), '1')
    await create(adapterWith(oldKey), '2')
    const password = { providerId: 'credential', accountId: user.id, userId: user.id, password: 'hash', ...dates }
    await adapterWith().create({ model: 'account', data: password })
    const stored = async () => JSON.stringify(await query('select * from account'))
    const app = await installedApp({ files: { 'auth-schema.ts': await generatedCode(dialect) } })
    const env = { AUTH_TOKEN_KEYS: pairsOf(newKey, oldKey) }
    const secrets = (...args: string[]) => start(app, ['secrets', '--url', url, '--schema', 'auth-schema.ts', ...args], env).ended
    expect(await secrets('--check')).toEqual({
      code: 1,
      stdout: 'tokens: 3 plain, 0 under key 2026b, 3 under key 2025a\nleft to rewrite: 6 tokens\n',
      stderr: expect.stringMatching(/^counting the tables of Better Auth in \S+\n$/),
    })
    expect(await secrets('--yes')).toMatchObject({ code: 0, stdout: 'encrypted the tokens of 2 accounts\n' })
    expect(await secrets('--check')).toMatchObject({ code: 0, stdout: expect.stringMatching(/0 plain, 6 under key 2026b\nnothing left/) })
    expect(await stored()).not.toMatch(/:"(access|refresh|id)"|2025a/)
    expect(await adapterWith(newKey).findMany({ model: 'account', where: [{ field: 'providerId', value: 'github' }] })).toMatchObject([
      tokens,
      tokens,
    ])
    expect(await secrets('--only', 'sessions')).toMatchObject({ code: 2 })
    expect(await secrets('--decrypt', '--yes')).toMatchObject({ code: 0, stdout: 'decrypted the tokens of 2 accounts\n' })
    expect(await secrets('--decrypt', '--check')).toMatchObject({ code: 0 })
    expect(await adapterWith().findMany({ model: 'account', where: [{ field: 'accountId', value: '2' }] })).toMatchObject([tokens])
  })
})

describe.each(inject('dialects'))('without a schema file on %s', (dialect) => {
  const env = { AUTH_TOKEN_KEYS: pairsOf(newKey) }

  test.each(['doctor', 'doctor --from better-auth', 'sweep', 'secrets --check'])(
    '%s says what it looked for if the database has tables of neither library',
    async (command) => {
      const { url, exec } = await openTestDatabase(dialect, { migrations: [] })
      await exec('create table "posts" (id integer)')
      const { code, stdout, stderr } = await run([...command.split(' '), '--url', url], { env })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/: the database has no tables of Auth\.js or Better Auth\. Auth\.js has a table session with .* Pass --schema/)
    },
  )

  test('doctor --from better-auth says that the database has tables of Auth.js', async () => {
    const { url } = await openTestDatabase(dialect)
    const { code, stderr } = await run(['doctor', '--from', 'better-auth', '--url', url])
    expect(code).toBe(2)
    expect(stderr).toMatch(/: --from better-auth migrates tables of Better Auth, and the database has those of Auth\.js\. Pass --schema/)
  })
})
