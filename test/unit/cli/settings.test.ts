import { describe, expect, test } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import { findSettings } from '../../../src/cli/settings.js'
import { failureOf, folderWith } from './files.js'

interface Given {
  url?: string
  schema?: string
  env?: Record<string, string | undefined>
  files?: Record<string, string>
  config?: object
}

const output = { write() {} }

async function settingsOf({ url, schema, env = {}, files = {}, config }: Given) {
  const configured = config && { 'drizzle.config.json': JSON.stringify(config) }
  const cwd = await folderWith({ ...configured, ...files })
  return findSettings({ url, schema }, { cwd, env, stdout: output, stderr: output })
}

async function isRejected(given: Given, message: RegExp, exitCode = 2): Promise<void> {
  const failure = await failureOf(() => settingsOf(given))
  expect(failure).toBeInstanceOf(Problem)
  expect(failure).toMatchObject({ message: expect.stringMatching(message), exitCode })
}

const pg = (host: string) => `postgres://${host}/app`
const configured = (dbCredentials: object, dialect = 'postgresql') => ({ config: { dialect, dbCredentials } })

describe('the database', () => {
  test.each<[string, string, string, Given]>([
    ['--url', 'a', '--url', { url: pg('a'), env: { DATABASE_URL: pg('b') } }],
    ['DATABASE_URL', 'b', 'DATABASE_URL', { env: { DATABASE_URL: ` ${pg('b')} ` }, files: { '.env': `DATABASE_URL=${pg('c')}` } }],
    ['.env', 'c', 'DATABASE_URL', { files: { '.env': `OTHER=1\nDATABASE_URL="${pg('c')}"\n` }, ...configured({ url: pg('d') }) }],
    ['the configuration', 'd', 'dbCredentials.url of drizzle.config.json', configured({ url: pg('d') })],
    [
      'the configuration, if DATABASE_URL is empty',
      'd',
      'dbCredentials.url of drizzle.config.json',
      { env: { DATABASE_URL: ' ' }, ...configured({ url: pg('d') }) },
    ],
  ])('is the one of %s', async (_title, host, source, given) => {
    expect((await settingsOf(given)).target).toMatchObject({ source, url: pg(host), hosts: [host] })
  })

  test('adds the variables of .env to the environment, except for those that are set', async () => {
    const env = { A: 'set', B: '' }
    await settingsOf({ url: pg('a'), env, files: { '.env': '\ufeffC=3\nA=1\nB=2\n' } })
    expect(env).toEqual({ A: 'set', B: '', C: '3' })
  })

  test.each([
    [{ host: 'h', database: 'app' }, 'postgres://h/app'],
    [{ host: 'h', port: 99, database: 'app' }, 'postgres://h:99/app'],
    [{ host: '::1', port: '99', database: 'app' }, 'postgres://[::1]:99/app'],
    [{ host: 'h', user: 'ada', database: 'app' }, 'postgres://ada:@h/app'],
    [{ host: 'h', user: 'a@b', password: 'c/d:e', database: 'my app' }, 'postgres://a%40b:c%2Fd%3Ae@h/my%20app'],
    [{ host: 'h', password: 'secret', database: 'app' }, 'postgres://h/app'],
  ])('can be configured as %j', async (dbCredentials, url) => {
    const source = 'dbCredentials of drizzle.config.json'
    expect((await settingsOf(configured(dbCredentials))).target).toMatchObject({ source, url, scheme: 'postgres', dialect: 'pg' })
    const { target } = await settingsOf(configured(dbCredentials, 'mysql'))
    expect(target).toMatchObject({ url: url.replace('postgres', 'mysql'), dialect: 'mysql' })
  })

  test('can be configured with TLS and a token', async () => {
    const ssl = { rejectUnauthorized: false }
    expect((await settingsOf(configured({ url: pg('a'), ssl, authToken: 't' }))).target).toMatchObject({ ssl, authToken: 't' })
    expect((await settingsOf(configured({ host: 'h', database: 'app', ssl }))).target).toMatchObject({ ssl })
    expect((await settingsOf({ url: pg('a'), ...configured({ url: pg('b'), ssl }) })).target).not.toHaveProperty('ssl')
    const mysql = 'mysql://host/app?ssl-mode=REQUIRED'
    expect((await settingsOf(configured({ url: mysql }, 'mysql'))).target).toMatchObject({ ssl })
    for (const url of [mysql, 'postgres://host/app?sslmode=verify-full'])
      await isRejected(configured({ url, ssl }), /^dbCredentials of drizzle\.config\.json describes TLS with ssl and in its url/)
  })

  test.each([
    [{ DATABASE_AUTH_TOKEN: 'a', TURSO_AUTH_TOKEN: 'b' }, 'a'],
    [{ TURSO_AUTH_TOKEN: 'b' }, 'b'],
    [{}, undefined],
  ])('has the token of %j', async (env, token) => {
    expect((await settingsOf({ url: 'libsql://host', env })).target.authToken).toBe(token)
    const config = configured({ url: 'libsql://host', authToken: 'own' }, 'turso')
    expect((await settingsOf({ env, ...config })).target.authToken).toBe('own')
  })

  test.each<Given>([
    {},
    { config: {} },
    configured({}),
    configured({ host: 'h' }),
    configured({ database: 'app' }),
    configured({ host: 'h', database: 'app' }, 'gel'),
    { config: { dbCredentials: { host: 'h', database: 'app' } } },
    { env: { DATABASE_URL: '' } },
  ])('is missing in %j', (given) => isRejected(given, /^which database\?/))

  test('cannot be one that only a driver of the configuration opens', () =>
    isRejected(
      { config: { dialect: 'sqlite', driver: 'd1-http', dbCredentials: { url: pg('a') } } },
      /^drizzle\.config\.json names a driver/,
    ))

  test('is rejected by the name of where it was given', async () => {
    await isRejected({ url: 'nowhere' }, /^--url is neither/)
    await isRejected({ url: '' }, /^--url is neither/)
    await isRejected({ env: { DATABASE_URL: 'nowhere' } }, /^DATABASE_URL is neither/)
    await isRejected(configured({ url: 'nowhere' }), /^dbCredentials\.url of drizzle\.config\.json is neither/)
    await isRejected(configured({ host: 'a b', database: 'app' }), /^dbCredentials of drizzle\.config\.json is not a valid URL/)
  })
})

