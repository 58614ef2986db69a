import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import { parseUrl } from '../../../src/cli/url.js'
import { failureOf, folderWith } from './files.js'

// Which texts name a database. What must not be printed of them is in test/integration/commands/secrecy.once.test.ts.

const parse = (text: string, cwd = import.meta.dirname) => parseUrl(text, '--url', cwd)

const rejected = (message: RegExp) => {
  const problem = expect.objectContaining({ message: expect.stringMatching(message), exitCode: 2 })
  return async (text: string, cwd?: string) => {
    const failure = await failureOf(() => parse(text, cwd))
    expect(failure, text).toEqual(problem)
    expect(failure).toBeInstanceOf(Problem)
  }
}
const isInvalid = rejected(/^--url is not a valid URL/)
const isUnknown = rejected(/^--url is neither a URL of a known kind nor a file/)
const namesNoDatabase = rejected(/^--url names no database/)

test.each([
  ['postgres', 'pg'],
  ['postgresql', 'pg'],
  ['mysql', 'mysql'],
  ['mariadb', 'mysql'],
])('%s:// is a database of %s', (scheme, dialect) => {
  const url = `${scheme}://ada:secret@db.example.com:99/app?sslmode=require&connect_timeout=1`
  const target = parse(url)
  expect(target).toMatchObject({ source: '--url', scheme, dialect, url, hosts: ['db.example.com:99'], database: 'app' })
  expect(target.address).toBe(`${scheme}://db.example.com:99/app`)
  expect([...target.parameters]).toEqual([
    ['sslmode', 'require'],
    ['connect_timeout', '1'],
  ])
})

test.each(['libsql', 'http', 'https'])('%s:// is a server for SQLite, whose path is not shown', (scheme) => {
  const url = `${scheme}://db.example.com/token?authToken=secret`
  expect(parse(url)).toMatchObject({ scheme, dialect: 'sqlite', url, address: `${scheme}://db.example.com`, hosts: ['db.example.com'] })
})

test.each([
  ['POSTGRES://Ada@Host/App', { scheme: 'postgres', address: 'postgres://Host/App' }],
  ['postgres://host', { address: 'postgres://host', hosts: ['host'] }],
  ['postgres://host/', { address: 'postgres://host/' }],
  ['postgres://host?x=1', { address: 'postgres://host' }],
  ['postgres:///app', { address: 'postgres:///app', hosts: [''] }],
  ['postgres://a:1,b:2/app', { address: 'postgres://a:1,b:2/app', hosts: ['a:1', 'b:2'] }],
  ['postgres://[::1]:1/app', { address: 'postgres://[::1]:1/app' }],
  ['postgres://ada:a%40b@host/app', { address: 'postgres://host/app' }],
  ['postgres://ada:a b@host/app', { address: 'postgres://host/app' }],
  ['postgres://ada:a@b@host/app', { address: 'postgres://host/app' }],
  ['postgres://host/my%20app', { address: 'postgres://host/my%20app', database: 'my app' }],
  ['postgres://host/a/b', { address: 'postgres://host/a/b' }],
  ['postgres://host/"app"', { address: 'postgres://host/"app"' }],
  ['mysql://host/a', { address: 'mysql://host/a' }],
])('%s has a safe address', (url, expected) => {
  expect(parse(url)).toMatchObject(expected)
})

test.each([
  '"postgres://host/app"',
  "'postgres://host/app'",
  ' postgres://host/app\n',
  ' " postgres://host/app " ',
  '"postgres://host/app\n"',
])('%j is read without its quotes and spaces', (text) => {
  expect(parse(text)).toMatchObject({ url: 'postgres://host/app', address: 'postgres://host/app' })
})

test.each([
  'postgres:host/app',
  'postgres:/host/app',
  'postgres:x postgres://host/app',
  'postgres://ho st/app',
  'postgres://ho\u0000st/app',
  'postgres://host/a b',
  'postgres://host/a\nb',
  'postgres://host/a\u200bb',
  'postgres://host/a@b',
  'postgres://host/a#b',
  'postgres://host#b',
  'postgres://host?a@b',
  'postgres://host/app?a#b',
  'postgres://ada:1/2@host/app',
  'postgres://ada:1?2@host/app',
  'postgres://ada:1#2@host/app',
  'postgres://ada:100%@host/app',
  'postgres://host/100%',
  'postgres://host:port/app',
  'postgres://a,b:port/app',
  'postgres://a:port,b/app',
  'postgres://ada@/app',
  'mysql://host:port',
])('%j is not a valid URL', (text) => isInvalid(text))

test('MySQL needs the name of a database', async () => {
  for (const text of ['mysql://host', 'mysql://host/', 'mysql://host?tls=true', 'mariadb://host']) await namesNoDatabase(text)
})

test.each([
  'oracle://host/app',
  'xpostgres://host/app',
  'constructor://host/app',
  'nowhere.db',
  'file:nowhere.db',
  '',
  '""',
  'file:',
  'file://host/app.db',
  'app.db',
])('%j is nothing that can be opened', (text) => isUnknown(text))

test.each([
  ['app.db', 'app.db'],
  ['./app.db', 'app.db'],
  ['"app.db"', 'app.db'],
  ['file:app.db', 'app.db'],
  ['FILE:app.db', 'app.db'],
  ['file:app.db?mode=ro', 'app.db'],
  ['./mysql:1.db', 'mysql:1.db'],
  ['my file:1.db', 'my file:1.db'],
  ['profile://app.db', 'profile:/app.db'],
  ["'a'.db", "'a'.db"],
])('%s is the file %s of the app', async (text, file) => {
  const cwd = await folderWith({ [file]: '' })
  const path = join(cwd, file)
  const target = parse(text, cwd)
  expect(target).toMatchObject({ source: '--url', scheme: 'file', dialect: 'sqlite', url: path, address: path, hosts: [] })
  expect(target.parameters.size).toBe(0)
})

test('a file may be given by its full path, or by the URL of it', async () => {
  const cwd = await folderWith({ 'my app.db': '' })
  const path = join(cwd, 'my app.db')
  for (const text of [path, `file:${path}`, `file://${cwd}/my%20app.db`, `FILE://${cwd}/my%20app.db`]) expect(parse(text).url).toBe(path)
  await isUnknown(`file://${cwd}/other.db`)
})
