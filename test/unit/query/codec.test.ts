import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import { defineTables } from 'drizzle-auth-adapter/sqlite'
import type { Table } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import { describe, expect, test } from 'vitest'
import type { ModelName } from '../../../src/models.js'
import { models } from '../../../src/models.js'
import { mysql } from '../../../src/mysql/dialect.js'
import type { TableDefinition } from '../../../src/query/table-definition.js'
import { define } from '../../../src/query/table-definition.js'
import { sqlite } from '../../../src/sqlite/dialect.js'

// What a database would cut or round is the subject of test/integration/values.
const limits = { storesNul: true, defaultScale: Number.POSITIVE_INFINITY, lengthOf: () => undefined }
const tables: Record<`${ModelName}Table`, Table> = defineTables()
const codecOf = (model: ModelName) => define(tables[`${model}Table`], models[model], [], { ...sqlite, limits }, false)
const column = (codec: TableDefinition, name: string) => codec.of(name)
const users = codecOf('users')
const accounts = codecOf('accounts')
const sessions = codecOf('sessions')
const authenticators = codecOf('authenticators')

const failure = (kind: string) => expect.objectContaining({ kind })

function expectRejected(codec: TableDefinition, field: string, values: unknown[]) {
  for (const value of values) expect(() => column(codec, field).toValue(value), inspect(value)).toThrow(failure('invalid'))
}

const object = { toString: () => 'ada', valueOf: () => 5 }
const objects = [object, [], ['ada'], [5], new String('ada'), new Number(5), Buffer.from('5'), Symbol('5'), () => 'ada']

describe('text', () => {
  // Several providers return the ids of their users as numbers.
  test.each([
    ['text', 'text'],
    ['', ''],
    [4711, '4711'],
    [-0, '0'],
    [2n ** 70n, '1180591620717411303424'],
  ])('%s is stored and looked up as %s', (value, text) => {
    expect(column(users, 'email').toValue(value)).toBe(text)
    expect(column(users, 'email').toKey(value)).toBe(text)
    expect(column(users, 'id').toKey(value)).toBe(text)
  })

  test('rejects other values, which are not the key of any row', () => {
    const values = [2 ** 53, 1e21, 1.5, Number.NaN, true, new Date(0), ...objects]
    expectRejected(users, 'email', values)
    for (const value of [...values, undefined, null]) {
      expect(column(users, 'email').toKey(value)).toBeUndefined()
      expect(column(users, 'id').toKey(value)).toBeUndefined()
    }
  })

  test('token_type is stored and returned in lower case', () => {
    expect(column(accounts, 'token_type').toValue('Bearer')).toBe('bearer')
    expect(column(accounts, 'token_type').fromDriver('Bearer')).toBe('bearer')
  })
})

describe('a number', () => {
  // Some token endpoints send expires_in as text.
  test.each([
    [3600, 3600],
    [-0, 0],
    [-5n, -5],
    ['3600', 3600],
    ['-5', -5],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('may be given as %s', (value, number) => expect(column(accounts, 'expires_in').toValue(value)).toBe(number))

  test('is rejected if it is not whole, not safe or not in its usual spelling', () => {
    expectRejected(accounts, 'expires_in', [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 2n ** 53n, true, new Date(5), ...objects])
    const texts = ['9007199254740993', '1.5', '12.0', '', ' ', ' 12', '12\n', '+5', '007', '-0', '1e3', '0x10', '\u0661', 'soon']
    expectRejected(accounts, 'expires_in', texts)
  })
})

test('a boolean is neither a number nor text', () => {
  expect(column(authenticators, 'credentialBackedUp').toValue(false)).toBe(0)
  expectRejected(authenticators, 'credentialBackedUp', [0, 1, 1n, 'true', 'false', '', new Boolean(false), ...objects])
})

describe('a date', () => {
  const instant = '2030-02-28T23:59:59.987Z'

  // Auth.js keeps a new user in a cookie while a passkey is registered, which turns dates into JSON.
  test.each([
    ['a Date', new Date(instant)],
    ['a Date of another realm', runInNewContext(`new Date('${instant}')`)],
    ['its JSON', instant],
  ])('may be given as %s', (_, value) => expect(column(sessions, 'expires').toValue(value)).toBe(Date.parse(instant)))

  test('is rejected if it is invalid, a number or text in another format', () => {
    expectRejected(sessions, 'expires', [new Date(Number.NaN), 1_893_499_200_000, true, { getTime: () => 0 }, ...objects])
    const texts = ['tomorrow', '', '2030-01-01', '2030-01-01T12:00:00.000', '2030-01-01T12:00:00Z', '2030-02-30T12:00:00.000Z']
    expectRejected(sessions, 'expires', texts)
  })
})

// MariaDB stores them if no setting forbids it.
test('a day without month or day can be stored as text on MySQL', () => {
  const day = define(my.mysqlTable('t', { day: my.date({ mode: 'string' }) }), {}, [], mysql, false).of('day')
  for (const text of ['0000-00-00', '2030-00-00', '2030-01-00']) expect(day.toValue(text)).toBe(text)
  for (const text of ['2030-13-00', '2030-00-32']) expect(() => day.toValue(text)).toThrow(failure('invalid'))
})

describe('a new row', () => {
  test('must be an object', () => {
    for (const value of [undefined, null, 'ada', 5]) expect(() => users.toInsert(value)).toThrow(failure('invalid'))
  })

  test('has only fields of its own that the table has', () => {
    const row = Object.assign(Object.create({ name: 'inherited' }), { id: 'ada', email: 'ada@example.com', other: 1 })
    expect(users.toInsert(row)).toEqual({ id: 'ada', email: 'ada@example.com' })
  })

  test('must have the fields that the contract requires', () => {
    expect(() => users.toInsert({ id: 'ada' })).toThrow(failure('missing-value'))
  })
})

describe('what a driver returns', () => {
  test.each([
    ['counter', [5, 5n, '5'], 5],
    ['credentialBackedUp', [true, 1, 1n, '1', 't'], true],
    ['credentialBackedUp', [false, 0, 0n, '0', 'f'], false],
  ])('is decoded in all forms that settings of drivers cause: %s', (field, forms, value) => {
    for (const raw of forms) expect(column(authenticators, field).fromDriver(raw), inspect(raw)).toBe(value)
  })

  test('is a decimal whose digits a number can hold, or refused', () => {
    const table = my.mysqlTable('t', { price: my.decimal({ precision: 40, scale: 20, mode: 'number' }) })
    const price = define(table, {}, [], mysql, false).of('price')
    const texts = ['1.50000000000000000000', '0.1', '0.0000001', '-2251799813685249.5', '0.30000000000000004000', '1e15']
    for (const raw of [...texts, 1.5, -0.1, 1e-7, 123456789012.345]) expect(price.fromDriver(raw), inspect(raw)).toBe(Number(raw))
    for (const raw of ['4503599627370497.3', '9007199254740993', '0.10000000000000000001', 2251799813685249.5, 2 ** 53])
      expect(() => price.fromDriver(raw), inspect(raw)).toThrow(failure('garbled'))
  })

  test.each([
    ['counter', [2 ** 53, 2n ** 53n, '9007199254740993', '', 'five', {}]],
    ['credentialBackedUp', [2, '', 'yes', Buffer.from([1])]],
    ['credentialPublicKey', [5, Buffer.from('key')]],
  ])('is refused in other forms: %s', (field, forms) => {
    for (const raw of forms) expect(() => column(authenticators, field).fromDriver(raw), inspect(raw)).toThrow(failure('garbled'))
  })
})
