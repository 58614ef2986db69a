import * as p from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { describe, expect, test } from 'vitest'
import { pg } from '../../src/cli/moving/pg.js'
import { planMove } from '../../src/cli/moving/plan.js'

// The plan for tables of PostgreSQL, from rows of its catalog.

interface Column {
  type: string
  required?: boolean
  default?: string
  filled?: boolean
  loose?: string
  users?: string[]
}

interface Catalog {
  /** By name, those outside of the schema `public` with their schema in front. */
  tables: Record<string, Record<string, string | Column>>
  /** Such as `user: user_pkey primary (id)`; also `constraint` (which is unique), `unique` and `index`. */
  keys?: string[]
  /** Such as `fk: post (author) > user (id) ON DELETE CASCADE`. */
  foreignKeys?: string[]
  /** What PostgreSQL says before the rules of a foreign key. */
  beforeRules?: string
}

const path = (name: string) => (name.includes('.') ? name.split('.') : ['public', name])
const listed = (names: string) => names.replaceAll(', ', '\x1f')
const bit = (value: unknown) => (value ? 1 : 0)

const columnRows = ({ tables }: Catalog) =>
  Object.entries(tables).flatMap(([table, columns]) =>
    Object.entries(columns).map(([name, given]) => {
      const required = typeof given === 'string' && given.endsWith(' not null')
      const column: Column = typeof given === 'string' ? { type: given.replace(' not null', ''), required } : given
      const { type, default: value = null, filled, loose = null, users } = column
      return [...path(table), name, type, bit(column.required), value, bit(filled), loose, users?.join('\x1f') ?? null]
    }),
  )

const keyRows = ({ keys = [] }: Catalog) =>
  keys.map((text) => {
    const [, table = '', name, kind, columns = ''] = /^(\S+): (.+) (\w+) \((.*)\)$/.exec(text) ?? []
    return [
      ...path(table),
      name,
      bit(kind === 'primary'),
      bit(kind !== 'index'),
      bit(/primary|constraint/.test(kind ?? '')),
      listed(columns),
    ]
  })

const foreignKeyRows = ({ foreignKeys = [], beforeRules = 'FOREIGN KEY (a) REFERENCES b(c)' }: Catalog) =>
  foreignKeys.map((text) => {
    const [, name, table = '', columns = '', target = '', targetColumns = '', rules] =
      /^(.+): (\S+) \((.*?)\) > (\S+) \((.*?)\)(.*)$/.exec(text) ?? []
    const definition = `${beforeRules}${rules}`
    return [name, ...path(table), listed(columns), ...path(target), listed(targetColumns), definition]
  })

/** A server that has this catalog and tables without rows. It refuses a statement with an empty part, as a real one does. */
const server = (catalog: Catalog) =>
  drizzle(async (query) => {
    const text = query.replaceAll(/\s+/g, ' ').trim()
    if (/select ,|, ,|, from | from (where|$)| where$|where and | and and |unnest\(\)| = and /.test(text))
      throw new Error(`syntax error: ${text}`)
    if (/current_schema\(\)::text.* from \(select 1\) as one$/.test(text)) return { rows: [['public']] }
    if (text.includes('from pg_class c join')) return { rows: columnRows(catalog) }
    if (text.includes('from pg_index i join')) return { rows: keyRows(catalog) }
    if (text.includes('from pg_constraint f join')) return { rows: foreignKeyRows(catalog) }
    return { rows: [[0]] }
  })

async function plan(tables: object, catalog: Catalog) {
  const { steps, notices } = await planMove(server(catalog) as never, 'pg', tables as never, 'official')
  return { statements: steps.flatMap(({ sql }) => sql).map((text) => text.replaceAll(/\n\s*/g, ' ')), notices }
}

const { pgTable, text, integer, timestamp, uuid } = p
const usersTable = pgTable('user', { id: text().primaryKey(), age: integer() })
const key = ['user: user_pkey primary (id)']
const user = { id: 'text not null', age: 'integer' }

