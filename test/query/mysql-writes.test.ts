import type { Column, SQL } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { models } from '../../src/contract.js'
import { mysql } from '../../src/mysql/dialect.js'
import type { Answer } from './scripted.js'
import { cache, failureOf, scripted } from './scripted.js'

// Which statements a write consists of, by a driver that is a function. test/contract runs them on servers.

const { writes } = mysql

const changed = { affectedRows: 1, insertId: 0 }
const unchanged = { affectedRows: 0, insertId: 0 }

const server = (...answers: Answer[]) => scripted('mysql', ...answers)

const people = my.mysqlTable('people', {
  id: my.varchar({ length: 36 }).primaryKey(),
  email: my.varchar({ length: 255 }).notNull(),
  name: my.text(),
})
const ada = { id: '1', email: 'ada@example.com' }

describe('a new row', () => {
  test('is known without reading it, if the database adds and changes nothing', async () => {
    const { statementsOf, commands } = server(changed)
    expect(await writes.insert(statementsOf(people, ['id']), ada)).toEqual({ ...ada, name: null })
    expect(commands()).toEqual(['insert'])
  })

  const isoDate = new Date('2026-03-01T00:00:00Z')
  const withMs = new Date('2026-03-01T00:00:00.001Z')
  const upper = my.customType<{ data: string }>({ dataType: () => 'varchar(9)', fromDriver: (value) => `${value}`.toUpperCase() })
  const custom = my.customType<{ data: unknown }>({ dataType: () => 'varchar(9)' })
  const isRead: [string, () => unknown, unknown, boolean][] = [
    ['a varchar', () => my.varchar({ length: 9 }), 'a', false],
    ['a text', () => my.mediumtext(), 'a', false],
    ['a char', () => my.char({ length: 9 }), 'a', true],
    ['an enum', () => my.mysqlEnum(['a']), 'a', true],
    ['a custom type that keeps text', () => custom(), 'a', false],
    ['a custom type that changes text', () => upper(), 'a', true],
    ['a datetime without fractions', () => my.datetime(), isoDate, false],
    ['a datetime without fractions', () => my.datetime(), withMs, true],
    ['a datetime of hundredths', () => my.datetime({ fsp: 2 }), withMs, true],
    ['a datetime of milliseconds', () => my.datetime({ fsp: 3 }), withMs, false],
    ['a timestamp of microseconds', () => my.timestamp({ fsp: 6 }), withMs, false],
    ['a date', () => my.date(), isoDate, true],
    ['a boolean', () => my.boolean(), true, false],
    ['a boolean of a custom type', () => custom(), true, true],
    ['an int', () => my.int(), 5, false],
    ['an int that gets a fraction', () => my.int(), 1.5, true],
    ['a bigint', () => my.bigint({ mode: 'number' }), 5, false],
    ['a bigint that is one in code', () => my.bigint({ mode: 'bigint' }), 5n, true],
    ['a float', () => my.float(), 5, true],
    ['a number of a custom type', () => my.customType<{ data: unknown }>({ dataType: () => 'int' })(), 5, true],
    ['JSON', () => my.json(), { a: 1 }, true],
    ['null', () => my.json(), null, false],
    ['an SQL expression', () => my.varchar({ length: 9 }), sql`upper('a')`, true],
    ['no value', () => my.json(), undefined, false],
    ['no value, with a default', () => my.varchar({ length: 9 }).default('a'), undefined, true],
    ['no value, with a default of null', () => my.varchar({ length: 9 }).default(sql`null`), undefined, true],
    ['no value, which the server may add', () => my.varchar({ length: 9 }).notNull(), undefined, true],
    ['no value, which the server generates', () => my.varchar({ length: 9 }).generatedAlwaysAs(sql`'a'`), undefined, true],
  ]
  test.each(isRead)('with %s (%#) is read where it may differ', async (_, build, value, reads) => {
    const table = my.mysqlTable('things', { id: my.varchar({ length: 36 }).primaryKey(), it: build() as ReturnType<typeof my.text> })
    const { statementsOf, commands } = server(changed, [['1', null]])
    await writes.insert(statementsOf(table, ['id'], {}), value === undefined ? { id: '1' } : { id: '1', it: value })
    expect(commands()).toEqual(reads ? ['insert', 'select'] : ['insert'])
  })

  const counted = my.mysqlTable('people', { id: my.serial().primaryKey(), email: my.text().notNull() })

  test('is found by the id that the server gave it', async () => {
    const { statementsOf, parameters } = server({ affectedRows: 1, insertId: 7 }, [[7, 'ada@example.com']])
    expect(await writes.insert(statementsOf(counted, ['id']), { email: 'ada@example.com' })).toEqual({ id: 7, email: 'ada@example.com' })
    expect(parameters[1]).toEqual([7])
  })

  test('is found by its own id, if it has one', async () => {
    const { statementsOf, parameters } = server({ affectedRows: 1, insertId: 9 }, [[7, 'ada@example.com']])
    const table = my.mysqlTable('people', { id: my.serial().primaryKey(), email: my.char({ length: 99 }).notNull() })
    await writes.insert(statementsOf(table, ['id']), { id: 7, email: 'ada@example.com' })
    expect(parameters[1]).toEqual([7])
  })

  test('is not looked for by an id that the driver has rounded', async () => {
    const { statementsOf } = server({ affectedRows: 1, insertId: 2 ** 53 })
    const failure = await failureOf(writes.insert(statementsOf(counted, ['id']), { email: 'ada@example.com' }))
    expect(failure).toMatchObject({ kind: 'garbled', details: { hint: expect.stringContaining('supportBigNumbers') } })
    const exact = server({ affectedRows: 1, insertId: 2n ** 53n }, [['9007199254740992', 'ada@example.com']])
    await writes.insert(
      exact.statementsOf(my.mysqlTable('people', { id: my.bigint({ mode: 'bigint' }).autoincrement().primaryKey() }), ['id']),
      {},
    )
    expect(exact.parameters[1]?.map(String)).toEqual(['9007199254740992'])
  })

  test('that cannot be found again is a failure', async () => {
    const table = my.mysqlTable('people', { one: my.char({ length: 9 }), two: my.char({ length: 9 }) })
    const { statementsOf } = server(changed, [])
    const failure = await failureOf(writes.insert(statementsOf(table, ['one', 'two'], {}), { one: 'a', two: 'b' }))
    expect(failure).toMatchObject({ kind: 'invalid', details: { column: 'one,two' } })
  })

  describe('whose key is an SQL expression', () => {
    const generated = my.mysqlTable('people', { id: my.varchar({ length: 36 }).primaryKey().default(sql`(uuid())`), name: my.text() })

    test.each([{ name: 'Ada' }, { id: sql`(uuid())`, name: 'Ada' }])('gets it before it is inserted (%#)', async (values) => {
      const { statementsOf, statements, parameters } = server([['u-1']], changed)
      expect(await writes.insert(statementsOf(generated, ['id']), values)).toEqual({ id: 'u-1', name: 'Ada' })
      expect(statements[0]).toContain('select (uuid()) from (select 1) as one')
      expect(parameters[1]).toEqual(['u-1', 'Ada'])
    })

    test("gets none that is in Drizzle's cache, which another row has", async () => {
      const { statementsOf, db } = server([['u-1']], changed)
      const table = statementsOf(generated, ['id'], models.users, cache(db, [['u-0']]))
      expect(await writes.insert(table, { name: 'Ada' })).toEqual({ id: 'u-1', name: 'Ada' })
    })

    test('gets it also if the connection is lost meanwhile, because nothing was written yet', async () => {
      vi.useFakeTimers()
      onTestFinished(() => void vi.useRealTimers())
      const { statementsOf, db, commands } = server(Object.assign(new Error('it failed'), { errno: 2013 }), [['u-1']], changed)
      const table = statementsOf(generated, ['id'], models.users, db, {})
      const [inserted] = await Promise.all([writes.insert(table, { name: 'Ada' }), vi.runAllTimersAsync()])
      expect(inserted).toEqual({ id: 'u-1', name: 'Ada' })
      expect(commands()).toEqual(['select', 'select', 'insert'])
    })

    test('keeps one that is given', async () => {
      const { statementsOf, commands } = server(changed)
      expect(await writes.insert(statementsOf(generated, ['id']), { id: '1', name: 'Ada' })).toEqual({ id: '1', name: 'Ada' })
      expect(commands()).toEqual(['insert'])
    })
  })
})

