import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { appWith, folderWith, run } from './app.js'
import type { Store } from './store.js'
import { countRows, openStore, seed } from './store.js'

const isV1 = process.env.DRIZZLE === 'drizzle 1.0'
const threeExpired = { code: 0, stdout: '3 sessions and 3 verification tokens would be deleted\n' }

let store: Store
beforeEach(async () => {
  store = await openStore('sqlite')
  await seed(store, 3)
})

describe('the database', () => {
  const dryRun = (...args: string[]) => ['sweep', '--dry-run', ...args]

  test.each([
    ['a path', (path: string) => path],
    ['a file: URL', (path: string) => `file:${path}`],
    ['a file:// URL', (path: string) => `file://${path}`],
    ['in double quotes', (path: string) => `"file:${path}"`],
    ['in single quotes', (path: string) => `'file:${path}'`],
    ['with spaces around', (path: string) => `  file:${path} \n`],
  ])('can be given as %s', async (_title, written) => {
    expect(await run(dryRun('--url', written(store.url)))).toMatchObject({ ...threeExpired, stderr: `counting ${store.url}\n` })
    expect(await run(dryRun(), { env: { DATABASE_URL: written(store.url) } })).toMatchObject(threeExpired)
  })

  test('comes from --url, then DATABASE_URL, then .env, then the configuration', async () => {
    const config = JSON.stringify({ dialect: 'sqlite', dbCredentials: { url: store.url } })
    const withConfig = await folderWith({ 'drizzle.config.json': config })
    expect(await run(dryRun(), { cwd: withConfig })).toMatchObject(threeExpired)

    const other = await openStore('sqlite')
    const none = { code: 0, stdout: '0 sessions and 0 verification tokens would be deleted\n' }
    const cwd = await folderWith({ 'drizzle.config.json': config, '.env': `# mine\nDATABASE_URL="${other.url}"\n` })
    expect(await run(dryRun(), { cwd })).toMatchObject(none)
    expect(await run(dryRun(), { cwd, env: { DATABASE_URL: store.url } })).toMatchObject(threeExpired)
    expect(await run(dryRun('--url', other.url), { cwd, env: { DATABASE_URL: store.url } })).toMatchObject(none)
  })

  test('can be configured with host, port, user, password and database', async () => {
    const credentials = { host: '127.0.0.1', port: 1, user: 'a@b', password: 'c/d:e', database: 'app' }
    for (const [dialect, address] of [
      ['postgresql', 'postgres'],
      ['mysql', 'mysql'],
    ]) {
      const cwd = await folderWith({ 'drizzle.config.json': JSON.stringify({ dialect, dbCredentials: credentials }) })
      const { code, stderr } = await run(dryRun(), { cwd })
      expect({ code, stderr }, address).toEqual({
        code: 1,
        stderr: expect.stringContaining('[ECONNREFUSED]'),
      })
    }
    const unknown = await folderWith({ 'drizzle.config.json': JSON.stringify({ dialect: 'gel', dbCredentials: credentials }) })
    expect(await run(dryRun(), { cwd: unknown })).toMatchObject({ code: 2, stderr: expect.stringContaining('which database?') })
    const driver = await folderWith({ 'drizzle.config.json': JSON.stringify({ dialect: 'sqlite', driver: 'd1-http', dbCredentials: {} }) })
    expect(await run(dryRun(), { cwd: driver })).toMatchObject({ code: 2, stderr: expect.stringContaining('names a driver of its own') })
  })
})

/** A schema file that declares the tables under these export names. */
const schemaWith = (sessions: string, tokens: string, columns = { token: `'sessionToken'`, user: `'userId'` }) => `
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const ${sessions} = sqliteTable('session', {
  sessionToken: text(${columns.token}).primaryKey(), userId: text(${columns.user}), expires: integer({ mode: 'timestamp_ms' }) })
export const ${tokens} = sqliteTable('verificationToken', { identifier: text(), token: text(), expires: integer({ mode: 'timestamp_ms' }) })
`

const typescriptOnly = `const answer: number = 42\nenum Color { Red }\nexport const unused = { answer, color: Color.Red } satisfies object\n`

