import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Credentials, Target } from '../../../src/commands/drivers.js'
import { targetOfFields, targetOfUrl } from '../../../src/commands/drivers.js'
import { folderWith } from '../../support/commands/app.js'

// What the drivers get. kit/test/integration/commands/connection.test.ts connects to servers.

const file = import.meta.filename
const target = (url: string, cwd = '/', fields?: Credentials) => targetOfUrl(url, '--url', { env: {}, cwd }, fields)

/** The options that each driver gets, by its package. */
function optionsOf({ from }: Target): Record<string, Record<string, unknown>> {
  if ('module' in from) throw new Error('a module has no driver')
  return Object.fromEntries(from.drivers.map((driver) => [driver.package, driver.connection(from.credentials) as Record<string, unknown>]))
}

test.each([
  ['postgres://host/app', ['postgres', 'pg']],
  ['PostgreSQL://host/app', ['postgres', 'pg']],
  ['mysql://host/app', ['mysql2']],
  ['mariadb://host/app', ['mysql2']],
  ['libsql://host', ['@libsql/client']],
  ['https://host', ['@libsql/client']],
  [file, ['better-sqlite3', '@libsql/client']],
])('%s is opened with the first of %j that is installed', (url, packages) => {
  expect(Object.keys(optionsOf(target(url)))).toEqual(packages)
})

test('the drivers get the URL as it is, and one connection', () => {
  const pg = 'postgres://ada:a%40b@one:1,two:2/app?sslmode=verify-ca&sslrootcert=ca.pem&schema=x#y'
  expect(optionsOf(target(pg))).toMatchObject({ postgres: { url: pg, max: 1 }, pg: { connectionString: pg, max: 1 } })
  const mysql = 'MariaDB://ada:a%40b@host/app?ssl={"rejectUnauthorized":true}&socketPath=/z'
  expect(optionsOf(target(mysql))).toEqual({ mysql2: { uri: mysql, connectionLimit: 1, supportBigNumbers: true } })
  const libsql = 'libsql://host/db?tls=0'
  expect(optionsOf(target(libsql, '/', { authToken: 'a' }))).toMatchObject({
    '@libsql/client': { url: libsql, authToken: 'a', timeout: 5_000 },
  })
})

test('the drivers get the fields of dbCredentials as they are', () => {
  const fields = { host: 'a:b', port: '1', user: 'c@d', password: 'e/f', database: 'g h', ssl: 'require' }
  const get = (dialect: string) => optionsOf(targetOfFields(dialect, fields, 'x') as Target)
  expect(get('postgresql')).toMatchObject({ postgres: { ...fields, max: 1 }, pg: { ...fields, max: 1 } })
  expect(get('mysql')).toMatchObject({ mysql2: { ...fields, connectionLimit: 1 } })
  for (const dialect of ['gel', undefined]) expect(targetOfFields(dialect, fields, 'x')).toBe(undefined)
})

test.each([
  ['POSTGRES://Ada:secret@Host:1/App?password=secret', 'postgres://Host:1/App'],
  ['mysql://ada:a@secret@host/my%20app', 'mysql://host/my%20app'],
  // The path may hold a token.
  ['https://host/secret?authToken=secret', 'https://host'],
  ['postgres://ada:secret@one:1,two:2/app', '--url'],
])('of %s, %s is printed', (url, address) => {
  expect(target(url)).toMatchObject({ source: '--url', address })
})

test.each([
  ['app.db', 'app.db'],
  ['file:app.db', 'app.db'],
  ['FILE:app.db', 'app.db'],
  ['./mysql:1.db', 'mysql:1.db'],
])('%s is the file %s of the app', async (text, name) => {
  const cwd = await folderWith({ [name]: '' })
  const path = join(cwd, name)
  expect(target(text, cwd).address).toBe(path)
  expect(optionsOf(target(text, cwd))).toMatchObject({
    'better-sqlite3': { source: path, fileMustExist: true },
    '@libsql/client': { url: `file:${path}`, timeout: 5_000 },
  })
})

test('a file can be given by its full path or as a file URL', async () => {
  const cwd = await folderWith({ 'my app.db': '' })
  const path = join(cwd, 'my app.db')
  for (const text of [path, `file:${path}`, `file://${cwd}/my%20app.db`]) expect(target(text).address).toBe(path)
})

test.each(['oracle://host/app', 'constructor://host/app', 'nowhere.db', 'file:nowhere.db', 'file://host/app.db'])(
  '%j is neither a known URL nor a file',
  (text) => {
    const message = expect.stringMatching(/^--url is neither a supported URL nor an existing file.* pass --db/)
    expect(() => target(text)).toThrow(expect.objectContaining({ message, exitCode: 2 }))
  },
)
