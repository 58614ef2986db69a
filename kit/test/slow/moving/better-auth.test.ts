import { drizzleAdapter as officialAdapter } from '@better-auth/drizzle-adapter'
import { betterAuth } from 'better-auth'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { drizzleAdapter } from '../../../../src/better-auth/index.js'
import { loadOfficialSchema, loadSchemaCode } from '../../../../test/support/better-auth.js'
import { openDatabase } from '../../../../test/support/databases.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { examine } from '../../../src/doctor/index.js'
import { installedApp, start } from '../../support/commands/app.js'
import { generatedCode } from '../../support/doctor/better-auth.js'

/** Moves an app from Better Auth's own Drizzle adapter with the statements that `doctor --from better-auth` prints. */

interface Scenario {
  name: string
  dialect: DialectName
  settings?: string
  zone?: string
  /** Codes of the notices. */
  notices: string[]
}

const scenarios: Scenario[] = [
  { name: 'sqlite', dialect: 'sqlite', notices: ['undeclared-columns'] },
  { name: 'pg', dialect: 'pg', notices: ['undeclared-columns'] },
  {
    name: 'mysql',
    dialect: 'mysql',
    settings: 'character set utf8mb4',
    zone: '+02:00',
    notices: ['capitals', 'dropped-default', 'other-columns', 'other-tables', 'undeclared-columns'],
  },
  {
    name: 'mysql, tables in latin1',
    dialect: 'mysql',
    settings: 'character set latin1',
    zone: '+02:00',
    notices: ['capitals', 'dropped-default', 'other-columns', 'other-tables', 'undeclared-columns'],
  },
]

const ends = new Date('2037-12-31T12:30:00.123Z')
const written = new Date(Date.now() - 60_000)

const literals: Record<DialectName, (date: Date) => string> = {
  sqlite: (date) => `${date.getTime()}`,
  pg: (date) => `'${date.toISOString().slice(0, -1)}'`,
  mysql: (date) => `'${date.toISOString().slice(0, -1)}'`,
}

const idTypes: Record<DialectName, string> = { sqlite: 'text', pg: 'text', mysql: 'varchar(36)' }

/** A database of an app with the official adapter: its tables, a table that refers to users, and rows. */
async function openApp({ dialect, settings = '', zone }: Scenario) {
  const { statements } = await loadOfficialSchema(dialect, {})
  const database = await openDatabase(dialect, { migrations: statements, settings, connections: 1 })
  onTestFinished(database.close)
  const exec = (statement: string) => database.exec(dialect === 'mysql' ? statement.replaceAll('"', '`') : statement)
  const [end, now] = [literals[dialect](ends), literals[dialect](written)]
  if (zone) await exec(`set time_zone = '${zone}'`)
  await exec(`alter table "user" add column "city" varchar(40)`)
  await exec(
    `create table "My Posts" (id integer primary key, author ${idTypes[dialect]}, constraint written foreign key (author) references "user" (id) on delete set null)`,
  )
  await exec(
    `insert into "user" (id, name, email, city, created_at, updated_at) values ('u', 'José', 'josé@example.com', 'Köln', ${now}, ${now}), ('v', '', 'V@example.com', null, ${now}, ${now})`,
  )
  await exec(
    `insert into "account" (id, provider_id, account_id, user_id, access_token, access_token_expires_at, created_at, updated_at) values ('a', 'hub', 'Ünique', 'u', 'tökén', ${end}, ${now}, ${now})`,
  )
  await exec(
    `insert into "session" (id, token, user_id, expires_at, created_at, updated_at) values ('s', 'Token', 'u', ${end}, ${now}, ${now})`,
  )
  await exec(`insert into "My Posts" values (1, 'u'), (2, null)`)
  if (zone) await exec(`set time_zone = default`)
  return { ...database, exec }
}

