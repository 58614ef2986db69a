import Client from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { read } from '../../src/doctor/inspector.js'
import { sqlite } from '../../src/doctor/sqlite.js'
import type { Database } from '../../src/query/drizzle.js'

function open(...statements: string[]): Database {
  const client = new Client(':memory:')
  onTestFinished(() => void client.close())
  for (const statement of statements) client.exec(statement)
  return drizzle({ client }) as unknown as Database
}

const inspect = (...statements: string[]) => sqlite.inspect(open(...statements), { schema: undefined, name: 'user' })

describe('a table of SQLite', () => {
  test('has its columns', async () => {
    const table = await inspect(`create table user (
      id text primary key not null,
      email varchar(255) not null,
      age INT not null default 1,
      size real,
      raw blob,
      twice integer not null generated always as (age * 2) virtual
    )`)
    const column = { isRequired: false, looseCollation: undefined }
    expect(table).toMatchObject({ id: 'user', reusesIds: false })
    expect(table?.columns).toEqual([
      { ...column, name: 'id', type: 'text', holds: 'text', isRequired: true },
      { ...column, name: 'email', type: 'varchar(255)', holds: 'text', isRequired: true },
      { ...column, name: 'age', type: 'int', holds: 'integer' },
      { ...column, name: 'size', type: 'real', holds: 'number' },
      { ...column, name: 'raw', type: 'blob', holds: 'bytes' },
      { ...column, name: 'twice', type: 'integer', holds: 'integer' },
    ])
  })

  test('is found whatever the case of its name', async () => {
    expect(await inspect('create table USER (id text)')).toMatchObject({ id: 'user' })
    const upper = await sqlite.inspect(open('create table user (id text)'), { schema: undefined, name: 'User' })
    expect(upper).toMatchObject({ id: 'user' })
  })

  test('may be a view', async () => {
    const view = await inspect('create table people (id text, email text)', 'create view user as select id, email from people')
    expect(view).toMatchObject({ columns: [{ name: 'id' }, { name: 'email' }], unique: [], indexes: [], foreignKeys: [] })
  })

  test('may not exist', async () => {
    expect(await inspect('create table users (id text)')).toBeUndefined()
    expect(await inspect('create table people (id text)', 'create index user on people (id)')).toBeUndefined()
  })

  test('has its indexes, without those of only some rows', async () => {
    const table = await inspect(
      'create table user (id text primary key, email text unique, name text, team text, part text, unique (team, part))',
      'create index by_name on user (name desc, id)',
      'create index by_length on user (length(name), id)',
      'create unique index by_some on user (name) where name is not null',
    )
    expect(table?.unique.sort()).toEqual([['email'], ['id'], ['team', 'part']])
    expect(table?.indexes.sort()).toEqual([['', 'id'], ['email'], ['id'], ['name', 'id'], ['team', 'part']])
  })

  test('has its foreign keys', async () => {
    const table = await inspect(
      `create table user (id text, tenant text references Tenants (id) on delete cascade, team text, part text,
        foreign key (team, part) references teams (a, b) on delete restrict)`,
    )
    expect(table?.foreignKeys).toHaveLength(2)
    expect(table?.foreignKeys).toEqual(
      expect.arrayContaining([
        { columns: ['tenant'], references: 'tenants', cascades: true },
        { columns: ['team', 'part'], references: 'teams', cascades: false },
      ]),
    )
  })
})

describe('ids of SQLite', () => {
  test.each([
    ['id integer primary key', true],
    ['id INTEGER PRIMARY KEY', true],
    ['id integer not null primary key', true],
    ['id integer primary key autoincrement', false],
    ['id integer primary key AUTOINCREMENT not null', false],
  ])('%s fills itself, and reuses ids: %s', async (definition, reusesIds) => {
    const table = await inspect(`create table user (${definition}, email text)`)
    expect(table).toMatchObject({ unique: [['id']], indexes: [['id']], reusesIds })
    expect(table?.columns.map(({ isRequired }) => isRequired)).toEqual([false, false])
  })

  test.each([
    ['id int primary key not null', ''],
    ['id integer primary key not null', 'without rowid'],
    ['id integer primary key not null', 'WITHOUT  ROWID'],
    ['id text primary key not null', ''],
    ['id "my integer" primary key not null', ''],
    ['id "integer no" primary key not null', ''],
  ])('%s %s is a column like any other', async (definition, end) => {
    const table = await inspect(`create table user (${definition}, email text not null) ${end}`)
    expect(table).toMatchObject({ unique: [['id']], indexes: [['id']], reusesIds: false })
    expect(table?.columns.map(({ isRequired }) => isRequired)).toEqual([true, true])
  })

  test('a key of two columns is not the rowid', async () => {
    const table = await inspect('create table user (id integer not null, part integer not null, primary key (id, part))')
    expect(table).toMatchObject({ unique: [['id', 'part']], reusesIds: false, columns: [{ isRequired: true }, { isRequired: true }] })
  })

  test('a column beside the rowid is required', async () => {
    const table = await inspect('create table user (id integer primary key, email text not null)')
    expect(table?.columns[1]).toMatchObject({ name: 'email', isRequired: true })
  })
})

