import { hashPassword, symmetricEncrypt } from 'better-auth/crypto'
import { organization, twoFactor } from 'better-auth/plugins'
import { describe, expect, inject, test } from 'vitest'
import { loadSchemaCode } from '../../../../test/support/better-auth.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import * as mysqlTables from '../../../../test/support/schema/mysql.js'
import * as pgTables from '../../../../test/support/schema/pg.js'
import * as sqliteTables from '../../../../test/support/schema/sqlite.js'
import type { Finding } from '../../../src/doctor/index.js'
import { generatedCode, generatedSchema, openBetterAuth } from '../../support/doctor/better-auth.js'
import { openTestDatabase, summarize } from '../../support/doctor/database.js'

const noIndexOnEnds = ['warning missing-index session.expires_at', 'warning missing-index verification.expires_at']

const dates: [string, string[]][] = [
  ['user', ['created_at', 'updated_at']],
  ['account', ['access_token_expires_at', 'refresh_token_expires_at', 'created_at', 'updated_at']],
  ['session', ['expires_at', 'created_at', 'updated_at']],
  ['verification', ['expires_at', 'created_at', 'updated_at']],
]
const looseKeys = 'user.id account.id account.account_id account.provider_id account.user_id session.id session.token session.user_id'
const noOwner = 'error not-unique account.provider_id, account_id'

/** What is wrong with the tables of the official adapter. */
const official: Record<DialectName, string[]> = {
  sqlite: [noOwner, ...noIndexOnEnds],
  pg: [noOwner, ...noIndexOnEnds, ...dates.map(([table, columns]) => `warning no-time-zone ${table}.${columns.join(', ')}`)],
  mysql: [
    'error too-short verification.id',
    ...dates.flatMap(([table, columns]) => columns.map((column) => `error ends-in-2038 ${table}.${column}`)),
    noOwner,
    ...`${looseKeys} verification.id rate_limit.id rate_limit.key`.split(' ').map((place) => `error loose-collation ${place}`),
    'warning loose-collation user.email',
    'warning loose-collation verification.identifier',
    ...noIndexOnEnds,
  ],
}

const text: Record<DialectName, string> = { pg: 'varchar(36)', mysql: 'varchar(36)', sqlite: 'text' }

/** Tables with composite keys, as a schema file declares them. */
const ownTables = (dialect: DialectName) => {
  const column = dialect === 'sqlite' ? 'own.text' : 'own.varchar'
  const define = { pg: 'own.pgTable', mysql: 'own.mysqlTable', sqlite: 'own.sqliteTable' }[dialect]
  const of = (name: string) => `${column}('${name}', { length: 36 })`
  const columns = (...names: string[]) => names.map((name) => `${name}: ${of(name)}.notNull()`).join(', ')
  return `
    import * as own from 'drizzle-orm/${dialect}-core'
    export const hall = ${define}('hall', { ${columns('city', 'name')}, id: ${of('id')}.unique() }, (table) => [
      own.primaryKey({ columns: [table.city, table.name] }),
    ])
    export const seat = ${define}(
      'seat',
      { ${columns('line', 'place', 'label', 'city', 'name')}, hallId: ${of('hall_id')}.references(() => hall.id, { onDelete: 'set null' }) },
      (table) => [
        own.primaryKey({ columns: [table.line, table.place] }),
        own.unique().on(table.label, table.line),
        own.uniqueIndex('own_seats').on(table.place, table.label),
        own.index('own_labels').on(table.city, table.label),
        own.foreignKey({ columns: [table.city, table.name], foreignColumns: [hall.city, hall.name] }).onDelete('cascade'),
      ],
    )`
}

const authjs = { pg: pgTables, mysql: mysqlTables, sqlite: sqliteTables }

const [past, future] = [new Date(Date.now() - 172_800_000), new Date(Date.now() + 172_800_000)]

/** Statements between which foreign keys are not checked. */
const withoutForeignKeyChecks: Record<DialectName, [before: string, after: string]> = {
  pg: ['set session_replication_role = replica', 'set session_replication_role = origin'],
  mysql: ['set foreign_key_checks = 0', 'set foreign_key_checks = 1'],
  sqlite: ['pragma foreign_keys = off', 'pragma foreign_keys = on'],
}

/** Findings about rows, each with the end of its message, which is the number of rows. */
const counts = (findings: Finding[]) =>
  findings
    .filter(({ message }) => / row| user|: \d+$/.test(message) && !/no (index|unique key)|collation/.test(message))
    .map(({ code, table, column, message }) => `${code} ${table}.${column}: ${message.split(': ').slice(1).join(': ')}`)

