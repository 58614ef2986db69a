import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/mysql'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import type { PoolOptions } from 'mysql2/promise'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql } from '../support/databases.js'
import { createTable } from '../support/ddl.js'

const columns = {
  datetime: () => my.datetime(),
  'datetime(3)': () => my.datetime({ fsp: 3 }),
  'datetime(6)': () => my.datetime({ fsp: 6 }),
  date: () => my.date() as unknown as ReturnType<typeof my.datetime>,
  timestamp: () => my.timestamp() as unknown as ReturnType<typeof my.datetime>,
}
type Type = keyof typeof columns

async function openTables(type: Type, options: PoolOptions = {}) {
  const column = columns[type]
  const text = () => my.varchar({ length: 99 })
  const usersTable = my.mysqlTable('user', { id: text().primaryKey(), email: text().notNull(), name: text(), emailVerified: column() })
  const { accountsTable } = defineTables({ usersTable })
  const sessionsTable = my.mysqlTable('session', {
    sessionToken: text().primaryKey(),
    userId: text().notNull(),
    expires: column().notNull(),
  })
  const verificationTokensTable = my.mysqlTable('token', {
    identifier: text().notNull(),
    token: text().notNull(),
    expires: column().notNull(),
  })
  const tables = { usersTable, accountsTable, sessionsTable, verificationTokensTable }
  // Without an explicit NULL, MariaDB updates a timestamp column automatically and does not accept null.
  const createDateTable = (table: my.MySqlTable) =>
    createTable(table, '`').replaceAll(/(timestamp)( not null)?/g, (_, type, rest = ' null') => type + rest)
  const { url, close } = await openMysql({ migrations: [] })
  onTestFinished(close)
  const client = mysql.createPool({ uri: url, connectionLimit: 1, ...options })
  onTestFinished(() => client.end())
  client.pool.on('connection', (connection) =>
    connection.query(`set sql_mode = 'STRICT_TRANS_TABLES,ALLOW_INVALID_DATES', time_zone = '+00:00'`),
  )
  for (const table of Object.values(tables)) await client.query(createDateTable(table as never))
  return { client, adapter: DrizzleAdapter(drizzle({ client }), tables, { retry: false }) }
}

/** Stores rows with this date, which the database parses. */
async function store(client: mysql.Pool, date: string) {
  for (const table of ['user', 'account', 'session', 'token']) await client.query(`delete from ${table}`)
  await client.query('insert into user (id, email, emailVerified) values (?, ?, ?)', ['u', 'e', date])
  await client.query(`insert into account (userId, type, provider, providerAccountId) values ('u', 'oauth', 'p', 'a')`)
  await client.query('insert into session (sessionToken, userId, expires) values (?, ?, ?)', ['s', 'u', date])
  await client.query('insert into token (identifier, token, expires) values (?, ?, ?)', ['i', 't', date])
}

function readersOf({ adapter }: Awaited<ReturnType<typeof openTables>>): Record<string, () => Promise<unknown>> {
  return {
    getUser: async () => (await adapter.getUser('u'))?.emailVerified,
    getUserByEmail: async () => (await adapter.getUserByEmail('e'))?.emailVerified,
    getUserByAccount: async () => (await adapter.getUserByAccount({ provider: 'p', providerAccountId: 'a' }))?.emailVerified,
    'getSessionAndUser, its session': async () => (await adapter.getSessionAndUser('s'))?.session.expires,
    'getSessionAndUser, its user': async () => (await adapter.getSessionAndUser('s'))?.user.emailVerified,
    updateUser: async () => (await adapter.updateUser({ id: 'u', name: 'm' })).emailVerified,
    useVerificationToken: async () => (await adapter.useVerificationToken({ identifier: 'i', token: 't' }))?.expires,
    deleteSession: async () => (await adapter.deleteSession('s'))?.expires,
    deleteUser: async () => (await adapter.deleteUser('u'))?.emailVerified,
  }
}

/** Dates that MySQL can store and that do not exist. */
const invalidDates: [Type, string][] = (['datetime', 'datetime(3)', 'datetime(6)', 'date'] as const).flatMap((type) =>
  ['0000-00-00', '2026-00-00', '2026-06-00', '2026-02-31'].map((date): [Type, string] => [type, date]),
)

describe.runIf(inject('dialects').includes('mysql'))('on MySQL', () => {
  test.each([...invalidDates, ['timestamp', '0000-00-00'] as [Type, string]])(
    'a %s of %s is rejected as garbled by every operation that reads it',
    async (type, date) => {
      const opened = await openTables(type)
      for (const [operation, read] of Object.entries(readersOf(opened))) {
        await store(opened.client, date)
        await expect(read(), operation).rejects.toMatchObject({ kind: 'garbled' })
      }
    },
  )

  test.each(invalidDates.filter(([type]) => type === 'datetime(3)'))(
    'a failed read of a token whose %s is %s does not use it up',
    async (type, date) => {
      const { client, adapter } = await openTables(type)
      await store(client, date)
      await expect(adapter.useVerificationToken({ identifier: 'i', token: 't' })).rejects.toMatchObject({ kind: 'garbled' })
      const [rows] = await client.query('select count(*) as n from token')
      expect(rows).toEqual([{ n: 1 }])
    },
  )

  test.each<[Type, string, string]>([
    ['datetime', '2026-06-05 01:02:03', '2026-06-05T01:02:03.000Z'],
    ['datetime(3)', '2026-06-05 01:02:03.456', '2026-06-05T01:02:03.456Z'],
    ['datetime(6)', '2026-06-05 01:02:03.456999', '2026-06-05T01:02:03.456Z'],
    ['date', '2026-06-05', '2026-06-05T00:00:00.000Z'],
    ['timestamp', '2026-06-05 01:02:03', '2026-06-05T01:02:03.000Z'],
    ['datetime(3)', '0050-06-05 01:02:03.456', '0050-06-05T01:02:03.456Z'],
    ['datetime(3)', '0000-06-05 01:02:03.456', '0000-06-05T01:02:03.456Z'],
    ['datetime(3)', '9999-12-31 23:59:59.999', '9999-12-31T23:59:59.999Z'],
  ])('a %s of %s is that instant', async (type, date, instant) => {
    for (const options of [{}, { dateStrings: true }, { timezone: '+05:30' }, { typeCast: false }] as PoolOptions[]) {
      const opened = await openTables(type, options)
      for (const [operation, read] of Object.entries(readersOf(opened))) {
        await store(opened.client, date)
        expect(await read(), `${operation}, ${JSON.stringify(options)}`).toEqual(new Date(instant))
      }
    }
  })
})
