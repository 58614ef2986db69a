import type { BetterAuthOptions } from '@better-auth/core'
import { drizzleAdapter as officialAdapter } from '@better-auth/drizzle-adapter'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import type { Table } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'
import { openPool } from '../../support/pool.js'
import { openUnicode } from './store.js'

const fields = {
  at: { type: 'date', required: false },
  data: { type: 'json', required: false },
  tags: { type: 'string[]', required: false },
} as const
const options: BetterAuthOptions = { plugins: [{ id: 'notes', schema: { note: { fields } } }] }

const pgNote = (columns: Record<'at' | 'data' | 'tags', unknown>) => pg.pgTable('note', { id: pg.text().primaryKey(), ...columns } as never)
const myNote = (columns: Record<'at' | 'data' | 'tags', unknown>) =>
  my.mysqlTable('note', { id: my.varchar({ length: 64 }).primaryKey(), ...columns } as never)
const liteNote = (columns: Record<'at' | 'data' | 'tags', unknown>) =>
  lite.sqliteTable('note', { id: lite.text().primaryKey(), ...columns } as never)

/** Columns that a field may have. Those of the generated schema are tested by Better Auth's suites. */
const tables: Record<DialectName, Record<string, Table>> = {
  pg: {
    'jsonb, timestamps as text': pgNote({ at: pg.timestamp({ mode: 'string' }), data: pg.jsonb(), tags: pg.text().array() }),
    'json, timestamps with time zone as text': pgNote({
      at: pg.timestamp({ mode: 'string', withTimezone: true }),
      data: pg.json(),
      tags: pg.jsonb(),
    }),
    text: pgNote({ at: pg.text(), data: pg.text(), tags: pg.text() }),
  },
  mysql: {
    'json, datetimes as text': myNote({ at: my.datetime({ mode: 'string', fsp: 3 }), data: my.json(), tags: my.json() }),
    text: myNote({ at: my.datetime({ mode: 'string', fsp: 3 }), data: my.text(), tags: my.text() }),
  },
  sqlite: {
    'text of JSON': liteNote({ at: lite.text(), data: lite.text({ mode: 'json' }), tags: lite.text({ mode: 'json' }) }),
    text: liteNote({ at: lite.text(), data: lite.text(), tags: lite.text() }),
  },
}

const json = [true, 0, 1.5, 'text', '', 'true', '1.5', 'null', '"text"', '{"a":1}', '[1]', { a: [1, 'x', null] }, [], {}]

const cases = inject('dialects').flatMap((dialect) =>
  Object.entries(tables[dialect]).flatMap(([name, note]) =>
    (dialect === 'pg' ? ['postgres.js', 'node-postgres'] : ['']).map((driver) => ({ dialect, driver, name, note })),
  ),
)

describe.each(cases)('fields on $dialect $driver in columns of $name', ({ dialect, driver, name, note }) => {
  let adapter: ReturnType<ReturnType<typeof drizzleAdapter>>
  let official: typeof adapter

  beforeAll(async () => {
    const { db, url, close } = await openUnicode(dialect, [createTable(note, dialect === 'mysql' ? '`' : '"')])
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
  const isOfficial = process.env.DRIZZLE === '0.45' && !(dialect === 'pg' && name === 'text')
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
