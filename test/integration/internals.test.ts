import Database from 'better-sqlite3'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import { drizzle as drizzleMysql2 } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import mysql from 'mysql2/promise'
import { describe, expect, test } from 'vitest'
import type { Database as AnyDatabase, Query } from '../../src/query/drizzle.js'
import { referringColumnsOf, returnArrays, reusable, withCallbacks } from '../../src/query/internals.js'

const client = new Database(':memory:')
client.exec('create table user (id text, name text, email text, emailVerified integer, image text)')
client.exec(`insert into user values ('ada', null, 'ada@example.com', null, null)`)
const answer = async () => ({ rows: [['ada', null, 'ada@example.com', null, null]] })

const drivers = [
  { name: 'pg', tables: definePg(), open: () => drizzlePg(answer) as unknown as AnyDatabase },
  { name: 'mysql', tables: defineMysql(), open: () => drizzleMysql(answer) as unknown as AnyDatabase },
  { name: 'sqlite', tables: defineSqlite(), open: () => drizzleSqlite({ client }) as unknown as AnyDatabase },
]

// Statements are as fast as they are because of these details. If Drizzle changes one, statements still work, and these tests fail.
describe.each(drivers)('the private details of Drizzle on $name', ({ tables, open }) => {
  const { usersTable, sessionsTable } = tables as unknown as Record<string, never>

  test('let a query be used in another session without building its SQL again', () => {
    const [db, other] = [open(), open()]
    const query = db.select().from(usersTable as never)
    const again = reusable(query)
    const { dialect } = other as unknown as { dialect: { sqlToQuery(sql: unknown): unknown } }
    dialect.sqlToQuery = () => expect.fail('the SQL was built again')
    expect(again?.for(other)).toBe(query)
    expect((query as { session?: unknown }).session).toBe(other.session)
    query.prepare('')
    again?.forget()
    expect((query as { session?: unknown }).session).toBeUndefined()
    expect(again?.for({ ...open(), session: {} } as AnyDatabase)).toBeUndefined()
  })

  test('let rows arrive as arrays', async () => {
    const db = open()
    const prepared = db
      .select()
      .from(usersTable as never)
      .prepare('')
    expect(returnArrays(prepared)).toBe(true)
    const rows = (await (db.resultKind === 'sync' ? prepared.all({}) : prepared.execute({}))) as unknown[][]
    expect(rows).toEqual([['ada', null, 'ada@example.com', null, null]])
  })

  test('tell which columns have a foreign key', () => {
    expect([...referringColumnsOf(sessionsTable as never)].map(({ name }) => name)).toEqual(['userId'])
  })
})

test('a query of mysql2 runs through the callbacks of its client', async () => {
  const client = mysql.createPool({ host: '127.0.0.1' })
  const calls: object[] = []
  client.pool.query = ((options: object, values: unknown, done: (...answer: unknown[]) => void) => {
    calls.push({ ...options, values })
    done(null, [['ada']], [])
  }) as never
  const { usersTable } = defineMysql()
  const db = drizzleMysql2({ client })
  const query = () => db.select({ id: usersTable.id }).from(usersTable) as unknown as Query
  const session = (each: Query) => (each as unknown as { session: object }).session
  expect(await withCallbacks(query()).prepare().execute({})).toEqual([{ id: 'ada' }])
  expect(calls).toEqual([expect.objectContaining({ rowsAsArray: true, typeCast: true, dateStrings: true, values: [] })])
  const other = query()
  ;(other as unknown as { session: object }).session = { client: { query: () => {} } }
  expect(withCallbacks(other)).toBe(other)
  expect(session(other)).not.toHaveProperty('constructor.name', 'MySql2Session')
  await client.end()
})
