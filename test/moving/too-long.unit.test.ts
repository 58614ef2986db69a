import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import { describe, expect, test } from 'vitest'
import { inspectors } from '../../src/cli/core.js'
import { declaredTables } from '../../src/cli/moving/declared.js'
import type { Move } from '../../src/cli/moving/model.js'
import { mysql } from '../../src/cli/moving/mysql.js'
import { tooLong } from '../../src/cli/moving/rows.js'

// MySQL stops at a value that does not fit, half-way through the plan.

describe('values that do not fit', () => {
  /** What the check finds in a column of MySQL, if so many rows are too long. */
  async function check(old: string, column: ReturnType<typeof my.varchar>, found = 2) {
    const queries: string[] = []
    const db = drizzleMysql(async (query) => ({ rows: [[queries.push(query) && found]] })) as never
    const usersTable = my.mysqlTable('user', { x: column })
    const [now] = await declaredTables(db, 'mysql', inspectors.mysql, { usersTable } as never)
    const before = { ...inspectors.mysql.parseType(old), name: 'the x', type: old, notNull: false, isFilled: false }
    const move = {
      now,
      old: { schema: 'app', name: 'User', columns: [before], keys: [] },
      columns: [{ now: now?.columns[0], old: before }],
      others: [],
    }
    const { notices } = await tooLong({ db, inspector: inspectors.mysql, mover: mysql, move: move as unknown as Move })
    return { notices, queries }
  }
  const custom = (type: string) => my.customType<{ data: string }>({ dataType: () => type })() as unknown as ReturnType<typeof my.varchar>

  test('are counted in bytes', async () => {
    const { notices, queries } = await check('varchar(300)', custom('varbinary(1020)'))
    expect(notices).toMatchObject([
      { code: 'too-long', severity: 'error', table: 'User', column: 'the x', message: expect.stringMatching(/1020 bytes.*: 2 rows$/) },
    ])
    expect(queries).toEqual([expect.stringContaining('from `app`.`User` t where octet_length(convert(t.`the x` using utf8mb4)) > 1020')])
    expect((await check('varchar(300)', custom('varbinary(1020)'), 0)).notices).toEqual([])
  })

  test.each([
    ['varchar(255)', 'varbinary(1020)', false],
    ['varchar(256)', 'varbinary(1020)', true],
    ['varbinary(1020)', 'varbinary(1020)', false],
    ['varbinary(1021)', 'varbinary(1020)', true],
    ['longtext', 'varbinary(1020)', true],
    ['longtext', 'longtext', false],
    ['int', 'varbinary(2)', false],
  ])('are looked for in %s that becomes %s: %s', async (old, type, isSearched) => {
    expect((await check(old, custom(type))).queries).toHaveLength(isSearched ? 1 : 0)
  })
})
