import type { BetterAuthOptions, BetterAuthPlugin } from 'better-auth'
import { admin, deviceAuthorization, jwt, organization, phoneNumber, siwe, twoFactor, username } from 'better-auth/plugins'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import type { Table } from 'drizzle-orm'
import * as drizzle from 'drizzle-orm'
import { drizzle as sqliteDatabase } from 'drizzle-orm/better-sqlite3'
import { drizzle as mysqlDatabase } from 'drizzle-orm/mysql2'
import { drizzle as pgDatabase } from 'drizzle-orm/postgres-js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadOfficialSchema, loadSchemaCode } from '../../support/better-auth.js'
import type { DialectName } from '../../support/dialects.js'
import { openStore } from './store.js'

const databases = { pg: pgDatabase.mock(), mysql: mysqlDatabase.mock(), sqlite: sqliteDatabase.mock() }
type Config = Partial<Parameters<typeof drizzleAdapter>[1]>

async function generate(dialect: DialectName, options: BetterAuthOptions, config: Config = {}) {
  const created = await drizzleAdapter(databases[dialect], { schema: {}, ...config })(options).createSchema?.(options, 'no-such-file.ts')
  return created as { code: string; path: string; overwrite?: boolean }
}

const user = { model: 'user', field: 'id', onDelete: 'cascade' } as const
const extras = {
  id: 'extras',
  schema: {
    report: {
      fields: {
        authorId: { type: 'string', references: user },
        readerId: { type: 'string', required: false, references: user },
        parentId: { type: 'string', required: false, references: { model: 'report', field: 'id' } },
        list: { type: 'string[]', defaultValue: [] },
        numbers: { type: 'number[]', required: true },
        data: { type: 'json', required: false, defaultValue: { a: 1 } },
        size: { type: 'number', bigint: true },
        kind: { type: ['a', 'b'], defaultValue: 'a' },
        slug: { type: 'string', index: true },
        day: { type: 'date', defaultValue: () => new Date() },
      },
      indexes: [{ fields: ['slug', 'kind'] }, { fields: ['slug', 'size'], unique: true }],
    },
    profile: { fields: { userId: { type: 'string', required: true, unique: true, references: user } } },
  },
} satisfies BetterAuthPlugin

const plugins = [organization({ teams: { enabled: true } }), twoFactor(), admin(), jwt(), username(), deviceAuthorization({}), extras]
const options: BetterAuthOptions = {
  rateLimit: { storage: 'database' },
  plugins: [...plugins, phoneNumber(), siwe({ domain: 'localhost', getNonce: async () => '', verifyMessage: async () => true })],
}

interface Described {
  type: string
  default?: unknown
}

/** Each column and index of a snapshot of drizzle-kit, by its name. */
function described(snapshot: unknown): Record<string, unknown> {
  const { tables } = snapshot as { tables: Record<string, Record<'columns' | 'indexes' | 'foreignKeys' | 'uniqueConstraints', object>> }
  return Object.fromEntries(
    Object.entries(tables).flatMap(([table, parts]) =>
      ['columns', 'indexes', 'foreignKeys', 'uniqueConstraints'].flatMap((part) =>
        Object.entries(parts[part as 'columns'] ?? {}).map(([name, value]) => [`${table} ${part} ${name}`, value]),
      ),
    ),
  )
}

const isUniqueIndex = (value: unknown) => {
  const { isUnique, columns } = value as { isUnique?: boolean; columns?: unknown[] }
  return isUnique === true && columns?.length === 1
}

