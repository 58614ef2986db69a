import type { SQL } from 'drizzle-orm'
import { getTableColumns, sql } from 'drizzle-orm'
import { int, MySqlDialect, mysqlTable, text as mysqlText } from 'drizzle-orm/mysql-core'
import { integer, PgDialect, pgTable, text } from 'drizzle-orm/pg-core'
import { SQLiteSyncDialect, integer as sqliteInteger, sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core'
import { expect, describe as suite, test } from 'vitest'
import { mysql } from '../../../src/mysql/dialect.js'
import { pg } from '../../../src/pg/dialect.js'
import type { Shape } from '../../../src/query/conditions.js'
import { compile, describe } from '../../../src/query/conditions.js'
import { sqlite } from '../../../src/sqlite/dialect.js'

const dialects = [
  {
    dialect: pg,
    table: pgTable('t', { count: integer(), name: text() }),
    print: (part: SQL) => new PgDialect().sqlToQuery(part).sql,
    number: '"t"."count" not in ($1, $2)',
    exactText: '"t"."name" in ($1, $2) and "t"."name"::text collate "C" in ($3::text collate "C", $4::text collate "C")',
    anyCase: 'lower("t"."name"::text) collate "C" in (lower($1::text) collate "C", lower($2::text) collate "C")',
  },
  {
    dialect: mysql,
    table: mysqlTable('t', { count: int(), name: mysqlText() }),
    print: (part: SQL) => new MySqlDialect().sqlToQuery(part).sql,
    number: '`t`.`count` not in (?, ?)',
    exactText:
      '`t`.`name` in (?, ?) and cast(convert(`t`.`name` using utf8mb4) as binary) in (cast(convert(? using utf8mb4) as binary), cast(convert(? using utf8mb4) as binary))',
    anyCase:
      'cast(lower(convert(`t`.`name` using utf8mb4)) as binary) in (cast(lower(convert(? using utf8mb4)) as binary), cast(lower(convert(? using utf8mb4)) as binary))',
  },
  {
    dialect: sqlite,
    table: sqliteTable('t', { count: sqliteInteger(), name: sqliteText() }),
    print: (part: SQL) => new SQLiteSyncDialect().sqlToQuery(part).sql,
    number: '"t"."count" not in (?, ?)',
    exactText: `"t"."name" in (?, ?) and (cast("t"."name" as text) || '') in ((cast(? as text) || ''), (cast(? as text) || ''))`,
    anyCase: 'lower(cast("t"."name" as text)) in (lower(cast(? as text)), lower(cast(? as text)))',
  },
]

suite.each(dialects)('a list on $dialect.name', ({ dialect, table, print, ...expected }) => {
  const compiler = { ...dialect.sql, columns: getTableColumns(table), parameter: (_: unknown, value: unknown) => sql`${value}` }

  test('becomes one comparison, and a second one where the collation decides about the first', () => {
    expect(print(compile({ column: 'count', is: 'notIn', value: [1, 2] }, compiler))).toBe(expected.number)
    expect(print(compile({ column: 'name', is: 'in', value: ['a', 'b'] }, compiler))).toBe(expected.exactText)
    expect(print(compile({ column: 'name', is: 'in', value: ['a', 'b'], ignoresCase: true }, compiler))).toBe(expected.anyCase)
  })
})

test('a statement with a list is not kept, because callers choose its length', () => {
  const shape: Shape = { name: '', parameters: [], isKept: true }
  describe({ and: [{ column: 'count', is: 'eq', value: 0 }] }, shape)
  expect(shape.isKept).toBe(true)
  describe({ column: 'count', is: 'in', value: [1, 2] }, shape)
  expect(shape).toMatchObject({ parameters: [0, 1, 2], isKept: false })
})