describe('the schema and the migrations', () => {
  const url = pg('a')

  test('have defaults', async () => {
    expect(await settingsOf({ url })).toMatchObject({
      schema: undefined,
      schemaSource: 'schema of drizzle.config.ts',
      casing: undefined,
      migrations: { folder: 'drizzle', table: '__drizzle_migrations', schema: 'drizzle' },
      unread: undefined,
    })
  })

  test.each([
    ['src/schema.ts', ['src/schema.ts']],
    [
      ['a.ts', 'b.ts'],
      ['a.ts', 'b.ts'],
    ],
  ])('are those of the configuration: %j', async (schema, files) => {
    const config = { schema, casing: 'snake_case', out: 'sql', migrations: { table: 'done', schema: 'own' } }
    expect(await settingsOf({ url, config })).toMatchObject({
      schema: files,
      schemaSource: 'schema of drizzle.config.json',
      casing: 'snake_case',
      migrations: { folder: 'sql', table: 'done', schema: 'own' },
    })
    expect(await settingsOf({ url, config, schema: 'own.ts' })).toMatchObject({ schema: ['own.ts'], schemaSource: '--schema' })
  })

  test('may be configured in part', async () => {
    const { migrations } = await settingsOf({ url, config: { migrations: { table: 'done' } } })
    expect(migrations).toEqual({ folder: 'drizzle', table: 'done', schema: 'drizzle' })
  })

  test.each(['export default { out: "sql" }', 'export const out = "sql"'])('may be in a module: %s', async (text) => {
    const { migrations, schemaSource } = await settingsOf({
      url,
      files: { 'drizzle.config.js': text, 'package.json': '{ "type": "module" }' },
    })
    expect({ migrations, schemaSource }).toMatchObject({ migrations: { folder: 'sql' }, schemaSource: 'schema of drizzle.config.js' })
  })

  test('are taken from TypeScript first', async () => {
    const { schemaSource, migrations } = await settingsOf({
      url,
      config: { out: 'json' },
      files: { 'drizzle.config.ts': 'export default { out: "ts" }' },
    })
    expect({ schemaSource, out: migrations.folder }).toEqual({ schemaSource: 'schema of drizzle.config.ts', out: 'ts' })
  })

  test('of a configuration that cannot be read are not known, which matters only without a URL', async () => {
    const files = { 'drizzle.config.json': '{' }
    const { unread, target, schema } = await settingsOf({ url, files })
    expect(unread).toBeInstanceOf(Problem)
    expect({ unread, host: target.hosts, schema }).toMatchObject({
      unread: { message: expect.stringMatching(/cannot be loaded/) },
      host: ['a'],
    })
    await isRejected({ files }, /^drizzle\.config\.json cannot be loaded/, 1)
  })
})