describe('reading a database', () => {
  const catalog: Catalog = {
    tables: {
      user: {
        id: { type: 'integer', required: true, filled: true },
        email: 'citext',
        name: { type: 'text', default: `'x'::text`, loose: 'ci' },
      },
      'my app.user': { id: { type: 'character varying(20)', users: ['view a', 'view b'] } },
    },
    keys: [
      'user: the key primary (id)',
      'user: c constraint (id, email)',
      'user: u unique (email)',
      'my_app.user: x index (id)',
      'user: i index (name)',
    ],
    foreignKeys: ['fk: post (a, b) > auth.user (id, c) ON UPDATE CASCADE DEFERRABLE'],
  }

  test('gives its tables with their columns and keys', async () => {
    const { tables } = await pg.read(server(catalog) as never, [])
    const column = { notNull: false, default: undefined, isFilled: false, looseCollation: undefined, usedBy: [] }
    expect(tables).toEqual([
      {
        schema: 'public',
        name: 'user',
        columns: [
          { ...column, name: 'id', type: 'integer', holds: 'integer', bits: 31, notNull: true, isFilled: true },
          { ...column, name: 'email', type: 'citext', holds: 'text', looseCollation: 'citext' },
          { ...column, name: 'name', type: 'text', holds: 'text', default: `'x'::text`, looseCollation: 'ci' },
        ],
        keys: [
          { kind: 'primary', name: 'the key', columns: ['id'], isConstraint: true },
          { kind: 'unique', name: 'c', columns: ['id', 'email'], isConstraint: true },
          { kind: 'unique', name: 'u', columns: ['email'], isConstraint: false },
          { kind: 'index', name: 'i', columns: ['name'], isConstraint: false },
        ],
      },
      {
        schema: 'my app',
        name: 'user',
        columns: [{ ...column, name: 'id', type: 'character varying(20)', holds: 'text', length: 20, usedBy: ['view a', 'view b'] }],
        keys: [],
      },
    ])
  })

  test('gives each table its own keys', async () => {
    const tables = { user, session: { token: 'text' }, log: { n: 'integer' } }
    const database = await pg.read(server({ tables, keys: [...key, 'session: s primary (token)'] }) as never, [])
    expect(database.tables.map(({ keys }) => keys.flatMap(({ columns }) => columns))).toEqual([['id'], ['token'], []])
  })

  test('gives its foreign keys with their rules', async () => {
    const { foreignKeys, schemaOf } = await pg.read(server(catalog) as never, [])
    expect(foreignKeys).toEqual([
      {
        name: 'fk',
        table: { schema: 'public', name: 'post' },
        columns: ['a', 'b'],
        target: { schema: 'auth', name: 'user' },
        targetColumns: ['id', 'c'],
        rules: ' ON UPDATE CASCADE DEFERRABLE',
      },
    ])
    expect([schemaOf(''), schemaOf('auth')]).toEqual(['public', 'auth'])
  })

  test.each([
    'FOREIGN KEY (a, b) REFERENCES auth.users(id, c)',
    'FOREIGN KEY ("a)b", c) REFERENCES "The ""(Users"("x)y", "")',
    'FOREIGN KEY ("the author") REFERENCES "my app"."user"(id)',
  ])('%s is no rule', async (beforeRules) => {
    const { foreignKeys } = await pg.read(server({ ...catalog, beforeRules }) as never, [])
    expect(foreignKeys[0]?.rules).toBe(' ON UPDATE CASCADE DEFERRABLE')
  })

  test('names the tables of foreign keys as the code does', async () => {
    const sessionsTable = pgTable('session', { userId: text().references(() => usersTable.id, { onDelete: 'cascade' }) })
    const foreignKeys = ['session_userId_user_id_fk: session (userId) > user (id) ON DELETE CASCADE']
    expect(
      (await plan({ usersTable, sessionsTable }, { tables: { user, session: { userId: 'text' } }, keys: key, foreignKeys })).statements,
    ).toEqual([])
  })
})

describe('names', () => {
  test('a table is renamed, and moved where it is in another schema', async () => {
    expect((await plan({ usersTable }, { tables: { Users: user }, keys: ['Users: k primary (id)'] })).statements).toEqual([
      'ALTER TABLE "public"."Users" RENAME TO "user";',
    ])
    const from = { schema: 'app "1"', name: 'User' }
    const old = { ...from, columns: [], keys: [] }
    const now = {
      model: 'users' as const,
      path: { schema: 'auth', name: 'user' },
      table: usersTable,
      columns: [],
      keys: [],
      foreignKeys: [],
    }
    const database = { schemaOf: () => '', tables: [old], foreignKeys: [] }
    const { steps } = pg.steps([{ now, old, columns: [], others: [] }], [], database, { about: '', sql: [] })
    expect(steps.flatMap(({ sql }) => sql)).toEqual([
      'ALTER TABLE "app ""1"""."User" SET SCHEMA "auth";\nALTER TABLE "auth"."User" RENAME TO "user";',
    ])
  })

  test('a table of the code is looked for in its own schema', async () => {
    const auth = { usersTable: p.pgSchema('auth').table('user', { id: text().primaryKey() }) }
    const catalog = { tables: { User: user, 'auth.User': { id: 'text not null' } }, keys: ['auth.User: k primary (id)'] }
    expect((await plan(auth, catalog)).statements).toEqual(['ALTER TABLE "auth"."User" RENAME TO "user";'])
  })
})

