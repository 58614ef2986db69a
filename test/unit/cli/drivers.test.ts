import { describe, expect, test } from 'vitest'
import type { Driver } from '../../../src/cli/drivers.js'
import { driversOf } from '../../../src/cli/drivers.js'
import type { Target } from '../../../src/cli/url.js'
import { parseUrl } from '../../../src/cli/url.js'

// What a URL becomes in the options of each driver. test/integration/commands/connection.once.test.ts connects to servers.

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

describe('the name of the database', () => {
  test('is decoded for postgres.js, which does not decode it', () => {
    expect(optionsOf('postgres', target('postgres://host/my%20app')).database).toBe('my app')
    expect(optionsOf('postgres', target('postgres://host'))).not.toHaveProperty('database')
  })

  test('is decoded in part for node-postgres, which decodes spaces and letters', () => {
    const { connectionString } = optionsOf('pg', target('postgres://a:b%2Fc@host/my%20app%26%C3%BC%3F?x=%20'))
    expect(connectionString).toBe('postgres://a:b%2Fc@host/my%20app&%C3%BC%3F?x=%20')
  })
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

test.each([
  ['MariaDB://ada:pw@host/app', { uri: 'mysql://ada:pw@host/app' }],
  ['mysql://host/app?socketPath=/z&connect_timeout=3', { uri: 'mysql://host/app', socketPath: '/z' }],
])('mysql2 gets %s without parameters, which it would print', (url, expected) => {
  expect(optionsOf('mysql2', target(url))).toMatchObject(expected)
})

test('libsql opens a file or a server, and waits for locks', () => {
  expect(optionsOf('@libsql/client', target(file))).toMatchObject({ url: `file:${file}`, timeout: 5_000 })
  const server = target('libsql://host', { authToken: 'secret' })
  expect(optionsOf('@libsql/client', server)).toMatchObject({ url: 'libsql://host', authToken: 'secret' })
})
