import * as m from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql-proxy'
import { describe, expect, test } from 'vitest'
import { mysql } from '../../src/cli/moving/mysql.js'
import { planMove } from '../../src/cli/moving/plan.js'

// The plan for tables of MySQL and MariaDB, from rows of information_schema.

interface Column {
  type: string
  nullable?: boolean
  default?: string | null
  extra?: string
  comment?: string
  characters?: string | null
  collation?: string | null
}

interface Catalog {
  version?: string
  /** By name, those outside of the current database `app` with theirs in front. */
  tables: Record<string, Record<string, string | Column>>
  /** Such as `user: PRIMARY (id)`, `user: email unique (email)` or `user: i index (a, b)`; a part of a column as `name/10`. */
  keys?: string[]
  /** Such as `fk: post (author) > user (id) CASCADE RESTRICT`. */
  foreignKeys?: string[]
  format?: string | null
  isBinary?: boolean
  queries?: [string, unknown[]][]
}

const path = (name: string) => (name.includes('.') ? name.split('.') : ['app', name])

const columnRows = ({ tables, format = 'Dynamic' }: Catalog) =>
  Object.entries(tables).flatMap(([table, columns]) =>
    Object.entries(columns).map(([name, given]) => {
      const column: Column = typeof given === 'string' ? { type: given } : given
      const isText = /char|text/.test(column.type)
      const { type, nullable = true, default: value = null, extra = '', comment = '' } = column
      const { characters = isText ? 'utf8mb4' : null, collation = isText ? 'utf8mb4_bin' : null } = column
      return [...path(table), name, type, nullable ? 'YES' : 'NO', value, extra, comment, characters, collation, format]
    }),
  )

const keyRows = ({ keys = [] }: Catalog) =>
  keys.flatMap((text) => {
    const [, table = '', name, kind, columns = ''] = /^(\S+): (\S+)(?: (\w+))? \((.*)\)$/.exec(text) ?? []
    return columns.split(', ').map((one) => {
      const [column = '', part] = one.split('/')
      return [...path(table), name, kind === 'index' ? 1 : 0, column || null, part ? Number(part) : null]
    })
  })

const foreignKeyRows = ({ foreignKeys = [] }: Catalog) =>
  foreignKeys.flatMap((text) => {
    const [, name, table = '', columns = '', target = '', others = '', onDelete = 'NO ACTION', onUpdate = 'NO ACTION'] =
      /^(\S+): (\S+) \((.*?)\) > (\S+) \((.*?)\)(?: (\w+) (\w+))?$/.exec(text) ?? []
    return columns
      .split(', ')
      .map((column, index) => [name, ...path(table), column, ...path(target), others.split(', ')[index], onDelete, onUpdate])
  })

/** A server that has this catalog. It refuses a statement with an empty part, as a real one does. */
const server = (catalog: Catalog) =>
  drizzle(async (query, parameters) => {
    catalog.queries?.push([query, parameters])
    const text = query.replaceAll(/\s+/g, ' ').trim()
    if (/select ,|, ,|, from | from (where|$)| where$|> $/.test(text)) throw new Error(`syntax error: ${text}`)
    const rowsOf = (): unknown[][] => {
      if (text.endsWith('from (select 1) as one')) return [[catalog.version ?? '8.4.0', 'app']]
      if (text.includes('from information_schema.columns c')) return columnRows(catalog)
      if (text.includes('from information_schema.statistics s')) return keyRows(catalog)
      if (text.includes('from information_schema.key_column_usage k')) return foreignKeyRows(catalog)
      return [[0]]
    }
    // Some drivers give the texts of information_schema as bytes.
    const given = (value: unknown) => (catalog.isBinary && typeof value === 'string' ? Buffer.from(value) : value)
    return { rows: rowsOf().map((row) => row.map(given)) }
  })

const read = (catalog: Catalog, schemas: string[] = []) => mysql.read(server(catalog) as never, schemas)
const columnOf = async (column: Column, version?: string) =>
  (await read({ tables: { t: { x: column } }, ...(version && { version }) })).tables[0]?.columns[0]

async function plan(tables: object, catalog: Catalog) {
  const { steps, notices } = await planMove(server(catalog) as never, 'mysql', tables as never, 'official')
  return { statements: steps.flatMap(({ sql }) => sql).map((text) => text.replaceAll(/\n\s*/g, ' ')), notices }
}

