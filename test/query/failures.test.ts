import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { mysql } from '../../src/mysql/dialect.js'
import { pg } from '../../src/pg/dialect.js'
import { Failure } from '../../src/query/errors.js'
import type { FailureRules } from '../../src/query/failures.js'
import { connectionCodes, operationError, toFailure } from '../../src/query/failures.js'
import { sqlite } from '../../src/sqlite/dialect.js'

// How errors of Drizzle and of drivers are classified. test/failures provokes them on servers.

const people = lite.sqliteTable('people', {
  id: lite.text('person_id').primaryKey(),
  email: lite.text('email_address').unique('one_address'),
  age: lite.integer('age'),
})
const sessions = lite.sqliteTable('sessions', {
  sessionToken: lite.text('token').primaryKey(),
  userId: lite.text('owner').notNull(),
})

const rules = sqlite.sql.failures
const connections: FailureRules = { codes: connectionCodes, names: [], integerHint: '' }

/** As drivers throw them: an error with properties. */
const driverError = (properties: object, message = 'failed') => Object.assign(new Error(message), properties)

/** As Drizzle throws it: an error with the statement and its parameters, around the driver's. */
const wrapped = (cause: unknown) => new Error('Failed query: select ?\nparams: UNIQUE constraint failed', { cause })

const withoutAbsent = (details: object) => Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined))

describe('an error of a connection', () => {
  test.each([
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT', 'UND_ERR_CONNECT_TIMEOUT'].map((code) => [code, 'unreachable', 'always']),
    ...['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_SOCKET'].map((code) => [
      code,
      'unreachable',
      'reads',
    ]),
    ...['ETIMEDOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'].map((code) => [code, 'timeout', undefined]),
  ])('with the code %s is %s, and may be repeated: %s', (code, kind, retry) => {
    expect(toFailure(driverError({ code }), connections)).toMatchObject({ kind, retry, details: { code } })
  })

  test('is recognized by its words if it has no code', () => {
    expect(toFailure(new Error('The operation was aborted due to timeout'), connections).kind).toBe('timeout')
  })

  test.each([
    'connect ECONNREFUSED',
    'ECONNREFUSED 127.0.0.1',
    'read ECONNRESET',
    'ECONNRESET read',
    'connect ETIMEDOUT',
    'ETIMEDOUT connect',
    'aborted due to timeout of Ada',
  ])('is not recognized by a code within its message: %s', (message) => {
    expect(toFailure(new Error(message), connections).kind).toBe('unknown')
  })
})

