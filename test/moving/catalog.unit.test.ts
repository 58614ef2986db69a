import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isSame, readSqlite } from '../../src/cli/moving/catalog.js'

// What the plan knows of a SQLite database.

async function read(...statements: string[]) {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  for (const statement of statements) client.exec(statement)
  return readSqlite(drizzle({ client }) as never)
}
const keysOf = async (...statements: string[]) => (await read(...statements)).tables[0]?.keys
const column = { notNull: false, default: undefined, isFilled: false, isGenerated: false }

test('tables come in the order in which they were made, with the statement', async () => {
  const definition = 'CREATE TABLE "The Users" (\n  id TEXT -- the id\n)'
  const { tables, foreignKeys, schemaOf } = await read(
    definition,
    'create table "a" (n integer primary key autoincrement)',
    'create table sqliteish (x)',
    'create view v as select * from a',
  )
  expect(tables.map(({ schema, name }) => [schema, name])).toEqual([
    ['', 'The Users'],
    ['', 'a'],
    ['', 'sqliteish'],
  ])
  expect(tables[0]?.definition).toBe(definition)
  expect(foreignKeys).toEqual([])
  expect(schemaOf('any')).toBe('')
})

test('columns have a type, a default, and what fills them', async () => {
  const { tables } = await read(
    `create table t (a VARCHAR(20) not null, b Integer default 7, c text default 'it''s', d, e text generated always as (a || 'x') stored, f real as (b) virtual)`,
  )
  expect(tables[0]?.columns).toEqual([
    { ...column, name: 'a', type: 'varchar(20)', holds: 'text', notNull: true },
    { ...column, name: 'b', type: 'integer', holds: 'integer', default: '7' },
    { ...column, name: 'c', type: 'text', holds: 'text', default: `'it''s'` },
    { ...column, name: 'd', type: '', holds: 'bytes' },
    expect.objectContaining({ name: 'e', isFilled: true, isGenerated: true }),
    expect.objectContaining({ name: 'f', isFilled: true, isGenerated: true }),
  ])
})

test('a hidden column of a virtual table is filled, and not generated', async () => {
  const { tables } = await read('create virtual table v using fts5 (a)')
  expect(tables[0]?.columns.find(({ name }) => name === 'rank')).toMatchObject({ isFilled: true, isGenerated: false })
})

describe('a primary key', () => {
  test.each([
    ['id integer primary key', true],
    ['id INTEGER primary key autoincrement', true],
    ['id int primary key', false],
    ['id "unsigned integer" primary key', false],
    ['id "integer unsigned" primary key', false],
    ['id text primary key', false],
    ['id integer not null, other integer not null, primary key (id, other)', false],
    ['id integer not null', false],
  ])('%s: SQLite fills it: %s', async (text, isFilled) => {
    const { tables } = await read(`create table t (x integer, ${text})`)
    expect(tables[0]?.columns.map((one) => one.isFilled)).toEqual(tables[0]?.columns.map(({ name }) => isFilled && name === 'id'))
  })

  test('has its columns in the order of the key', async () => {
    expect(await keysOf('create table t (a text, b text, c text, primary key (c, a))')).toEqual([
      { kind: 'primary', name: '', columns: ['c', 'a'], isConstraint: true },
    ])
    expect(await keysOf('create table t (a integer primary key)')).toEqual([
      { kind: 'primary', name: '', columns: ['a'], isConstraint: true },
    ])
    expect(await keysOf('create table t (a integer)')).toEqual([])
  })
})

test('keys are constraints or indexes, of all rows', async () => {
  const keys = await keysOf(
    'create table t (a text, b text, unique (b, a))',
    'create unique index u on t (a)',
    'create index i on t (b, a desc)',
    'create index e on t (lower(a), b)',
    'create index some on t (a) where b is null',
  )
  const byName = new Map(keys?.map((key) => [key.isConstraint ? 'constraint' : key.name, key]))
  expect([...byName.keys()].sort()).toEqual(['constraint', 'e', 'i', 'u'])
  expect(byName.get('constraint')).toMatchObject({ kind: 'unique', columns: ['b', 'a'], isConstraint: true })
  expect(byName.get('u')).toEqual({ kind: 'unique', name: 'u', columns: ['a'], isConstraint: false })
  expect(byName.get('i')).toEqual({ kind: 'index', name: 'i', columns: ['b', 'a'], isConstraint: false })
  expect(byName.get('e')).toEqual({ kind: 'index', name: 'e', columns: ['', 'b'], isConstraint: false })
})

test('indexes and triggers belong to their table, in any case of its name', async () => {
  const { tables } = await read(
    'create table "Users" (a text unique)',
    'create table other (a text)',
    'create index i on USERS (a)',
    'create index o on other (a)',
    'create trigger tr after insert on users begin delete from other; end',
    'create view v as select * from users',
  )
  expect([...(tables[0]?.attached ?? [])]).toEqual([
    ['i', 'CREATE INDEX i on USERS (a)'],
    ['tr', expect.stringMatching(/^CREATE TRIGGER tr after insert on users begin/)],
  ])
  expect([...(tables[1]?.attached?.keys() ?? [])]).toEqual(['o'])
})

test('foreign keys have their columns in order, and rules', async () => {
  const { foreignKeys } = await read(
    'create table t (a text, b text, c text references u on update set null, foreign key (b, a) references "The U" (x, y) on delete cascade)',
    'create table s (a text references t (a))',
  )
  const here = { schema: '', name: 't' }
  expect(foreignKeys).toHaveLength(3)
  expect(foreignKeys).toEqual(
    expect.arrayContaining([
      {
        name: '',
        table: here,
        columns: ['c'],
        target: { schema: '', name: 'u' },
        targetColumns: [''],
        rules: ' ON DELETE NO ACTION ON UPDATE SET NULL',
      },
      {
        name: '',
        table: here,
        columns: ['b', 'a'],
        target: { schema: '', name: 'The U' },
        targetColumns: ['x', 'y'],
        rules: ' ON DELETE CASCADE ON UPDATE NO ACTION',
      },
      expect.objectContaining({ table: { schema: '', name: 's' }, targetColumns: ['a'] }),
    ]),
  )
})

test('names that differ in case only are the same', () => {
  expect([isSame('User', 'uSER'), isSame('User', 'Users')]).toEqual([true, false])
})
