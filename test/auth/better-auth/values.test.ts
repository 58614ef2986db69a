import type { BetterAuthOptions } from '@better-auth/core'
import { drizzleAdapter as officialAdapter } from '@better-auth/drizzle-adapter'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { openPool } from '../../support/pool.js'
import { openUnicode } from './store.js'

const fields = {
  at: { type: 'date', required: false },
  data: { type: 'json', required: false },
  tags: { type: 'string[]', required: false },
} as const
const options: BetterAuthOptions = { plugins: [{ id: 'notes', schema: { note: { fields } } }] }

/** Columns that a field may have, and their types in SQL. Those of the generated schema are tested by Better Auth's suites. */
const tables: Record<DialectName, Record<string, [table: object, types: string]>> = {
  pg: {
    'jsonb, timestamps as text': [
      pg.pgTable('note', {
        id: pg.text('id').primaryKey(),
        at: pg.timestamp('at', { mode: 'string' }),
        data: pg.jsonb('data'),
        tags: pg.text('tags').array(),
      }),
      'id text primary key, at timestamp, data jsonb, tags text[]',
    ],
    'json, timestamps with time zone as text': [
      pg.pgTable('note', {
        id: pg.text('id').primaryKey(),
        at: pg.timestamp('at', { mode: 'string', withTimezone: true }),
        data: pg.json('data'),
        tags: pg.jsonb('tags'),
      }),
      'id text primary key, at timestamp with time zone, data json, tags jsonb',
    ],
    text: [
      pg.pgTable('note', { id: pg.text('id').primaryKey(), at: pg.text('at'), data: pg.text('data'), tags: pg.text('tags') }),
      'id text primary key, at text, data text, tags text',
    ],
  },
  mysql: {
    'json, timestamps as text': [
      my.mysqlTable('note', {
        id: my.varchar('id', { length: 64 }).primaryKey(),
        at: my.timestamp('at', { mode: 'string', fsp: 3 }),
        data: my.json('data'),
        tags: my.json('tags'),
      }),
      'id varchar(64) primary key, at timestamp(3) null, data json, tags json',
    ],
    'text, datetimes as text': [
      my.mysqlTable('note', {
        id: my.varchar('id', { length: 64 }).primaryKey(),
        at: my.datetime('at', { mode: 'string', fsp: 3 }),
        data: my.text('data'),
        tags: my.text('tags'),
      }),
      'id varchar(64) primary key, at datetime(3), data text, tags text',
    ],
  },
  sqlite: {
    'text of JSON': [
      lite.sqliteTable('note', {
        id: lite.text('id').primaryKey(),
        at: lite.text('at'),
        data: lite.text('data', { mode: 'json' }),
        tags: lite.text('tags', { mode: 'json' }),
      }),
      'id text primary key, at text, data text, tags text',
    ],
    text: [
      lite.sqliteTable('note', { id: lite.text('id').primaryKey(), at: lite.text('at'), data: lite.text('data'), tags: lite.text('tags') }),
      'id text primary key, at text, data text, tags text',
    ],
  },
}

const json = [true, 0, 1.5, 'text', '', 'true', '1.5', 'null', '"text"', '{"a":1}', '[1]', { a: [1, 'x', null] }, [], {}]

const cases = inject('dialects').flatMap((dialect) =>
  Object.entries(tables[dialect]).flatMap(([name, [note, types]]) =>
    (dialect === 'pg' ? ['postgres.js', 'node-postgres'] : ['']).map((driver) => ({ dialect, driver, name, note, types })),
  ),
)

