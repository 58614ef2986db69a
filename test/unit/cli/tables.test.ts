import { getTableName } from 'drizzle-orm'
import { getTableConfig as mysqlConfig } from 'drizzle-orm/mysql-core'
import { getTableConfig as pgConfig } from 'drizzle-orm/pg-core'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import type { Settings } from '../../../src/cli/settings.js'
import { defaultTables, pickTable, schemaTables } from '../../../src/cli/tables.js'
import { failureOf, folderWith, install } from './files.js'

async function isRejected(call: () => unknown, message: RegExp, exitCode = 2): Promise<void> {
  const failure = await failureOf(call)
  expect(failure).toBeInstanceOf(Problem)
  expect(failure).toMatchObject({ message: expect.stringMatching(message), exitCode })
}

describe('the tables of schema files', () => {
  const declare = (name: string, table: string) =>
    `import { sqliteTable, text } from 'drizzle-orm/sqlite-core'\nexport const ${name} = sqliteTable('${table}', { id: text() })\n`

  const tablesOf = async (schema: string[] | undefined, files: Record<string, string> = {}, more: Partial<Settings> = {}) => {
    const cwd = await folderWith(files)
    await install(cwd, 'drizzle-orm')
    return schemaTables({ schema, schemaSource: '--schema', ...more } as Settings, cwd)
  }

  test('are all tables that they export', async () => {
    const files = {
      'a.mjs': `${declare('users', 'user')}export const other = { a: 1 }\nexport const none = null\n`,
      'b.mjs': declare('sessions', 'session'),
    }
    const tables = await tablesOf(['?.mjs'], files)
    expect(Object.entries(tables).map(([name, table]) => [name, getTableName(table)])).toEqual([
      ['users', 'user'],
      ['sessions', 'session'],
    ])
    expect(Object.keys(await tablesOf(['b.mjs'], files))).toEqual(['sessions'])
  })

  test('must be somewhere', async () => {
    await isRejected(() => tablesOf(undefined), /^which tables\?/)
    await isRejected(() => tablesOf(['nowhere.ts']), /^--schema names no file/)
    await isRejected(() => tablesOf(['a.mjs'], { 'a.mjs': 'export const a = 1\n' }), /^--schema exports no tables/)
  })

  test('are not there if the configuration cannot be read', async () => {
    const unread = new Problem('the configuration cannot be loaded')
    expect(await failureOf(() => tablesOf(undefined, {}, { unread }))).toBe(unread)
  })
})

describe('a table', () => {
  const [users, sessions, logins] = ['user', 'session', 'logins'].map((name) => sqliteTable(name, { id: text() })) as [never, never, never]
  const pick = (tables: Parameters<typeof pickTable>[0], given?: string) =>
    pickTable(tables, '--sessions', given, ['sessionsTable', 'sessions'], 'session')

  test('is found by the export that was named', () => {
    expect(pick({ sessions, logins }, 'logins')).toBe(logins)
  })

  test('is found by the usual exports, the first of them first, and then by its name in the database', () => {
    expect(pick({ other: sessions, sessions: users, sessionsTable: logins })).toBe(logins)
    expect(pick({ other: sessions, sessions: logins })).toBe(logins)
    expect(pick({ users, logins, other: sessions })).toBe(sessions)
    expect(pick({ users, logins })).toBeUndefined()
  })

  test('must be one of the exports if it was named', async () => {
    for (const given of ['session', 'constructor'])
      await isRejected(() => pick({ users, sessions }, given), /^--sessions names no table .*exports users, sessions\.$/)
  })
})

describe('the default tables', () => {
  const keys = ['usersTable', 'accountsTable', 'sessionsTable', 'verificationTokensTable', 'authenticatorsTable']

  test.each(['pg', 'mysql', 'sqlite'] as const)('have the names of defineTables() on %s, or others', async (dialect) => {
    const tables = await defaultTables(dialect, { session: 'logins', account: undefined })
    expect(Object.keys(tables)).toEqual(keys)
    expect(Object.values(tables).map(getTableName)).toEqual(['user', 'account', 'logins', 'verificationToken', 'authenticator'])
    const snake = await defaultTables(dialect, {}, 'snake_case')
    expect(getTableName(snake.verificationTokensTable as never)).toBe('verification_token')
  })

  test.each([
    ['pg', pgConfig],
    ['mysql', mysqlConfig],
  ] as const)('may be in a schema on %s', async (dialect, configOf) => {
    const { sessionsTable, usersTable } = await defaultTables(dialect, { session: 'auth.logins' })
    expect(configOf(sessionsTable as never)).toMatchObject({ schema: 'auth', name: 'logins' })
    expect(configOf(usersTable as never)).toMatchObject({ schema: undefined, name: 'user' })
  })

  test('are in no schema on SQLite', () => isRejected(() => defaultTables('sqlite', { session: 'auth.logins' }), /^SQLite has no schemas/))
})
