import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { App } from './app.js'
import { newApp } from './app.js'

// The command on SQLite. test/integration/commands/doctor.once.test.ts runs it on every database; what it finds is in test/integration/doctor.

const table = (name: string, columns: string) => `sqliteTable('${name}', { ${columns} })`
const schemaOf = (exports: Record<string, string>) =>
  `import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'\n${Object.entries(exports)
    .map(([name, text]) => `export const ${name} = ${text}\n`)
    .join('')}`

let app: App
beforeEach(async () => {
  app = await newApp()
})

const doctor = (...args: string[]) => app.run(['doctor', ...args])
const codes = (stdout: string) => JSON.parse(stdout).findings.map(({ code }: { code: string }) => code)

/** Makes the doctor find a warning, or an error. */
const warn = () => app.client.exec('drop index session_expires_idx')
const err = () => app.client.exec('drop table authenticator')

describe('what the doctor prints', () => {
  test('if it finds nothing', async () => {
    expect(await doctor()).toEqual({ code: 0, stdout: 'nothing found\n', stderr: `examining ${app.cwd}/app.db\n` })
    expect(await doctor('--quiet')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await doctor('--json', '--strict')).toMatchObject({ code: 0, stdout: '{\n  "findings": []\n}\n' })
  })

  test('of a warning', async () => {
    warn()
    const { code, stdout } = await doctor()
    expect(code).toBe(0)
    expect(stdout).toMatch(/^warning {2}session\.expires: .* \[missing-index\]\n {9}fix: CREATE INDEX .*;\n\n0 errors, 1 warning\n$/)
    expect(await doctor('--quiet')).toEqual({ code: 0, stdout: stdout.replace('\n0 errors, 1 warning\n', ''), stderr: '' })
    expect(await doctor('--strict')).toMatchObject({ code: 1, stdout })
  })

  test('of errors', async () => {
    err()
    const { code, stdout } = await doctor()
    expect(code).toBe(1)
    expect(stdout).toMatch(/^error {4}authenticator: .* \[missing-table\]\n/)
    expect(stdout).toMatch(/\n\n1 error, 0 warnings\n$/)
    warn()
    app.client.exec('drop table account; drop index "session_userId_idx"')
    expect((await doctor()).stdout).toMatch(/\n\n2 errors, 2 warnings\n$/)
    expect(codes((await doctor('--json', '--quiet')).stdout).sort()).toEqual([
      'missing-index',
      'missing-index',
      'missing-table',
      'missing-table',
    ])
  })

  test('of migrations that were not applied', async () => {
    const pending = await newApp({ 'drizzle/20260101120000_first/migration.sql': '' })
    pending.client.exec('create table __drizzle_migrations (id integer, hash text, created_at integer)')
    const { code, stdout } = await pending.run(['doctor'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^error {4}1 migration was generated and not applied \[pending-migration\]\n {9}fix: npx drizzle-kit migrate\n/)
  })
})

describe('the tables', () => {
  const sessions = table(
    'session',
    `sessionToken: text('sessionToken').primaryKey(), userId: text('userId').notNull(), device: text(), expires: integer('expires', { mode: 'timestamp_ms' }).notNull()`,
  )

  test.each(['sessionsTable', 'sessions', 'anything'])('may be exported as %s', async (name) => {
    const own = await newApp({ 'schema.js': schemaOf({ [name]: sessions }) })
    // The other tables are not examined.
    own.client.exec('drop table account')
    const { code, stdout } = await own.run(['doctor', '--json', '--schema', 'schema.js'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout).findings).toMatchObject([{ code: 'missing-column', table: 'session', column: 'device' }])
  })

  test.each([
    ['usersTable', 'x'],
    ['users', 'x'],
    ['x', 'user'],
    ['accountsTable', 'x'],
    ['accounts', 'x'],
    ['x', 'account'],
    ['sessionsTable', 'x'],
    ['sessions', 'x'],
    ['x', 'session'],
    ['verificationTokensTable', 'x'],
    ['verificationTokens', 'x'],
    ['x', 'verificationToken'],
    ['x', 'verification_token'],
    ['authenticatorsTable', 'x'],
    ['authenticators', 'x'],
    ['x', 'authenticator'],
  ])('are known by the export %s or by the name %s', async (exported, name) => {
    const own = await newApp({ 'schema.js': schemaOf({ [exported]: table(name, 'other: text()') }) })
    const { code, stderr } = await own.run(['doctor', '--schema', 'schema.js'])
    // The table is examined: it lacks the columns of the contract.
    expect(code).toBe(2)
    expect(stderr).toMatch(/Table\b/)
    expect(stderr).not.toContain('exports none of the tables')
  })

  test('must be exported', async () => {
    const own = await newApp({ 'schema.js': schemaOf({ x: table('x', 'id: text()') }) })
    const { code, stderr } = await own.run(['doctor', '--schema', 'schema.js'])
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /--schema exports none of the tables usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable/,
    )
  })
})