describe('collations of SQLite', () => {
  test.each([
    ['email text', undefined],
    ['email text collate nocase', 'nocase'],
    ['email text COLLATE NOCASE not null', 'NOCASE'],
    ['email text not null collate "nocase"', 'nocase'],
    ['email text not null collate `rtrim`', 'rtrim'],
    ['"email" text collate nocase', 'nocase'],
    ['`email` text collate nocase', 'nocase'],
    ['[email] text collate nocase', 'nocase'],
    ['email text collate BINARY', undefined],
    ['id text collate nocase, email text', undefined],
    ['id text, email text collate nocase', 'nocase'],
    ['id text,email text  collate  nocase', 'nocase'],
    ['email text, name text collate nocase', undefined],
    ['myemail text collate nocase, email text', undefined],
    ['emails text collate nocase, email text', undefined],
    // The only sign of it is the index.
    ["email text check (email <> 'a,b') collate nocase unique", 'nocase'],
  ])('%s has the loose collation %s', async (columns, expected) => {
    const table = await inspect(`create table user (${columns})`)
    expect(table?.columns.find(({ name }) => name === 'email')?.looseCollation).toBe(expected)
  })

  test('a column may have any name', async () => {
    const table = await inspect('create table user ("e.mail" text collate nocase, "e-mail" text, "what?" text collate nocase, "a(b" text)')
    expect(table?.columns.map(({ looseCollation }) => looseCollation)).toEqual(['nocase', undefined, 'nocase', undefined])
  })

  test.each(['mybinary', 'binary_ci'])('%s, a collation of the app, is not taken for binary', async (collation) => {
    const client = new Client(':memory:')
    onTestFinished(() => void client.close())
    client.exec('create table user (email text)')
    // No other statement takes a collation that the connection does not know.
    client.unsafeMode().pragma('writable_schema = on')
    client.prepare('update sqlite_master set sql = ?').run(`create table user (email text collate ${collation})`)
    const table = await sqlite.inspect(drizzle({ client }) as unknown as Database, { schema: undefined, name: 'user' })
    expect(table?.columns[0]?.looseCollation).toBe(collation)
  })

  test('an index of the app may compare in another way than the column', async () => {
    const table = await inspect('create table user (email text)', 'create unique index by_email on user (email collate nocase)')
    expect(table?.columns[0]?.looseCollation).toBeUndefined()
  })
})

describe('a connection to SQLite', () => {
  const ask = async (...statements: string[]) => {
    const db = open(...statements)
    return (await Promise.all(sqlite.questions.map((question) => question.ask(db, new Map())))).flat().map(({ code, fix }) => [code, fix])
  }

  test.each([
    ['pragma foreign_keys = on', []],
    ['pragma foreign_keys = off', [['not-enforced', 'Run PRAGMA foreign_keys = ON on each new connection.']]],
    ['pragma query_only = on', [['read-only', 'PRAGMA query_only = OFF;']]],
  ])('after %s has the findings %j', async (statement, expected) =>
    expect(await ask('pragma foreign_keys = on', statement)).toEqual(expected),
  )
})

describe('texts in SQLite', () => {
  const select = async (text: string, condition: 'hasCapitals' | 'isDecimalId') => {
    const db = open('create table texts (value text collate nocase)', `insert into texts values ('${text}')`)
    return (await read(db, { is: sqlite[condition](sql`value`) }, sql`texts`)).map(({ is }) => Number(is))
  }

  test.each([
    ['Ada@example.com', 1],
    ['ada@Example.com', 1],
    ['ada@example.com', 0],
    ['', 0],
  ])('%j has capitals: %i', async (text, expected) => expect(await select(text, 'hasCapitals')).toEqual([expected]))

  test.each([
    ['4711.0', 1],
    ['1.0', 1],
    ['4711', 0],
    ['4711.01', 0],
    ['v4711.0', 0],
    ['4x.0', 0],
  ])('%j is an id with a fraction: %i', async (text, expected) => expect(await select(text, 'isDecimalId')).toEqual([expected]))

  test('are compared exactly, and together', async () => {
    const rows = [`('a', 'bc')`, `('ab', 'c')`, `('AB', 'c')`, `('ab', 'd')`]
    const db = open('create table texts (a text collate nocase, b text)', `insert into texts values ${rows}`)
    const together = sql.join([sqlite.exact(sql`a`), sqlite.exact(sql`b`)], sqlite.between)
    const fields = { a: sql`count(distinct ${sqlite.exact(sql`a`)})`, both: sql`count(distinct ${together})` }
    expect(await read(db, fields, sql`texts`)).toEqual([{ a: 3, both: 4 }])
  })
})
