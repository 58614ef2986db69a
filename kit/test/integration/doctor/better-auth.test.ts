import { symmetricEncrypt } from 'better-auth/crypto'
import { describe, expect, inject, test } from 'vitest'
import { loadSchemaCode } from '../../../../test/support/better-auth.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import * as mysqlTables from '../../../../test/support/schema/mysql.js'
import * as pgTables from '../../../../test/support/schema/pg.js'
import * as sqliteTables from '../../../../test/support/schema/sqlite.js'
import { generatedCode, generatedSchema, openBetterAuth } from '../../support/doctor/better-auth.js'
import { counts, openTestDatabase, summarize } from '../../support/doctor/database.js'

const onAll = { 'error not-unique': 1, 'warning missing-index': 2 }

/** How many findings of each kind there are in the tables of the official adapter. */
const official: Record<DialectName, Record<string, number>> = {
  sqlite: onAll,
  pg: onAll,
  mysql: { 'error ends-in-2038': 12, 'error loose-collation': 11, 'error too-short': 1, 'warning loose-collation': 2, ...onAll },
}

/** Statements between which foreign keys are not checked, so that rows of users who do not exist can be inserted. */
const withoutForeignKeys: Record<DialectName, [before: string, after: string]> = {
  pg: ['set session_replication_role = replica', 'set session_replication_role = origin'],
  mysql: ['set foreign_key_checks = 0', 'set foreign_key_checks = 1'],
  sqlite: ['pragma foreign_keys = off', 'pragma foreign_keys = on'],
}

const text: Record<DialectName, string> = { pg: 'varchar(36)', mysql: 'varchar(36)', sqlite: 'text' }

/** Tables with composite keys, as a schema file declares them. */
const ownTables = (dialect: DialectName) => {
  const define = { pg: 'own.pgTable', mysql: 'own.mysqlTable', sqlite: 'own.sqliteTable' }[dialect]
  const of = (name: string) => `${dialect === 'sqlite' ? 'own.text' : 'own.varchar'}('${name}', { length: 36 })`
  const columns = (...names: string[]) => names.map((name) => `${name}: ${of(name)}.notNull()`).join(', ')
  return `
    import * as own from 'drizzle-orm/${dialect}-core'
    export const hall = ${define}('hall', { ${columns('city', 'name')}, id: ${of('id')}.unique() }, (table) => [
      own.primaryKey({ columns: [table.city, table.name] }),
    ])
    export const seat = ${define}('seat', { ${columns('line', 'city', 'name')}, hallId: ${of('hall_id')}.references(() => hall.id, { onDelete: 'set null' }) },
      (table) => [
        own.primaryKey({ columns: [table.line, table.city] }),
        own.uniqueIndex('own_seats').on(table.line, table.name),
        own.index('own_labels').on(table.city, table.line),
        own.foreignKey({ columns: [table.city, table.name], foreignColumns: [hall.city, hall.name] }).onDelete('cascade'),
      ],
    )`
}

const authjs = { pg: pgTables, mysql: mysqlTables, sqlite: sqliteTables }

const [past, future] = [new Date(Date.now() - 172_800_000), new Date(Date.now() + 172_800_000)]

