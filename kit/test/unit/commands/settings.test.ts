import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Target } from '../../../src/commands/drivers.js'
import { findSettings } from '../../../src/commands/settings.js'
import { folderWith } from '../../support/commands/app.js'

// What the drivers get. kit/test/integration/commands/connection.test.ts connects to servers.

interface Given {
  db?: string
  url?: string
  schema?: string
  env?: Record<string, string | undefined>
  files?: Record<string, string>
  config?: object
}

const output = { write() {} }

async function settingsOf({ env = {}, files = {}, config, ...given }: Given, folder?: string) {
  const configured = config && { 'drizzle.config.json': JSON.stringify(config) }
  const cwd = folder ?? (await folderWith({ ...configured, ...files }))
  return findSettings(given, { cwd, env, stdout: output, stderr: output })
}

/** The options that each driver gets, by its package. */
function optionsOf({ from }: Target): Record<string, unknown> {
  if ('module' in from) throw new Error('a module has no driver')
  return Object.fromEntries(from.drivers.map((driver) => [driver.package, driver.connection(from.credentials)]))
}

const expectRejection = (given: Given, message: RegExp) =>
  expect(settingsOf(given)).rejects.toMatchObject({ message: expect.stringMatching(message), exitCode: 2 })

const pg = (host: string) => `postgres://${host}/app`
const configured = (dbCredentials: object, dialect = 'postgresql') => ({ config: { dialect, dbCredentials } })
const fields = { host: 'a:b', port: '1', user: 'c@d', password: 'e/f', database: 'g h', ssl: 'require' }

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
    ['the fields of the configuration', 'dbCredentials of drizzle.config.json', { credentials: fields }, configured(fields)],
  ])('is the one of %s', async (_title, source, from, given) => {
    expect((await settingsOf(given)).target).toMatchObject({ source, from })
  })

  test('adds the variables of .env to the environment, except for those that are set', async () => {
    const env = { A: 'set', B: '' }
    await settingsOf({ url: pg('a'), env, files: { '.env': '\ufeffC=3\nA=1\nB=2\n' } })
    expect(env).toEqual({ A: 'set', B: '', C: '3' })
  })

  test.each<[Given, RegExp]>([
    [{}, /^no database given/],
    [configured({ database: 'app' }), /^no database given/],
    [configured({ host: 'h', database: 'app' }, 'gel'), /^no database given/],
    [{ config: { driver: 'd1-http', dbCredentials: { url: pg('a') } } }, /^drizzle\.config\.json sets driver.* Pass --db/],
    [{ db: pg('a') }, /^--db is not an existing file/],
    [{ env: { DATABASE_URL: 'nowhere' } }, /^DATABASE_URL is neither/],
    [configured({ url: 'nowhere' }), /^dbCredentials\.url of drizzle\.config\.json is neither/],
    ...['oracle://host/app', 'constructor://host/app', 'file:nowhere.db', 'file://host/app.db'].map((url): [Given, RegExp] => [
      { url },
      /^--url is neither a supported URL nor an existing file.* pass --db/,
    ]),
  ])('%j is rejected', (given, message) => expectRejection(given, message))
})

const mysql = 'MariaDB://ada:a%40b@host/app?ssl={"rejectUnauthorized":true}&socketPath=/z'
const postgres = 'PostgreSQL://ada:a%40b@one:1,two:2/app?sslmode=verify-ca&schema=x#y'
const libsql = { authToken: 'b', timeout: 5_000 }

describe('the drivers', () => {
  test.each<[Given, Record<string, object>]>([
    [{ url: postgres }, { postgres: { url: postgres, max: 1 }, pg: { connectionString: postgres, max: 1 } }],
    [{ url: mysql }, { mysql2: { uri: mysql, connectionLimit: 1, supportBigNumbers: true } }],
    [configured(fields), { postgres: { ...fields, max: 1 }, pg: { ...fields, max: 1 } }],
    [configured(fields, 'mysql'), { mysql2: { ...fields, connectionLimit: 1 } }],
    [{ url: 'libsql://host?tls=0', env: { TURSO_AUTH_TOKEN: 'b' } }, { '@libsql/client': { ...libsql, url: 'libsql://host?tls=0' } }],
    [{ url: 'https://host', env: { DATABASE_AUTH_TOKEN: 'b', TURSO_AUTH_TOKEN: 'c' } }, { '@libsql/client': libsql }],
    [{ env: { TURSO_AUTH_TOKEN: 'c' }, ...configured({ url: 'libsql://host', authToken: 'b' }) }, { '@libsql/client': libsql }],
  ])('of %j get it as it is, and one connection', async (given, expected) => {
    const options = optionsOf((await settingsOf(given)).target)
    expect(Object.keys(options)).toEqual(Object.keys(expected))
    expect(options).toMatchObject(expected)
  })

  test.each([
    ['app.db', 'app.db'],
    ['FILE:app.db', 'app.db'],
    ['./mysql:1.db', 'mysql:1.db'],
    ['file://CWD/my%20app.db', 'my app.db'],
    ['CWD/my app.db', 'my app.db'],
  ])('of %s get the path of the file %s', async (text, name) => {
    const cwd = await folderWith({ [name]: '' })
    const path = join(cwd, name)
    const { target } = await settingsOf({ url: text.replace('CWD', cwd) }, cwd)
    expect(target.address).toBe(path)
    expect(optionsOf(target)).toMatchObject({
      'better-sqlite3': { source: path, fileMustExist: true },
      '@libsql/client': { url: `file:${path}` },
    })
  })
})

test.each([
  ['POSTGRES://Ada:secret@Host:1/App?password=secret', 'postgres://Host:1/App'],
  ['mysql://ada:a@secret@host/my%20app', 'mysql://host/my%20app'],
  // The path may hold a token.
  ['https://host/secret?authToken=secret', 'https://host'],
  ['postgres://ada:secret@one:1,two:2/app', '--url'],
])('of %s, %s is printed', async (url, address) => {
  expect((await settingsOf({ url })).target.address).toBe(address)
})

test('the schema and the migrations are those of the configuration, or the defaults of drizzle-kit', async () => {
  const url = pg('a')
  const defaults = { folder: 'drizzle', table: '__drizzle_migrations', schema: 'drizzle' }
  expect(await settingsOf({ url, config: { migrations: {} } })).toMatchObject({ schema: undefined, migrations: defaults })
  const config = { schema: ['a.ts', 'b.ts'], casing: 'snake_case', out: 'sql', migrations: { table: 'done', schema: 'own' } }
  expect(await settingsOf({ url, config })).toMatchObject({
    schema: ['a.ts', 'b.ts'],
    schemaSource: 'schema of drizzle.config.json',
    casing: 'snake_case',
    migrations: { folder: 'sql', table: 'done', schema: 'own' },
  })
  expect(await settingsOf({ url, config, schema: 'own.ts' })).toMatchObject({ schema: ['own.ts'], schemaSource: '--schema' })
})
