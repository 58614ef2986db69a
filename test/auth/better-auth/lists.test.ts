import type { BetterAuthOptions } from '@better-auth/core'
import type { Where } from '@better-auth/core/db/adapter'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { openPool } from '../../support/pool.js'
import { logOf } from './log.js'
import { openUnicode } from './store.js'

const fields = {
  word: { type: 'string' },
  small: { type: 'number' },
  big: { type: 'number', bigint: true },
  uuid: { type: 'string' },
} as const
const options: BetterAuthOptions = { plugins: [{ id: 'items', schema: { item: { fields } } }] }

const tables: Record<DialectName, [table: object, ...statements: string[]]> = {
  pg: [
    pg.pgTable('item', {
      id: pg.uuid('id').primaryKey(),
      word: pg.text('word'),
      small: pg.integer('small'),
      big: pg.bigint('big', { mode: 'number' }),
      uuid: pg.uuid('uuid'),
    }),
    `create collation loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`,
    'create table item (id uuid primary key, word text collate loose, small integer, big bigint, uuid uuid)',
  ],
  mysql: [
    my.mysqlTable('item', {
      id: my.varchar('id', { length: 36 }).primaryKey(),
      word: my.varchar('word', { length: 40 }),
      small: my.int('small'),
      big: my.bigint('big', { mode: 'number' }),
      uuid: my.varchar('uuid', { length: 36 }),
    }),
    'create table item (id varchar(36) primary key, word varchar(40), small int, big bigint, uuid varchar(36))',
  ],
  sqlite: [
    lite.sqliteTable('item', {
      id: lite.text('id').primaryKey(),
      word: lite.text('word'),
      small: lite.integer('small'),
      big: lite.integer('big'),
      uuid: lite.text('uuid'),
    }),
    'create table item (id text primary key, word text collate nocase, small integer, big integer, uuid text collate nocase)',
  ],
}

const uuidOf = (index: number) => `a0000000-0000-4000-8000-${String(index).padStart(12, '0')}`
const rows = [1, 2, 3].map((at) => ({ id: uuidOf(at), word: `word ${at}`, small: at, big: 2 ** 40 + at, uuid: uuidOf(at) }))

/** Values of a field: of the first two rows, a lookalike of the third, and others that no row has. */
const listOf: Record<string, (index: number) => string | number> = {
  id: (index) => uuidOf(index + 1 + (index > 1 ? 10 : 0)),
  word: (index) => (index === 2 ? 'WORD 3' : `word ${index + 1}`),
  small: (index) => index + 1 + (index > 1 ? 10 : 0),
  big: (index) => 2 ** 40 + index + 1 + (index > 1 ? 10 : 0),
  uuid: (index) => uuidOf(index + 1 + (index > 1 ? 10 : 0)),
}

type Driver = 'postgres.js' | 'node-postgres' | 'mysql2' | 'better-sqlite3'
const drivers: Record<DialectName, Driver[]> = { pg: ['postgres.js', 'node-postgres'], mysql: ['mysql2'], sqlite: ['better-sqlite3'] }
const cases = inject('dialects').flatMap((dialect) => drivers[dialect].map((driver) => ({ dialect, driver })))

describe.each(cases)('a list of values with $driver', ({ dialect, driver }) => {
  let adapter: ReturnType<ReturnType<typeof drizzleAdapter>>
  let log: ReturnType<typeof logOf>

  beforeAll(async () => {
    const [item, ...statements] = tables[dialect]
    const { db, url, close } = await openUnicode(dialect, statements)
    const pool = driver === 'node-postgres' ? openPool({ connectionString: url }) : undefined
    const database = pool ? drizzleNodePg({ client: pool }) : db
    adapter = drizzleAdapter(database, { schema: { item } })(options)
    for (const data of rows) await adapter.create({ model: 'item', data, forceAllowId: true })
    log = logOf(database)
    return async () => {
      await pool?.end()
      await close()
    }
  })

  const smalls = async (...where: Where[]) =>
    (await adapter.findMany<{ small: number }>({ model: 'item', where })).map(({ small }) => small).sort()

  const length = 40_000
  test.each(Object.keys(listOf))('of 40,000 values of the field %s is sent in one statement, and compared exactly', async (field) => {
    const value = Array.from({ length }, (_, index) => listOf[field]?.(index)) as string[]
    log.splice(0)
    expect(await smalls({ field, operator: 'in', value })).toEqual([1, 2])
    expect(await smalls({ field, operator: 'not_in', value })).toEqual([3])
    expect(log).toHaveLength(2)
    // Each statement has its limit and its offset as well. mysql2 has no limit of parameters: it sends each value for the index and as bytes.
    const most = dialect === 'mysql' ? 2 * length : 1
    for (const { params } of log) expect(params.length).toBeLessThanOrEqual(most + 2)
  })

  test('of texts in any case is sent once', async () => {
    const value = Array.from({ length: 40_000 }, (_, index) => `WORD ${index + 2}`)
    log.splice(0)
    expect(await smalls({ field: 'word', operator: 'in', value, mode: 'insensitive' })).toEqual([2, 3])
    expect(await smalls({ field: 'word', operator: 'not_in', value, mode: 'insensitive' })).toEqual([1])
    expect(log).toHaveLength(2)
  })

  test('contains texts that look like a part of a list', async () => {
    const odd = ['NULL', '"', '\\', '{', ',', "'", '[1]', '']
    for (const [index, word] of odd.entries()) {
      const data = { ...rows[0], id: uuidOf(100 + index), small: 100 + index, word }
      await adapter.create({ model: 'item', data, forceAllowId: true })
    }
    expect(await smalls({ field: 'word', operator: 'in', value: odd })).toHaveLength(odd.length)
    expect(await adapter.deleteMany({ model: 'item', where: [{ field: 'word', operator: 'in', value: odd }] })).toBe(odd.length)
  })
})
