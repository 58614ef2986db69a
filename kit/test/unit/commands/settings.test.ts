import { describe, expect, test } from 'vitest'
import { findSettings } from '../../../src/commands/settings.js'
import { folderWith } from '../../commands/app.js'

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

const expectRejection = (given: Given, message: RegExp) =>
  expect(settingsOf(given)).rejects.toMatchObject({ message: expect.stringMatching(message), exitCode: 2 })

const pg = (host: string) => `postgres://${host}/app`
const configured = (dbCredentials: object, dialect = 'postgresql') => ({ config: { dialect, dbCredentials } })

describe('the database', () => {
  test.each<[string, string, string, Given]>([
    ['--url', 'a', '--url', { url: pg('a'), env: { DATABASE_URL: pg('b') } }],
    ['DATABASE_URL', 'b', 'DATABASE_URL', { env: { DATABASE_URL: ` ${pg('b')} ` }, files: { '.env': `DATABASE_URL=${pg('c')}` } }],
    ['.env', 'c', 'DATABASE_URL', { files: { '.env': `OTHER=1\nDATABASE_URL="${pg('c')}"\n` }, ...configured({ url: pg('d') }) }],
    ['the configuration', 'd', 'dbCredentials.url of drizzle.config.json', { env: { DATABASE_URL: ' ' }, ...configured({ url: pg('d') }) }],
  ])('is the one of %s', async (_title, host, source, given) => {
    expect((await settingsOf(given)).target).toMatchObject({ source, url: pg(host), hosts: [host] })
  })

  test('adds the variables of .env to the environment, except for those that are set', async () => {
    const env = { A: 'set', B: '' }
    await settingsOf({ url: pg('a'), env, files: { '.env': '\ufeffC=3\nA=1\nB=2\n' } })
    expect(env).toEqual({ A: 'set', B: '', C: '3' })
  })

  test.each([
    [{ host: '::1', port: '99', database: 'app' }, 'postgres://[::1]:99/app'],
    [{ host: 'h', user: 'ada', database: 'app' }, 'postgres://ada:@h/app'],
    [{ host: 'h', user: 'a@b', password: 'c/d:e', database: 'my app' }, 'postgres://a%40b:c%2Fd%3Ae@h/my%20app'],
  ])('can be configured as %j', async (dbCredentials, url) => {
    const source = 'dbCredentials of drizzle.config.json'
    expect((await settingsOf(configured(dbCredentials))).target).toMatchObject({ source, url, dialect: 'pg' })
    const { target } = await settingsOf(configured(dbCredentials, 'mysql'))
    expect(target).toMatchObject({ url: url.replace('postgres', 'mysql'), dialect: 'mysql' })
  })

  test('can be configured with TLS, in one place', async () => {
    const ssl = { rejectUnauthorized: false }
    expect((await settingsOf(configured({ url: pg('a'), ssl }))).target).toMatchObject({ ssl })
    expect((await settingsOf(configured({ host: 'h', database: 'app', ssl }))).target).toMatchObject({ ssl })
    // The configuration is about another database.
    expect((await settingsOf({ url: pg('a'), ...configured({ url: pg('b'), ssl }) })).target).not.toHaveProperty('ssl')
    for (const url of ['mysql://host/app?ssl-mode=REQUIRED', 'postgres://host/app?sslmode=verify-full'])
      await expectRejection(configured({ url, ssl }), /^dbCredentials of drizzle\.config\.json configures TLS both with ssl and in its url/)
  })

  test.each([
    [{ DATABASE_AUTH_TOKEN: 'a', TURSO_AUTH_TOKEN: 'b' }, 'a'],
    [{ TURSO_AUTH_TOKEN: 'b' }, 'b'],
  ])('has the token of %j, or that of the configuration', async (env, token) => {
    expect((await settingsOf({ url: 'libsql://host', env })).target.authToken).toBe(token)
    const config = configured({ url: 'libsql://host', authToken: 'own' }, 'turso')
    expect((await settingsOf({ env, ...config })).target.authToken).toBe('own')
  })

  test.each<Given>([{}, configured({ host: 'h' }), configured({ host: 'h', database: 'app' }, 'gel'), { env: { DATABASE_URL: '' } }])(
    'is missing in %j',
    (given) => expectRejection(given, /^no database given/),
  )

  test('cannot be one that needs a driver of the configuration', () => {
    const config = { dialect: 'sqlite', driver: 'd1-http', dbCredentials: { url: pg('a') } }
    return expectRejection({ config }, /^drizzle\.config\.json sets driver/)
  })

  test('is rejected by the name of where it was given', async () => {
    await expectRejection({ url: '' }, /^--url is neither/)
    await expectRejection({ env: { DATABASE_URL: 'nowhere' } }, /^DATABASE_URL is neither/)
    await expectRejection(configured({ url: 'nowhere' }), /^dbCredentials\.url of drizzle\.config\.json is neither/)
    await expectRejection(configured({ host: 'a b', database: 'app' }), /^dbCredentials of drizzle\.config\.json is not a valid URL/)
  })
})

describe('the schema and the migrations', () => {
  const url = pg('a')

  test('have the defaults of drizzle-kit', async () => {
    const { schema, migrations } = await settingsOf({ url, config: { migrations: {} } })
    expect({ schema, migrations }).toEqual({
      schema: undefined,
      migrations: { folder: 'drizzle', table: '__drizzle_migrations', schema: 'drizzle' },
    })
  })

  test('are those of the configuration, unless --schema names another', async () => {
    const config = { schema: ['a.ts', 'b.ts'], casing: 'snake_case', out: 'sql', migrations: { table: 'done', schema: 'own' } }
    expect(await settingsOf({ url, config })).toMatchObject({
      schema: ['a.ts', 'b.ts'],
      schemaSource: 'schema of drizzle.config.json',
      casing: 'snake_case',
      migrations: { folder: 'sql', table: 'done', schema: 'own' },
    })
    expect(await settingsOf({ url, config, schema: 'own.ts' })).toMatchObject({ schema: ['own.ts'], schemaSource: '--schema' })
  })
})