describe('the code that is shown', () => {
  const shown = (properties: object, message?: string) => toFailure(driverError(properties, message), rules).details.code

  test.each(['1', '1062', '123456', '23505', '40P01', 'P0001', 'EPIPE', 'SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'UND_ERR_X2', 'HRANA_2'])(
    '%s looks like a code',
    (code) => expect(shown({ code })).toBe(code),
  )

  test.each([
    '',
    '1234567',
    '40P011',
    'abcde',
    'secret',
    'xSQLITE_BUSY',
    'SQLITE_BUSYx',
    'A_',
    '_A',
    'A__B',
    'A_b',
    'A B',
    'a23505',
    '1062 a',
  ])('%j does not, and may come from a value', (code) => expect(shown({ code })).toBeUndefined())

  test('may be the number of an error', () => expect(shown({ errno: 1062 })).toBe('1062'))
  test('may stand in a message', () => {
    expect(shown({}, 'target: app.-.primary: vttablet: failed (errno 1062) (sqlstate 23000)')).toBe('1062')
    expect(shown({}, 'failed (errno ada)')).toBeUndefined()
    expect(shown({}, "failed '(errno 1062)'")).toBeUndefined()
  })
  test('is the most detailed one', () => {
    expect(shown({ code: 'SQLITE_ERROR', extendedCode: 'SQLITE_ERROR_RETRY' })).toBe('SQLITE_ERROR_RETRY')
    expect(shown({ errno: 19, extendedCode: 'SQLITE_ERROR_RETRY' })).toBe('SQLITE_ERROR_RETRY')
  })
  test('is the one that tells the kind of failure', () => {
    expect(shown({ errno: -104, code: 'ECONNRESET' })).toBe('ECONNRESET')
    expect(shown({ errno: 5, code: 'SQLITE_BUSY' })).toBe('SQLITE_BUSY')
  })
  test('is that of the outermost error that has one, if words tell the kind of failure', () => {
    const inner = driverError({ code: 'INNER' }, 'no such table: people')
    expect(toFailure(driverError({ code: 'OUTER', cause: inner }), rules)).toMatchObject({ kind: 'schema', details: { code: 'OUTER' } })
    expect(toFailure(driverError({ cause: inner }), rules)).toMatchObject({ kind: 'schema', details: { code: 'INNER' } })
  })
  test('is that of the outermost error that has one, if the kind of failure is unknown', () => {
    const error = driverError({ code: 'ONE', cause: driverError({ code: 'TWO' }) })
    expect(toFailure(error, rules, people)).toMatchObject({ kind: 'unknown', details: { code: 'ONE', table: 'people' } })
  })
})

describe('the kind of failure', () => {
  test.each([
    [sqlite, { code: 'SQLITE_CONSTRAINT_UNIQUE' }, '', 'duplicate', undefined],
    [sqlite, {}, 'D1_ERROR: UNIQUE constraint failed: people.age', 'duplicate', undefined],
    [sqlite, { code: 'SQLITE_BUSY' }, '', 'conflict', 'always'],
    [pg, { code: '23505' }, '', 'duplicate', undefined],
    [pg, { code: '57P01' }, '', 'unreachable', 'reads'],
    [mysql, { errno: 1213 }, '', 'conflict', 'always'],
    [mysql, {}, 'failed (errno 1062) (sqlstate 23000)', 'duplicate', undefined],
  ] as const)('is found in codes and words: %#', (dialect, properties, message, kind, retry) => {
    const error = driverError(properties, message)
    expect(toFailure(error, dialect.sql.failures)).toMatchObject({ kind, retry })
    expect(toFailure(wrapped(error), dialect.sql.failures)).toMatchObject({ kind, retry })
  })

  test('comes with a hint where one is known', () => {
    expect(toFailure(driverError({ code: '22021' }), pg.sql.failures).details.hint).toMatch(/client_encoding/)
    expect(toFailure(driverError({ code: '23505' }), pg.sql.failures).details.hint).toBeUndefined()
  })

  test('is never found in a value', () => {
    for (const message of [
      'Failed query: insert into people values (?)\nparams: UNIQUE constraint failed\nno such table: x',
      'cannot store "UNIQUE constraint failed"',
      "cannot store 'UNIQUE constraint failed'",
      'cannot store "it\'s "UNIQUE constraint failed""',
      'cannot store "\nUNIQUE constraint failed\n"',
    ])
      expect(toFailure(new Error(message), rules).kind).toBe('unknown')
  })

  test('is found in the words around a value', () => {
    expect(toFailure(new Error('no such table: "people"'), rules).kind).toBe('schema')
    expect(toFailure(new Error('D1_ERROR: Failed query: no such table'), rules).kind).toBe('schema')
    const ownRules: FailureRules = { codes: [[/^value\s+is taken$/, 'duplicate']], names: [], integerHint: '' }
    expect(toFailure(new Error('value "ada" is taken'), ownRules).kind).toBe('duplicate')
  })

  test.each([
    ['write-for-user', 'unknown-user'],
    ['delete', 'still-referenced'],
    ['repeatable-delete', 'still-referenced'],
    ['write', 'invalid'],
    ['read', 'invalid'],
    [undefined, 'invalid'],
  ] as const)('of a foreign key that a %s violates is %s', (purpose, kind) => {
    expect(toFailure(driverError({ code: '23503' }), pg.sql.failures, sessions, purpose).kind).toBe(kind)
  })

  test('is kept once it is known', () => {
    const failure = new Failure('garbled', { column: 'age' })
    for (const error of [failure, wrapped(failure), wrapped(wrapped(failure))]) expect(toFailure(error, rules, people)).toBe(failure)
  })

  test.each([undefined, null, 'UNIQUE constraint failed', 5, {}, () => {}])('is unknown if %o was thrown', (error) => {
    expect(toFailure(error, rules)).toMatchObject({ kind: 'unknown', details: { code: undefined, table: undefined } })
  })

  test('is unknown if the error cannot be read', () => {
    const unreadable = driverError({ code: 'OUTER' })
    Object.defineProperty(unreadable, 'cause', {
      get() {
        throw new Error('secret')
      },
    })
    expect(toFailure(unreadable, rules, people)).toMatchObject({ kind: 'unknown', details: { code: 'OUTER', table: 'people' } })
  })

  test('is looked for in eight errors that wrap one another', () => {
    const nested = (depth: number): unknown => (depth === 1 ? driverError({ code: 'SQLITE_BUSY' }) : wrapped(nested(depth - 1)))
    expect(toFailure(nested(8), rules).kind).toBe('conflict')
    expect(toFailure(nested(9), rules).kind).toBe('unknown')
    const circular = new Error('failed')
    circular.cause = circular
    expect(toFailure(circular, rules).kind).toBe('unknown')
  })
})

describe('the place of a failure', () => {
  const duplicate = (properties: object, message?: string) =>
    withoutAbsent(toFailure(driverError({ code: '23505', ...properties }, message), pg.sql.failures, people).details)

  test.each([
    ['a column', { column: 'age' }, { column: 'age' }],
    ['a column of postgres.js', { column_name: 'age' }, { column: 'age' }],
    ['a column with its table', { column: 'public.people.age' }, { column: 'age' }],
    ['a constraint', { constraint: 'one_address' }, { column: 'email_address', constraint: 'one_address' }],
    ['a constraint of postgres.js', { constraint_name: 'one_address' }, { column: 'email_address', constraint: 'one_address' }],
    ['a constraint before a column', { column: 'age', constraint: 'one_address' }, { column: 'email_address', constraint: 'one_address' }],
    ['no constraint that the table does not define', { constraint: 'people_age_unique' }, {}],
    ['no column that the table does not define', { column: 'secret' }, {}],
    ['no column by its name in code', { column: 'email' }, {}],
    ['nothing that is not text', { column: 5, constraint: null }, {}],
  ])('is %s', (_name, properties, place) => {
    expect(duplicate(properties)).toEqual({ code: '23505', table: 'people', ...place })
  })

  test.each([
    ['UNIQUE constraint failed: people.email_address', 'email_address'],
    ['UNIQUE constraint failed: people.secret', undefined],
    ['NOT NULL constraint failed: people.age', 'age'],
    ['no such column: age', 'age'],
  ])('is read from a message: %s', (message, column) => {
    expect(toFailure(new Error(message), rules, people).details).toMatchObject({ table: 'people', column })
  })

  test('is only what a pattern captures of a message', () => {
    const ownRules: FailureRules = { codes: [[/^taken/, 'duplicate']], names: [/^taken: (\w+), see \S+$/], integerHint: '' }
    expect(toFailure(new Error('taken: age, see a.secret'), ownRules, people).details.column).toBe('age')
    expect(toFailure(new Error('taken: secret, see a.age'), ownRules, people).details.column).toBeUndefined()
  })

  test('is the column of the user, if that does not exist', () => {
    const error = driverError({ code: '23503', column: 'token' })
    expect(toFailure(error, pg.sql.failures, sessions, 'write-for-user').details).toMatchObject({ table: 'sessions', column: 'owner' })
    expect(toFailure(error, pg.sql.failures, sessions, 'write').details).toMatchObject({ table: 'sessions', column: 'token' })
    expect(toFailure(error, pg.sql.failures, people, 'write-for-user')).toMatchObject({
      kind: 'unknown-user',
      details: { column: undefined },
    })
  })

  test('is not known without the table', () => {
    const { kind, details } = toFailure(driverError({ code: '23505', column: 'age' }), pg.sql.failures)
    expect({ kind, details: withoutAbsent(details) }).toEqual({ kind: 'duplicate', details: { code: '23505' } })
  })
})

test('an operation throws what is known of the failure, and nothing of the error', () => {
  const error = operationError(
    'createUser',
    wrapped(driverError({ code: '23505', detail: 'Key (email)=(ada@example.com)' })),
    pg.sql.failures,
  )
  expect(error).toMatchObject({ name: 'AdapterOperationError', operation: 'createUser', kind: 'duplicate', code: '23505' })
  expect(error.cause).toBeUndefined()
  expect(JSON.stringify([error, error.message, error.stack])).not.toContain('ada@example.com')
  const failure = new Failure('not-found', { table: 'people', column: 'age' })
  expect(operationError('updateUser', failure, rules)).toMatchObject({ kind: 'not-found', table: 'people', column: 'age' })
})