describe.each(inject('dialects'))('the doctor on tables of Better Auth on %s', (dialect) => {
  test('finds nothing in what auth generate writes, and creates what is missing under the same names', async () => {
    const { examine, exec } = await openBetterAuth(dialect)
    expect(await examine()).toEqual([])
    const names = (statements: string[]) =>
      [...statements.join('\n').matchAll(/(?:INDEX|CONSTRAINT) ["`]([^"`]+)/g)].map(([, name]) => name)
    const generated = names((await generatedSchema(dialect)).statements)
    const drop: Record<DialectName, (table: string, name: string) => string> = {
      pg: (table, name) => `alter table "${table}" drop constraint if exists "${name}"; drop index if exists "${name}"`,
      mysql: (table, name) =>
        name.endsWith('_fk') ? `alter table "${table}" drop foreign key "${name}"` : `drop index "${name}" on "${table}"`,
      sqlite: (_, name) => `drop index "${name}"`,
    }
    const dropped = [
      ['account', 'account_providerId_accountId_uidx'],
      ['session', 'session_token_unique'],
      ['session', 'session_expiresAt_idx'],
      ...(dialect === 'sqlite' ? [] : [['account', 'account_user_id_user_id_fk']]),
    ] as [string, string][]
    for (const [table, name] of dropped) await exec(drop[dialect](table, name))
    const findings = await examine()
    const fixes = findings.map(({ fix = '' }) => fix)
    for (const fix of fixes) expect(generated).toContain(names([fix])[0])
    expect(names(fixes).sort()).toEqual(dropped.map(([, name]) => name).sort())
    // The code declares all of these.
    expect(findings.filter(({ line }) => line !== undefined)).toEqual([])
    for (const fix of fixes) await exec(fix)
    expect(await examine()).toEqual([])
  })

  test('finds what is wrong with the tables of the official adapter, and has the lines for the schema file', async () => {
    const { examine } = await openBetterAuth(dialect, 'official')
    const findings = await examine()
    const kinds = findings.map(({ severity, code }) => `${severity} ${code}`)
    const found = Object.fromEntries(kinds.map((kind) => [kind, kinds.filter((each) => each === kind).length]))
    expect(found).toEqual(official[dialect])
    expect(findings.flatMap(({ line }) => line ?? [])).toEqual([
      ...(dialect === 'mysql' ? [] : [`uniqueIndex('account_providerId_accountId_uidx').on(table.providerId, table.accountId)`]),
      `index('session_expiresAt_idx').on(table.expiresAt)`,
      `index('verification_expiresAt_idx').on(table.expiresAt)`,
    ])
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
    const { examine, exec, date } = await openBetterAuth(dialect)
    const [before, after] = withoutForeignKeys[dialect]
    const key = 'a-secret-of-32-characters-or-more'
    const encrypted = await symmetricEncrypt({ key, data: 'hidden-access' })
    const enveloped = await symmetricEncrypt({ key: { keys: new Map([[1, key]]), currentVersion: 1 }, data: 'hidden-access' })
    const [then, now] = [date(past), date(future)]
    const accounts = [
      // The id, the user, and the tokens. Better Auth stores an empty token as it is.
      ['a', 'u', encrypted, `e1.key.${'x'.repeat(38)}`, 'hidden-id'],
      ['b', 'v', enveloped, 'hidden-refresh', null],
      ['c', 'gone', 'hidden-access', '', null],
      // A digit too few, digits in upper case, and digits of a token of GitHub.
      ['d', 'u', encrypted.slice(1), encrypted.toUpperCase(), 'c0ffee0123'.repeat(4)],
    ].map(
      ([id, user, ...tokens]) =>
        `('${id}', 'github', '${id}', '${user}', ${tokens.map((token) => (token === null ? 'null' : `'${token}'`)).join(', ')}, ${then}, ${then})`,
    )
    const statements = [
      before,
      `insert into "user" (id, name, email, created_at, updated_at) values ('u', '', 'Hidden@example.com', ${then}, ${then}),
        ('v', '', 'v@example.com', ${then}, ${then}), ('w', '', 'w@Example.com', ${then}, ${then}),
        ('x', '', 'x@example.com', ${then}, ${then}), ('y', '', 'y@example.com', ${date(new Date())}, ${then})`,
      `update "user" set email_verified = (1 = 1) where id = 'w'`,
      `insert into "account" (id, provider_id, account_id, user_id, access_token, refresh_token, id_token, created_at, updated_at) values ${accounts.join(', ')}`,
      `insert into "session" (id, token, user_id, expires_at, created_at, updated_at) values
        ('s', 'hidden-token', 'u', ${now}, ${then}, ${then}), ('t', 'other', 'gone', ${then}, ${then}, ${then})`,
      after,
    ]
    for (const statement of statements) await exec(statement)
    const findings = await examine()
    const secrets = ['access_token: 2 rows', 'refresh_token: 2 rows', 'id_token: 2 rows'].map((each) => `plain-secrets account.${each}`)
    expect(counts(findings)).toEqual([
      'orphans account.user_id: 1 row',
      'orphans session.user_id: 1 row',
      'no-account user.id: 1 row',
      'capitals user.email: 2 rows',
      ...[secrets[2], secrets[0], secrets[1]],
    ])
    expect(JSON.stringify(findings)).not.toMatch(/hidden/i)
    for (const { fix = '' } of findings) {
      const [statement] = /(DELETE|UPDATE) .*/.exec(fix) ?? []
      if (statement) await exec(statement)
    }
    const rest = ['no-account user.id: 1 row', ...secrets.map((each) => each.replace('access_token: 2 rows', 'access_token: 1 row'))]
    expect(counts(await examine()).sort()).toEqual(rest.sort())
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

  test('finds composite keys, indexes and foreign keys of other tables that the database lacks', async () => {
    const code = `${await generatedCode(dialect)}\n${ownTables(dialect)}`
    const { schema, statements } = await loadSchemaCode(code, dialect)
    const settings = dialect === 'mysql' ? 'character set utf8mb4' : ''
    const { examine, exec } = await openTestDatabase(dialect, { migrations: statements, settings })
    expect(summarize(await examine(schema))).toEqual([])

    const create = async (keys = '') => {
      const columns = ['line', 'city', 'name'].map((name) => `"${name}" ${text[dialect]} not null`)
      await exec('drop table "seat"')
      await exec(`create table "seat" (${columns.join(', ')}, "hall_id" ${text[dialect]}${keys})`)
      if (dialect === 'pg') await exec('grant select on "seat" to public')
    }
    await create()
    const findings = await examine(schema)
    const missing = ['warning missing-foreign-key seat.hall_id', 'warning missing-foreign-key seat.city, name']
    const keys = ['error not-unique seat.line, city', 'error not-unique seat.line, name', 'warning missing-index seat.city, line']
    expect(summarize(findings)).toEqual([...keys, ...missing])
    // Everybody can read this table, which concerns only tables of the library and of plugins.
    const { seat, ...others } = schema
    if (dialect === 'pg') expect(summarize(await examine({ ...others, authPasskey: seat }))[2]).toBe('error exposed seat')
    for (const { fix = '' } of findings) if (/^(CREATE|ALTER)/.test(fix)) await exec(fix)
    expect(summarize(await examine(schema))).toEqual(dialect === 'sqlite' ? missing : [])

    const references = 'foreign key ("hall_id") references "hall" ("id"), foreign key ("city", "name") references "hall" ("city", "name")'
    await create(`, primary key ("line", "city"), ${references}`)
    const compared = await examine(schema)
    // An index that starts with another column does not count.
    expect(summarize(compared).slice(0, 2)).toEqual(keys.slice(1))
    const rules = compared.filter(({ code }) => code === 'not-cascading')
    expect(rules.map(({ column, message }) => `${column}: ${message}`)).toEqual([
      'hall_id: the foreign key has ON DELETE SET NULL in your code, but not in the database',
      'city, name: the foreign key has ON DELETE CASCADE in your code, but not in the database',
    ])
    // A key to another table does not count.
    await exec(`create table "other" ("id" ${text[dialect]} primary key)`)
    await create(', foreign key ("hall_id") references "other" ("id")')
    expect(summarize(await examine(schema)).slice(-2)).toEqual(missing)
  })
})