// With MySQL's collations, such addresses are equal.
describe.each(inject('dialects').filter((dialect) => dialect !== 'mysql'))('the doctor on tables of Better Auth on %s', (dialect) => {
  test('counts addresses that differ only in case', async () => {
    const { examine, exec, date } = await openBetterAuth(dialect)
    const now = date(new Date())
    const rows = ['a@example.com', 'A@example.com', 'b@example.com', 'C@example.com'].map(
      (email, id) => `('${id}', '', '${email}', ${now}, ${now})`,
    )
    await exec(`insert into "user" (id, name, email, created_at, updated_at) values ${rows.join(', ')}`)
    const [finding] = (await examine()).filter(({ code }) => code === 'capitals')
    expect(finding?.message).toMatch(/: 2 rows; addresses that differ from another one only in case: 1 row$/)
    expect(finding?.fix).toMatch(/^Decide which of the users with the same address to keep, then: UPDATE "user" SET /)
  })
})

describe.each(inject('dialects'))('the doctor on tables of Better Auth on %s', (dialect) => {
  test('finds nothing in what auth generate writes, and creates a missing index with the statement of its finding', async () => {
    const { examine, exec } = await openBetterAuth(dialect)
    expect(await examine()).toEqual([])
    await exec(`drop index "session_expiresAt_idx"${dialect === 'mysql' ? ' on "session"' : ''}`)
    const findings = await examine()
    expect(summarize(findings)).toEqual(['warning missing-index session.expires_at'])
    for (const { fix = '' } of findings) await exec(fix)
    expect(await examine()).toEqual([])
  })

  test('names what is missing as auth generate and drizzle-kit do, and has the line for the schema file', async () => {
    const names = (statements: string[]) =>
      [...statements.join('\n').matchAll(/(?:INDEX|CONSTRAINT) ["`]([^"`]+)/g)].map(([, name]) => name)
    const own = await openBetterAuth(dialect)
    const generated = names((await generatedSchema(dialect)).statements)
    const drop: Record<DialectName, (table: string, name: string) => string> = {
      pg: (table, name) => `alter table "${table}" drop constraint if exists "${name}"; drop index if exists "${name}"`,
      mysql: (table, name) =>
        name.endsWith('_fk') ? `alter table "${table}" drop foreign key "${name}"` : `drop index "${name}" on "${table}"`,
      sqlite: (_, name) => `drop index "${name}"`,
    }
    const dropped = [
      ...(dialect === 'sqlite' ? [] : [['account', 'account_user_id_user_id_fk'] as const]),
      ['account', 'account_providerId_accountId_uidx'] as const,
      ['session', 'session_token_unique'] as const,
      ['session', 'session_expiresAt_idx'] as const,
    ]
    for (const [table, name] of dropped) await own.exec(drop[dialect](table, name))
    const findings = await own.examine()
    const fixes = findings.map(({ fix = '' }) => fix.replaceAll('`', '"'))
    for (const [, name] of dropped)
      expect(
        fixes.some((fix) => fix.includes(`"${name}"`)),
        name,
      ).toBe(true)
    for (const fix of fixes) expect(generated).toContain(names([fix])[0])
    // The code declares all of these.
    expect(findings.filter(({ line }) => line !== undefined)).toEqual([])

    const { examine } = await openBetterAuth(dialect, 'official')
    const lines = (await examine()).flatMap(({ line }) => line ?? [])
    expect(lines).toEqual([
      ...(dialect === 'mysql' ? [] : [`uniqueIndex('account_providerId_accountId_uidx').on(table.providerId, table.accountId)`]),
      `index('session_expiresAt_idx').on(table.expiresAt)`,
      `index('verification_expiresAt_idx').on(table.expiresAt)`,
    ])
  })

  test('finds what is wrong with the tables of the official adapter', async () => {
    const { examine } = await openBetterAuth(dialect, 'official')
    expect(summarize(await examine())).toEqual(official[dialect])
  })

  test('recognizes them under other names, and beside the tables of Auth.js', async () => {
    const { examine, schema } = await openBetterAuth(dialect)
    const renamed = Object.fromEntries(Object.entries(schema).map(([name, table]) => [`auth_${name}s`, table]))
    expect(summarize(await examine(renamed))).toEqual([])
    const other = await openTestDatabase(dialect)
    const both = { ...authjs[dialect], verification: schema.verification, rateLimit: schema.rateLimit }
    expect(summarize(await other.examine(both))).toEqual(['error missing-table verification', 'error missing-table rate_limit'])
  })

  test('counts rows that are wrong without printing a value, and its statements correct them', async () => {
    const { examine, exec, date } = await openBetterAuth(dialect, 'official')
    const [before, after] = withoutForeignKeyChecks[dialect]
    const hash = await hashPassword('hidden')
    const key = 'a-secret-of-32-characters-or-more'
    const encrypted = await symmetricEncrypt({ key, data: 'hidden-access' })
    const enveloped = await symmetricEncrypt({ key: { keys: new Map([[1, key]]), currentVersion: 1 }, data: 'hidden-access' })
    const [then, now] = [date(past), date(future)]
    const accounts = [
      // The id, the provider, its id there, the user, the password, and the tokens.
      ['a', 'credential', 'u', 'u', hash, null, null, null],
      ['b', 'credential', 'v@example.com', 'v', '$2b$10$hidden-bcrypt', null, null, null],
      ['c', 'credential', 'w', 'w', `${hash}0`, null, null, null],
      ['d', 'credential', 'x', 'x', hash.toUpperCase(), null, null, null],
      ['e', 'github', '4711', 'u', null, encrypted, `e1.key.${'x'.repeat(38)}`, 'hidden-id'],
      ['f', 'github', '4711', 'v', null, enveloped, 'hidden-refresh', null],
      ['g', 'google', '4711', 'gone', null, 'hidden-access', null, null],
      ['h', 'GitHub', '4711', 'w', null, null, null, null],
    ].map((values) => `(${values.map((value) => (value === null ? 'null' : `'${value}'`)).join(', ')}, ${then}, ${then})`)
    const statements = [
      before,
      `insert into "user" (id, name, email, created_at, updated_at) values ('u', '', 'Hidden@example.com', ${then}, ${then}),
        ('v', '', 'v@example.com', ${then}, ${then}), ('w', '', 'w@Example.com', ${then}, ${then}), ('x', '', 'x@example.com', ${then}, ${then})`,
      `insert into "account" (id, provider_id, account_id, user_id, password, access_token, refresh_token, id_token, created_at, updated_at)
        values ${accounts.join(', ')}`,
      `insert into "session" (id, token, user_id, expires_at, created_at, updated_at) values
        ('s', 'hidden-token', 'u', ${now}, ${then}, ${then}), ('t', 'other', 'gone', ${then}, ${then}, ${then})`,
      `insert into "verification" (id, identifier, value, expires_at, created_at, updated_at) values
        ('a', 'reset-password:hidden', 'u', ${now}, ${then}, ${then}), ('b', 'other', 'hidden', ${then}, ${then}, ${then})`,
      after,
    ]
    for (const statement of statements) await exec(statement)
    const findings = await examine()
    expect(counts(findings)).toEqual([
      'two-owners account.provider_id, account_id: 1',
      'wrong-credential account.account_id: 1 row',
      'orphans account.user_id: 1 row',
      'orphans session.user_id: 1 row',
      'expired session.expires_at: 1 row',
      'expired verification.expires_at: 1 row',
      'capitals user.email: 2 rows',
      'unreadable-password account.password: 3 rows',
      'plain-secrets account.access_token: 1 row',
      'plain-secrets account.refresh_token: 1 row',
      'plain-secrets account.id_token: 1 row',
      'plain-secrets verification.identifier: 1 row',
    ])
    expect(JSON.stringify(findings)).not.toMatch(/hidden/i)
    for (const { fix = '' } of findings) if (/^(DELETE|UPDATE)/.test(fix)) await exec(fix)
    expect(counts(await examine()).map((line) => line.split(' ')[0])).toEqual([
      'two-owners',
      'expired',
      'unreadable-password',
      'plain-secrets',
      'plain-secrets',
      'plain-secrets',
    ])
  })

  test('compares ids that are numbers', async () => {
    const { examine, exec, date } = await openBetterAuth(dialect, { advanced: { database: { generateId: 'serial' } } })
    const now = date(new Date())
    await exec(
      `insert into "user" (name, email, created_at, updated_at) values ('', 'u@example.com', ${now}, ${now}), ('', 'v@example.com', ${now}, ${now})`,
    )
    await exec(`insert into "account" (provider_id, account_id, user_id, created_at, updated_at) values
      ('credential', '1', 1, ${now}, ${now}), ('credential', '01', 2, ${now}, ${now}), ('github', '1', 2, ${now}, ${now})`)
    const findings = await examine()
    expect(counts(findings)).toEqual(['wrong-credential account.account_id: 1 row'])
    await exec(findings.find(({ code }) => code === 'wrong-credential')?.fix ?? '')
    expect(counts(await examine())).toEqual([])
  })

  test('finds a required column that Better Auth does not fill, whether or not the code declares it', async () => {
    const account = { additionalFields: { issuer: { type: 'string', required: true } } } as const
    const { examine, schema, exec } = await openBetterAuth(dialect, { account })
    const { schema: without } = await generatedSchema(dialect, {})
    const expected = ['error required-column account.issuer']
    expect(summarize(await examine(schema))).toEqual(expected)
    expect(summarize(await examine(without))).toEqual(expected)
    await exec('alter table "account" drop column "issuer"')
    expect(summarize(await examine(without))).toEqual([])
    // Values for columns of users come from the form with which they sign up.
    const user = { additionalFields: { city: { type: 'string', required: true } } } as const
    expect(summarize(await (await openBetterAuth(dialect, { user })).examine())).toEqual([])
  })

  test('says which checks are not made because fields have other names', async () => {
    const { examine } = await openBetterAuth(dialect, { session: { fields: { expiresAt: 'ends' } } })
    expect((await examine()).map(({ code, table, message }) => `${code} ${table} ${message}`)).toEqual([
      'hidden session your schema has no expiresAt in this table, so not everything could be checked',
    ])
  })

  test('compares tables of plugins with the database', async () => {
    const plugins = [organization(), twoFactor()]
    const { examine, exec } = await openBetterAuth(dialect, { plugins })
    expect(summarize(await examine())).toEqual([])
    await exec('alter table "invitation" drop column "status"')
    await exec('drop table "member"')
    await exec(`alter table "two_factor" add column "issuer" varchar(20) not null default ''`)
    await exec(dialect === 'sqlite' ? 'select 1' : 'alter table "two_factor" alter column "issuer" drop default')
    const expected = [
      'error missing-table member',
      'error missing-column invitation.status',
      ...(dialect === 'sqlite' ? [] : ['error required-column two_factor.issuer']),
    ]
    expect(summarize(await examine())).toEqual(expected)
  })

  test('finds composite keys, indexes and foreign keys of other tables that the database lacks', async () => {
    const code = `${await generatedCode(dialect)}\n${ownTables(dialect)}`
    const { schema, statements } = await loadSchemaCode(code, dialect)
    const settings = dialect === 'mysql' ? 'character set utf8mb4' : ''
    const { examine, exec } = await openTestDatabase(dialect, { migrations: statements, settings })
    expect(summarize(await examine(schema))).toEqual([])

    const create = async (keys = '') => {
      const columns = ['line', 'place', 'label', 'city', 'name'].map((name) => `"${name}" ${text[dialect]} not null`)
      await exec('drop table "seat"')
      await exec(`create table "seat" (${columns.join(', ')}, "hall_id" ${text[dialect]}${keys})`)
      if (dialect === 'pg') await exec('grant select on "seat" to public')
    }
    await create()
    const findings = await examine(schema)
    const missingForeignKeys = ['warning missing-foreign-key seat.hall_id', 'warning missing-foreign-key seat.city, name']
    expect(summarize(findings)).toEqual([
      'error not-unique seat.line, place',
      'error not-unique seat.label, line',
      'error not-unique seat.place, label',
      'warning missing-index seat.city, label',
      ...missingForeignKeys,
    ])
    for (const { fix = '' } of findings) if (/^(CREATE|ALTER)/.test(fix)) await exec(fix)
    expect(summarize(await examine(schema))).toEqual(dialect === 'sqlite' ? missingForeignKeys : [])

    await create(', foreign key ("hall_id") references "hall" ("id"), foreign key ("city", "name") references "hall" ("city", "name")')
    const rules = (await examine(schema)).filter(({ code }) => code === 'not-cascading')
    expect(rules.map(({ column, message }) => `${column}: ${message}`)).toEqual([
      'hall_id: the foreign key has ON DELETE SET NULL in your code, but not in the database',
      'city, name: the foreign key has ON DELETE CASCADE in your code, but not in the database',
    ])
    // Keys to other tables and columns do not count.
    await exec(`create table "other" ("id" ${text[dialect]} primary key)`)
    await exec('create unique index "hall_key" on "hall" ("name", "city")')
    await create(', foreign key ("hall_id") references "other" ("id"), foreign key ("city", "name") references "hall" ("name", "city")')
    expect(summarize(await examine(schema)).slice(-2)).toEqual(missingForeignKeys)
  })
})