describe('reading a database', () => {
  const catalog: Catalog = {
    tables: { user: { id: { type: 'int', nullable: false }, name: 'varchar(20)' }, 'other.user': { id: 'int' }, 'ap.puser': { n: 'int' } },
    keys: [
      'user: PRIMARY (id)',
      'user: u unique (id, name)',
      'user: i index (name/10, id)',
      'user: e index ()',
      'other.user: o index (id)',
      'ap.puser: p unique (n)',
    ],
    foreignKeys: [
      'a: user (id, x) > other.user (id, y) CASCADE RESTRICT',
      'b: user (id) > user (id)',
      'a: post (id) > user (id)',
      'ta: pos (id) > user (id)',
    ],
  }
  const key = { isConstraint: true }

  test.each([false, true])('gives its tables, keys and foreign keys, as bytes or not: %s', async (isBinary) => {
    const { tables, foreignKeys, schemaOf } = await read({ ...catalog, isBinary })
    expect(tables).toMatchObject([
      {
        schema: '',
        name: 'user',
        columns: [
          { name: 'id', notNull: true },
          { name: 'name', notNull: false, type: 'varchar(20)', length: 20 },
        ],
      },
      { schema: 'other', name: 'user', keys: [{ name: 'o', kind: 'index', columns: ['id'] }] },
      { schema: 'ap', name: 'puser', columns: [{ name: 'n' }], keys: [{ name: 'p', kind: 'unique', columns: ['n'] }] },
    ])
    expect(tables[0]?.keys).toEqual([
      { ...key, kind: 'primary', name: 'PRIMARY', columns: ['id'] },
      { ...key, kind: 'unique', name: 'u', columns: ['id', 'name'] },
      { ...key, kind: 'index', name: 'i', columns: ['name(10)', 'id'] },
      { ...key, kind: 'index', name: 'e', columns: [''] },
    ])
    const here = { schema: '', name: 'user' }
    expect(foreignKeys).toEqual([
      {
        name: 'a',
        table: here,
        columns: ['id', 'x'],
        target: { schema: 'other', name: 'user' },
        targetColumns: ['id', 'y'],
        rules: ' ON DELETE CASCADE ON UPDATE RESTRICT',
      },
      { name: 'b', table: here, columns: ['id'], target: here, targetColumns: ['id'], rules: ' ON DELETE NO ACTION ON UPDATE NO ACTION' },
      {
        name: 'a',
        table: { schema: '', name: 'post' },
        columns: ['id'],
        target: here,
        targetColumns: ['id'],
        rules: ' ON DELETE NO ACTION ON UPDATE NO ACTION',
      },
      {
        name: 'ta',
        table: { schema: '', name: 'pos' },
        columns: ['id'],
        target: here,
        targetColumns: ['id'],
        rules: ' ON DELETE NO ACTION ON UPDATE NO ACTION',
      },
    ])
    expect([schemaOf('app'), schemaOf(''), schemaOf('other')]).toEqual(['', '', 'other'])
  })

  test('gives each table its own keys', async () => {
    const tables = { user: { id: 'int' }, session: { token: 'int' }, log: { n: 'int' } }
    const database = await read({ tables, keys: ['user: PRIMARY (id)', 'session: PRIMARY (token)'] })
    expect(database.tables.map(({ keys }) => keys.flatMap(({ columns }) => columns))).toEqual([['id'], ['token'], []])
  })

  test('looks into its own schema, those of the code and those that refer to them', async () => {
    const queries: [string, unknown[]][] = []
    await read({ tables: {}, foreignKeys: ['a: blog.post (id) > user (id)', 'b: post (id) > user (id)'], queries }, ['auth', ''])
    expect(queries.find(([query]) => query.includes('key_column_usage'))?.[1]).toEqual(['app', 'auth', 'app', 'auth'])
    expect(queries.find(([query]) => query.includes('.columns'))?.[1]).toEqual(['app', 'auth', 'blog'])
    expect(queries.find(([query]) => query.includes('.statistics'))?.[1]).toEqual(['app', 'auth', 'blog'])
  })

  test.each([
    ['8.4.0', null, '', undefined],
    ['8.4.0', `it's \\`, '', `'it''s \\\\'`],
    ['8.4.0', 'NULL', '', `'NULL'`],
    ['8.4.0', 'CURRENT_TIMESTAMP(3)', 'DEFAULT_GENERATED', 'CURRENT_TIMESTAMP(3)'],
    ['8.4.0', 'uuid()', 'DEFAULT_GENERATED', '(uuid())'],
    ['8.4.0', 'the current_timestamp', 'DEFAULT_GENERATED', '(the current_timestamp)'],
    ['11.4.2-MariaDB', `'free'`, '', `'free'`],
    ['11.4.2-MariaDB', 'NULL', '', undefined],
    ['11.4.2-MariaDB', null, '', undefined],
    ['11.4.2-MariaDB', 'current_timestamp(3)', '', 'current_timestamp(3)'],
  ])('%s: the default %j with %j', async (version, value, extra, expected) => {
    expect((await columnOf({ type: 'text', default: value, extra }, version))?.default).toBe(expected)
  })

  test.each([
    ['auto_increment', true, ' AUTO_INCREMENT'],
    ['VIRTUAL GENERATED', true, ''],
    ['STORED GENERATED', true, ''],
    ['PERSISTENT GENERATED ALWAYS', true, ''],
    ['DEFAULT_GENERATED', false, ''],
    ['DEFAULT_GENERATED on update CURRENT_TIMESTAMP(3)', false, ' on update CURRENT_TIMESTAMP(3)'],
    ['on update CURRENT_TIMESTAMP', false, ' on update CURRENT_TIMESTAMP'],
    ['', false, ''],
  ])('a column with %j', async (extra, isFilled, rest) => {
    expect(await columnOf({ type: 'int', extra })).toMatchObject({ isFilled, rest })
    expect(await columnOf({ type: 'int', extra, comment: "it's" })).toMatchObject({ rest: `${rest} COMMENT 'it''s'` })
  })

  test.each([
    ['utf8mb4_bin', undefined],
    ['utf8mb4_0900_ai_ci', 'utf8mb4_0900_ai_ci'],
    ['utf8mb4_bin_ci', 'utf8mb4_bin_ci'],
    [null, undefined],
  ])('the collation %s', async (collation, looseCollation) => {
    expect(await columnOf({ type: 'text', collation, characters: 'utf8mb4' })).toMatchObject({
      collation: collation ?? undefined,
      looseCollation,
    })
  })

  test.each([
    ['Dynamic', undefined],
    ['COMPRESSED', undefined],
    [null, undefined],
    ['Compact', 'ROW_FORMAT=DYNAMIC'],
    ['Not dynamic', 'ROW_FORMAT=DYNAMIC'],
    ['Dynamics', 'ROW_FORMAT=DYNAMIC'],
  ])('the row format %s', async (format, storage) => {
    expect((await read({ tables: { t: { x: 'int' } }, format })).tables[0]?.storage).toBe(storage)
  })
})

