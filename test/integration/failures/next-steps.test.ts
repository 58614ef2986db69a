import { AdapterOperationError } from 'drizzle-auth-adapter'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { AnyAdapter } from '../../support/databases.js'
import { makeAdapter } from '../../support/databases.js'
import { openPool } from '../../support/pool.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'
import { findPort } from '../../support/servers/port.js'
import { openDatabase } from './database.js'

// What a person meets on the first day, with the default retries.

interface Driver {
  dialect: 'pg' | 'mysql'
  connect(url: string): AnyAdapter
  /** What asks for TLS in the URL. */
  withTls(url: URL): void
}

const drivers: Record<string, Driver> = {
  'postgres.js': {
    dialect: 'pg',
    connect(url) {
      const client = postgres(url, { max: 1 })
      onTestFinished(() => client.end())
      return makeAdapter(drizzlePg({ client }), pgSchema)
    },
    withTls: (url) => url.searchParams.set('sslmode', 'require'),
  },
  'node-postgres': {
    dialect: 'pg',
    connect(url) {
      const client = openPool({ connectionString: url, max: 1 })
      onTestFinished(() => client.end())
      return makeAdapter(drizzleNodePg({ client }), pgSchema)
    },
    withTls: (url) => url.searchParams.set('sslmode', 'require'),
  },
  mysql2: {
    dialect: 'mysql',
    connect(url) {
      const client = mysql.createPool({ uri: url, connectionLimit: 1 })
      onTestFinished(() => client.end())
      return makeAdapter(drizzleMysql({ client }), mysqlSchema)
    },
    withTls: (url) => url.searchParams.set('ssl', '{"rejectUnauthorized":true}'),
  },
}

const chosen = Object.entries(drivers).filter(([, { dialect }]) => inject('dialects').includes(dialect))

describe.each(chosen)('with %s', (_, { dialect, connect, withTls }) => {
  /** The error of a first lookup, and the milliseconds until it was there. */
  async function fail(change: (url: URL) => void, statements: string[] = []) {
    const opened = await openDatabase(dialect)
    onTestFinished(opened.close)
    await opened.execute(...statements)
    const url = new URL(opened.url)
    change(url)
    const started = Date.now()
    const error = await connect(url.href)
      .getUserByEmail('secret@example.com')
      .catch((error) => error)
    expect(error).toBeInstanceOf(AdapterOperationError)
    expect(error.message).not.toContain('secret')
    return { error, milliseconds: Date.now() - started }
  }

  test('a server that is down is reported at once, with host and port', async () => {
    const port = await findPort()
    const { error, milliseconds } = await fail((url) => {
      url.port = `${port}`
    })
    expect(error).toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' })
    expect(error.message).toMatch(new RegExp(`no server answers at (127\\.0\\.0\\.1|::1) port ${port}\\. Is it running`))
    expect(milliseconds).toBeLessThan(2_000)
  })

  test('a database that does not exist is no missing migration', async () => {
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

  test('a refused login is no missing permission', async () => {
    const { error } = await fail((url) => {
      url.username = 'nobody'
      url.password = 'secret'
    })
    expect(error).toMatchObject({ kind: 'login', message: expect.stringContaining('check the user and the password') })
  })

  test('a server without TLS is named as such', async () => {
    const { error, milliseconds } = await fail(withTls)
    expect(error).toMatchObject({ kind: 'tls', message: expect.stringContaining('TLS settings') })
    expect(milliseconds).toBeLessThan(2_000)
  })
})