describe.each(scenarios.filter(({ dialect }) => inject('dialects').includes(dialect)))('doctor --from better-auth: $name', (scenario) => {
  const { dialect, zone, notices } = scenario

  test('moves every row, and keeps the other tables of the app', { timeout: 240_000 }, async () => {
    const app = await openApp(scenario)
    const code = await generatedCode(dialect)
    const folder = await installedApp({ files: { 'auth-schema.ts': code } })
    const doctor = async (...args: string[]) =>
      start(folder, ['doctor', '--from', 'better-auth', '--url', app.url, '--schema', 'auth-schema.ts', ...args]).ended
    const options = zone ? ['--time-zone', zone] : []
    const printed = await doctor('--json', ...options)
    const { findings, plan } = JSON.parse(printed.stdout)
    expect([...new Set(findings.map((each: { code: string }) => each.code))].sort()).toEqual(notices)
    expect(printed.code).toBe(0)
    const script = await doctor(...options)
    expect(script.stdout).toMatch(/^-- Migration plan for the tables of Better Auth in \S+\.\n/)

    for (const statement of plan.flatMap((step: { sql: string[] }) => step.sql)) await app.exec(statement)

    const { schema } = await loadSchemaCode(code, dialect)
    for (const { code, fix = '' } of await examine(app.db as never, schema as never))
      if (code === 'character-set') for (const statement of fix.split(/(?<=;) /)) await app.exec(statement)
    const left = (await examine(app.db as never, schema as never)).map((each) => each.code)
    expect(left.filter((each) => !/^(missing-index|plain-secrets|excess-rights|capitals)$/.test(each))).toEqual([])
    const adapter = drizzleAdapter(app.db, { schema })({})
    const where = (field: string, value: string) => [{ field, value }]
    expect(await adapter.findOne({ model: 'session', where: where('token', 'Token') })).toMatchObject({
      userId: 'u',
      expiresAt: ends,
      createdAt: written,
    })
    expect(await adapter.findOne({ model: 'session', where: where('token', 'token') })).toBeNull()
    expect(await adapter.findOne({ model: 'user', where: where('email', 'josé@example.com') })).toMatchObject({ id: 'u', name: 'José' })
    const capital = dialect === 'mysql' ? 'v@example.com' : 'V@example.com'
    expect(await adapter.findOne({ model: 'user', where: where('email', capital) })).toMatchObject({ id: 'v' })
    expect(await adapter.findOne({ model: 'account', where: where('accountId', 'Ünique') })).toMatchObject({
      userId: 'u',
      accessToken: 'tökén',
      accessTokenExpiresAt: ends,
    })
    await adapter.delete({ model: 'user', where: where('id', 'u') })
    const [rest] = await app.run(`select count(*) as n, count(author) as owned from ${app.quote('My Posts')}`)
    expect({ n: Number(rest?.n), owned: Number(rest?.owned) }).toEqual({ n: 2, owned: 0 })

    // A second plan has nothing left to do.
    expect(JSON.parse((await doctor('--json', ...options)).stdout).plan).toEqual([])
  })

  test('keeps the sessions of the official adapter', { timeout: 240_000 }, async () => {
    const { schema: old, statements } = await loadOfficialSchema(dialect, {})
    const app = await openDatabase(dialect, { migrations: statements, settings: scenario.settings ?? '', connections: 1 })
    onTestFinished(app.close)
    const options = { emailAndPassword: { enabled: true }, secret: 'a secret of thirty-two characters', baseURL: 'http://localhost' }
    const before = betterAuth({ ...options, database: officialAdapter(app.db, { provider: dialect, schema: old }) })
    const account = { email: 'ada@example.com', password: 'correct horse battery staple' }
    const { headers: sent } = await before.api.signUpEmail({ body: { ...account, name: 'Ada' }, returnHeaders: true })
    const cookie = sent
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    const headers = new Headers({ cookie })
    const session = await before.api.getSession({ headers })
    expect(session?.user.email).toBe(account.email)

    const code = await generatedCode(dialect)
    const folder = await installedApp({ files: { 'auth-schema.ts': code } })
    const args = ['doctor', '--from', 'better-auth', '--json', '--url', app.url, '--schema', 'auth-schema.ts']
    const { plan } = JSON.parse((await start(folder, args).ended).stdout)
    for (const statement of plan.flatMap((step: { sql: string[] }) => step.sql)) await app.exec(statement)
    const { schema } = await loadSchemaCode(code, dialect)
    const after = betterAuth({ ...options, database: drizzleAdapter(app.db, { schema }) })
    expect(await after.api.getSession({ headers })).toEqual(session)
    expect((await after.api.signInEmail({ body: account })).user.email).toBe(account.email)
  })

  test('refuses rows that do not fit, and counts them', async () => {
    const app = await openApp(scenario)
    const now = literals[dialect](written)
    await app.exec(
      `insert into "account" (id, provider_id, account_id, user_id, created_at, updated_at) values ('b', 'hub', 'Ünique', 'v', ${now}, ${now})`,
    )
    if (dialect === 'mysql') {
      const long = 'x'.repeat(2000)
      await app.exec(
        `insert into "account" (id, provider_id, account_id, user_id, created_at, updated_at) values ('c', 'hub', '${long}', 'v', ${now}, ${now})`,
      )
    }
    const folder = await installedApp({ files: { 'auth-schema.ts': await generatedCode(dialect) } })
    const args = ['doctor', '--from', 'better-auth', '--json', '--url', app.url, '--schema', 'auth-schema.ts']
    const { code, stdout } = await start(folder, args).ended
    const errors = JSON.parse(stdout).findings.filter(({ severity }: { severity: string }) => severity === 'error')
    expect(code).toBe(1)
    expect(
      errors.map(
        (each: { code: string; column: string; message: string }) => `${each.code} ${each.column}: ${each.message.split(': ').at(-1)}`,
      ),
    ).toEqual(['duplicates provider_id, account_id: 1 row', ...(dialect === 'mysql' ? ['too-long account_id: 1 row'] : [])])
  })
})