describe('text that a character set may lack', () => {
  const table = my.mysqlTable('people', {
    id: my.varchar({ length: 36 }).primaryKey(),
    name: my.text(),
    utf8: my.customType<{ data: string }>({ dataType: () => 'longtext character set utf8mb4' })(),
    bytes: my.customType<{ data: string }>({ dataType: () => 'varbinary(99)' })(),
    age: my.int(),
  })
  test.each([
    [{ name: 'Zoë' }, true],
    [{ name: '\u0080' }, true],
    [{ name: 'Ada\x7f' }, false],
    [{ utf8: 'Zoë' }, false],
    [{ bytes: 'Zoë' }, false],
    [{ age: 5 }, false],
    [{ name: null }, false],
  ])('%j is compared with its column before it is written: %s', async (values, isCompared) => {
    const compared: Answer[] = isCompared ? [[]] : []
    const inserted = server(...compared, changed)
    await writes.insert(inserted.statementsOf(table, ['id'], {}), { id: '1', ...values })
    expect(inserted.commands()).toEqual([...compared.map(() => 'select'), 'insert'])
    const updated = server(...compared, changed, [])
    await writes.update(updated.statementsOf(table, ['id'], {}), { id: '1' }, values)
    expect(updated.commands()).toEqual([...compared.map(() => 'select'), 'update', 'select'])
    if (isCompared) expect(updated.statements[0]).toMatch(/`people`\.`name` = .* limit/)
  })

  test('may be made of an object by a type of the app, also of one without a prototype', async () => {
    const names = my.customType<{ data: object }>({ dataType: () => 'text', toDriver: (value) => Object.keys(value).join() })
    const { statementsOf, parameters } = server(changed, [])
    const table = statementsOf(my.mysqlTable('people', { id: my.varchar({ length: 36 }).primaryKey(), names: names() }), ['id'], {})
    await writes.update(table, { id: '1' }, { names: Object.assign(Object.create(null), { ada: 1 }) })
    expect(parameters[0]?.[0]).toBe('ada')
  })

  test('is what a type of the app makes of its value', async () => {
    const list = my.customType<{ data: string[] }>({ dataType: () => 'text', toDriver: (names) => names.join() })
    for (const [names, isCompared] of [
      [['Ada', 'Eva'], false],
      [['Ada', 'Zo\u00eb'], true],
    ] as const) {
      const compared: Answer[] = isCompared ? [[]] : []
      const { statementsOf, commands } = server(...compared, changed, [])
      const table = statementsOf(my.mysqlTable('people', { id: my.varchar({ length: 36 }).primaryKey(), names: list() }), ['id'], {})
      await writes.update(table, { id: '1' }, { names })
      expect(commands()).toEqual([...compared.map(() => 'select'), 'update', 'select'])
    }
  })
})

