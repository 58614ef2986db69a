import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseUrl } from '../../../src/commands/url.js'
import { folderWith } from '../../commands/app.js'

const parse = (text: string, cwd = import.meta.dirname) => parseUrl(text, '--url', cwd)
const problem = (message: RegExp) => expect.objectContaining({ message: expect.stringMatching(message), exitCode: 2 })

test.each([
  ['postgres', 'pg'],
  ['postgresql', 'pg'],
  ['mysql', 'mysql'],
  ['mariadb', 'mysql'],
])('%s:// is a database of %s', (scheme, dialect) => {
  const url = `${scheme}://ada:secret@db.example.com:99/app?sslmode=require&connect_timeout=1`
  expect(parse(url)).toMatchObject({ source: '--url', scheme, dialect, url, hosts: ['db.example.com:99'], database: 'app' })
  expect(parse(url).address).toBe(`${scheme}://db.example.com:99/app`)
  expect(parse(url).parameters.get('connect_timeout')).toBe('1')
})

test.each(['libsql', 'http', 'https'])('%s:// is a server for SQLite, and its path may hold a token', (scheme) => {
  const url = `${scheme}://db.example.com/token?authToken=secret`
  expect(parse(url)).toMatchObject({ scheme, dialect: 'sqlite', url, address: `${scheme}://db.example.com` })
})

// Only the address is printed.
test.each([
  ['POSTGRES://Ada@Host/App', { scheme: 'postgres', address: 'postgres://Host/App' }],
  ['postgres://host?x=1', { address: 'postgres://host', hosts: ['host'] }],
  ['postgres:///app', { address: 'postgres:///app', hosts: [''] }],
  ['postgres://a:1,b:2/app', { address: 'postgres://a:1,b:2/app', hosts: ['a:1', 'b:2'] }],
  ['postgres://[::1]:1/app', { address: 'postgres://[::1]:1/app' }],
  ['postgres://ada:a%40b@host/app', { address: 'postgres://host/app' }],
  ['postgres://ada:a@b@host/app', { address: 'postgres://host/app' }],
  ['postgres://ada@/app?host=/run/db&port=1', { address: 'postgres://%2Frun%2Fdb:1/app', hosts: ['%2Frun%2Fdb:1'] }],
  ['postgres://ada@%2Frun%2Fdb/app', { address: 'postgres://%2Frun%2Fdb/app', hosts: ['%2Frun%2Fdb'] }],
  ['postgres:///?host=a,b&port=1,2&dbname=app&user=ada', { address: 'postgres://a:1,b:2/', database: 'app', user: 'ada' }],
  ['postgres://host/my%20app', { address: 'postgres://host/my%20app', database: 'my app' }],
])('the address of %s has neither user nor password', (url, expected) => {
  expect(parse(url)).toMatchObject(expected)
})

test.each(['"postgres://host/app"', "'postgres://host/app'", ' postgres://host/app\n', ' " postgres://host/app " '])(
  'quotes and spaces around %j are ignored',
  (text) => {
    expect(parse(text)).toMatchObject({ url: 'postgres://host/app', address: 'postgres://host/app' })
  },
)

test.each([
  'postgres:host/app',
  'postgres:x postgres://host/app',
  'postgres://ho st/app',
  'postgres://host/a\nb',
  'postgres://host/a\u200bb',
  'postgres://host/a@b',
  'postgres://host/app?a#b',
  'postgres://host?a@b',
  // An unencoded character in the password makes the rest of it look like a host or a path.
  'postgres://ada:1/2@host/app',
  'postgres://ada:1?2@host/app',
  'postgres://ada:1#2@host/app',
  'postgres://ada:100%@host/app',
  'postgres://a,b:port/app',
  'postgres://ada@/app',
])('%j is not a valid URL', (text) => {
  expect(() => parse(text)).toThrow(problem(/^--url is not a valid URL/))
})

test.each(['mysql://host', 'mysql://host/', 'mariadb://host?tls=true'])('%s lacks the name of a database', (text) => {
  expect(() => parse(text)).toThrow(problem(/^--url has no database name/))
})

test.each(['oracle://host/app', 'constructor://host/app', 'nowhere.db', 'file:nowhere.db', '', '""', 'file:', 'file://host/app.db'])(
  '%j is neither a known URL nor a file',
  (text) => {
    expect(() => parse(text)).toThrow(problem(/^--url is neither a supported URL nor an existing file/))
  },
)

test.each([
  ['app.db', 'app.db'],
  ['"app.db"', 'app.db'],
  ['file:app.db', 'app.db'],
  ['FILE:app.db', 'app.db'],
  ['file:app.db?mode=ro', 'app.db'],
  ['./mysql:1.db', 'mysql:1.db'],
  ["'a'.db", "'a'.db"],
])('%s is the file %s of the app', async (text, file) => {
  const cwd = await folderWith({ [file]: '' })
  const path = join(cwd, file)
  expect(parse(text, cwd)).toMatchObject({ source: '--url', scheme: 'file', dialect: 'sqlite', url: path, address: path, hosts: [] })
})

test('a file can be given by its full path or as a file URL', async () => {
  const cwd = await folderWith({ 'my app.db': '' })
  const path = join(cwd, 'my app.db')
  for (const text of [path, `file:${path}`, `file://${cwd}/my%20app.db`]) expect(parse(text).url).toBe(path)
})
