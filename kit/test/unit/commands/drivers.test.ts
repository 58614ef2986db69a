import { expect, test } from 'vitest'
import type { Driver } from '../../../src/commands/drivers.js'
import { driversOf } from '../../../src/commands/drivers.js'
import type { Target } from '../../../src/commands/url.js'
import { parseUrl } from '../../../src/commands/url.js'
import { folderWith } from '../../commands/app.js'

// What a URL becomes in the options of each driver. kit/test/commands/connection.once.test.ts connects to servers.

const target = (url: string, more: Partial<Target> = {}): Target => ({ ...parseUrl(url, '--url', '/'), ...more })
const file = import.meta.filename

function optionsOf(name: string, to: Target): Record<string, unknown> {
  const driver = driversOf(to).find((one) => one.package === name) as Driver
  return driver.connection(to) as Record<string, unknown>
}

test.each([
  ['postgres://host/app', ['postgres', 'pg']],
  ['mariadb://host/app', ['mysql2']],
  [file, ['better-sqlite3', '@libsql/client']],
  ['libsql://host', ['@libsql/client']],
])('%s is opened with the first of %j that is installed', (url, packages) => {
  expect(driversOf(target(url)).map((driver) => driver.package)).toEqual(packages)
})

test.each([
  ['', 10],
  ['?connect_timeout=3', 3],
  ['?connect_timeout=soon', 10],
])('with %j a connection may take %i seconds', (query, seconds) => {
  const pg = target(`postgres://host/app${query}`)
  expect(optionsOf('postgres', pg)).toMatchObject({ connect_timeout: seconds })
  expect(optionsOf('pg', pg)).toMatchObject({ connectionTimeoutMillis: seconds * 1_000 })
  expect(optionsOf('mysql2', target(`mysql://host/app${query}`))).toMatchObject({ connectTimeout: seconds * 1_000 })
})

test.each(['postgres', 'pg'])('%s gets the decoded parts of a URL', (name) => {
  const url = 'postgres://ada%40x:b%2Fc%3F@host:99/my%20app%26%C3%BC%3F?application_name=a%20b&schema=x'
  expect(optionsOf(name, target(url))).toMatchObject({ user: 'ada@x', password: 'b/c?', host: 'host', port: 99, database: 'my app&ü?' })
  for (const part of ['user', 'password', 'host', 'port', 'database', 'ssl'])
    expect(optionsOf(name, target('postgres://'))).not.toHaveProperty(part)
  expect(JSON.stringify(optionsOf(name, target(url)))).toContain('"application_name":"a b"')
  expect(JSON.stringify(optionsOf(name, target(url)))).not.toContain('schema')
})

test('an IPv6 address is not split', () => {
  expect(optionsOf('postgres', target('postgres://[::1]:99/app'))).toMatchObject({ host: ['::1'], port: [99] })
  expect(optionsOf('pg', target('postgres://[::1]:99/app'))).toMatchObject({ host: '::1', port: 99 })
})

test('postgres.js looks for the primary among several hosts, unless the URL says otherwise', () => {
  expect(optionsOf('postgres', target('postgres://a,b/app')).target_session_attrs).toBe('primary')
  expect(optionsOf('postgres', target('postgres://a,b/app?target_session_attrs=standby')).target_session_attrs).toBe('standby')
})

test.each([
  [{ ca: 'x' }, { ca: 'x' }],
  ['require', { rejectUnauthorized: false }],
  ['verify-full', { rejectUnauthorized: true }],
])('node-postgres gets the TLS settings %j as %j', (ssl, expected) => {
  expect(optionsOf('pg', target('postgres://host/app', { ssl })).ssl).toEqual(expected)
})

const unverified = { rejectUnauthorized: false }

// node-postgres gives most modes the meaning of verify-full. TLS must not get weaker than that.
test.each([
  ['sslmode=disable', false, false],
  ['sslmode=prefer', 'prefer', {}],
  ['sslmode=no-verify', unverified, unverified],
  ['sslmode=require', unverified, {}],
  ['ssl=true&sslmode=require', unverified, {}],
  ['sslmode=disable&sslmode=require', unverified, {}],
  ['sslmode=require&uselibpqcompat=true', unverified, unverified],
  ['sslmode=verify-ca', {}, {}],
  ['sslmode=verify-full', {}, {}],
  ['sslmode=verify-full&uselibpqcompat=true', {}, {}],
  ['ssl=true', {}, {}],
  ['ssl=0', false, false],
  ['sslrootcert=system', {}, {}],
  ['sslmode=require&sslrootcert=system', {}, {}],
  ['sslnegotiation=direct', {}, {}],
])('with %s, postgres.js gets %j and node-postgres %j', (query, postgres, pg) => {
  expect(optionsOf('postgres', target(`postgres://host/app?${query}`)).ssl).toEqual(postgres)
  expect(optionsOf('pg', target(`postgres://host/app?${query}`)).ssl).toEqual(pg)
})

test('both drivers of PostgreSQL get the files that a URL names', async () => {
  const cwd = await folderWith({ 'ca.pem': 'authority', 'c.pem': 'certificate', 'k.pem': 'key' })
  const files = { ca: 'authority', cert: 'certificate', key: 'key' }
  const withFiles = (query: string) => parseUrl(`postgres://host/app?sslrootcert=ca.pem&sslcert=c.pem&sslkey=k.pem${query}`, '--url', cwd)
  for (const name of ['postgres', 'pg']) {
    for (const query of ['', '&sslmode=verify-full']) expect(optionsOf(name, withFiles(query)).ssl).toEqual(files)
    for (const mode of ['require', 'verify-ca'])
      expect(optionsOf(name, withFiles(`&uselibpqcompat=true&sslmode=${mode}`)).ssl).toEqual({
        ...files,
        checkServerIdentity: expect.any(Function),
      })
  }
})

test.each([
  ['MariaDB://ada:pw@host/app', { uri: 'mysql://ada:pw@host/app' }],
  ['mysql://host/app?socketPath=/z&connect_timeout=3', { uri: 'mysql://host/app', socketPath: '/z' }],
  ['mysql://host/app?socket=/z&connection_limit=3', { uri: 'mysql://host/app', socketPath: '/z' }],
])('mysql2 gets %s without parameters, which it would print', (url, expected) => {
  expect(optionsOf('mysql2', target(url))).toMatchObject(expected)
})

test('libsql opens a file or a server, and waits for locks', () => {
  expect(optionsOf('@libsql/client', target(file))).toMatchObject({ url: `file:${file}`, timeout: 5_000 })
  const server = target('libsql://host', { authToken: 'secret' })
  expect(optionsOf('@libsql/client', server)).toMatchObject({ url: 'libsql://host', authToken: 'secret' })
})
