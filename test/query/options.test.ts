import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterEach, expect, test, vi } from 'vitest'
import { checkAdapter } from '../../src/checks.js'
import { AdapterConfigError } from '../../src/query/errors.js'
import { defineTables } from '../../src/sqlite/tables.js'

// What an adapter needs besides tables that fit: its options, and the runtime.

const db = drizzle({ client: new Database(':memory:') })
const tables = defineTables()
const check = (options: unknown, given: unknown) => checkAdapter('Test', 'sqlite', db as never, given as never, options as object)

/** Expects an error for whoever configures the adapter, which contains these words. */
function rejects(run: () => unknown, ...words: string[]) {
  let error: unknown
  try {
    run()
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(AdapterConfigError)
  for (const word of ['Test: ', ...words]) expect((error as Error).message).toContain(word)
}

afterEach(() => void vi.unstubAllGlobals())

test.each([
  ['namedStatements', [undefined, true, false], ['yes', 0, null]],
  ['secrets', [undefined, { protect: () => undefined }], [null, {}, 'secret', true]],
  [
    'retry',
    [undefined, false, {}, { tries: 1 }, { tries: 3, within: 0 }, { within: 0.5 }],
    [true, null, 3, 'no', { times: 3 }, { tries: 3, every: 1 }],
  ],
  ['retry.tries', [], [{ tries: 0 }, { tries: 1.5 }, { tries: '3' }, { tries: Number.POSITIVE_INFINITY }]],
  ['retry.within', [], [{ within: -1 }, { within: Number.NaN }, { within: '3' }]],
  ['other', [], [1, undefined]],
])('checks its options: %s', (name, right, wrong) => {
  const option = name.split('.')[0] as string
  for (const value of right) check({ [option]: value }, tables)
  for (const value of wrong) rejects(() => check({ [option]: value }, tables), name)
})

test('takes its options as an object', () => {
  check({}, tables)
  for (const options of [null, 'retry', 3, [], () => {}]) rejects(() => check(options, tables), 'options must be an object')
})

test('needs users and accounts', () => {
  const { usersTable, accountsTable } = tables
  check({}, { usersTable, accountsTable })
  rejects(() => check({}, { accountsTable }), 'usersTable is missing')
  rejects(() => check({}, { usersTable }), 'accountsTable is missing')
  for (const none of [undefined, null]) rejects(() => check({}, none), 'usersTable is missing')
  rejects(() => check({}, { usersTable, accountsTable, sessionsTable: {} }), 'sessionsTable')
})

test('needs a current runtime', () => {
  const { isWellFormed } = String.prototype
  try {
    String.prototype.isWellFormed = undefined as never
    rejects(() => check({}, tables), 'isWellFormed')
  } finally {
    String.prototype.isWellFormed = isWellFormed
  }
})

test.each([undefined, {}])('makes ids with crypto.randomUUID, unless they have a default: %j', (value) => {
  vi.stubGlobal('crypto', value)
  rejects(() => check({}, tables), 'crypto.randomUUID')
  const id = text().$defaultFn(() => 'id')
  const usersTable = sqliteTable('people', { id, email: text(), emailVerified: integer({ mode: 'timestamp' }) })
  check({}, { ...tables, usersTable })
})
