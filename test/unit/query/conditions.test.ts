import type { SQL } from 'drizzle-orm'
import { fillPlaceholders } from 'drizzle-orm'
import { integer, PgDialect, pgTable, text } from 'drizzle-orm/pg-core'
import { describe, expect, test } from 'vitest'
import { pg } from '../../../src/pg/dialect.js'
import type { Condition } from '../../../src/query/conditions.js'
import { compile, equal, noRow } from '../../../src/query/conditions.js'
import { markExact } from '../../../src/query/kinds.js'
import { define } from '../../../src/query/table-definition.js'

const table = pgTable('t', { id: integer().primaryKey(), count: integer(), name: text(), a: text(), 'a b': text() })
const definition = define(markExact(table, ['a', 'a b']), {}, ['id'], pg)

const where = (condition: Condition) => compile(condition, definition)
const textOf = (compiled: ReturnType<typeof where>) => compiled.toSql((binder, place) => binder.placeholder(place))
const print = (part: SQL | undefined) => (part ? new PgDialect().sqlToQuery(part).sql : undefined)
const sqlOf = (condition: Condition) => print(textOf(where(condition)))

describe('a condition', () => {
  test('has its values in the places that its placeholders name', () => {
    const compiled = where({ or: [equal({ count: 1, a: 'x' }), { column: 'count', is: 'gt', value: 7 }] })
    expect(compiled.values).toEqual([1, 'x', 7])
    expect(print(textOf(compiled))).toBe('(("t"."count" = $1 and "t"."a" = $2) or "t"."count" > $3)')
    const { params } = new PgDialect().sqlToQuery(textOf(compiled) as SQL)
    expect(fillPlaceholders(params, { 0: 'first', 1: 'second', 2: 'third' })).toEqual(['first', 'second', 'third'])
  })

  test('has an id of its own for each set of columns, whatever their names contain', () => {
    const ids = [equal({ a: 'x', 'a b': 'y' }), equal({ 'a b': 'x', a: 'y' }), equal({ a: 'x' }), equal({ 'a b': 'x' })].map(
      (each) => where(each).id,
    )
    expect(new Set(ids).size).toBe(4)
  })

  test('sends no values of parts that no row satisfies', () => {
    const impossible = { and: [equal({ count: 1 }), { or: [] }] }
    const compiled = where({ or: [impossible, equal({ a: 'x' }), equal({ count: 2 })] })
    expect(compiled.values).toEqual(['x', 2])
    const { params } = new PgDialect().sqlToQuery(textOf(compiled) as SQL)
    expect(fillPlaceholders(params, { 0: 'first', 1: 'second' })).toEqual(['first', 'second'])
  })

  test('requires the keys that each of its rows has, and none of an alternative', () => {
    expect(where({ and: [equal({ id: 1 }), equal({ count: 1 })] }).required).toEqual({ id: 1 })
    expect(where({ or: [equal({ id: 1 }), equal({ id: 2 })] }).required).toEqual({})
    expect(where({ column: 'id', is: 'ne', value: 1 }).required).toEqual({})
  })

  test('is satisfied by no row, or by all, without a statement', () => {
    expect(where({ or: [] })).toBe(noRow)
    expect(where({ and: [equal({ count: 1 }), { or: [] }] })).toBe(noRow)
    expect(where({ column: 'id', is: 'in', value: ['x', '01'] })).toBe(noRow)
    expect(sqlOf({ and: [] })).toBeUndefined()
    expect(sqlOf({ or: [] })).toBe('1 = 0')
    expect(sqlOf({ or: [equal({ count: 1 }), { or: [] }] })).toBe('"t"."count" = $1')
  })
})

describe('a list', () => {
  test('is one parameter, and one statement for all lengths', () => {
    expect(sqlOf({ column: 'count', is: 'notIn', value: [1, 2] })).toBe('"t"."count" <> all($1::integer[])')
    expect(where({ column: 'count', is: 'in', value: [1] }).id).toBe(where({ column: 'count', is: 'in', value: [1, 2, 3] }).id)
    expect(where({ column: 'a', is: 'in', value: ['x', '"', '\\', 'NULL'] }).values).toEqual(['{"x","\\"","\\\\","NULL"}'])
  })

  test('is compared exactly where the collation would decide', () => {
    expect(sqlOf({ column: 'name', is: 'in', value: ['x'] })).toBe(
      '("t"."name", "t"."name"::text collate "C") in (select value, value::text collate "C" from unnest($1::text[]) as list(value))',
    )
    expect(sqlOf({ column: 'name', is: 'in', value: ['x'], ignoresCase: true })).toBe(
      'lower("t"."name"::text collate "default") collate "C" in (select lower(value::text collate "default") collate "C" from unnest($1::text[]) as list(value))',
    )
  })
})

describe('a value that cannot be compared', () => {
  const operators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const

  test.each([undefined, {}, [], Number.NaN, true, new Date(Number.NaN)])('is an error for every operator, also on a key: %o', (value) => {
    for (const column of ['id', 'count', 'name'])
      for (const is of [...operators, 'contains' as const]) {
        // The text of a boolean is no key either.
        expect(() => where({ column, is, value }), `${column} ${is}`).toThrow(expect.objectContaining({ kind: 'invalid' }))
      }
    for (const is of ['in', 'notIn'] as const)
      expect(() => where({ column: 'id', is, value: ['1', value] })).toThrow(expect.objectContaining({ kind: 'invalid' }))
  })

  test("is nobody's key if it is only spelled in another way, and never means all other rows", () => {
    expect(where({ column: 'id', is: 'eq', value: '01' })).toBe(noRow)
    for (const is of ['ne', 'notIn'] as const)
      expect(() => where({ column: 'id', is, value: is === 'ne' ? '01' : ['01'] })).toThrow(expect.objectContaining({ kind: 'invalid' }))
    expect(() => where({ column: 'name', is: 'ne', value: '\ud800' })).toThrow(expect.objectContaining({ kind: 'invalid' }))
  })
})
