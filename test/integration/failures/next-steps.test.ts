import Database from 'better-sqlite3'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import * as sqliteSchema from '../../support/schema/sqlite.js'
import { findPort } from '../../support/servers/port.js'
import { makeAdapter, openDatabase, useDatabase } from './database.js'
import { createCounter, drivers } from './drivers.js'

// What a person meets on the first day, with the default retries.

describe.each(drivers)('with $name', ({ dialect, connect }) => {
  const database = useDatabase(() => openDatabase(dialect))

  /** The error of a first lookup, and how many statements were tried. */
  async function fail(change: (url: URL) => unknown, statements: string[] = []) {
    await database().execute(...statements)
    const url = new URL(database().url)
    change(url)
    const { logger, count } = createCounter()
    const error = await connect(url.href, 1, logger)
      .getUserByEmail('secret@example.com')
      .catch((error) => error)
    expect(error).toBeInstanceOf(AdapterOperationError)
    expect(error.message).not.toContain('secret')
    return { error, tries: count() }
  }

  test('a server that is down is reported at once, with host and port', async () => {
    const port = await findPort()
    const { error, tries } = await fail((url) => {
      url.port = `${port}`
    })
    expect(error).toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' })
    expect(error.message).toMatch(new RegExp(`no server answers at (127\\.0\\.0\\.1|::1) port ${port}\\. Is it running`))
    expect(tries).toBe(1)
  })

  const missing = dialect === 'pg' ? 'drop table "user" cascade' : 'drop table session, account, authenticator, user'

  test.each<[string, object, (url: URL) => unknown, string[]?]>([
    [
      'a host that cannot be resolved is not a server that does not answer',
      {
        kind: 'unreachable',
        code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
        message: expect.stringContaining('the host no-such-host.invalid cannot be resolved. Is its name right'),
      },
      (url) => Object.assign(url, { hostname: 'no-such-host.invalid' }),
    ],
    [
      'a database that does not exist is not a missing migration',
      { kind: 'no-database', message: expect.stringContaining('create it, or check its name') },
      (url) => Object.assign(url, { pathname: '/nowhere' }),
    ],
    [
      'a refused login is not a missing permission',
      { kind: 'login', message: expect.stringContaining('check the user and the password') },
      (url) => Object.assign(url, { username: 'nobody', password: 'secret' }),
    ],
    [
      'a server without TLS is named as such',
      { kind: 'tls', message: expect.stringContaining('TLS settings') },
      ({ searchParams }) =>
        dialect === 'pg' ? searchParams.set('sslmode', 'require') : searchParams.set('ssl', '{"rejectUnauthorized":true}'),
    ],
    // The last one, because it drops tables.
    [
      'a missing migration is named',
      { kind: 'schema', table: 'user', message: expect.stringContaining('run your migrations') },
      () => {},
      [missing],
    ],
  ])('%s', async (_, expected, change, statements) => {
    expect((await fail(change, statements)).error).toMatchObject(expected)
  })
})

describe.runIf(inject('dialects').includes('sqlite'))('with better-sqlite3', () => {
  test('a file that is not a database is reported as such', async () => {
    const client = new Database(import.meta.filename)
    onTestFinished(() => void client.close())
    const error = await makeAdapter(drizzle({ client }), sqliteSchema)
      .getUserByEmail('secret@example.com')
      .catch((error) => error)
    expect(error).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('is it a SQLite database') })
  })
})
