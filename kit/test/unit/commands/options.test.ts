import { describe, expect, test } from 'vitest'
import { oneOf, pastDate, readLimits, readOptions, tableName } from '../../../src/commands/options.js'

const options = { url: { type: 'string' }, quiet: { type: 'boolean' } } as const
const problem = (message: RegExp) => expect.objectContaining({ message: expect.stringMatching(message), exitCode: 2 })

describe('arguments', () => {
  test.each([
    [[], {}],
    [['--url', 'app.db'], { url: 'app.db' }],
    [['--url=app.db', '--quiet'], { url: 'app.db', quiet: true }],
    [['--url=-app.db'], { url: '-app.db' }],
  ])('%j are read', (args, values) => {
    expect({ ...readOptions(args, options) }).toEqual(values)
  })

  test.each([
    [['--url'], /^--url needs a value/],
    [['--url='], /^--url needs a value/],
    [['--url', '--quiet'], /^--url needs a value/],
    [['--url', '-secret'], /^--url needs a value/],
    [['--quiet=secret'], /^--quiet takes no value/],
    [['secret'], /^argument 1 after the command is not/],
    [['--quiet', '--secret'], /^argument 2 after the command is not/],
    [['--quiet', '-s'], /^argument 2 after the command is not/],
    [['--constructor'], /^argument 1 after the command is not/],
    [['--quiet', '--', 'secret'], /^argument 2 after the command is not/],
    [['--quite'], /^argument 1 after the command is not a known option\. Did you mean --quiet\? See --help/],
    [['--secret'], /^argument 1 after the command is not a known option\. See --help/],
  ])('%j are rejected, and the message names no value', (args, message) => {
    expect(() => readOptions(args, options)).toThrow(problem(message))
    expect(() => readOptions(args, options)).not.toThrow('secret')
  })
})

describe('limits', () => {
  test.each([
    [{}, { batch: 200, pause: 100 }],
    [
      { batch: '1', pause: '0' },
      { batch: 1, pause: 0 },
    ],
    [
      { batch: `${Number.MAX_SAFE_INTEGER}`, pause: `${2 ** 31 - 1}` },
      { batch: Number.MAX_SAFE_INTEGER, pause: 2 ** 31 - 1 },
    ],
  ])('%j are %j', (given, limits) => {
    expect(readLimits(given)).toEqual(limits)
  })

  test.each(['', '0', '-1', '1.5', '1e3', ' 1', '1x', '0x10', '9007199254740992'])('a batch cannot be %j', (batch) => {
    expect(() => readLimits({ batch })).toThrow(problem(/^--batch must be a whole number, 1 or more\.$/))
  })

  test.each(['-1', '1.5', '2147483648'])('a pause cannot be %j', (pause) => {
    expect(() => readLimits({ pause })).toThrow(problem(/^--pause must be a whole number from 0 to 2147483647\.$/))
  })
})

describe('a date', () => {
  test.each(['2020-01-31', '2020-01-31T12:00:00Z', '2020-01-31T12:00:00.123+02:00'])('can be %s', (text) => {
    expect(pastDate('--before', text)).toEqual(new Date(text))
  })

  // JavaScript takes some of these for dates of another year, or of local time.
  test.each(['', 'then', '1', '2020', '20-01-01', '2020-1-01', '2020-01-31 12:00', '2020-99-01', '+002020-01-31'])(
    'cannot be %j',
    (text) => {
      expect(() => pastDate('--before', text)).toThrow(problem(/^--before must be a date such as/))
    },
  )

  test('cannot be in the future', () => {
    const inAMinute = new Date(Date.now() + 60_000).toISOString()
    expect(() => pastDate('--before', inAMinute)).toThrow(problem(/^--before must not be in the future/))
  })
})

test('a choice must be one of the values exactly', () => {
  const values = ['sessions', 'tokens'] as const
  expect(oneOf('--only', 'tokens', values)).toBe('tokens')
  for (const text of ['', 'Tokens', 'tokens '])
    expect(() => oneOf('--only', text, values)).toThrow(problem(/^--only must be sessions or tokens\.$/))
})

test('the name of a table can have a schema and letters of any language, and nothing that a URL needs', () => {
  for (const name of ['session', 'auth.session', 'my-app.sessions$', 'sitzungen_für_2026', '会话'])
    expect(tableName('--sessions', name)).toBe(name)
  for (const name of ['', 'a.', '.a', 'a.b.c', 'a b', 'a@b', 'a:b', 'a/b', 'a;', '"a"'])
    expect(() => tableName('--sessions', name)).toThrow(problem(/^--sessions must be the name of a table/))
})
