import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Client, Driver } from '../../../src/cli/drivers.js'
import { driversOf } from '../../../src/cli/drivers.js'
import type { Target } from '../../../src/cli/url.js'
import { parseUrl } from '../../../src/cli/url.js'
import { failureOf } from './files.js'

// What the drivers are given. test/integration/commands/connection.once.test.ts connects to servers with them.

const target = (url: string, more: Partial<Target> = {}): Target => ({ ...parseUrl(url, '--url', '/'), ...more })
const file = target(import.meta.filename)

/** What the driver of this package is given for a target. */
function given(name: string, to: Target): Record<string, unknown> {
  const driver = driversOf(to).find((one) => one.package === name) as Driver
  return driver.connection(to) as Record<string, unknown>
}

test.each([
  ['postgres://host/app', ['postgres', 'pg']],
  ['mysql://host/app', ['mysql2']],
  ['mariadb://host/app', ['mysql2']],
  [import.meta.filename, ['better-sqlite3', '@libsql/client']],
  ['libsql://host', ['@libsql/client']],
  ['https://host', ['@libsql/client']],
])('%s is opened with %j', (url, packages) => {
  expect(driversOf(target(url)).map((driver) => driver.package)).toEqual(packages)
})

test('only postgres.js takes several hosts', () => {
  const several = ['postgres://host/app', 'mysql://host/app', import.meta.filename].flatMap((url) => driversOf(target(url)))
  expect(several.filter((driver) => driver.takesSeveralHosts).map((driver) => driver.package)).toEqual(['postgres'])
})

test.each(['postgres://host/app', 'mysql://host/app', import.meta.filename])('Drizzle has modules for %s', async (url) => {
  for (const driver of driversOf(target(url)).filter((one) => one.package !== '@libsql/client'))
    expect(await driver.load(), driver.package).toMatchObject({ drizzle: expect.any(Function) })
})

test('a module of Drizzle whose driver is not installed cannot be loaded', async () => {
  // Nothing else of this project needs this driver.
  const [libsql] = driversOf(target('libsql://host')) as [Driver]
  expect(await failureOf(libsql.load)).toMatchObject({
    code: 'ERR_MODULE_NOT_FOUND',
    message: expect.stringContaining("'@libsql/client'"),
  })
})

describe('the time to connect', () => {
  test.each([
    ['', 10],
    ['?connect_timeout=3', 3],
    ['?connect_timeout=0', 10],
    ['?connect_timeout=soon', 10],
  ])('with %j is %i seconds', (query, seconds) => {
    const pg = target(`postgres://host/app${query}`)
    expect(given('postgres', pg)).toMatchObject({ connect_timeout: seconds })
    expect(given('pg', pg)).toMatchObject({ connectionTimeoutMillis: seconds * 1_000 })
    expect(given('mysql2', target(`mysql://host/app${query}`))).toMatchObject({ connectTimeout: seconds * 1_000 })
  })
})

describe('postgres.js', () => {
  test('has one connection, fetches no types, and prints no notices', () => {
    const options = given('postgres', target('postgres://host/app'))
    expect(options).toMatchObject({ url: 'postgres://host/app', max: 1, fetch_types: false })
    expect((options.onnotice as () => unknown)()).toBeUndefined()
    expect((options.backoff as () => number)()).toBeLessThan(1)
    for (const name of ['ssl', 'target_session_attrs']) expect(options).not.toHaveProperty(name)
  })

  test('looks for the primary among several hosts, unless the URL says otherwise', () => {
    expect(given('postgres', target('postgres://a,b/app')).target_session_attrs).toBe('primary')
    expect(given('postgres', target('postgres://a,b/app?target_session_attrs=standby')).target_session_attrs).toBe('standby')
  })

  test.each([false, 'require', { ca: 'x' }])('passes on ssl: %j', (ssl) => {
    expect(given('postgres', target('postgres://host/app', { ssl })).ssl).toEqual(ssl)
  })

  test('gets the decoded name of the database', () => {
    expect(given('postgres', target('postgres://host/my%20app')).database).toBe('my app')
    expect(given('postgres', target('postgres://host'))).not.toHaveProperty('database')
  })
})

