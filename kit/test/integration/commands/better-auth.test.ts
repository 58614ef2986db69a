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
const env = { AUTH_TOKEN_KEYS: pairsOf(newKey, oldKey) }

async function openStored(dialect: DialectName) {
  const store = await openStore(dialect)
  onTestFinished(store.close)
  await store.migrate(options)
  return { ...store, schema: await store.schemaFor(options) }
}

/** Runs commands in an app with this schema file, as a process: the file imports the adapter. */
async function appOf(schema: string, url: string) {
  const app = await installedApp({ files: { 'auth-schema.ts': schema } })
  return (command: string, ...args: string[]) => start(app, [command, '--url', url, '--schema', 'auth-schema.ts', ...args], env).ended
}

const firstLine = (text: string) => expect.stringMatching(new RegExp(`^${text} in \\S+\\n$`))

describe.each(inject('dialects'))('with tables of Better Auth on %s', (dialect) => {
  test('doctor examines the schema file that auth generate wrote, and names both libraries if it has the tables of both', async () => {
    const { url } = await openBetterAuth(dialect)
    const code = await generatedCode(dialect)
    const examined = { code: 0, stdout: 'nothing found\n', stderr: firstLine('examining the tables of Better Auth') }
    expect(await (await appOf(code, url))('doctor')).toEqual(examined)
    // Under the short names of its exports.
    const exports = '{ usersTable: users, accountsTable: accounts, sessionsTable: sessions, verificationTokensTable: verificationTokens }'
    const both = `${code}\nimport { defineTables } from 'drizzle-auth-adapter/${dialect}'\nexport const ${exports} = defineTables()\n`
    const { stdout, stderr } = await (await appOf(both, (await openTestDatabase(dialect)).url))('doctor', '--json')
    expect(stderr).toEqual(firstLine('examining the tables of Auth\\.js and Better Auth'))
    const missing = JSON.parse(stdout).findings.filter(({ code }: { code: string }) => code === 'missing-table')
    expect(missing.map(({ table }: { table: string }) => table)).not.toContain('verificationToken')
  })

  test('sweep counts and deletes, all tables or some', async () => {
    const { url, db, schema } = await openStored(dialect)
    const [past, future] = [new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000)]
    const dates = { createdAt: past, updatedAt: past }
    const add = (name: string, ...rows: object[]) =>
      (db as unknown as { insert(table: unknown): { values(rows: object[]): Promise<unknown> } })
        .insert(schema[name] as Table)
        .values(rows.map((row, index) => ({ id: `${name}${index}`, ...dates, ...row })))
    await add('user', { name: 'Ada', email: 'ada@example.com', emailVerified: true })
    await add('session', ...[past, past, future].map((expiresAt, index) => ({ token: `t${index}`, userId: 'user0', expiresAt })))
    await add('verification', ...[past, future].map((expiresAt) => ({ identifier: 'i', value: 'v', expiresAt })))
    await add('rateLimit', ...[0, Date.now()].map((lastRequest) => ({ key: `${lastRequest}`, count: 1, lastRequest })))
    const sweep = (await appOf(await generatedCode(dialect), url)).bind(undefined, 'sweep')
    expect(await sweep('--dry-run')).toEqual({
      code: 0,
      stdout: '2 sessions, 1 verification and 1 rate limit would be deleted\n',
      stderr: firstLine('counting the tables of Better Auth'),
    })
    expect(await sweep('--only', 'rate-limits')).toMatchObject({ code: 0, stdout: 'deleted 1 rate limit\n' })
    expect(await sweep('--only', 'tokens', '--tokens', 'verification')).toMatchObject({ code: 0, stdout: 'deleted 1 verification\n' })
    expect(await sweep()).toMatchObject({ code: 0, stdout: 'deleted 2 sessions, 0 verifications and 0 rate limits\n' })
    expect(await sweep('--dry-run')).toMatchObject({ stdout: expect.stringMatching(/^0 sessions, 0 verifications and 0 rate limits/) })
  })

  test('secrets encrypts, rotates, checks and decrypts the tokens of accounts', async () => {
    const { url, db, schema, run: query } = await openStored(dialect)
    const dates = { createdAt: new Date(), updatedAt: new Date() }
    const adapterWith = (...keys: (typeof newKey)[]) =>
      drizzleAdapter(db, { schema, ...(keys.length > 0 && { secrets: secretsAtRest({ accountTokens: { keys } }) }) })(options)
    const data = { name: 'Ada', email: 'ada@example.com', emailVerified: true, ...dates }
    const user = await adapterWith().create({ model: 'user', data })
    const tokens = { accessToken: 'access', refreshToken: 'refresh', idToken: 'id' }
    const create = (adapter: ReturnType<typeof adapterWith>, accountId: string, more: object) =>
      adapter.create({ model: 'account', data: { userId: user.id, providerId: 'github', accountId, ...dates, ...more } })
    await create(adapterWith(), '1', tokens)
    await create(adapterWith(oldKey), '2', tokens)
    await create(adapterWith(), '3', { providerId: 'credential', password: 'hash' })
    const find = (...keys: (typeof newKey)[]) =>
      adapterWith(...keys).findMany({ model: 'account', where: [{ field: 'providerId', value: 'github' }] })
    const secrets = (await appOf(await generatedCode(dialect), url)).bind(undefined, 'secrets')
    expect(await secrets('--check')).toEqual({
      code: 1,
      stdout: 'tokens: 3 plain, 0 under key 2026b, 3 under key 2025a\nleft to rewrite: 6 tokens\n',
      stderr: firstLine('counting the tables of Better Auth'),
    })
    expect(await secrets('--yes')).toMatchObject({ code: 0, stdout: 'encrypted the tokens of 2 accounts\n' })
    expect(await secrets('--check')).toMatchObject({ code: 0, stdout: expect.stringMatching(/0 plain, 6 under key 2026b\nnothing left/) })
    expect(JSON.stringify(await query('select * from account'))).not.toMatch(/:"(access|refresh|id)"|2025a/)
    expect(await find(newKey)).toMatchObject([tokens, tokens])
    expect(await secrets('--only', 'sessions')).toMatchObject({ code: 2 })
    expect(await secrets('--decrypt', '--yes')).toMatchObject({ code: 0, stdout: 'decrypted the tokens of 2 accounts\n' })
    expect(await find()).toMatchObject([tokens, tokens])
  })
})

