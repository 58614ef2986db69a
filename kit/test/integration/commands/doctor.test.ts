import { describe, expect, inject, test } from 'vitest'
import { appWith, folderWith, run } from '../../support/commands/app.js'
import { openTestDatabase } from '../../support/doctor/database.js'

const text = expect.any(String)

describe.each(inject('dialects'))('doctor on %s', (dialect) => {
  test('exits with 0 if it finds nothing, and has no steps for tables that have been moved already', async () => {
    const { url } = await openTestDatabase(dialect)
    const { code, stdout, stderr } = await run(['doctor', '--strict'], { env: { DATABASE_URL: url } })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'nothing found\n' })
    expect(stderr).toMatch(/^examining the tables of Auth\.js in \S+\n$/)
    expect(await run(['doctor', '--url', url, '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await run(['doctor', '--url', url, '--json'])).toMatchObject({ code: 0, stdout: '{\n  "findings": []\n}\n' })
    const plan = await run(['doctor', '--from', 'official', '--url', url])
    const noChanges = /^-- Migration plan for the tables of Auth\.js in \S+\.\n--\n-- No changes are needed\.\n\s*$/
    expect(plan).toMatchObject({ code: 0, stdout: expect.stringMatching(noChanges) })
    expect(stderr + plan.stdout).not.toContain('only-for-this-test')
    const json = await run(['doctor', '--from', 'kysely', '--url', url, '--json', '--strict'])
    expect({ ...json, stdout: JSON.parse(json.stdout) }).toMatchObject({ code: 0, stdout: { findings: [], plan: [] } })
  })

  test('exits with 1 for errors, and with --strict for warnings', async () => {
    const { url, exec } = await openTestDatabase(dialect)
    await exec(`drop index "session_expires_idx"${dialect === 'mysql' ? ' on "session"' : ''}`)
    const warned = await run(['doctor', '--url', url])
    expect(warned.code).toBe(0)
    expect(warned.stdout).toMatch(
      /^warning {2}session\.expires: no index starts .* \[missing-index\]\n {9}fix: CREATE INDEX .*;\n\n0 errors, 1 warning\n$/,
    )
    expect(await run(['doctor', '--url', url, '--strict'])).toMatchObject({ code: 1, stdout: warned.stdout })
    await exec('drop table "verificationToken"')
    const { code, stdout } = await run(['doctor', '--url', url, '--json', '--quiet'])
    expect(code).toBe(1)
    const missing = { code: 'missing-table', severity: 'error', table: 'verificationToken', message: text, fix: text }
    const index = { code: 'missing-index', severity: 'warning', table: 'session', column: 'expires', message: text, fix: text }
    expect(JSON.parse(stdout)).toEqual({ findings: [missing, index] })
  })

  test('finds migrations that were not applied', async () => {
    const { url, exec, role } = await openTestDatabase(dialect)
    const journal = { entries: [{ when: 1_000 }, { when: 2_000 }] }
    const cwd = await folderWith({ 'drizzle/meta/_journal.json': JSON.stringify(journal) })
    const doctor = async () => {
      const { code, stdout, stderr } = await run(['doctor', '--url', url, '--json'], { cwd })
      return { code, found: JSON.parse(stdout).findings, stderr }
    }
    // With drizzle-kit push, there is no migrations table.
    expect(await doctor()).toMatchObject({ code: 0, found: [] })
    const table = dialect === 'pg' ? 'drizzle."__drizzle_migrations"' : '"__drizzle_migrations"'
    if (dialect === 'pg') await exec('create schema drizzle')
    await exec(`create table ${table} (id integer primary key, hash varchar(100), created_at bigint)`)
    await exec(`insert into ${table} values (1, 'x', 1000)`)
    if (dialect === 'pg') {
      expect(await doctor()).toMatchObject({ code: 0, found: [], stderr: expect.stringContaining('cannot be read by this user') })
      await exec(`grant usage on schema drizzle to ${role}`)
      await exec(`grant select on ${table} to ${role}`)
    }
    const message = '1 migration was generated but not applied'
    expect(await doctor()).toMatchObject({ code: 1, found: [{ code: 'pending-migration', severity: 'error', message }] })
    await exec(`insert into ${table} values (2, 'y', 2000)`)
    expect(await doctor()).toMatchObject({ code: 0, found: [] })
  })
})

describe.runIf(inject('dialects').includes('sqlite'))('doctor', () => {
  const users = `import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const users = sqliteTable('user', { id: text().primaryKey(), email: text().notNull(), emailVerified: integer({ mode: 'timestamp_ms' }) })
`
  const sessions = (name: string, userId: string, more = '') =>
    `export const sessions = sqliteTable('${name}', { sessionToken: text().primaryKey(), userId: text('${userId}').notNull(), expires: integer({ mode: 'timestamp_ms' }).notNull(), ${more} })\n`

  test('reads the schema of the app, and finds migrations of drizzle-kit 1.0 that were not applied', async () => {
    const { url, exec } = await openTestDatabase('sqlite')
    await exec('create table "applied" (id integer primary key, hash text, created_at integer)')
    const config = { dialect: 'sqlite', schema: './schema.js', out: './sql', migrations: { table: 'applied' } }
    const cwd = await appWith({
      'schema.js': users + sessions('session', 'userId', 'device: text()'),
      'drizzle.config.json': JSON.stringify(config),
      'sql/20260101120000_first/migration.sql': 'select 1',
    })
    const pending = 'error    1 migration was generated but not applied [pending-migration]\n         fix: npx drizzle-kit migrate\n'
    const { code, stdout } = await run(['doctor', '--url', url], { cwd })
    expect(code).toBe(1)
    expect(stdout).toContain(pending)
    expect(stdout).toMatch(/session\.device: the column is not in the database \[missing-column\]/)
    expect(stdout).toMatch(/\n2 errors, 0 warnings\n$/)
    await exec(`insert into "applied" values (1, 'x', ${Date.UTC(2026, 0, 1, 12)})`)
    expect((await run(['doctor', '--url', url], { cwd })).stdout).not.toContain('pending-migration')
  })

  test('advises the line for the schema file first, if the app uses drizzle-kit', async () => {
    const { url, exec } = await openTestDatabase('sqlite')
    await exec('drop index "session_expires_idx"')
    const own = users + sessions('session', 'userId')
    const statement = 'CREATE INDEX "session_expires_idx" ON "session" ("expires");'
    const line = `Add index('session_expires_idx').on(table.expires) to your schema file, and run npx drizzle-kit generate. Without it: `
    const config = JSON.stringify({ dialect: 'sqlite', schema: './schema.js' })
    const withKit = await run(['doctor', '--url', url], { cwd: await appWith({ 'schema.js': own, 'drizzle.config.json': config }) })
    expect(withKit.stdout).toContain(`fix: ${line}${statement}`)
    const without = await run(['doctor', '--url', url, '--schema', 'schema.js'], { cwd: await appWith({ 'schema.js': own }) })
    expect(without.stdout).toContain(`fix: ${statement}`)
  })

  test('exits with 2 if the schema exports none of the tables, and with 1 if the server does not answer', async () => {
    const { url } = await openTestDatabase('sqlite')
    const cwd = await appWith({
      'schema.js': sessions('others', 'user')
        .replaceAll('sessions', 'others')
        .replace('sessionToken', 'key')
        .replace('export', users.replace(/export[\s\S]*/, 'export')),
    })
    const none = await run(['doctor', '--url', url, '--schema', 'schema.js'], { cwd })
    const message = /--schema exports no tables of Auth\.js or Better Auth, only others\. Auth\.js has a table session with sessionToken/
    expect(none).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
    const refused = await run(['doctor', '--json', '--url', 'postgres://u:hidden-password@127.0.0.1:1/x'])
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Is it running') })
  })
})