describe('node-postgres', () => {
  test('has one connection', () => {
    const options = given('pg', target('postgres://host/app'))
    expect(options).toMatchObject({ connectionString: 'postgres://host/app', max: 1 })
    expect(options).not.toHaveProperty('ssl')
    expect(given('pg', target('postgres://a:b%2Fc@host/my%20app%26%C3%BC?x=%20')).connectionString).toBe(
      'postgres://a:b%2Fc@host/my%20app&%C3%BC?x=%20',
    )
  })

  test.each([
    [{ ca: 'x' }, { ca: 'x' }],
    [true, true],
    [false, false],
    ['require', { rejectUnauthorized: false }],
    ['verify-full', { rejectUnauthorized: true }],
  ])('understands ssl: %j', (ssl, expected) => {
    expect(given('pg', target('postgres://host/app', { ssl })).ssl).toEqual(expected)
  })
})

describe('mysql2', () => {
  test('has one connection and exact integers', () => {
    const options = given('mysql2', target('mysql://host/app'))
    expect(options).toMatchObject({ connectionLimit: 1, supportBigNumbers: true })
    expect(options).not.toHaveProperty('ssl')
    expect(given('mysql2', target('mysql://host/app', { ssl: { ca: 'x' } })).ssl).toEqual({ ca: 'x' })
  })

  test.each([
    ['mysql://ada:pw@host/app', { uri: 'mysql://ada:pw@host/app' }],
    ['mariadb://host/app', { uri: 'mysql://host/app' }],
    ['MariaDB://host/app', { uri: 'mysql://host/app' }],
    ['mysql://host/mariadb:', { uri: 'mysql://host/mariadb:' }],
    ['mysql://host/app?socketPath=/z&connect_timeout=3', { uri: 'mysql://host/app', socketPath: '/z' }],
  ])('gets %j without parameters that it would print', (url, expected) => {
    expect(given('mysql2', target(url))).toMatchObject(expected)
  })
})

test('better-sqlite3 creates no file', () => {
  expect(given('better-sqlite3', file)).toEqual({ source: import.meta.filename, fileMustExist: true })
})

describe('libsql', () => {
  afterEach(() => vi.unstubAllGlobals())

  test('takes a file or a server, and waits for locks', () => {
    expect(given('@libsql/client', file)).toMatchObject({ url: `file:${import.meta.filename}`, timeout: 5_000 })
    const server = target('libsql://host', { authToken: 'secret' })
    expect(given('@libsql/client', server)).toMatchObject({ url: 'libsql://host', authToken: 'secret' })
  })

  test('gives up a request that takes too long', async () => {
    const request = vi.fn(async (..._parameters: Parameters<typeof fetch>) => new Response())
    vi.stubGlobal('fetch', request)
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    const options = given('@libsql/client', target('libsql://host'))
    await (options.fetch as typeof fetch)('https://host', { method: 'POST' })
    expect(request).toHaveBeenCalledExactlyOnceWith('https://host', { method: 'POST', signal: expect.any(AbortSignal) })
    expect(timeout).toHaveBeenCalledExactlyOnceWith(30_000)
    timeout.mockRestore()
  })
})

describe('the end', () => {
  const clientOf = () => ({ end: vi.fn(async () => {}), close: vi.fn() }) satisfies Client
  const endWith = (url: string, name: string, client: Client) =>
    driversOf(target(url))
      .find((one) => one.package === name)
      ?.end(client)

  test('waits some seconds at most for postgres.js', async () => {
    const client = clientOf()
    await endWith('postgres://host/app', 'postgres', client)
    expect(client.end).toHaveBeenCalledExactlyOnceWith({ timeout: 5 })
  })

  test('of a pool of node-postgres or mysql2 closes it, with callbacks or with promises', async () => {
    const [pg, mysql, inner] = [clientOf(), clientOf(), clientOf()]
    await endWith('postgres://host/app', 'pg', pg)
    await endWith('mysql://host/app', 'mysql2', mysql)
    const outer = { ...clientOf(), promise: () => inner }
    await endWith('mysql://host/app', 'mysql2', outer)
    for (const client of [pg, mysql, inner]) expect(client.end).toHaveBeenCalledOnce()
    expect(outer.end).not.toHaveBeenCalled()
  })

  test.each(['better-sqlite3', '@libsql/client'])('of %s closes the file', async (name) => {
    const client = clientOf()
    await endWith(import.meta.filename, name, client)
    expect(client.close).toHaveBeenCalledOnce()
  })
})