describe.runIf(inject('dialects').includes('mysql'))('doctor --from better-auth --time-zone', () => {
  const scenario: Scenario = { name: 'mysql', dialect: 'mysql', settings: 'character set utf8mb4', zone: '+02:00', notices: [] }

  test('is compared with the rows, and must be known to the server', async () => {
    const app = await openApp(scenario)
    const folder = await installedApp({ files: { 'auth-schema.ts': await generatedCode('mysql') } })
    const codes = async (...options: string[]) => {
      const args = ['doctor', '--from', 'better-auth', '--json', '--url', app.url, '--schema', 'auth-schema.ts', ...options]
      const { stdout, stderr, code } = await start(folder, args).ended
      if (code === 2) return stderr
      const found: { code: string; table?: string; column?: string }[] = JSON.parse(stdout).findings
      return found.filter((each) => each.code.includes('time-zone')).map((each) => `${each.code} ${each.table ?? ''}.${each.column ?? ''}`)
    }
    expect(await codes()).toEqual(['time-zone .'])
    expect(await codes('--time-zone', '+02:00')).toEqual([])
    expect(await codes('--time-zone', '+05:00')).toEqual(
      ['user', 'account', 'session'].flatMap((table) => ['created_at', 'updated_at'].map((column) => `wrong-time-zone ${table}.${column}`)),
    )
    expect(await codes('--time-zone', 'Nowhere/Else')).toEqual(['wrong-time-zone .'])
    expect(await codes('--time-zone', "+02:00'; drop table user; --")).toContain('--time-zone must be an offset')
  })
})

test.runIf(inject('dialects').includes('sqlite'))('doctor --from says what it needs', async () => {
  const app = await openApp({ name: 'sqlite', dialect: 'sqlite', notices: [] })
  const code = await generatedCode('sqlite')
  const folder = await installedApp({ files: { 'auth-schema.ts': code } })
  const doctor = (...args: string[]) => start(folder, ['doctor', '--url', app.url, ...args]).ended
  const other = await doctor('--from', 'official', '--schema', 'auth-schema.ts')
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--from official migrates tables of Auth.js, and the schema has those of Better Auth.'),
  })
  const zone = await doctor('--from', 'better-auth', '--schema', 'auth-schema.ts', '--time-zone', '+02:00')
  expect(zone).toMatchObject({ code: 2, stderr: expect.stringContaining('--time-zone is for MySQL and MariaDB only.') })
})
