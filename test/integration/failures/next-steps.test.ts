import Database from 'better-sqlite3'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import * as sqliteSchema from '../../support/schema/sqlite.js'
import { findPort } from '../../support/servers/port.js'
import { makeAdapter, openDatabase } from './database.js'
import { createCounter, drivers } from './drivers.js'

// What a person meets on the first day, with the default retries.

describe.each(drivers)('with $name', ({ dialect, connect }) => {
  /** The error of a first lookup, and how many statements were tried. */
  async function fail(change: (url: URL) => void, statements: string[] = []) {
    const opened = await openDatabase(dialect)
    onTestFinished(opened.close)
    await opened.execute(...statements)
    const url = new URL(opened.url)
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

  test('a host that cannot be resolved is not reported as a server that does not answer', async () => {
    const { error } = await fail((url) => {
      url.hostname = 'no-such-host.invalid'
    })
    expect(error).toMatchObject({ kind: 'unreachable', code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) })
    expect(error.message).toMatch(/the host no-such-host\.invalid cannot be resolved\. Is its name right/)
  })

  test('a database that does not exist is not reported as a missing migration', async () => {
    const { error } = await fail((url) => {
      url.pathname = '/nowhere'
    })
    expect(error).toMatchObject({ kind: 'no-database', message: expect.stringContaining('create it, or check its name') })
  })

  test('a missing migration is named', async () => {
    const { error } = await fail(() => {}, [
      dialect === 'pg' ? 'drop table "user" cascade' : 'drop table session, account, authenticator, user',
    ])
    expect(error).toMatchObject({ kind: 'schema', table: 'user', message: expect.stringContaining('run your migrations') })
  })

  test('a refused login is not reported as a missing permission', async () => {
    const { error } = await fail((url) => {
      url.username = 'nobody'
      url.password = 'secret'
    })
    expect(error).toMatchObject({ kind: 'login', message: expect.stringContaining('check the user and the password') })
  })

  test('a server without TLS is named as such', async () => {
    const { error, tries } = await fail(({ searchParams }) =>
      dialect === 'pg' ? searchParams.set('sslmode', 'require') : searchParams.set('ssl', '{"rejectUnauthorized":true}'),
    )
    expect(error).toMatchObject({ kind: 'tls', message: expect.stringContaining('TLS settings') })
    expect(tries).toBe(1)
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