describe('a row that is changed', () => {
  const row = ['1', 'ada@example.com', 'Ada']

  test.each<[string, object, Answer[], string[], boolean]>([
    ['is read again', { id: '1' }, [changed, [row]], ['update', 'select'], true],
    ['may have these values already', { id: '1' }, [unchanged, [row]], ['update', 'select'], true],
    ['may not exist', { id: '1' }, [unchanged, []], ['update', 'select'], false],
    ['is found by one form of its key', { id: ['1', '2'] }, [changed, [row]], ['update', 'select'], true],
    ['may get the other form meanwhile', { id: ['1', '2'] }, [unchanged, changed, [row]], ['update', 'update', 'select'], true],
  ])('%s', async (_, key, answers, commands, isFound) => {
    const { statementsOf, commands: sent } = server(...answers)
    const found = await writes.update(statementsOf(people, ['id']), key as never, { name: 'Ada' })
    expect(found).toEqual(isFound ? { ...ada, name: 'Ada' } : null)
    expect(sent()).toEqual(commands)
  })

  test('says whether it was', async () => {
    for (const [header, isChanged] of [
      [changed, true],
      [unchanged, false],
    ] as const)
      expect(await writes.change(server(header).statementsOf(people, ['id']), { id: '1' }, { name: 'Ada' })).toBe(isChanged)
  })
})

describe('a row that is deleted', () => {
  const row = ['1', 'ada@example.com', null]

  test.each<[string, Answer[], string[], boolean]>([
    ['is returned', [[row], changed], ['select', 'delete'], true],
    ['is returned to one caller', [[row], unchanged], ['select', 'delete'], false],
    ['may not exist', [[]], ['select'], false],
  ])('%s', async (_, answers, commands, isFound) => {
    const { statementsOf, commands: sent } = server(...answers)
    expect(await writes.remove(statementsOf(people, ['id']), { id: '1' })).toEqual(isFound ? { ...ada, name: null } : null)
    expect(sent()).toEqual(commands)
  })

  test('is one of many', async () => {
    const every = server({ affectedRows: 3 })
    const condition = sql`${people.name} is null` as SQL
    expect(await writes.deleteEvery(every.statementsOf(people, ['id']), condition)).toBe(3)
    expect(every.statements).toEqual(['delete from `people` where `people`.`name` is null'])
    const some = server({ affectedRows: 2 })
    expect(await writes.deleteSome(some.statementsOf(people, ['id']), condition, people.email as Column, 2)).toBe(2)
    expect(some.statements).toEqual(['delete from `people` where `people`.`name` is null order by `people`.`email` limit ?'])
    expect(some.parameters).toEqual([[2]])
  })

  test('may have rows of the app that refer to it', async () => {
    const condition = sql`${people.name} is null` as SQL
    const failing = () => server(Object.assign(new Error('it failed'), { errno: 1452 })).statementsOf(people, ['id'])
    for (const deletion of [writes.deleteEvery(failing(), condition), writes.deleteSome(failing(), condition, people.email as Column, 2)])
      expect(await failureOf(deletion)).toMatchObject({ kind: 'still-referenced' })
  })
})