test('the plan is made from what was read', async () => {
  const usersTable = m.mysqlTable('user', { id: m.int().primaryKey(), age: m.bigint({ mode: 'number' }), name: m.varchar({ length: 20 }) })
  const old = { id: { type: 'int(11)', nullable: false }, AGE: { type: 'int(11)', comment: 'in years' }, name: 'varchar(20)' }
  expect(await plan({ usersTable }, { tables: { User: old }, keys: ['User: PRIMARY (id)'], format: 'Compact', isBinary: true })).toEqual({
    statements: [
      'RENAME TABLE `User` TO `user`;',
      'ALTER TABLE `user` RENAME COLUMN `AGE` TO `age`;',
      "ALTER TABLE `user` MODIFY `age` bigint NULL COMMENT 'in years', ROW_FORMAT=DYNAMIC;",
    ],
    notices: [],
  })
})

test('values that would not fit are looked for', async () => {
  const queries: [string, unknown[]][] = []
  const usersTable = m.mysqlTable('user', { id: m.int(), name: m.varchar({ length: 20 }) })
  await plan({ usersTable }, { tables: { user: { id: 'int', name: 'longtext' } }, queries })
  expect(queries.at(-1)?.[0]).toContain('octet_length(convert(t.`name` using utf8mb4)) > 20')
})
