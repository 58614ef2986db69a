import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/mysql'
import { eq } from 'drizzle-orm'
import * as columns from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import type { Pool, PoolOptions } from 'mysql2/promise'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql } from '../support/databases.js'
import * as tables from '../support/schema/mysql.js'

// A custom `queryFormat` of an app, as in mysql2's documentation.
function queryFormat(this: { escape(value: unknown): string }, statement: string, values: unknown[] = []): string {
  let index = 0
  return statement.replace(/\?/g, () => this.escape(values[index++]))
}

async function openPool(options: PoolOptions = {}): Promise<Pool> {
  const { url: uri, close } = await openMysql()
  onTestFinished(close)
  const client = mysql.createPool({ uri, connectionLimit: 2, ...options })
  onTestFinished(() => client.end())
  return client
}

describe.runIf(inject('dialects').includes('mysql'))('with mysql2', () => {
  test.each([
    ['stringifyObjects', { stringifyObjects: true }],
    ['namedPlaceholders', { namedPlaceholders: true }],
    ['a queryFormat', { queryFormat }],
  ] as [string, PoolOptions][])('any text is kept with %s', async (_, options) => {
    const adapter = DrizzleAdapter(drizzle({ client: await openPool(options) }), tables)
    const email = `o'ne"\\ü😀@example.com`
    const user = await adapter.createUser({ name: "Robert'); drop table user;--", email, emailVerified: null })
    expect(await adapter.getUserByEmail(email)).toEqual(user)
    expect(user).toMatchObject({ name: "Robert'); drop table user;--", email })
  })

  test('an object or a list that a custom type passes on is refused, because mysql2 would make SQL of it', async () => {
    const note = columns.customType<{ data: unknown }>({ dataType: () => 'varchar(99)' })
    const own = defineTables({ columns: { users: { note: note('note') } } })
    const { db, exec, run, close } = await openMysql()
    onTestFinished(close)
    await exec('alter table user add note varchar(99)')
    const adapter = DrizzleAdapter(db, own)
    const { id } = await adapter.createUser({ email: 'ada@example.com', note: 'text' })
    for (const value of [{ email: 'ada@example.com' }, ['a'], [{ email: 1 }]]) {
      await expect(adapter.createUser({ email: 'eve@example.com', note: value })).rejects.toMatchObject({ kind: 'invalid', column: 'note' })
      await expect(adapter.updateUser({ id, note: value })).rejects.toMatchObject({ kind: 'invalid', column: 'note' })
    }
    expect(await run('select note from user')).toEqual([{ note: 'text' }])
  })

  test('columns of all types have the values that Drizzle reads from them', async () => {
    const added = {
      aDate: columns.date('aDate'),
      dateText: columns.date('dateText', { mode: 'string' }),
      aDatetime: columns.datetime('aDatetime', { fsp: 6 }),
      datetimeText: columns.datetime('datetimeText', { mode: 'string', fsp: 6 }),
      aTimestamp: columns.timestamp('aTimestamp', { fsp: 2 }),
      timestampText: columns.timestamp('timestampText', { mode: 'string' }),
      time: columns.time('time', { fsp: 3 }),
      year: columns.year('year'),
      tiny: columns.tinyint('tiny'),
      boolean: columns.boolean('boolean'),
      int: columns.int('int', { unsigned: true }),
      bigNumber: columns.bigint('bigNumber', { mode: 'number' }),
      big: columns.bigint('big', { mode: 'bigint' }),
      decimal: columns.decimal('decimal', { precision: 30, scale: 10 }),
      float: columns.float('float'),
      double: columns.double('double'),
      json: columns.json('json'),
      char: columns.char('char', { length: 10 }),
      enumerated: columns.mysqlEnum('enumerated', ['one', 'other']),
      bytes: columns.varbinary('bytes', { length: 20 }),
    }
    const own = defineTables({ columns: { users: added } })
    const table = own.usersTable
    const { db, exec, close } = await openMysql()
    onTestFinished(close)
    await exec(`alter table user add aDate date, add dateText date, add aDatetime datetime(6), add datetimeText datetime(6),
      add aTimestamp timestamp(2) null, add timestampText timestamp null, add time time(3), add year year, add tiny tinyint, add boolean boolean,
      add \`int\` int unsigned, add bigNumber bigint, add big bigint, add \`decimal\` decimal(30, 10), add \`float\` float,
      add \`double\` double, add json json, add \`char\` char(10), add enumerated enum('one', 'other'), add bytes varbinary(20)`)
    await exec(`insert into user (id, email, aDate, dateText, aDatetime, datetimeText, aTimestamp, timestampText, time, year, tiny, boolean,
      \`int\`, bigNumber, big, \`decimal\`, \`float\`, \`double\`, json, \`char\`, enumerated, bytes) values ('full', 'full@example.com',
      '2024-02-29', '1000-01-01', '9999-12-31 23:59:59.999999', '2024-02-29 00:00:00.000001', '2024-03-31 01:30:00.12', '2024-03-31 02:30:00',
      '-12:34:56.789', 2155, -128, true, 4294967295, -9007199254740991, 9007199254740991, '12345678901234567890.0123456789', 0.1, 0.1,
      '{"a": [1, null, "ü"]}', 'ünï', 'other', x'00c3bc')`)
    await exec(`insert into user (id, email) values ('empty', 'empty@example.com')`)
    const adapter = DrizzleAdapter(db, own)
    for (const id of ['full', 'empty']) {
      const [plain] = await db.select().from(table).where(eq(table.id, id))
      expect(await adapter.getUser(id)).toEqual(plain)
      if (id === 'full') expect(Object.keys(added).filter((name) => plain?.[name as keyof typeof added] == null)).toEqual([])
    }
  })
})
