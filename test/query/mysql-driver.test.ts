import { drizzle as drizzleProxy } from 'drizzle-orm/mysql-proxy'
import { drizzle as drizzleMysql2 } from 'drizzle-orm/mysql2'
import { describe, expect, test } from 'vitest'
import { mysql } from '../../src/mysql/dialect.js'
import { headerOf, isMysql2, prepare, prepareCommitting } from '../../src/mysql/driver.js'
import type { Database, Query } from '../../src/query/drizzle.js'

/** A query that returns a result, and the parameters that it was executed with. */
function returning(result: unknown) {
  const executed: unknown[] = []
  let prepared = 0
  const query = {
    prepare: () => {
      prepared++
      const execute = async (parameters: unknown) => {
        executed.push(parameters)
        return result
      }
      return { execute }
    },
  } as unknown as Query
  return { query, executed, prepared: () => prepared }
}

describe.each([prepare, prepareCommitting])('%o', (prepareWith) => {
  test('builds a statement once, and runs it with parameters', async () => {
    const { query, executed, prepared } = returning([{ id: '1' }])
    const run = prepareWith(query)
    expect(await run({ id: '1' })).toEqual([{ id: '1' }])
    await run({ id: '2' })
    expect(executed).toEqual([{ id: '1' }, { id: '2' }])
    expect(prepared()).toBe(1)
  })
})

describe('a write on a connection that does not commit it', () => {
  const header = (serverStatus?: number) => [{ affectedRows: 1, fieldCount: 0, serverStatus }]

  test('fails outside of a transaction', async () => {
    for (const status of [0, 1, 1 | 32])
      await expect(prepareCommitting(returning(header(status)).query)({})).rejects.toMatchObject({
        kind: 'unknown',
        details: { hint: expect.stringContaining('autocommit') },
      })
    for (const status of [2, 3, 2 | 32]) expect(await prepareCommitting(returning(header(status)).query)({})).toEqual(header(status))
  })

  test('cannot be told from others where the driver does not tell the status', async () => {
    for (const result of [header(), { rowsAffected: 1 }, [], [{ affectedRows: 1, serverStatus: 0 }], undefined, null])
      expect(await prepareCommitting(returning(result).query)({})).toBe(result)
  })

  test('is not asked about rows', async () => {
    const rows = [{ id: '1', serverStatus: 0, fieldCount: 5 }]
    expect(await prepareCommitting(returning(rows).query)({})).toBe(rows)
  })

  test('succeeds in a transaction, which the app commits', async () => {
    const db = drizzleMysql2.mock() as unknown as Database
    const { query } = returning(header(1))
    for (const method of ['prepare', 'once'] as const) {
      await expect(mysql.forDriver?.(db, {})[method](query, false)({})).rejects.toMatchObject({ kind: 'unknown' })
      const transaction = Object.assign(Object.create(db), { rollback: () => {} })
      expect(await mysql.forDriver?.(transaction, {})[method](query, false)({})).toEqual(header(1))
      expect(await mysql.sql[method](query, false)({})).toEqual(header(1))
    }
  })
})

test('mysql2 is told from other drivers', () => {
  expect(isMysql2(drizzleMysql2.mock() as unknown as Database)).toBe(true)
  expect(isMysql2(drizzleProxy(async () => ({ rows: [] })) as unknown as Database)).toBe(false)
  expect(isMysql2({} as Database)).toBe(false)
})

test.each<[string, unknown, number, unknown]>([
  ['mysql2', [{ affectedRows: 2, insertId: 7 }, undefined], 2, 7],
  ['PlanetScale', { rowsAffected: 2, insertId: '7' }, 2, '7'],
  ['TiDB', { rowsAffected: 2, lastInsertId: '7' }, 2, '7'],
  ['Bun', Object.assign([], { affectedRows: 2, lastInsertRowid: 7 }), 2, 7],
  ['a driver that counts with bigint', { affectedRows: 2n, insertId: 7n }, 2, 7n],
  ['a driver that tells nothing', {}, 0, undefined],
])('the header of %s', (_, result, affectedRows, insertId) => expect(headerOf(result)).toEqual({ affectedRows, insertId }))