describe('the plan of a move', () => {
  const old = {
    users: table('user', `id: text().primaryKey(), email: text(), emailVerified: integer({ mode: 'timestamp_ms' })`),
    sessions: table(
      'logins',
      `sessionToken: text().primaryKey(), userId: text().notNull(), expires: integer({ mode: 'timestamp_ms' }).notNull()`,
    ),
    accounts: table(
      'account',
      `userId: text().notNull(), type: text().notNull(), provider: text().notNull(), providerAccountId: text().notNull()`,
    ),
  }

  test('has no steps for tables that were moved', async () => {
    const { code, stdout } = await doctor('--from', 'official')
    expect(code).toBe(0)
    expect(stdout).toMatch(/Nothing has to be changed/)
    const json = await doctor('--from', 'kysely', '--json', '--strict')
    expect({ code: json.code, ...JSON.parse(json.stdout) }).toEqual({ code: 0, findings: [], plan: [] })
  })

  test('leads to the tables of defineTables() while the configuration has the old ones', async () => {
    const own = await newApp({ 'schema.js': schemaOf(old), 'drizzle.config.json': '{ "dialect": "sqlite", "schema": "schema.js" }' })
    own.client.exec('alter table session rename to logins')
    const { code, stdout } = await own.run(['doctor', '--from', 'official', '--json'])
    expect(codes(stdout)).toContain('old-tables')
    expect(JSON.parse(stdout).plan[0]).toEqual({ about: expect.any(String), sql: expect.any(Array) })
    const explicit = await own.run(['doctor', '--from', 'official', '--json', '--schema', 'schema.js'])
    expect(codes(explicit.stdout)).not.toContain('old-tables')
    const strict = await own.run(['doctor', '--from', 'official', '--strict'])
    expect([code, strict.code]).toEqual([0, 1])
  })

  test('cannot be made for tables of another database', async () => {
    const text = `import { pgTable, text } from 'drizzle-orm/pg-core'\nexport const users = pgTable('user', { id: text().primaryKey(), email: text() })\n`
    const own = await newApp({ 'schema.js': text })
    expect(await own.run(['doctor', '--from', 'official', '--schema', 'schema.js'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^drizzle-auth-adapter: doctor: .*table of pg, the database is sqlite/m),
    })
  })

  test('cannot be made if the database cannot be read', async () => {
    const file = join(app.cwd, 'app.db')
    // Everything but the names of the tables is damaged.
    const pageSize = Number(app.client.pragma('page_size', { simple: true }))
    writeFileSync(file, readFileSync(file).fill(0xff, pageSize))
    const { code, stdout, stderr } = await doctor('--from', 'official')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/drizzle-auth-adapter: doctor: /)
  })

  test('is for the tables of a known adapter', async () => {
    expect(await doctor('--from', 'secret')).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/--from takes official or prisma or kysely\.\n$/),
    })
  })
})

test.each(['--json', '--strict', '--quiet'])('%s takes no value', async (option) => {
  expect(await doctor(`${option}=x`)).toMatchObject({ code: 2, stderr: expect.stringContaining(`${option} takes no value`) })
})