const otherDialect = `
import { pgTable, text, timestamp } from 'drizzle-orm/pg-core'
export const sessions = pgTable('session', { sessionToken: text().primaryKey(), userId: text(), expires: timestamp({ mode: 'date' }) })
`

describe('the schema', () => {
  const dryRun = (...args: string[]) => ['sweep', '--dry-run', '--url', store.url, ...args]

  test.each([
    ['sessionsTable', 'verificationTokensTable'],
    ['sessions', 'verificationTokens'],
    ['anything', 'whatever'],
  ])('exports %s and %s', async (sessions, tokens) => {
    const cwd = await appWith({ 'schema.js': schemaWith(sessions, tokens) })
    expect(await run(dryRun('--schema', 'schema.js'), { cwd })).toMatchObject(threeExpired)
  })

  test('has tables that options name by their exports', async () => {
    const cwd = await appWith({ 'schema.js': schemaWith('a', 'b').replace("'session'", "'logins'") })
    await store.exec('alter table "session" rename to logins')
    const sweepWith = (...args: string[]) => run(dryRun('--schema', join(cwd, 'schema.js'), ...args), { cwd })
    expect(await sweepWith('--sessions', 'a', '--tokens', 'b')).toMatchObject(threeExpired)
    expect(await sweepWith('--tokens', 'b')).toMatchObject({ code: 0, stdout: '3 verification tokens would be deleted\n' })
    expect(await sweepWith('--sessions', 'c')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--sessions names no table that the schema exports. It exports a, b.'),
    })
    expect(await sweepWith('--only', 'sessions')).toMatchObject({ code: 2, stderr: expect.stringContaining('--schema exports neither') })
  })

  test.each(['module', 'commonjs'])('and the configuration are TypeScript in an app of the type %s', async (type) => {
    const cwd = await appWith({
      'package.json': JSON.stringify({ type }),
      'drizzle.config.ts': `import { defineConfig } from 'drizzle-kit'\nexport default defineConfig({ dialect: 'sqlite', schema: './src/db/*.ts', dbCredentials: { url: '${store.url}' } })\n`,
      // Bundlers resolve imports without an extension.
      'src/db/schema.ts': `export * from '../tables'\n${typescriptOnly}`,
      'src/tables.ts': schemaWith('sessions', 'verificationTokens'),
    })
    expect(await run(['sweep', '--dry-run'], { cwd })).toMatchObject(threeExpired)
  })

  test('is TypeScript in an app that has tsx through drizzle-kit alone', async () => {
    const cwd = await appWith({ 'schema.ts': `${schemaWith('sessions', 'verificationTokens')}${typescriptOnly}` }, [
      'drizzle-orm',
      'drizzle-kit',
    ])
    expect(await run(dryRun('--schema', 'schema.ts'), { cwd })).toMatchObject(threeExpired)
  })

  test.each(['db/sessions.js', 'db/*.js', '**/sessions.js', 'd?/{sessions,tokens}.js', 'db', './db/'])(
    'can be given as %s',
    async (pattern) => {
      const cwd = await appWith({
        'db/sessions.js': schemaWith('sessions', 'verificationTokens'),
        'db/deeper/other.js': 'throw 1',
        'db/notes.md': '',
      })
      expect(await run(dryRun('--schema', pattern), { cwd })).toMatchObject(threeExpired)
    },
  )

  test.each(['Acme, Inc', `{a,b} [c] +(d) "e" 'f' é 100%`])('is all that is imported in the folder %j', async (name) => {
    const files = {
      'src/schema.ts': schemaWith('sessions', 'verificationTokens'),
      'src/env.d.ts': 'declare const x: 1',
      'delete.ts': 'throw 1',
    }
    const app = await appWith(Object.fromEntries(Object.entries(files).map(([path, text]) => [join(name, path), text])))
    for (const pattern of ['./src/**', 'src/*.ts', 'src/schema.[jt]s', join(app, name, 'src/*')])
      expect(await run(dryRun('--schema', pattern), { cwd: join(app, name) }), pattern).toMatchObject(threeExpired)
  })

  test('must be a file that exists', async () => {
    for (const pattern of ['schema.ts', 'src/**/*.ts', '*', '/nowhere/{a,b}.ts']) {
      const { code, stderr } = await run(dryRun('--schema', pattern), { cwd: await folderWith({}) })
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--schema names no file') })
    }
  })

  // In Drizzle 1.0, the tables define their casing.
  test.skipIf(isV1)('uses the casing of the configuration', async () => {
    await store.exec('alter table "session" rename column "sessionToken" to session_token')
    await store.exec('alter table "session" rename column "userId" to user_id')
    const config = (casing?: string) => JSON.stringify({ dialect: 'sqlite', schema: ['./schema.js'], ...(casing && { casing }) })
    const schema = schemaWith('sessions', 'verificationTokens', { token: '', user: '' })
    const cwd = await appWith({ 'schema.js': schema, 'drizzle.config.json': config('snake_case') })
    expect(await run(['sweep', '--url', store.url, '--pause', '1'], { cwd })).toMatchObject({ code: 0 })
    expect(await countRows(store)).toEqual({ sessions: 1, tokens: 1 })
    const without = await appWith({ 'schema.js': schema, 'drizzle.config.json': config() })
    expect(await run(['sweep', '--url', store.url], { cwd: without })).toMatchObject({ code: 1 })
  })

  test.each([
    [
      'schema.ts',
      'const a: = 1\n',
      /schema\.ts cannot be loaded: \w+ at schema\.ts:1:\d+\. To see the whole error, run: npx tsx schema\.ts/,
    ],
    ['schema.ts', `import './other.js'\n`, /schema\.ts cannot be loaded: it imports \S*other\.js, which was not found/],
    ['schema.ts', `import 'left-pad'\n`, /schema\.ts cannot be loaded: it imports left-pad, which was not found/],
    ['schema.ts', `\nnull.x\n`, /schema\.ts cannot be loaded: TypeError at schema\.ts:\d:\d+\. To see/],
  ])('%s with %j cannot be loaded, and the message says why', async (file, text, message) => {
    const cwd = await appWith({ [file]: text })
    const { code, stderr } = await run(dryRun('--schema', file), { cwd })
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
  })

  test.each([
    ['export const a = 1\n', /--schema exports no tables/],
    [schemaWith('users', 'others').replaceAll(/'(session|verificationToken)'/g, "'x'"), /--schema exports neither sessionsTable nor/],
    [schemaWith('sessions', 'others').replace('expires:', 'until:'), /sessionsTable\b.*\bexpires/],
    [otherDialect, /sessionsTable is a table of pg, the database is sqlite/],
  ])('with other tables exits with 2', async (text, message) => {
    const cwd = await appWith({ 'schema.js': text })
    const { code, stdout, stderr } = await run(dryRun('--schema', 'schema.js'), { cwd })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
  })

  test('of a configuration that cannot be loaded is ignored, with a message', async () => {
    const cwd = await appWith({ 'drizzle.config.ts': `\nthrow new Error('no')\n` })
    const note =
      /^drizzle\.config\.ts cannot be loaded: Error at drizzle\.config\.ts:\d:\d+\. To see .*\nIts schema is not used\.\ncounting/
    expect(await run(dryRun(), { cwd })).toMatchObject({ ...threeExpired, stderr: expect.stringMatching(note) })
    // Names of tables in the database need no schema.
    expect(await run(dryRun('--sessions', 'session'), { cwd })).toMatchObject({
      ...threeExpired,
      stderr: expect.stringMatching(/^counting/),
    })
    expect(await run(['sweep'], { cwd })).toMatchObject({ code: 1, stderr: expect.stringContaining('drizzle.config.ts cannot be loaded') })
  })

  test('and the configuration see the variables of .env', async () => {
    const cwd = await appWith({
      '.env': `SWEEP_TEST_URL=${store.url}\n`,
      'drizzle.config.js': `export default { dialect: 'sqlite', dbCredentials: { url: process.env.SWEEP_TEST_URL } }\n`,
    })
    vi.stubEnv('SWEEP_TEST_URL', undefined)
    expect(await run(['sweep', '--dry-run'], { cwd, env: process.env as Record<string, string> })).toMatchObject(threeExpired)
    vi.unstubAllEnvs()
  })
})
