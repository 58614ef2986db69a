import { describe, expect, test } from 'vitest'
import type { FailureDetails, FailureKind } from '../../src/query/errors.js'
import { AdapterConfigError, AdapterOperationError, configError, Failure } from '../../src/query/errors.js'

const kinds: Record<FailureKind, RegExp> = {
  duplicate: /exists already/,
  'unknown-user': /user does not exist/,
  'still-referenced': /rows refer to it/,
  'not-found': /no row/,
  'missing-value': /must not be null/,
  'too-long': /longer/,
  invalid: /does not fit/,
  conflict: /try again/,
  timeout: /too long/,
  unreachable: /cannot be reached/,
  denied: /permission/,
  'read-only': /read-only/,
  full: /full/,
  schema: /migrations/,
  garbled: /driver does not return/,
  undecipherable: /decrypt/,
  unknown: /failed/,
}

const details = { code: '23505', table: 'people', column: 'email_address', constraint: 'one_address', hint: 'change the address' }
const parts: Record<keyof FailureDetails, string> = {
  code: '[23505]',
  table: 'table people',
  column: 'column email_address',
  constraint: 'constraint one_address',
  hint: 'change the address',
}

const errors = {
  'of an operation': (kind: FailureKind, details?: FailureDetails): Error => new AdapterOperationError('createUser', kind, details),
  'of the query layer': (kind: FailureKind, details?: FailureDetails): Error => new Failure(kind, details),
}

describe.each(Object.entries(errors))('the message of an error %s', (_name, create) => {
  test.each(Object.entries(kinds))('explains %s', (kind, words) => {
    expect(create(kind as FailureKind).message).toMatch(words)
  })

  test('says where it happened, and what to do about it', () => {
    for (const part of Object.values(parts)) expect(create('duplicate', details).message).toContain(part)
  })

  test.each(Object.keys(parts) as (keyof FailureDetails)[])('has the %s if only that is known', (name) => {
    const explanation = create('duplicate').message
    const { message } = create('duplicate', { [name]: details[name] })
    expect(message.startsWith(explanation)).toBe(true)
    for (const [part, words] of Object.entries(parts)) expect(message.includes(words)).toBe(part === name)
    expect(message.slice(explanation.length)).toMatch(name === 'hint' ? /^;/ : name === 'code' ? /^ \[/ : /^ \(\w+ \w+\)$/)
  })

  test('says nothing of what is not known', () => {
    const unknown = { code: undefined, table: undefined, column: undefined, constraint: undefined, hint: undefined }
    expect(create('duplicate', unknown).message).toBe(create('duplicate').message)
    expect(create('duplicate').message).not.toMatch(/undefined|null|[()[\];]/)
  })
})

describe('the error of an operation', () => {
  test('names the operation first', () => expect(new AdapterOperationError('createUser', 'duplicate').message).toMatch(/^createUser: /))

  test('has properties of its own, which can be logged', () => {
    const error = new AdapterOperationError('createUser', 'duplicate', details)
    const { hint, ...known } = details
    const expected = { name: 'AdapterOperationError', operation: 'createUser', kind: 'duplicate', ...known }
    expect(JSON.parse(JSON.stringify(error))).toEqual(expected)
    expect({ ...error }).toEqual(expected)
    expect(error).toBeInstanceOf(Error)
  })
})

test('a failure keeps its details, and whether the statement may be run again', () => {
  expect({ ...new Failure('conflict', { table: 'people' }, 'always') }).toEqual({
    kind: 'conflict',
    details: { table: 'people' },
    retry: 'always',
  })
  expect({ ...new Failure('duplicate') }).toEqual({ kind: 'duplicate', details: {}, retry: undefined })
})

test('a mistake in the configuration is thrown with its own class, in a whole sentence', () => {
  const run = () => configError('usersTable is missing')
  expect(run).toThrow(AdapterConfigError)
  expect(run).toThrow(expect.objectContaining({ name: 'AdapterConfigError', message: 'usersTable is missing.' }))
})
