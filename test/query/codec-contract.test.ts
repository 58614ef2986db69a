import { runInNewContext } from 'node:vm'
import type { Table } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import type { Model } from '../../src/contract.js'
import { models } from '../../src/contract.js'
import { pg as postgres } from '../../src/pg/dialect.js'
import type { Codec } from '../../src/query/codec.js'
import { createCodec } from '../../src/query/codec.js'
import { Failure } from '../../src/query/errors.js'
import { sqlite } from '../../src/sqlite/dialect.js'

// What the codec does with the values of the contract, and which values a new row gets without being told.

const codecOf = (model: Model, table: unknown, dialect = sqlite) => createCodec(model, table as Table, dialect.sql)

/** The kind and the column of the failure that a call throws. */
function rejectionOf(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    if (error instanceof Failure) return [error.kind, error.details.column]
    throw error
  }
  return 'nothing'
}

const expires = new Date(4e12)

describe('an id', () => {
  /** Sessions whose users have ids of this type. */
  const sessionsOf = (userId: lite.SQLiteColumnBuilderBase) =>
    codecOf(models.sessions, lite.sqliteTable('sessions', { sessionToken: lite.text().primaryKey(), userId, expires: lite.integer() }))
  const pgSessionsOf = (userId: pg.PgColumnBuilderBase) =>
    codecOf(models.sessions, pg.pgTable('sessions', { sessionToken: pg.text().primaryKey(), userId, expires: pg.timestamp() }), postgres)

  const uuid = '0b9e1b5c-9f3a-4e0d-8a35-3f2a6c5d7e81'
  const asIs = { dataType: () => 'integer' }
  const short = { dataType: () => 'short_uuid' }
  const bytes = { dataType: () => 'uuid', toDriver: (value: string) => Buffer.from(value.replaceAll('-', ''), 'hex') }
  const codecs: Record<string, [Codec, given: unknown[], stored: unknown[], unknown: string[]]> = {
    text: [sessionsOf(lite.text('owner')), ['ada', '', '07', 7, 2n ** 60n], ['ada', '', '07', '7', `${2n ** 60n}`], ['a\0b', '\ud83d']],
    integer: [
      sessionsOf(lite.integer('owner')),
      ['7', 7, 7n, '-1', '0'],
      [7, 7, 7, -1, 0],
      ['ada', '', '07', '-0', '7.0', ' 7', '0x7', `${2n ** 60n}`],
    ],
    bigint: [
      pgSessionsOf(pg.bigint('owner', { mode: 'bigint' })),
      ['7', 7, `${2n ** 62n}`],
      [7n, 7n, 2n ** 62n],
      ['ada', '', '07', ' 7', '0x7', `${2n ** 63n}`],
    ],
    numeric: [pgSessionsOf(pg.numeric('owner', { precision: 12, scale: 2 })), ['1.50'], ['1.50'], ['1.5', '1', '01.50', 'ada']],
    uuid: [pgSessionsOf(pg.uuid('owner')), [uuid], [uuid], [uuid.toUpperCase(), `{${uuid}}`, `${uuid}0`, `0${uuid}`, 'ada', '']],
    'a custom integer': [pgSessionsOf(pg.customType<{ data: string }>(asIs)('owner')), ['7'], ['7'], ['07', 'ada']],
    'a custom UUID that is sent in bytes': [pgSessionsOf(pg.customType<{ data: string }>(bytes)('owner')), [uuid], [uuid], []],
    'a type that is named like a UUID': [pgSessionsOf(pg.customType<{ data: string }>(short)('owner')), ['ABC'], ['ABC'], []],
  }
  const insert = (codec: Codec, userId: unknown) => codec.encodeInsert({ sessionToken: 't', userId, expires })

  test.each(Object.entries(codecs))('of type %s has one spelling', (_type, [codec, given, stored, others]) => {
    expect(given.map((userId) => insert(codec, userId).userId)).toEqual(stored)
    expect(given.map((userId) => codec.encodeKey({ userId }, ['userId'])?.userId)).toEqual(stored)
    for (const given of others) {
      expect(rejectionOf(() => insert(codec, given))).toEqual(['unknown-user', 'owner'])
      expect(codec.encodeKey({ userId: given }, ['userId'])).toBeNull()
    }
  })

  test.each([1.5, {}, [], true, Number.NaN, 2 ** 60, Symbol('s')])('is text or a whole number, and not %o', (given) => {
    for (const [codec] of Object.values(codecs)) {
      expect(rejectionOf(() => insert(codec, given))).toEqual(['invalid', 'owner'])
      expect(codec.encodeKey({ userId: given }, ['userId'])).toBeNull()
    }
  })

  test('of a user is just invalid', () => {
    const users = codecOf(models.users, pg.pgTable('users', { id: pg.uuid('user_id').primaryKey(), email: pg.text() }), postgres)
    expect(rejectionOf(() => users.encodeInsert({ id: 'ada' }))).toEqual(['invalid', 'user_id'])
  })

  test('whose encoder fails matches no row', () => {
    const failing = () => {
      throw new Error('secret')
    }
    const codec = sessionsOf(lite.customType<{ data: string }>({ dataType: () => 'text', toDriver: failing })('owner'))
    expect(codec.encodeKey({ userId: 'ada' }, ['userId'])).toBeNull()
    expect(rejectionOf(() => insert(codec, 'ada'))).toEqual(['unknown-user', 'owner'])
  })
})

