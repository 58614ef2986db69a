import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { drizzle as pgProxy } from 'drizzle-orm/pg-proxy'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import { openDatabase } from '../../../src/cli/database.js'
import type { Client, Driver } from '../../../src/cli/drivers.js'
import { driversOf } from '../../../src/cli/drivers.js'
import type { Target } from '../../../src/cli/url.js'
import { parseUrl } from '../../../src/cli/url.js'
import { failureOf, folderWith } from './files.js'

// The driver's own functions are replaced where a server would be needed. test/integration/commands/connection.once.test.ts has servers.

afterEach(() => vi.restoreAllMocks())

const target = (url: string) => parseUrl(url, '--url', '/')
const open = (to: Target, casing?: 'snake_case') => openDatabase({ target: to, casing })

async function isRejected(to: Target, message: RegExp, exitCode = 1): Promise<void> {
  const failure = await failureOf(() => open(to))
  expect(failure).toBeInstanceOf(Problem)
  expect(failure).toMatchObject({ message: expect.stringMatching(message), exitCode })
}

async function newFile(): Promise<Target> {
  const path = join(await folderWith({}), 'app.db')
  new Database(path).exec('create table user_names (first_name text)').close()
  return target(path)
}

/** The drivers of a target, which fail to load with these errors, or are this function of Drizzle's. */
function load(to: Target, ...outcomes: (Error | Driver['load'])[]): void {
  for (const [index, outcome] of outcomes.entries())
    vi.spyOn(driversOf(to)[index] as Driver, 'load').mockImplementation(outcome instanceof Error ? () => Promise.reject(outcome) : outcome)
}