describe('types', () => {
  const changed = async (old: string | Column, column: unknown) => {
    const table = pgTable('user', { id: text().primaryKey(), x: column as p.PgTextBuilderInitial<'x', [string, ...string[]]> })
    const { statements } = await plan({ usersTable: table }, { tables: { user: { id: 'text not null', x: old } }, keys: key })
    return statements.map((statement) => statement.replace('ALTER TABLE "public"."user" ', '').replaceAll('ALTER COLUMN "x" ', ''))
  }

  test.each([
    ['text', text()],
    ['character varying', text()],
    ['character varying(20)', p.varchar({ length: 20 })],
    ['timestamp(3) without time zone', timestamp({ precision: 3 })],
    ['timestamp with time zone', timestamp({ withTimezone: true, precision: 6 })],
    ['bigint', p.bigserial({ mode: 'number' })],
    ['citext', p.customType({ dataType: () => 'citext' })()],
    ['mood', p.customType({ dataType: () => 'MOOD' })()],
  ])('%s stays', async (old, column) => {
    expect(await changed(column instanceof p.PgBigSerial53Builder ? { type: old, required: true } : old, column)).toEqual([])
  })

  test.each([
    ['integer', p.bigint({ mode: 'number' }), 'TYPE bigint USING "x"::bigint;'],
    ['text', uuid(), 'TYPE uuid USING "x"::uuid;'],
    ['citext', text(), 'TYPE text USING "x"::text;'],
    [{ type: 'character varying(9)', loose: 'ci' }, p.varchar({ length: 9 }), 'TYPE varchar(9) USING "x"::varchar(9);'],
    ['character varying(9)', text(), 'TYPE text USING "x"::text;'],
    ['mood', p.customType({ dataType: () => 'temper' })(), 'TYPE temper USING "x"::temper;'],
    ['timestamp without time zone', timestamp({ precision: 3 }), 'TYPE timestamp (3) USING "x"::timestamp (3);'],
    ['timestamp(3) with time zone', timestamp({ precision: 3 }), `TYPE timestamp (3) USING "x" AT TIME ZONE 'UTC';`],
    [
      'timestamp(3) without time zone',
      timestamp({ precision: 3, withTimezone: true }),
      `TYPE timestamp (3) with time zone USING "x" AT TIME ZONE 'UTC';`,
    ],
    ['text', timestamp({ precision: 3 }), 'TYPE timestamp (3) USING "x"::timestamp (3);'],
    ['timestamp(3) without time zone', text(), 'TYPE text USING "x"::text;'],
    ['text not null', uuid(), 'TYPE uuid USING "x"::uuid, DROP NOT NULL;'],
    ['text', uuid().notNull(), 'TYPE uuid USING "x"::uuid, SET NOT NULL;'],
    ['text', text().notNull(), 'SET NOT NULL;'],
    ['text not null', text(), 'DROP NOT NULL;'],
    [{ type: 'text', default: 'a' }, uuid(), 'DROP DEFAULT, TYPE uuid USING "x"::uuid;'],
    [{ type: 'text', default: 'a' }, uuid().defaultRandom(), 'DROP DEFAULT, TYPE uuid USING "x"::uuid, SET DEFAULT gen_random_uuid();'],
    ['text', uuid().defaultRandom(), 'TYPE uuid USING "x"::uuid, SET DEFAULT gen_random_uuid();'],
  ])('%o changes', async (old, column, statement) => {
    expect(await changed(old, column)).toEqual([statement])
  })
})

