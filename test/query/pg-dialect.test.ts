import type { Column, SQL } from 'drizzle-orm'
import { entityKind, getTableColumns, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { PgDialect } from 'drizzle-orm/pg-core'
import { describe, expect, test } from 'vitest'
import { pg as postgres } from '../../src/pg/dialect.js'
import type { Database, Query } from '../../src/query/drizzle.js'
import { scripted } from './scripted.js'

const custom = (type: string) => pg.customType<{ data: unknown }>({ dataType: () => type })()

const columns = getTableColumns(
  pg.pgTable('t', {
    text: pg.text(),
    varchar: pg.varchar({ length: 5 }),
    char: pg.char({ length: 5 }),
    bpchar: custom('bpchar'),
    character: custom('character(5)'),
    varying: custom('character varying(5)'),
    citext: custom('citext'),
    enum: pg.pgEnum('mood', ['glad'])(),
    context: pg.pgEnum('context', ['glad'])(),
    uuid: pg.uuid(),
    likeUuid: custom('my_uuid'),
    bytea: custom('bytea'),
    smallint: pg.smallint(),
    integer: pg.integer(),
    bigint: pg.bigint({ mode: 'bigint' }),
    bigNumber: pg.bigint({ mode: 'number' }),
    smallserial: pg.smallserial(),
    serial: pg.serial(),
    bigserial: pg.bigserial({ mode: 'bigint' }),
    customInteger: custom('integer'),
    numeric: pg.numeric(),
    money: pg.numeric({ precision: 12, scale: 2 }),
    whole: pg.numeric({ precision: 12 }),
    numericNumber: pg.numeric({ mode: 'number' }),
    boolean: pg.boolean(),
    timestamp: pg.timestamp(),
    date: pg.date({ mode: 'date' }),
    dateText: pg.date({ mode: 'string' }),
    json: pg.jsonb(),
    tags: pg.text().array(),
  }),
) as unknown as Record<string, Column>

const column = (name: string) => columns[name] as Column
const textOf = (expression: SQL | undefined) => expression && new PgDialect().sqlToQuery(expression).sql.replaceAll('"t".', '')

describe('values that a column cannot store unchanged', () => {
  test.each<[string, unknown[], unknown[]]>([
    ['text', ['a', '', 'a ', 5, null, '99999999999999999999'], ['a\0', '\0']],
    ['varchar', ['ab '], ['\0']],
    ['char', ['ab', ' ab', 5], ['ab ', ' ', '\0']],
    ['bpchar', ['ab'], ['ab ']],
    ['character', ['ab'], ['ab ']],
    ['varying', ['ab', 'ab '], []],
    ['smallint', [32_767, -32_768, '32767', 32_767n, 1.5, 'x32768', '32768x', null], [32_768, -32_769, '32768', '-32769', 32_768n]],
    ['smallserial', [32_767], [32_768]],
    ['integer', [2 ** 31 - 1], [2 ** 31, '2147483648']],
    ['serial', [2 ** 31 - 1], [2 ** 31]],
    ['bigint', [2n ** 63n - 1n, '9223372036854775807'], [2n ** 63n, '9223372036854775808']],
    ['bigserial', [2n ** 63n - 1n], [2n ** 63n]],
    ['customInteger', [[2 ** 31], Object.create(null)], [2 ** 31]],
    ['numeric', ['99999999999999999999'], []],
  ])('%s', (name, stored, rejected) => {
    const reasons = (values: unknown[]) => values.map((value) => postgres.sql.reasonToReject(column(name), value))
    expect(reasons(stored)).toEqual(stored.map(() => undefined))
    expect(reasons(rejected)).toEqual(rejected.map(() => 'invalid'))
  })

  test('PGlite drops a byte order mark, and other drivers keep it', () => {
    const sessionOf = (kind: string) => ({ session: { constructor: { [entityKind]: kind } } }) as unknown as Database
    const reason = (kind: string, text: string) => postgres.forDriver?.(sessionOf(kind), {}).reasonToReject(column('text'), text)
    expect(reason('PgliteSession', '\ufeffAda')).toBe('garbled')
    expect(reason('PgliteSession', 'Ada')).toBeUndefined()
    expect(reason('NodePgSession', '\ufeffAda')).toBeUndefined()
  })

  test.each<[string, string[], string[]]>([
    ['numeric', ['0', '-5', '10', '1.50', '-10.05', '0.5'], ['', '01', '1.', '.5', 'x1', '1x', '+1', '1.x', 'a.b']],
    ['money', ['1.50', '-0.05'], ['1.5', '1', '1.500']],
    ['whole', ['1', '-10'], ['1.0', '01']],
  ])('the spelling of %s', (name, right, wrong) => {
    const spelling = postgres.sql.decimalSpelling(column(name))
    expect(right.filter((text) => !spelling.test(text))).toEqual([])
    expect(wrong.filter((text) => spelling.test(text))).toEqual([])
  })
})

describe('conditions', () => {
  // Drizzle 1.0 puts each part of an `and` in parentheses.
  const same = (name: string) => textOf(postgres.sql.same(column(name), sql`?`))?.replace(/^\(\((.*?)\) and \((.*)\)\)$/, '($1 and $2)')

  test.each(['uuid', 'bytea', 'integer', 'bigint', 'serial', 'customInteger', 'numericNumber'])(
    'the values of %s are compared by the database',
    (name) => expect(same(name)).toBe(`"${name}" = ?`),
  )

  test.each(['text', 'varchar', 'citext', 'enum', 'numeric', 'likeUuid'])(
    'the values of %s are compared as text, after a comparison that can use an index',
    (name) => expect(same(name)).toBe(`("${name}" = ? and "${name}"::text collate "C" = ?::text)`),
  )

  test('the spaces at the end of character varying do count', () => expect(same('varying')).not.toContain('bpchar'))

  test.each(['char', 'bpchar', 'character'])('the padding of %s does not count', (name) =>
    expect(same(name)).toBe(`("${name}" = ? and "${name}"::text collate "C" = ?::bpchar::text)`),
  )

  test('a statement fails where the connection has another encoding', () => {
    expect(textOf(postgres.sql.guard)).toBe("width_bucket(0, 0, 1, (current_setting('client_encoding') = 'UTF8')::int) = 1")
  })

  test('a sweep skips rows that another one has locked', async () => {
    const table = pg.pgTable('people', { id: pg.text().primaryKey(), name: pg.text() })
    const { statementsOf, statements } = scripted('pg', [[1], [1]])
    const condition = sql`${table.name} is null` as SQL
    expect(await postgres.writes.deleteSome(statementsOf(table, ['id'], {}), condition, table.name as Column, 2)).toBe(2)
    expect(statements[0]).toContain(' limit 2 for update skip locked')
  })
})

describe('what is read', () => {
  const reader = (name: string) => postgres.sql.reader?.(column(name))

  test.each<[string, string, [unknown, unknown][]]>([
    ['enum', '("enum")::text', [['glad', 'glad']]],
    ['context', '("context")::text', [['glad', 'glad']]],
    ['uuid', '("uuid")::text', [['u-1', 'u-1']]],
    ['numeric', '("numeric")::text', [['1.50', '1.50']]],
    ['dateText', '("dateText")::text', [['2026-03-01', '2026-03-01']]],
    [
      'integer',
      '("integer")::text',
      [
        ['5', 5],
        [5, 5],
        ['-1', -1],
      ],
    ],
    ['bigNumber', '("bigNumber")::text', [['5', 5]]],
    [
      'bigint',
      '("bigint")::text',
      [
        ['9007199254740993', 2n ** 53n + 1n],
        ['-1', -1n],
        ['1.5', undefined],
        ['x1', undefined],
        ['1x', undefined],
      ],
    ],
    [
      'boolean',
      '("boolean")::text',
      [
        ['true', true],
        ['false', false],
        [true, true],
        [false, false],
        ['t', undefined],
      ],
    ],
    ['json', '("json")::text', [['{"a":[1]}', { a: [1] }]]],
    [
      'timestamp',
      '(floor(extract(epoch from "timestamp") * 1000))::text',
      [
        ['1000', new Date(1000)],
        ['-1', new Date(-1)],
      ],
    ],
    ['date', '(floor(extract(epoch from "date") * 1000))::text', [['0', new Date(0)]]],
  ])('%s is read as text, whatever the settings of the driver and the session', (name, expression, values) => {
    expect(textOf(reader(name)?.expression)).toBe(expression)
    expect(values.map(([raw]) => reader(name)?.decode(raw))).toEqual(values.map(([, value]) => value))
  })

  test.each(['text', 'varchar', 'char', 'citext', 'tags', 'bytea'])('%s is left to Drizzle', (name) => expect(reader(name)).toBeUndefined())
})

/** A query with this text, whose executions end as they are told. */
function queryOf(text: string, execute: (parameters: object) => unknown = () => []) {
  const names: (string | undefined)[] = []
  const query = {
    toSQL: () => ({ sql: text, params: [] }),
    prepare: (name?: string) => {
      names.push(name)
      return { execute }
    },
    execute: (parameters: object) => ['once', parameters],
  } as unknown as Query
  return { query, names }
}

describe('prepared statements', () => {
  const named = postgres.forDriver?.({} as Database, { namedStatements: true })
  const changedTable = Object.assign(new Error('cached plan must not change result type'), { code: '0A000' })

  test('have no name by default, which every connection pooler supports', async () => {
    const { query, names } = queryOf('select 1', (parameters) => ['prepared', parameters])
    expect(await postgres.forDriver?.({} as Database, {}).prepare(query, true)({ id: '1' })).toEqual(['prepared', { id: '1' }])
    expect(names).toEqual([''])
  })

  test('are not prepared to run once', async () => {
    const { query, names } = queryOf('select 1')
    expect(await named?.once(query, true)({ id: '1' })).toEqual(['once', { id: '1' }])
    expect(names).toEqual([])
  })

  test('have one name for each text', async () => {
    const names = ['select 2', 'select 3', 'select 2'].map((text) => {
      const { query, names } = queryOf(text)
      named?.prepare(query, true)
      return names[0] as string
    })
    for (const name of names) expect(name).toMatch(/^auth_[\da-f]{8}_[\da-z]+$/)
    expect(names[2]).toBe(names[0])
    expect(names[1]).not.toBe(names[0])
    expect(names[1]?.slice(0, 14)).toBe(names[0]?.slice(0, 14))
  })

  test('get a new name after a change of the table, for all adapters', async () => {
    let failure: Error | undefined = changedTable
    const execute = async (parameters: object) => {
      if (failure) throw failure
      return [parameters]
    }
    const [first, second] = [queryOf('select 4', execute), queryOf('select 4', execute)]
    const [run, other] = [named?.prepare(first.query, true), named?.prepare(second.query, true)]
    const outcomes = await Promise.allSettled([run?.({}), run?.({})])
    expect(outcomes).toEqual([
      { status: 'rejected', reason: changedTable },
      { status: 'rejected', reason: changedTable },
    ])
    // Two calls failed, and the name is changed once.
    expect(first.names).toHaveLength(2)
    expect(new Set(first.names).size).toBe(2)
    await expect(other?.({})).rejects.toBe(changedTable)
    expect(second.names).toEqual(first.names)
    failure = undefined
    expect(await run?.({ id: '1' })).toEqual([{ id: '1' }])
    expect(first.names).toHaveLength(2)
  })

  test.each(['42P01', '40001', 'A_0A000'])('keep their name after another failure (%s)', async (code) => {
    const failure = Object.assign(new Error('0A000 is not its code'), { code })
    const { query, names } = queryOf(`select '${code}'`, () => Promise.reject(failure))
    const run = named?.prepare(query, true)
    await expect(run?.({})).rejects.toBe(failure)
    await expect(run?.({})).rejects.toBe(failure)
    expect(names).toHaveLength(1)
  })
})
