import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { planMove } from '../../../../src/cli/moving/plan.js'

// Values that other adapters store in SQLite in another form: dates as text, ids as numbers.

function open(tables: object, statements: string[]) {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  for (const statement of statements) client.exec(statement)
  const plan = () => planMove(drizzle({ client }) as never, 'sqlite', tables as never, 'official')
  return {
    client,
    async notices() {
      const { notices } = await plan()
      return notices.filter(({ code }) => /^(text-dates|unreadable-dates|decimal-ids)$/.test(code))
    },
    async correct() {
      const { steps } = await plan()
      for (const statement of steps.find(({ about }) => about === 'Fix rows')?.sql ?? []) client.exec(statement)
      return client.prepare('select * from old order by rowid').all()
    },
  }
}

describe('dates as text', () => {
  const sessionsTable = sqliteTable('old', {
    token: text().primaryKey(),
    expires: integer({ mode: 'timestamp_ms' }),
    seen: integer({ mode: 'timestamp' }),
    count: integer(),
    note: text(),
  })
  const table = 'create table old (token text primary key, "EXPIRES" datetime, seen datetime, count datetime, note text)'

  test.each([
    ['2040-01-01T00:00:00.123Z', 2_208_988_800_123],
    ['2040-01-01 00:00:00.123', 2_208_988_800_123],
    ['2040-01-01 00:00:00', 2_208_988_800_000],
    ['2040-01-01T01:00:00.050+01:00', 2_208_988_800_050],
  ])('%s becomes a number', async (date, milliseconds) => {
    const { correct, notices } = open({ sessionsTable }, [
      table,
      `insert into old values ('a', '${date}', '${date}', '${date}', '${date}')`,
    ])
    expect(await correct()).toEqual([{ token: 'a', EXPIRES: milliseconds, seen: Math.floor(milliseconds / 1000), count: date, note: date }])
    expect(await notices()).toEqual([])
  })

  test('numbers and missing values stay', async () => {
    const { correct } = open({ sessionsTable }, [
      table,
      `insert into old values ('a', '1970-01-01 00:00:01', 5, 6, null), ('b', 7, null, 8, null), ('c', null, 9, null, null)`,
    ])
    expect(await correct()).toEqual([
      { token: 'a', EXPIRES: 1000, seen: 5, count: 6, note: null },
      { token: 'b', EXPIRES: 7, seen: null, count: 8, note: null },
      { token: 'c', EXPIRES: null, seen: 9, count: null, note: null },
    ])
  })

  test('are told with their columns and the number of rows', async () => {
    const { client, notices } = open({ sessionsTable }, [table, `insert into old values ('a', 1, 2, '1', '1')`])
    expect(await notices()).toEqual([])
    client.exec(`insert into old (token, seen) values ('b', '2040-01-01')`)
    expect(await notices()).toMatchObject([
      { code: 'text-dates', severity: 'warning', table: 'old', column: 'seen', message: expect.stringMatching(/: 1 row$/) },
    ])
    client.exec(`insert into old (token, expires, seen) values ('c', '2040-01-01', '2040-01-01')`)
    expect(await notices()).toMatchObject([{ column: 'EXPIRES, seen', message: expect.stringMatching(/: 2 rows$/) }])
  })

  test('that cannot be read stay as they are, and are an error', async () => {
    const { correct, notices } = open({ sessionsTable }, [
      table,
      `insert into old (token, expires, seen) values ('a', 'Tue Nov 14 2023', '2040-01-01'), ('b', '', 5), ('c', '2040-01-01', null)`,
    ])
    expect(await notices()).toMatchObject([
      { code: 'unreadable-dates', severity: 'error', table: 'old', column: 'EXPIRES', message: expect.stringMatching(/: 2 rows$/) },
      { code: 'text-dates', column: 'EXPIRES, seen' },
    ])
    expect(await correct()).toMatchObject([
      { EXPIRES: 'Tue Nov 14 2023', seen: 2_208_988_800 },
      { EXPIRES: '', seen: 5 },
      { EXPIRES: 2_208_988_800_000, seen: null },
    ])
  })

  test('are not looked for in a column that is new', async () => {
    expect(await open({ sessionsTable }, ['create table old (token text primary key)']).notices()).toEqual([])
  })
})

describe('ids of accounts as numbers', () => {
  const accountsTable = sqliteTable('old', { provider: text(), providerAccountId: text('id') })
  const table = 'create table old ("Provider" text, id text)'
  const idsOf = (rows: unknown[]) => rows.map((row) => (row as { id: string }).id)

  test('lose the fraction, and other texts stay', async () => {
    const others = ['4711', 'abc.0', '1.2.0', '12.05', '12.0 ', ' 12.0', '12.00', '007.0', '0.0', '.0', '-5.0', '1e5.0', '12a.0']
    const { client, correct, notices } = open({ accountsTable }, [table])
    const insert = client.prepare('insert into old values (?, ?)')
    for (const id of [4711.5, ...others]) insert.run('x', id)
    expect(await notices()).toEqual([])
    for (const id of [1234, 7]) insert.run('github', `${id}.0`)
    expect(await notices()).toMatchObject([
      { code: 'decimal-ids', severity: 'warning', table: 'old', column: 'id', message: expect.stringMatching(/: 2 rows$/) },
    ])
    expect(idsOf(await correct())).toEqual(['4711.5', ...others, '1234', '7'])
    expect(await notices()).toEqual([])
  })

  test('stay where the provider has both spellings', async () => {
    const rows = `('a', '5.0'), ('a', '5'), ('b', '5.0'), ('b', '6')`
    expect(idsOf(await open({ accountsTable }, [table, `insert into old values ${rows}`]).correct())).toEqual(['5.0', '5', '5', '6'])
  })

  test('are not looked for in other tables, or without the columns of the key', async () => {
    const row = `insert into old values ('a', '5.0')`
    expect(await open({ sessionsTable: accountsTable }, [table, row]).notices()).toEqual([])
    expect(await open({ accountsTable }, ['create table old (other text, id text)', row]).notices()).toEqual([])
    expect(await open({ accountsTable }, ['create table old (provider text, other text)', row]).notices()).toEqual([])
  })

  test('of many rows are counted in thousands', async () => {
    const { client, notices } = open({ accountsTable }, [table])
    client.exec(
      `insert into old with recursive n (i) as (select 1 union all select i + 1 from n where i < 1200) select 'a', i || '.0' from n`,
    )
    expect((await notices())[0]?.message).toMatch(/: 1,200 rows$/)
  })
})
