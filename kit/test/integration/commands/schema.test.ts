import { beforeEach, describe, expect, test, vi } from 'vitest'
import { appWith, folderWith, run } from '../../support/commands/app.js'
import type { Store } from '../../support/commands/store.js'
import { openStore, seed } from '../../support/commands/store.js'

// The files of an app that the commands load: its schema and drizzle.config.ts.

const threeExpired = { code: 0, stdout: '3 sessions and 3 verification tokens would be deleted\n' }

let store: Store
beforeEach(async () => {
  store = await openStore('sqlite')
  await seed(store, 3)
})

const sweep = (cwd: string, ...args: string[]) => run(['sweep', '--dry-run', '--url', store.url, ...args], { cwd })

/** A schema file that declares the tables under these export names. */
const schemaWith = (sessions: string, tokens: string, columns = { token: `'sessionToken'`, user: `'userId'` }) => `
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const ${sessions} = sqliteTable('session', {
  sessionToken: text(${columns.token}).primaryKey(), userId: text(${columns.user}), expires: integer({ mode: 'timestamp_ms' }) })
export const ${tokens} = sqliteTable('verificationToken', { identifier: text(), token: text(), expires: integer({ mode: 'timestamp_ms' }) })
`

const otherDialect = `
import { pgTable, text, timestamp } from 'drizzle-orm/pg-core'
export const sessions = pgTable('session', { sessionToken: text().primaryKey(), userId: text(), expires: timestamp({ mode: 'date' }) })
`

describe('the tables', () => {
  test('can be exported under any names, and be named by options', async () => {
    const cwd = await appWith({ 'schema.js': schemaWith('a', 'b'), 'logins.js': schemaWith('a', 'b').replace("'session'", "'logins'") })
    // By their names in the database.
    expect(await sweep(cwd, '--schema', 'schema.js')).toMatchObject(threeExpired)
    await store.exec('alter table "session" rename to logins')
    const sweepWith = (...args: string[]) => sweep(cwd, '--schema', 'logins.js', ...args)
    expect(await sweepWith('--sessions', 'a', '--tokens', 'b')).toMatchObject(threeExpired)
    // By their columns.
    expect(await sweepWith('--tokens', 'b')).toMatchObject(threeExpired)
    const message = '--sessions is not a table that the schema exports. It exports a, b.'
    expect(await sweepWith('--sessions', 'c')).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
    const noTable = expect.stringContaining('--schema exports no table for --only rate-limits')
    expect(await sweepWith('--only', 'rate-limits')).toMatchObject({ code: 2, stderr: noTable })
  })

  test('have the casing of the configuration', async () => {
    await store.exec('alter table "session" rename column "sessionToken" to session_token')
    await store.exec('alter table "session" rename column "userId" to user_id')
    const config = JSON.stringify({ dialect: 'sqlite', schema: ['./schema.js'], casing: 'snake_case' })
    const schema = schemaWith('sessions', 'verificationTokens', { token: '', user: '' })
    const cwd = await appWith({ 'schema.js': schema, 'drizzle.config.json': config })
    const { code, stdout } = await run(['sweep', '--url', store.url, '--pause', '1'], { cwd })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'deleted 3 sessions and 3 verification tokens\n' })
  })

  const others = schemaWith('users', 'others').replaceAll(/'(session|verificationToken)'|expires(?=:)/g, "'x'")
  test.each([
    ['export const a = 1\n', /--schema exports no tables/],
    [others, /--schema exports no tables of Auth\.js or/],
    [schemaWith('sessions', 'others').replace('expires:', 'until:'), /sessionsTable\b.*\bexpires/],
    [otherDialect, /the database is sqlite, the tables are of pg/],
  ])('must be right: %j', async (text, message) => {
    const { code, stdout, stderr } = await sweep(await appWith({ 'schema.js': text }), '--schema', 'schema.js')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
  })
})

describe('the schema', () => {
  test.each(['module', 'commonjs'])('and the configuration can be TypeScript in an app of the type %s', async (type) => {
    const cwd = await appWith({
      'package.json': JSON.stringify({ type }),
      'drizzle.config.ts': `import { defineConfig } from 'drizzle-kit'\nexport default defineConfig({ dialect: 'sqlite', schema: './src/db/*.ts', dbCredentials: { url: '${store.url}' } })\n`,
      // Bundlers resolve aliases, and imports without an extension.
      'tsconfig.json': JSON.stringify({ compilerOptions: { paths: { '@/*': ['./src/*'] } } }),
      'src/db/schema.ts': `export * from '../all'\nenum Color { Red }\nexport const unused = { color: Color.Red } satisfies object\n`,
      'src/all.ts': `export * from '@/tables'\n`,
      'src/tables.ts': schemaWith('sessions', 'verificationTokens'),
    })
    expect(await run(['sweep', '--dry-run'], { cwd })).toMatchObject(threeExpired)
  })

  test('must be a file that exists', async () => {
    const { code, stderr } = await sweep(await folderWith({}), '--schema', 'src/**/*.ts')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--schema matches no file') })
  })

  test.each([
    ['const a: = 1\n', /: \w+ at schema\.ts:1\. To see the whole error, run: npx jiti schema\.ts/],
    [`import './other.js'\n`, /: it imports \S*other\.js, which was not found/],
    [`import 'left-pad'\n`, /: it imports left-pad, which was not found/],
    // The location is that of the call, not that in the package.
    [`import { check } from 'checker'\n\ncheck()\n`, /: RangeError at schema\.ts:3\. To see/],
  ])('with %j cannot be loaded, and the message says why', async (text, message) => {
    const cwd = await appWith({
      'schema.ts': text,
      'node_modules/checker/package.json': '{ "type": "module", "exports": "./index.js" }',
      'node_modules/checker/index.js': 'export const check = () => { throw new RangeError() }\n',
    })
    const { code, stderr } = await sweep(cwd, '--schema', 'schema.ts')
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`schema\\.ts cannot be loaded${message.source}`))
  })
})

describe('a configuration', () => {
  test('that cannot be loaded is ignored with a message, unless it is needed', async () => {
    const cwd = await appWith({ 'drizzle.config.ts': `\nthrow new Error('no')\n` })
    const note =
      /^drizzle\.config\.ts cannot be loaded: Error at drizzle\.config\.ts:2\. To see .*\nIts schema setting is ignored\.\ncounting/
    expect(await sweep(cwd)).toMatchObject({ ...threeExpired, stderr: expect.stringMatching(note) })
    expect(await run(['sweep'], { cwd })).toMatchObject({ code: 1, stderr: expect.stringContaining('drizzle.config.ts cannot be loaded') })
  })

  test('sees the variables of .env', async () => {
    const cwd = await appWith({
      '.env': `SWEEP_TEST_URL=${store.url}\n`,
      'drizzle.config.js': `export default { dialect: 'sqlite', dbCredentials: { url: process.env.SWEEP_TEST_URL } }\n`,
    })
    vi.stubEnv('SWEEP_TEST_URL', undefined)
    expect(await run(['sweep', '--dry-run'], { cwd, env: process.env as Record<string, string> })).toMatchObject(threeExpired)
    vi.unstubAllEnvs()
  })
})