const missing = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from x`), { code: 'ERR_MODULE_NOT_FOUND' })

/** A connection of which each statement has this outcome. */
function connected(run: () => unknown, client: Partial<Client> = {}) {
  const drizzle = vi.fn((_config: object) => ({
    $client: { end: vi.fn(async () => {}), close: vi.fn(), ...client },
    execute: run,
    all: run,
  }))
  return { drizzle, load: async () => ({ drizzle }) }
}

const failing = (code: string) => () => {
  throw Object.assign(new Error('secret'), { code })
}

describe('a file', () => {
  test('is opened until it is closed', async () => {
    const { db, dialect, close } = await open(await newFile())
    expect(dialect).toBe('sqlite')
    const count = async () => (db as unknown as { all(query: unknown): unknown }).all(sql`select count(*) as n from user_names`)
    expect(await count()).toEqual([{ n: 0 }])
    await close()
    expect(await failureOf(count)).not.toBe('nothing')
  })

  test('has the casing of the configuration', async () => {
    const { db, close } = await open(await newFile(), 'snake_case')
    const users = sqliteTable('user_names', { firstName: text() })
    expect(await db.select({ name: users.firstName as never }).from(users)).toEqual([])
    await close()
  })

  test('must be a database', async () => {
    const cwd = await folderWith({ 'notes.txt': 'not a database, and longer than the header of one'.repeat(99) })
    const close = vi.spyOn(driversOf(target(import.meta.filename))[0] as Driver, 'end')
    await isRejected(target(join(cwd, 'notes.txt')), /cannot be reached; is it a SQLite database/)
    expect(close).toHaveBeenCalledOnce()
    await isRejected(target(cwd), /cannot be reached; is it a SQLite database/)
  })

  test('is opened with the first driver that is installed', async () => {
    const file = await newFile()
    const { drizzle, load: loadLibsql } = connected(() => [])
    load(file, missing('better-sqlite3'), loadLibsql)
    await open(file)
    expect(drizzle).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ connection: expect.objectContaining({ url: `file:${file.url}` }) }),
    )
    load(file, missing('better-sqlite3'), missing('@libsql/client'))
    await isRejected(file, /^file: needs a driver.*npm install better-sqlite3 \(or @libsql\/client\)$/)
  })

  test('cannot be opened with a driver that was built for another Node.js', async () => {
    const file = await newFile()
    load(file, async () => ({ drizzle: failing('ERR_DLOPEN_FAILED') }))
    await isRejected(file, /^the package better-sqlite3 cannot open a database.*npm rebuild better-sqlite3$/)
    load(file, async () => ({ drizzle: failing('SQLITE_CANTOPEN') }))
    await isRejected(file, /^connect: .*may this process open it\? \[SQLITE_CANTOPEN\]/)
  })
})

describe('a server', () => {
  const [pg, mysql] = [target('postgres://host/app'), target('mysql://host/app')]

  test('needs a driver', async () => {
    load(mysql, missing('mysql2'))
    await isRejected(mysql, /^mysql: needs a driver, and your project has none\. Run: npm install mysql2$/)
  })

  test.each([
    missing('other'),
    new Error("Cannot find package 'mysql2'"),
    Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' }),
  ])('has a driver that is installed and cannot be loaded: %s', async (error) => {
    load(mysql, error)
    await isRejected(mysql, /^the package mysql2 is installed, but cannot be loaded/)
  })

  test('is asked for an answer before the work begins', async () => {
    const query = vi.fn(async (_text: string) => ({ rows: [] }))
    const drizzle = vi.fn(() =>
      Object.assign(
        pgProxy((text) => query(text)),
        { $client: { end: async () => {} } },
      ),
    )
    load(pg, async () => ({ drizzle }))
    const { dialect, close } = await open(pg, 'snake_case')
    expect(dialect).toBe('pg')
    expect(drizzle).toHaveBeenCalledExactlyOnceWith({ connection: expect.objectContaining({ url: pg.url, max: 1 }), casing: 'snake_case' })
    expect(query).toHaveBeenCalledExactlyOnceWith('select 1')
    await close()
  })

  test('may close a connection that is idle, and fail to close it in the end', async () => {
    const listeners: [string, () => void][] = []
    const end = vi.fn(() => Promise.reject(new Error('lost')))
    load(pg, connected(async () => [], { end, on: (event, listener) => listeners.push([event, listener]) }).load)
    const { close } = await open(pg)
    expect(listeners).toEqual([['error', expect.any(Function)]])
    expect(listeners[0]?.[1]()).toBeUndefined()
    expect(await failureOf(close)).toBe('nothing')
    expect(end).toHaveBeenCalledOnce()
  })

  test.each([
    ['ECONNREFUSED', /^connect: the database cannot be reached/],
    ['28P01', /check the user and the password.*They are in --url/],
    ['3D000', /the database does not exist.*\[3D000\]\. The name is in --url/],
    ['XX000', /Check the address in --url/],
  ])('that answers with %s cannot be opened', async (code, message) => {
    const end = vi.fn(async () => {})
    load(pg, connected(failing(code), { end }).load)
    await isRejected(pg, message)
    expect(end).toHaveBeenCalledOnce()
    expect(String(await failureOf(() => open(pg)))).not.toContain('secret')
  })

  test('may dislike a parameter', async () => {
    const withParameters = target('postgres://host/app?x=secret')
    load(withParameters, connected(failing('XX000')).load)
    await isRejected(withParameters, /Check the parameters after the \? in --url/)
    load(withParameters, async () => ({ drizzle: failing('ERR_X') }))
    await isRejected(withParameters, /^the driver postgres does not accept --url\. Check the parameters/, 2)
  })

  test('may be opened with a driver that takes one host', async () => {
    const { drizzle, load: loadMysql } = connected(async () => [])
    load(mysql, loadMysql)
    expect(await open(mysql)).toMatchObject({ dialect: 'mysql' })
    expect(drizzle).toHaveBeenCalledOnce()
  })

  test('is one of several where the driver can choose', async () => {
    const several = target('postgres://a,b/app')
    const { drizzle, load: loadPg } = connected(async () => [])
    load(several, loadPg)
    await open(several)
    expect(drizzle).toHaveBeenCalledOnce()
    load(several, missing('postgres'), loadPg)
    await isRejected(several, /^--url names several hosts, and the driver pg takes one\. .*npm install postgres$/, 2)
    await isRejected(
      target('mysql://a,b/app'),
      /^--url names several hosts, and the driver mysql2 takes one\. Name the primary alone\.$/,
      2,
    )
  })
})
