import { describe, expect, inject, test } from 'vitest'
import { openClinic } from '../doctor/clinic.js'
import { appWith, folderWith, run } from './app.js'

describe.each(inject('dialects'))('doctor on %s', (dialect) => {
  test('says that all is well, and ends with 0', async () => {
    const { url } = await openClinic(dialect)
    const { code, stdout, stderr } = await run(['doctor', '--strict'], { env: { DATABASE_URL: url } })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'nothing found\n' })
    expect(stderr).toMatch(/^examining \S+\n$/)
    expect(stderr).not.toContain('only-for-this-test')
    expect(await run(['doctor', '--url', url, '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await run(['doctor', '--url', url, '--json'])).toMatchObject({ code: 0, stdout: '{\n  "findings": []\n}\n' })
  })

  test('ends with 1 for errors, and for warnings if it is strict', async () => {
    const { url, exec } = await openClinic(dialect)
    await exec(`drop index "session_expires_idx"${dialect === 'mysql' ? ' on "session"' : ''}`)
    const warned = await run(['doctor', '--url', url])
    expect(warned.code).toBe(0)
    expect(warned.stdout).toMatch(
      /^warning {2}session\.expires: no index begins .* \[missing-index\]\n {9}fix: CREATE INDEX .*;\n\n0 errors, 1 warning\n$/,
    )
    expect(await run(['doctor', '--url', url, '--strict'])).toMatchObject({ code: 1, stdout: warned.stdout })
    await exec('drop table "verificationToken"')
    const { code, stdout } = await run(['doctor', '--url', url, '--json', '--quiet'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      findings: [
        {
          code: 'missing-table',
          severity: 'error',
          table: 'verificationToken',
          message: expect.any(String),
          fix: expect.any(String),
        },
        {
          code: 'missing-index',
          severity: 'warning',
          table: 'session',
          column: 'expires',
          message: expect.any(String),
          fix: expect.any(String),
        },
      ],
    })
  })

  test('finds migrations that were not applied', async () => {
    const { url, exec, role } = await openClinic(dialect)
    const journal = {
      entries: [
        { when: 1_000, tag: '0000_a' },
        { when: 2_000, tag: '0001_b' },
      ],
    }
    const cwd = await folderWith({ 'drizzle/meta/_journal.json': JSON.stringify(journal) })
    const doctor = async () => {
      const { code, stdout, stderr } = await run(['doctor', '--url', url, '--json'], { cwd })
      return { code, found: JSON.parse(stdout).findings, stderr }
    }
    // Who pushes has no migrations table.
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
    expect(await doctor()).toMatchObject({
      code: 1,
      found: [{ code: 'pending-migration', severity: 'error', message: '1 migration was generated and not applied' }],
    })
    await exec(`insert into ${table} values (2, 'y', 2000)`)
    expect(await doctor()).toMatchObject({ code: 0, found: [] })
  })
})

describe.runIf(inject('dialects').includes('sqlite'))('doctor', () => {
  const schema = `import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const sessions = sqliteTable('session', {
  sessionToken: text('sessionToken').primaryKey(),
  userId: text('userId').notNull(),
  expires: integer('expires', { mode: 'timestamp_ms' }).notNull(),
  device: text('device'),
})
`

  test('reads the schema of the app, and of the migrations of drizzle-kit 1.0 those that were not applied', async () => {
    const { url, exec } = await openClinic('sqlite')
    await exec('create table "applied" (id integer primary key, hash text, created_at integer)')
    const config = { dialect: 'sqlite', schema: './schema.js', out: './sql', migrations: { table: 'applied' } }
    const cwd = await appWith({
      'schema.js': schema,
      'drizzle.config.json': JSON.stringify(config),
      'sql/20260101120000_first/migration.sql': 'select 1',
    })
    const { code, stdout } = await run(['doctor', '--url', url], { cwd })
    expect(code).toBe(1)
    expect(stdout).toMatch(/1 migration was generated and not applied \[pending-migration\]/)
    expect(stdout).toMatch(/session\.device: the column is not in the database \[missing-column\]/)
    expect(stdout).toMatch(/\n2 errors, 0 warnings\n$/)
  })

  test('ends with 2 if the schema exports none of the tables', async () => {
    const { url } = await openClinic('sqlite')
    const cwd = await appWith({ 'schema.js': schema.replaceAll('sessions', 'others').replace("'session'", "'other'") })
    const { code, stderr } = await run(['doctor', '--url', url, '--schema', 'schema.js'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toMatch(/--schema exports none of the tables usersTable, accountsTable,/)
  })

  test('explains its options, and a server that does not answer', async () => {
    const { stdout } = await run(['doctor', '--help'])
    for (const option of ['url', 'schema', 'json', 'strict', 'quiet', 'help', 'version']) expect(stdout).toContain(`  --${option} `)
    expect(await run(['doctor', '--strict=yes', '--url', 'x.db'])).toMatchObject({ code: 2 })
    const refused = await run(['doctor', '--json', '--url', 'postgres://u:hidden-password@127.0.0.1:1/x'])
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Is the server running') })
    expect(refused.stderr).not.toContain('hidden-password')
  })
})
