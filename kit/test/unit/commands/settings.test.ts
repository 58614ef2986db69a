import { describe, expect, test } from 'vitest'
import { findSettings } from '../../../src/commands/settings.js'
import { folderWith } from '../../support/commands/app.js'

interface Given {
  db?: string
  url?: string
  schema?: string
  env?: Record<string, string | undefined>
  files?: Record<string, string>
  config?: object
}

const output = { write() {} }

async function settingsOf({ db, url, schema, env = {}, files = {}, config }: Given) {
  const configured = config && { 'drizzle.config.json': JSON.stringify(config) }
  const cwd = await folderWith({ ...configured, ...files })
  return findSettings({ db, url, schema }, { cwd, env, stdout: output, stderr: output })
}

const expectRejection = (given: Given, message: RegExp) =>
  expect(settingsOf(given)).rejects.toMatchObject({ message: expect.stringMatching(message), exitCode: 2 })

const pg = (host: string) => `postgres://${host}/app`
const configured = (dbCredentials: object, dialect = 'postgresql') => ({ config: { dialect, dbCredentials } })

const credentialsOf = async (given: Given) => {
  const { from } = (await settingsOf(given)).target
  return 'credentials' in from ? from.credentials : undefined
}

describe('the database', () => {
  test.each<[string, string, object, Given]>([
    ['--db', 'db.js', { module: expect.stringMatching(/db\.js$/) }, { db: 'db.js', url: pg('a'), files: { 'db.js': '' } }],
    ['--url', '--url', { credentials: { url: pg('a') } }, { url: pg('a'), env: { DATABASE_URL: pg('b') } }],
    [
      'DATABASE_URL',
      'DATABASE_URL',
      { credentials: { url: pg('b') } },
      { env: { DATABASE_URL: pg('b') }, files: { '.env': `DATABASE_URL=${pg('c')}` } },
    ],
    [
      '.env',
      'DATABASE_URL',
      { credentials: { url: pg('c') } },
      { files: { '.env': `OTHER=1\nDATABASE_URL="${pg('c')}"\n` }, ...configured({ url: pg('d') }) },
    ],
    [
      'the configuration',
      'dbCredentials.url of drizzle.config.json',
      { credentials: { url: pg('d'), ssl: 'prefer' } },
      { env: { DATABASE_URL: '' }, ...configured({ url: pg('d'), ssl: 'prefer' }) },
    ],
    [
      'the fields of the configuration',
      'dbCredentials of drizzle.config.json',
      { credentials: { host: 'h', port: 1, ssl: false } },
      configured({ host: 'h', port: 1, ssl: false }),
    ],
  ])('is the one of %s', async (_title, source, from, given) => {
    expect((await settingsOf(given)).target).toMatchObject({ source, from })
  })

  test('adds the variables of .env to the environment, except for those that are set', async () => {
    const env = { A: 'set', B: '' }
    await settingsOf({ url: pg('a'), env, files: { '.env': '\ufeffC=3\nA=1\nB=2\n' } })
    expect(env).toEqual({ A: 'set', B: '', C: '3' })
  })

  test.each([
    [{ DATABASE_AUTH_TOKEN: 'a', TURSO_AUTH_TOKEN: 'b' }, 'a'],
    [{ TURSO_AUTH_TOKEN: 'b' }, 'b'],
  ])('has the token of %j, or that of the configuration', async (env, authToken) => {
    const url = 'libsql://host'
    expect(await credentialsOf({ url, env })).toEqual({ url, authToken })
    expect(await credentialsOf({ env, ...configured({ url, authToken: 'own' }, 'turso') })).toEqual({ url, authToken: 'own' })
    // No other driver knows one.
    expect(await credentialsOf({ url: pg('a'), env })).toEqual({ url: pg('a') })
  })

  test.each<Given>([{}, configured({ database: 'app' }), configured({ host: 'h', database: 'app' }, 'gel'), { env: { DATABASE_URL: '' } }])(
    'is missing in %j',
    (given) => expectRejection(given, /^no database given/),
  )

  test('cannot be one that needs a driver of the configuration', () => {
    const config = { dialect: 'sqlite', driver: 'd1-http', dbCredentials: { url: pg('a') } }
    return expectRejection({ config }, /^drizzle\.config\.json sets driver.* Pass --db/)
  })

  test('is rejected by the name of where it was given', async () => {
    await expectRejection({ db: pg('a') }, /^--db is not an existing file/)
    await expectRejection({ url: 'nowhere' }, /^--url is neither/)
    await expectRejection({ env: { DATABASE_URL: 'nowhere' } }, /^DATABASE_URL is neither/)
    await expectRejection(configured({ url: 'nowhere' }), /^dbCredentials\.url of drizzle\.config\.json is neither/)
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
