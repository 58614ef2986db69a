import Database from 'better-sqlite3'
import { AdapterOperationError, DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/sqlite'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as lite from 'drizzle-orm/sqlite-core'
import { expect, inject, onTestFinished, test } from 'vitest'
import type { OnError } from '../../../src/query/errors.js'
import { createTable } from '../../support/ddl.js'
import { makeAdapter, openDatabase } from './database.js'

type Calls = [error: Parameters<OnError>[0], cause: unknown][]

/** An `onError` that keeps what it is called with. */
function recorder() {
  const calls: Calls = []
  const onError: OnError = (error, cause) => void calls.push([error, cause])
  return { calls, onError }
}

test.each(inject('dialects'))(
  'onError gets the original error of the driver once, and what it throws is ignored, on %s',
  async (dialect) => {
    const { db, tables, close } = await openDatabase(dialect)
    onTestFinished(close)
    const { calls, onError: record } = recorder()
    const onError: OnError = (error, cause) => {
      record(error, cause)
      throw new Error('of the hook')
    }
    const adapter = makeAdapter(db, tables, { onError })
    await adapter.createUser({ id: 'ada', email: 'ada@example.com' })
    expect(await adapter.getUser('nobody')).toBeNull()
    expect(calls).toEqual([])
    const thrown = await adapter.createUser({ id: 'eva', email: 'ada@example.com' }).catch((error) => error)
    expect(calls).toHaveLength(1)
    const [error, cause] = calls[0] as Calls[number]
    expect(error).toBe(thrown)
    expect(error).toMatchObject({ operation: 'createUser', kind: 'duplicate' })
    expect(error.cause).toBeUndefined()
    // The driver's own, not the one that Drizzle wraps it in.
    expect((cause as Error).message).toMatch(/duplicate|unique/i)
    expect((cause as Error).message).not.toMatch(/^Failed query/)
  },
)

test('onError may be async, and its rejection is ignored', async () => {
  const { db, tables, close } = await openDatabase('sqlite')
  onTestFinished(close)
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const adapter = makeAdapter(db, tables, { onError: async () => Promise.reject(new Error('of the hook')) })
  await expect(adapter.updateUser({ id: 'nobody', name: 'x' })).rejects.toMatchObject({ kind: 'not-found' })
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).toEqual([])
})

const failing = (what: string) => () => {
  throw new Error(`secret of ${what}`)
}

test.each(['$defaultFn', '$onUpdate', 'toDriver', 'fromDriver'])('an exception in %s is named, and its column', async (what) => {
  const on = (name: string) => (name === what ? failing(name) : undefined)
  const custom = lite.customType<{ data: string }>({
    dataType: () => 'text',
    toDriver: on('toDriver') ?? ((value) => value),
    fromDriver: on('fromDriver') ?? ((value) => String(value)),
  })
  const plan =
    what === '$defaultFn'
      ? lite.text('plan_name').$defaultFn(failing(what))
      : what === '$onUpdate'
        ? lite.text('plan_name').$onUpdate(failing(what))
        : custom('plan_name')
  const { usersTable, accountsTable } = defineTables({ columns: { users: { plan } } })
  const client = new Database(':memory:')
  for (const table of [usersTable, accountsTable]) client.exec(createTable(table, '"'))
  const { calls, onError } = recorder()
  const adapter = DrizzleAdapter(drizzle({ client }), { usersTable, accountsTable }, { onError })
  const error = await adapter
    .createUser({ id: 'ada', email: 'ada@example.com', ...(what.startsWith('$') ? {} : { plan: 'pro' }) })
    .catch((error) => error)
  expect(error).toBeInstanceOf(AdapterOperationError)
  expect(error).toMatchObject({ kind: 'definition', table: 'user', column: 'plan_name', message: expect.stringContaining(what) })
  expect(error.message).not.toContain('secret')
  expect(calls.map(([, cause]) => (cause as Error).message)).toEqual([`secret of ${what}`])
  // Only the row that was written cannot be read.
  expect(client.prepare('select count(*) as users from user').get()).toEqual({ users: what === 'fromDriver' ? 1 : 0 })
  expect(error.message.includes('the write itself happened')).toBe(what === 'fromDriver')
})
