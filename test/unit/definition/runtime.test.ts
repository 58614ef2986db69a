import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { AdapterConfigError, DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/sqlite'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { root } from '../../support/root.js'

const db = drizzle({ client: new Database(':memory:') })
const missing: [string, object, string, RegExp][] = [
  ['String.prototype.isWellFormed', String.prototype, 'isWellFormed', /isWellFormed/],
  ['crypto.randomUUID', Object.getPrototypeOf(crypto), 'randomUUID', /crypto\.randomUUID/],
  ['crypto', globalThis, 'crypto', /crypto\.randomUUID/],
]

/** Runs a function while the runtime lacks a property. */
function without<T>(owner: object, name: string, run: () => T): T {
  const { configurable, enumerable, ...descriptor } = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor
  Object.defineProperty(owner, name, { configurable: true, value: undefined })
  try {
    return run()
  } finally {
    Object.defineProperty(owner, name, { configurable, enumerable, ...descriptor } as PropertyDescriptor)
  }
}

test.each(missing)('DrizzleAdapter rejects a runtime without %s', (_name, owner, name, message) => {
  const tables = defineTables()
  const createAdapter = () => without(owner, name, () => DrizzleAdapter(db, tables))
  expect(createAdapter).toThrow(AdapterConfigError)
  expect(createAdapter).toThrow(message)
  expect(DrizzleAdapter(db, tables)).toBeTypeOf('object')
})

test('DrizzleAdapter accepts a runtime without crypto.randomUUID if the ids have a default', () => {
  const usersTable = sqliteTable('people', {
    id: integer().primaryKey({ autoIncrement: true }),
    email: text().notNull(),
    emailVerified: integer({ mode: 'timestamp' }),
  })
  const tables = defineTables({ usersTable })
  expect(without(Object.getPrototypeOf(crypto), 'randomUUID', () => DrizzleAdapter(db, tables))).toBeTypeOf('object')
})

// The built package, in a process that lacks these from the start.
test.each([
  ['delete String.prototype.isWellFormed', /isWellFormed/],
  ['delete Object.getPrototypeOf(crypto).randomUUID', /crypto\.randomUUID/],
])('the built package rejects such a process: %s', async (statement, message) => {
  const script = `
    ${statement}
    const [{ default: Database }, { DrizzleAdapter }, { defineTables }, { drizzle }] = await Promise.all(
      ['better-sqlite3', 'drizzle-auth-adapter', 'drizzle-auth-adapter/sqlite', 'drizzle-orm/better-sqlite3'].map((name) => import(name)),
    )
    try {
      DrizzleAdapter(drizzle({ client: new Database(':memory:') }), defineTables())
      console.log('made')
    } catch (error) {
      console.log(error.name + ': ' + error.message)
    }`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
  })
  expect(stdout).toMatch(/^AdapterConfigError: /)
  expect(stdout).toMatch(message)
})