describe.each(cases)('fields on $dialect $driver in columns of $name', ({ dialect, driver, name, note, types }) => {
  let adapter: ReturnType<ReturnType<typeof drizzleAdapter>>
  let official: typeof adapter

  beforeAll(async () => {
    const { db, url, close } = await openUnicode(dialect, [`create table note (${types})`])
    const pool = driver === 'node-postgres' ? openPool({ connectionString: url }) : undefined
    const database = pool ? drizzleNodePg({ client: pool }) : db
    adapter = drizzleAdapter(database, { schema: { note } })(options)
    official = officialAdapter(database as never, { provider: dialect, schema: { note } })(options)
    return async () => {
      await pool?.end()
      await close()
    }
  })

  interface Note {
    id: string
    at: Date | null
    data: unknown
    tags: string[] | null
  }
  const create = (data: Partial<Note>) => adapter.create<Partial<Note>, Note>({ model: 'note', data })
  const find = (id: string) => adapter.findOne<Note>({ model: 'note', where: [{ field: 'id', value: id }] })

  test.each(json.map((value) => [JSON.stringify(value), value]))('read back the JSON %s', async (_, value) => {
    const { id, data } = await create({ data: value })
    expect(data).toEqual(value)
    expect((await find(id))?.data).toEqual(value)
    const updated = await adapter.update<Note>({ model: 'note', where: [{ field: 'id', value: id }], update: { data: value } })
    expect(updated?.data).toEqual(value)
  })

  test('read back a list', async () => {
    for (const tags of [['a', 'b"'], []]) expect((await find((await create({ tags })).id))?.tags).toEqual(tags)
  })

  test('read back no value', async () => {
    expect(await find((await create({ at: null, data: null, tags: null })).id)).toMatchObject({ at: null, data: null, tags: null })
  })

  test('read back a date, and compare it', async () => {
    const at = new Date('2031-02-03T04:05:06.789Z')
    const { id, at: created } = await create({ at })
    expect(created).toEqual(at)
    expect((await find(id))?.at).toEqual(at)
    const idsBy = async (operator: 'eq' | 'ne' | 'lt' | 'gt' | 'in' | 'not_in', value: Date | Date[]) => {
      const found = await adapter.findMany<Note>({ model: 'note', where: [{ field: 'at', operator, value: value as never }] })
      return found.map((each) => each.id)
    }
    const later = new Date(at.getTime() + 1)
    expect(await idsBy('eq', at)).toEqual([id])
    expect(await idsBy('in', [at, later])).toEqual([id])
    expect(await idsBy('ne', later)).toEqual([id])
    expect(await idsBy('not_in', [later])).toEqual([id])
    expect(await idsBy('lt', later)).toEqual([id])
    for (const found of [await idsBy('eq', later), await idsBy('ne', at), await idsBy('gt', at), await idsBy('not_in', [at])])
      expect(found).toEqual([])
  })

  // The official adapter's main entry is for Drizzle 0.45, and stores no JSON in a text column of PostgreSQL.
  const isOfficial = process.env.DRIZZLE === 'drizzle 0.45' && !(dialect === 'pg' && name === 'text')
  test.runIf(isOfficial)('read objects and lists that the official adapter has stored', async () => {
    const data = { a: [1, { b: 'x' }] }
    const tags = dialect === 'pg' ? undefined : ['a', 'b']
    const { id } = await official.create<Partial<Note>, Note>({ model: 'note', data: { data, ...(tags && { tags }) } })
    expect(await find(id)).toMatchObject({ data, ...(tags && { tags }) })
  })
})

test.each(inject('dialects').filter((dialect) => dialect !== 'sqlite'))(
  'a date is stored in a column of days as text on %s',
  async (dialect) => {
    const note = {
      pg: pg.pgTable('note', { id: pg.text('id').primaryKey(), at: pg.date('at') }),
      mysql: my.mysqlTable('note', { id: my.varchar('id', { length: 64 }).primaryKey(), at: my.date('at', { mode: 'string' }) }),
    }[dialect as 'pg' | 'mysql']
    const { db, close } = await openUnicode(dialect, ['create table note (id varchar(64) primary key, at date)'])
    onTestFinished(close)
    const adapter = drizzleAdapter(db, { schema: { note } })({
      plugins: [{ id: 'notes', schema: { note: { fields: { at: fields.at } } } }],
    })
    const day = new Date('1990-05-06')
    const { id } = await adapter.create<object, { id: string }>({ model: 'note', data: { at: new Date('1990-05-06T07:08:09Z') } })
    for (const [operator, value] of [
      ['eq', day],
      ['in', [day]],
      ['lt', new Date('1990-05-07T00:00:01Z')],
    ] as const)
      expect(await adapter.findMany({ model: 'note', where: [{ field: 'at', operator, value: value as never }] })).toEqual([
        { id, at: day },
      ])
  },
)