test('columns of other tables that refer to one with another type keep their default, and get their foreign key back', async () => {
  const tables = { user: { ...user, id: 'uuid not null' }, post: { author: { type: 'uuid', default: 'nobody()' }, editor: 'uuid' } }
  const foreignKeys = ['a: post (author) > user (id) ON DELETE SET DEFAULT', 'b: post (editor) > user (id)']
  expect((await plan({ usersTable }, { tables, keys: key, foreignKeys })).statements).toEqual([
    'ALTER TABLE "public"."post" DROP CONSTRAINT "a";',
    'ALTER TABLE "public"."post" DROP CONSTRAINT "b";',
    'ALTER TABLE "public"."post" ALTER COLUMN "author" DROP DEFAULT, ALTER COLUMN "author" TYPE text USING "author"::text, ALTER COLUMN "author" SET DEFAULT (nobody())::text, ALTER COLUMN "editor" TYPE text USING "editor"::text;',
    'ALTER TABLE "public"."user" ALTER COLUMN "id" TYPE text USING "id"::text;',
    'ALTER TABLE "public"."post" ADD CONSTRAINT "a" FOREIGN KEY ("author") REFERENCES "public"."user" ("id") ON DELETE SET DEFAULT;',
    'ALTER TABLE "public"."post" ADD CONSTRAINT "b" FOREIGN KEY ("editor") REFERENCES "public"."user" ("id");',
  ])
})

test('a column that the code does not declare and nothing fills may be null, also if its type changes', async () => {
  const sessionsTable = pgTable('session', { sessionToken: text().primaryKey(), userId: text().notNull(), expires: timestamp().notNull() })
  const tables = {
    user: { ...user, id: 'uuid not null' },
    session: {
      sessionToken: 'text not null',
      userId: 'text not null',
      expires: 'timestamp without time zone not null',
      impersonator: 'uuid not null',
    },
  }
  const foreignKeys = ['a: session (impersonator) > user (id)']
  const keys = [...key, 'session: session_pkey primary (sessionToken)']
  expect((await plan({ usersTable, sessionsTable }, { tables, keys, foreignKeys })).statements).toContain(
    'ALTER TABLE "public"."session" ALTER COLUMN "impersonator" TYPE text USING "impersonator"::text, ALTER COLUMN "impersonator" DROP NOT NULL;',
  )
})

test('an address that nobody receives mail at is made of the id', () => {
  expect(pg.noAddress('"id"')).toBe(`"id" || '@no-email.invalid'`)
  expect(pg.foldsCase).toBe(false)
})

describe('keys', () => {
  const keyed = pgTable('user', { id: text().primaryKey(), age: integer().unique('"age"') }, (t) => [
    p.uniqueIndex('u').on(t.age, t.id),
    p.index('i').on(t.age),
  ])

  test.each([
    [
      'none',
      [],
      [
        'ALTER TABLE "public"."user" ADD CONSTRAINT """age""" UNIQUE ("age");',
        'CREATE UNIQUE INDEX "u" ON "public"."user" ("age", "id");',
        'CREATE INDEX "i" ON "public"."user" ("age");',
      ],
    ],
    ['those of the code', ['"age" constraint (age)', 'u unique (age, id)', 'i index (age)'], []],
    [
      'other names',
      ['a constraint (age)', 'b unique (age, id)', 'c index (age)'],
      [
        'ALTER TABLE "public"."user" RENAME CONSTRAINT "a" TO """age""";',
        'ALTER INDEX "public"."b" RENAME TO "u";',
        'ALTER INDEX "public"."c" RENAME TO "i";',
      ],
    ],
    [
      'an index for a constraint',
      ['"age" unique (age)', 'u constraint (age, id)', 'i index (age)'],
      ['ALTER TABLE "public"."user" ADD CONSTRAINT """age""" UNIQUE USING INDEX """age""";'],
    ],
  ])('%s', async (_, keys, statements) => {
    const catalog = { tables: { user }, keys: [...key, ...keys.map((text) => `user: ${text}`)] }
    expect((await plan({ usersTable: keyed }, catalog)).statements).toEqual(statements)
  })

  test('a primary key is replaced, and a missing table is made', async () => {
    const verificationTokensTable = pgTable('token', { a: text().notNull().default('x'), b: text() }, (t) => [
      p.primaryKey({ columns: [t.a, t.b], name: 'tk' }),
    ])
    const { statements, notices } = await plan(
      { usersTable, verificationTokensTable },
      { tables: { user }, keys: ['user: "k" primary (age)'] },
    )
    expect(statements).toEqual([
      'ALTER TABLE "public"."user" DROP CONSTRAINT """k""", ADD PRIMARY KEY ("id");',
      `CREATE TABLE "public"."token" ( "a" text DEFAULT 'x' NOT NULL, "b" text, CONSTRAINT "tk" PRIMARY KEY ("a", "b") );`,
    ])
    expect(notices).toEqual([])
  })
})