// docs/better-auth.md has these differences, each with its reason.
const ours: Record<DialectName, (column: Described) => object> = {
  sqlite: () => ({}),
  pg: ({ type }) => (type === 'timestamp' ? { type: 'timestamp (3) with time zone' } : {}),
  mysql: ({ type, default: value }) => ({
    ...(type === 'timestamp(3)' && { type: 'datetime(3)', ...(value !== undefined && { default: '(utc_timestamp(3))' }) }),
    ...(type === 'json' && { type: 'text' }),
    ...(typeof value === 'string' && /^'?[[{]/.test(value.replace(/^\(/, '')) && { default: value }),
  }),
}
const added = [
  /^(public\.)?account indexes account_providerId_accountId_uidx$/,
  /^(public\.)?(session indexes session|verification indexes verification)_expiresAt_idx$/,
]

describe.each(['pg', 'mysql', 'sqlite'] as const)('a new schema on %s', (dialect) => {
  test('has the tables of the official generator, but for what the documentation lists', async () => {
    const official = described((await loadOfficialSchema(dialect, options)).snapshot)
    const { code } = await generate(dialect, options)
    const own = described((await loadSchemaCode(code, dialect)).snapshot)
    expect(Object.keys(own).filter((name) => !Object.hasOwn(official, name))).toSatisfy((names: string[]) =>
      names.every((name) => added.some((each) => each.test(name))),
    )
    for (const [name, value] of Object.entries(official)) {
      // The generator for Drizzle 1.0 writes a second index for a column that is unique.
      if (!own[name] && isUniqueIndex(value)) continue
      const expected = { ...(value as Described), ...(name.includes(' columns ') && ours[dialect](value as Described)) }
      const found = own[name] as Described
      // Keys and what is in an index compare exactly, and have room for 255 characters.
      if (found?.type === 'varbinary(1020)') expect(expected.type).toMatch(/^(varchar\(\d+\)|text)$/)
      const isText = dialect === 'mysql' && expected.type === 'text'
      expect(found, name).toEqual({
        ...expected,
        ...(found?.type === 'varbinary(1020)' && { type: found.type }),
        ...(isText && found.default !== undefined && { default: found.default }),
      })
    }
  })

  test('has the relations of the official generator', async () => {
    const official = relationsOf((await loadOfficialSchema(dialect, options)).schema)
    const own = relationsOf((await loadSchemaCode((await generate(dialect, options)).code, dialect)).schema)
    // Two references to one table have relations on their own side only.
    const { reportsByAuthorId, reportsByReaderId, ...users } = official.user ?? {}
    expect([reportsByAuthorId, reportsByReaderId]).toEqual(['report', 'report'])
    const expected = { ...official, user: users }
    // Ours have the names of 0.45 with 1.0 as well.
    if ('extractTablesRelationalConfig' in drizzle) expect(own).toEqual(expected)
    else expect(targetsOf(own)).toEqual(targetsOf(expected))
    expect(own.user).toMatchObject({ sessions: 'session', accounts: 'account' })
  })

  test('compiles with names that are no identifiers, or mean something else in the file', async () => {
    const awkward: BetterAuthOptions = {
      user: { modelName: 'auth-user', fields: { name: 'full-name', email: 'class' } },
      account: { modelName: 'text' },
      verification: { modelName: '1st' },
      plugins: [
        {
          id: 'index',
          schema: {
            index: { fields: { table: { type: 'string', index: true } } },
          },
        },
      ],
    }
    const { code } = await generate(dialect, awkward)
    const { schema } = await loadSchemaCode(code, dialect)
    expect(Object.keys(schema)).toEqual(expect.arrayContaining(['auth-user', 'text', '1st', 'index']))
  })
})

test('new tables of PostgreSQL are in the schema that schemaName says', async () => {
  const { code } = await generate('pg', { plugins: [jwt()] }, { schemaName: 'my-auth' })
  expect(code).toContain(`export const myAuthSchema = pgSchema('my-auth')`)
  const { statements } = await loadSchemaCode(code, 'pg')
  expect(statements).toContainEqual(expect.stringContaining('CREATE TABLE "my-auth"."jwks"'))
})

test('the relations answer queries', async () => {
  const store = await openStore('sqlite')
  onTestFinished(store.close)
  await store.migrate({})
  const schema = await store.schemaFor({})
  const client = (store.db as unknown as { $client: never }).$client
  const db = sqliteDatabase({ client, schema, relations: schema.authRelations } as never) as unknown as {
    query: { user: { findMany(config: object): Promise<unknown[]> } }
  }
  const now = new Date()
  const adapter = (await store.adapterFor({}))({})
  const data = { name: 'Ada', email: 'ada@example.com', emailVerified: true, createdAt: now, updatedAt: now }
  const { id: userId } = await adapter.create({ model: 'user', data })
  await adapter.create({ model: 'session', data: { userId, token: 't', expiresAt: now, createdAt: now, updatedAt: now } })
  expect(await db.query.user.findMany({ with: { sessions: true } })).toMatchObject([{ name: 'Ada', sessions: [{ token: 't' }] }])
})

const targetsOf = (relations: Record<string, object>) =>
  Object.fromEntries(Object.entries(relations).map(([name, each]) => [name, Object.values(each).sort()]))

/** The relations of a schema by table and name, each with its other table and what tells it apart. */
function relationsOf(schema: Record<string, unknown>): Record<string, Record<string, unknown>> {
  const named = (table: unknown) => Object.keys(schema).find((name) => schema[name] === table)
  if ('extractTablesRelationalConfig' in drizzle) {
    const { tables } = drizzle.extractTablesRelationalConfig(schema, drizzle.createTableRelationsHelpers)
    return Object.fromEntries(
      Object.entries(tables).map(([name, { relations }]) => [
        name,
        Object.fromEntries(Object.entries(relations).map(([key, { referencedTable }]) => [key, named(referencedTable)])),
      ]),
    )
  }
  type Parts = Record<string, { relations: Record<string, { targetTable: Table; sourceColumns: { name: string }[] }> }>
  return Object.fromEntries(
    Object.entries(schema.authRelations as Parts).map(([name, { relations }]) => [
      name,
      Object.fromEntries(Object.entries(relations).map(([key, { targetTable }]) => [key, named(targetTable)])),
    ]),
  )
}