describe('a value of the contract', () => {
  const passkeys = codecOf(
    models.authenticators,
    lite.sqliteTable('passkeys', { counter: lite.integer(), credentialBackedUp: lite.integer({ mode: 'boolean' }), ratio: lite.real() }),
  )
  const accounts = codecOf(
    models.accounts,
    lite.sqliteTable('accounts', {
      provider: lite.text(),
      token_type: lite.text(),
      expires_at: lite.real(),
      size: lite.real(),
      age: lite.integer(),
    }),
  )
  const sessions = codecOf(models.sessions, lite.sqliteTable('sessions', { expires: lite.integer({ mode: 'timestamp_ms' }) }))
  const later = new Date(expires)
  const foreign = runInNewContext('new Date(4e12)') as Date

  test.each<[string, Codec, string, given: unknown[], stored: unknown[], others: unknown[]]>([
    [
      'a whole number',
      passkeys,
      'counter',
      [5, '5', 5n, -0, '-3'],
      [5, 5, 5, 0, -3],
      [1.5, '1.5', '05', '', 'x', true, [], [5], {}, new Date(5)],
    ],
    ['a number that is exact', passkeys, 'counter', [2 ** 53 - 1], [2 ** 53 - 1], [Number.NaN, 2 ** 60, 2n ** 60n, `${2n ** 60n}`]],
    ['a whole number, whatever its column', accounts, 'expires_at', [5, '5'], [5, 5], [1.5, Number.NaN]],
    ['a number of the app', accounts, 'size', [5, 1.5, '5'], [5, 1.5, 5], ['1.5', Number.NaN, Number.POSITIVE_INFINITY, true]],
    ['a whole number of the app', accounts, 'age', [5], [5], [1.5]],
    ['true or false', passkeys, 'credentialBackedUp', [true, false], [true, false], [1, 0, 'true', '', {}]],
    ['text', accounts, 'provider', ['GitHub', '', 5, 5n], ['GitHub', '', '5', '5'], [1.5, true, {}, 'a\0', '\ud83d']],
    ['text in lower case', accounts, 'token_type', ['Bearer', 5], ['bearer', '5'], [{}, true, 'a\0']],
    ['a date', sessions, 'expires', [expires, foreign, expires.toJSON()], [later, later, later], [4e12, {}, new Date(Number.NaN), true]],
    ['a date as JSON has it', sessions, 'expires', [later.toJSON()], [later], ['2096-10-02', '4000000000000', '', 'x', 'Invalid Date']],
  ])('is %s', (_name, codec, field, given, stored, others) => {
    const encode = (value: unknown) => codec.encodeUpdate({ [field]: value }, [])[field]
    expect(given.map(encode)).toEqual(stored)
    for (const value of others) expect(rejectionOf(() => encode(value))).toEqual(['invalid', field])
    const now = sql`now()`
    expect([null, now].map(encode)).toEqual([null, now])
  })

  test('is a date of its own', () => {
    const given = new Date(expires)
    const { expires: stored } = sessions.encodeUpdate({ expires: given }, [])
    given.setTime(0)
    expect(stored).toEqual(expires)
  })

  test('is returned as the contract says', () => {
    expect(accounts.decodeRow({ provider: 'GitHub', token_type: 'Bearer', expires_at: null })).toEqual({
      provider: 'GitHub',
      token_type: 'bearer',
    })
    expect(accounts.decodeRow({ token_type: null })).toEqual({})
    expect(accounts.decodeRow({ token_type: 5 })).toEqual({ token_type: 5 })
    const users = codecOf(models.users, lite.sqliteTable('users', { id: lite.integer(), name: lite.text(), userId: lite.integer() }))
    expect(users.decodeRow({ id: 7, name: null, userId: 8 })).toEqual({ id: '7', name: null, userId: 8 })
    expect(users.decodeRow({ id: null })).toEqual({ id: null })
    expect(users.decodeRow({})).toEqual({})
  })

  test('is an own property that can be read', () => {
    class Session {
      get expires() {
        return expires
      }
    }
    const hidden = Object.defineProperty({}, 'expires', { value: expires, enumerable: false })
    for (const given of [new Session(), Object.create({ expires }), hidden]) expect(sessions.encodeUpdate(given, [])).toEqual({})
    const failing = {
      get expires() {
        throw new Error('secret')
      },
    }
    expect(rejectionOf(() => sessions.encodeUpdate(failing, []))).toEqual(['invalid', 'expires'])
    expect(rejectionOf(() => sessions.encodeInsert(failing))).toEqual(['invalid', 'expires'])
    expect(rejectionOf(() => sessions.encodeKey(failing, ['expires']))).toEqual(['invalid', 'expires'])
  })

  test('of a custom type is rejected before it is encoded', () => {
    const anything = lite.customType<{ data: unknown }>({ dataType: () => 'text', toDriver: () => 'stored' })
    const users = codecOf(models.users, lite.sqliteTable('users', { note: anything() }))
    expect(users.encodeUpdate({ note: {} }, [])).toEqual({ note: {} })
    expect(rejectionOf(() => users.encodeUpdate({ note: Symbol('s') }, []))).toEqual(['invalid', 'note'])
  })

  test('of a custom type that cannot encode it is rejected', () => {
    const failing = () => {
      throw new Error('secret')
    }
    const custom = lite.customType<{ data: string }>({ dataType: () => 'text', toDriver: failing })
    const users = codecOf(models.users, lite.sqliteTable('users', { note: custom(), email: custom() }))
    for (const name of ['note', 'email']) expect(rejectionOf(() => users.encodeUpdate({ [name]: 'x' }, []))).toEqual(['invalid', name])
  })

  test('of a custom type is checked as it is encoded', () => {
    const doubled = lite.customType<{ data: string }>({ dataType: () => 'text', toDriver: (value) => `${value}\0` })
    const users = codecOf(models.users, lite.sqliteTable('users', { note: doubled(), email: doubled() }))
    expect(rejectionOf(() => users.encodeUpdate({ note: 'x' }, []))).toEqual(['invalid', 'note'])
    expect(rejectionOf(() => users.encodeUpdate({ email: 'x' }, []))).toEqual(['invalid', 'email'])
  })
})
