import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { Cache } from 'drizzle-orm/cache/core'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzleProxy } from 'drizzle-orm/pg-proxy'
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { models } from '../../src/contract.js'
import { pg as postgres } from '../../src/pg/dialect.js'
import type { Row, SqlDialect } from '../../src/query/dialect.js'
import type { Database as AnyDatabase } from '../../src/query/drizzle.js'
import { createRows } from '../../src/query/rows.js'
import { walk } from '../../src/secrets/walk.js'
import { sqlite } from '../../src/sqlite/dialect.js'

const accounts = sqliteTable(
  'account',
  {
    userId: text().notNull(),
    type: text().notNull(),
    provider: text().notNull(),
    providerAccountId: text('the id').notNull(),
    access_token: text('the token'),
    expires_at: integer(),
  },
  (table) => [primaryKey({ columns: [table.provider, table.providerAccountId] })],
)

let client: Database.Database
let statements: { text: string; parameters: unknown[] }[]
beforeEach(() => {
  client = new Database(':memory:')
  statements = []
})
afterEach(() => client.close())

/** Creates the table, with a collation for its key, and these accounts. */
function add(keys: readonly (readonly [provider: string, id: string])[], collation = 'binary') {
  const column = (name: string) => `"${name}" text collate ${collation}`
  client.exec(`create table account (userId, type, ${column('provider')}, ${column('the id')}, "the token" text, expires_at)`)
  const insert = client.prepare('insert into account values (?, ?, ?, ?, ?, ?)')
  for (const [provider, id] of keys) insert.run('1', 'oauth', provider, id, `${provider}/${id}`, 5)
}

const open = () =>
  drizzle({ client, logger: { logQuery: (query, parameters) => statements.push({ text: query, parameters }) } }) as unknown as AnyDatabase

/** The batches of a walk. A function is called after each. */
async function batchesOf(batch: number, after = () => {}, dialect: SqlDialect = sqlite.sql): Promise<Row[][]> {
  const { internals } = createRows({ db: open(), sql: dialect, writes: sqlite.writes, retry: false }, accounts, models.accounts, [
    'provider',
    'providerAccountId',
  ])
  const batches: Row[][] = []
  for await (const rows of walk(internals.statements, ['provider', 'providerAccountId', 'access_token', 'id_token'], batch)) {
    batches.push(rows)
    after()
  }
  return batches
}

const tokensOf = (batches: Row[][]) => batches.map((rows) => rows.map(({ access_token }) => access_token))

const keys = [
  ['github', '1'],
  ['github', '2'],
  ['github', "3'"],
  ['google', '1'],
  ['google', '2'],
] as const
const all = keys.map(([provider, id]) => `${provider}/${id}`)

describe('a walk through a table', () => {
  test.each([
    [1, [1, 1, 1, 1, 1]],
    [2, [2, 2, 1]],
    [3, [3, 2]],
    [4, [4, 1]],
    [5, [5]],
    [6, [5]],
  ])('gives every row once in the order of its key, in batches of %i', async (batch, lengths) => {
    add(keys.toReversed())
    const tokens = tokensOf(await batchesOf(batch))
    expect(tokens.flat()).toEqual(all)
    expect(tokens.map(({ length }) => length)).toEqual(lengths)
  })

  test('gives the columns that are asked for, where the table has them', async () => {
    add(keys.slice(0, 1))
    expect(await batchesOf(10)).toEqual([[{ provider: 'github', providerAccountId: '1', access_token: 'github/1' }]])
  })

  test('gives nothing of an empty table', async () => {
    add([])
    expect(await batchesOf(1)).toEqual([])
  })

  test('ends with a batch that is not full, without a further statement', async () => {
    add(keys)
    await batchesOf(6)
    expect(statements).toHaveLength(1)
  })

  test('does not end where rows are deleted or added meanwhile', async () => {
    add(keys)
    const changes = ["delete from account where provider = 'github'", "insert into account values ('1', '', 'zoom', '1', 'zoom/1', 5)"]
    const after = () => void client.exec(changes.shift() ?? 'select 1')
    expect(tokensOf(await batchesOf(2, after)).flat()).toEqual(['github/1', 'github/2', 'google/1', 'google/2', 'zoom/1'])
  })

  test('reads a batch at a time, and sends values as parameters', async () => {
    add(keys)
    await batchesOf(3)
    for (const { text } of statements) expect(text).not.toContain("3'")
    expect(statements.some(({ parameters }) => parameters.includes("3'"))).toBe(true)
    expect(statements[0]?.parameters).toEqual([3])
  })

  test('writes values into the statement where the driver is not trusted with them', async () => {
    add(keys)
    const literal: SqlDialect['literal'] = (_, value) => (value === "3'" ? sql.raw(`'3'''`) : undefined)
    const tokens = tokensOf(await batchesOf(3, undefined, { ...sqlite.sql, literal }))
    expect(tokens.flat()).toEqual(all)
    expect(statements.flatMap(({ parameters }) => parameters)).not.toContain("3'")
    expect(statements.flatMap(({ parameters }) => parameters)).toContain('github')
  })
})

describe('keys that the column takes for equal', () => {
  const spellings = [
    ['GitHub', 'a'],
    ['github', 'A'],
    ['GITHUB', 'a'],
    ['github', 'b'],
    ['google', 'a'],
  ] as const

  test.each([1, 2, 3, 4, 5])('are all given once, in batches of %i or more', async (batch) => {
    add(spellings, 'nocase')
    const tokens = tokensOf(await batchesOf(batch))
    expect(tokens.flat().sort()).toEqual(spellings.map(([provider, id]) => `${provider}/${id}`).sort())
    for (const rows of tokens.slice(0, -1)) expect(rows.length).toBeGreaterThanOrEqual(batch)
  })

  test('belong to one batch', async () => {
    add(spellings, 'nocase')
    const [first, ...others] = tokensOf(await batchesOf(1))
    expect(first?.toSorted()).toEqual(['GITHUB/a', 'GitHub/a', 'github/A'])
    expect(others).toEqual([['github/b'], ['google/a']])
  })
})

/** A cache that keeps every result forever. */
class StaleCache extends Cache {
  readonly kept = new Map<string, unknown[]>()
  override strategy = () => 'all' as const
  override get = async (key: string) => this.kept.get(key)
  override put = async (key: string, rows: unknown[]) => void this.kept.set(key, rows)
  override onMutate = async () => {}
}

test("the app's cache is not used", async () => {
  const table = pg.pgTable('session', { sessionToken: pg.text().primaryKey(), userId: pg.text(), expires: pg.timestamp() })
  const cache = new StaleCache()
  const db = drizzleProxy(async () => ({ rows: [] }), { cache })
  const connection = { db: db as unknown as AnyDatabase, sql: postgres.sql, writes: postgres.writes, retry: false as const }
  const { statements } = createRows(connection, table, models.sessions, ['sessionToken']).internals
  for await (const _ of walk(statements, ['sessionToken'], 5)) expect.fail('there are no rows')
  expect(cache.kept.size).toBe(0)
  // A query of the app does end up in it.
  await db.select().from(table)
  expect(cache.kept.size).toBe(1)
})