const lookedFor = /: the database has no tables of Auth\.js or Better Auth\. Auth\.js has a table session with .* Pass --schema/
const hasBetterAuth = /: the database has tables of Better Auth: user, account, session, verification, rate_limit\. Pass --schema/

describe.each(inject('dialects'))('without a schema file on %s', (dialect) => {
  test.each(['doctor', 'doctor --from better-auth', 'sweep', 'secrets --check'])('%s says what the database has', async (command) => {
    const other = await openTestDatabase(dialect, { migrations: [] })
    await other.exec('create table "posts" (id integer)')
    const refused = (stderr: RegExp) => ({ code: 2, stdout: '', stderr: expect.stringMatching(stderr) })
    expect(await run([...command.split(' '), '--url', other.url], { env })).toEqual(refused(lookedFor))
    const { url } = await openBetterAuth(dialect, 'official')
    expect(await run([...command.split(' '), '--url', url], { env })).toEqual(refused(hasBetterAuth))
  })

  test('doctor --from better-auth says that the database has tables of Auth.js', async () => {
    const { url } = await openTestDatabase(dialect)
    const { code, stderr } = await run(['doctor', '--from', 'better-auth', '--url', url])
    expect(code).toBe(2)
    expect(stderr).toMatch(/: --from better-auth migrates tables of Better Auth, and the database has those of Auth\.js\. Pass --schema/)
  })
})
