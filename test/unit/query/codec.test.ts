import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import { defineTables } from 'drizzle-auth-adapter/sqlite'
import type { Table } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { ModelName } from '../../../src/models.js'
import { models } from '../../../src/models.js'
import type { TableDefinition } from '../../../src/query/table-definition.js'
import { define } from '../../../src/query/table-definition.js'
import { sqlite } from '../../../src/sqlite/dialect.js'

const tables: Record<`${ModelName}Table`, Table> = defineTables()
const codecOf = (model: ModelName) => define(tables[`${model}Table`], models[model], [], sqlite)
const column = (codec: TableDefinition, name: string) => codec.of(name)
const users = codecOf('users')
const accounts = codecOf('accounts')
const sessions = codecOf('sessions')
const authenticators = codecOf('authenticators')

const failure = (kind: string) => expect.objectContaining({ kind })

function expectRejected(codec: TableDefinition, field: string, values: unknown[]) {
  for (const value of values) expect(() => column(codec, field).encodeValue(value), inspect(value)).toThrow(failure('invalid'))
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
    expect(column(users, 'email').encodeValue(value)).toBe(text)
    expect(column(users, 'email').encodeKey(value)).toBe(text)
    expect(column(users, 'id').encodeKey(value)).toBe(text)
  })

  test('rejects other values, which are not the key of any row', () => {
    const values = [2 ** 53, 1e21, 1.5, Number.NaN, true, new Date(0), ...objects]
    expectRejected(users, 'email', values)
    for (const value of [...values, undefined, null]) {
      expect(column(users, 'email').encodeKey(value)).toBeUndefined()
      expect(column(users, 'id').encodeKey(value)).toBeUndefined()
    }
  })

  test('token_type is stored and returned in lower case', () => {
    expect(column(accounts, 'token_type').encodeValue('Bearer')).toBe('bearer')
    expect(column(accounts, 'token_type').decode('Bearer')).toBe('bearer')
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
  ])('may be given as %s', (value, number) => expect(column(accounts, 'expires_in').encodeValue(value)).toBe(number))

  test('is rejected if it is not whole, not safe or not in its usual spelling', () => {
    expectRejected(accounts, 'expires_in', [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 2n ** 53n, true, new Date(5), ...objects])
    const texts = ['9007199254740993', '1.5', '12.0', '', ' ', ' 12', '12\n', '+5', '007', '-0', '1e3', '0x10', '\u0661', 'soon']
    expectRejected(accounts, 'expires_in', texts)
  })
})

test('a boolean is neither a number nor text', () => {
  expect(column(authenticators, 'credentialBackedUp').encodeValue(false)).toBe(0)
  expectRejected(authenticators, 'credentialBackedUp', [0, 1, 1n, 'true', 'false', '', new Boolean(false), ...objects])
})

describe('a date', () => {
  const instant = '2030-02-28T23:59:59.987Z'

  // Auth.js keeps a new user in a cookie while a passkey is registered, which turns dates into JSON.
  test.each([
    ['a Date', new Date(instant)],
    ['a Date of another realm', runInNewContext(`new Date('${instant}')`)],
    ['its JSON', instant],
  ])('may be given as %s', (_, value) => expect(column(sessions, 'expires').encodeValue(value)).toBe(Date.parse(instant)))

  test('is rejected if it is invalid, a number or text in another format', () => {
    expectRejected(sessions, 'expires', [new Date(Number.NaN), 1_893_499_200_000, true, { getTime: () => 0 }, ...objects])
    const texts = ['tomorrow', '', '2030-01-01', '2030-01-01T12:00:00.000', '2030-01-01T12:00:00Z', '2030-02-30T12:00:00.000Z']
    expectRejected(sessions, 'expires', texts)
  })
})

describe('a new row', () => {
  test('must be an object', () => {
    for (const value of [undefined, null, 'ada', 5]) expect(() => users.toInsert(value)).toThrow(failure('invalid'))
  })

  test('has only fields that the table has', () => {
    expect(users.toInsert({ id: 'ada', email: 'ada@example.com', other: 1 })).toEqual({ id: 'ada', email: 'ada@example.com' })
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
    for (const raw of forms) expect(column(authenticators, field).decode(raw), inspect(raw)).toBe(value)
  })

  test.each([
    ['counter', [2 ** 53, 2n ** 53n, '9007199254740993', '', 'five', {}]],
    ['credentialBackedUp', [2, '', 'yes', Buffer.from([1])]],
    ['credentialPublicKey', [5, Buffer.from('key')]],
  ])('is refused in other forms: %s', (field, forms) => {
    for (const raw of forms) expect(() => column(authenticators, field).decode(raw), inspect(raw)).toThrow(failure('garbled'))
  })
})
