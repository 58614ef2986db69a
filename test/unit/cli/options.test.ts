import { describe, expect, test, vi } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import { oneOf, pastDate, readLimits, readOptions, tableName } from '../../../src/cli/options.js'
import { failureOf } from './files.js'

const options = { url: { type: 'string' }, quiet: { type: 'boolean' } } as const

async function isRejected(call: () => unknown, message: RegExp): Promise<void> {
  const failure = await failureOf(call)
  expect(failure).toBeInstanceOf(Problem)
  expect(failure).toMatchObject({ message: expect.stringMatching(message), exitCode: 2 })
}

describe('arguments', () => {
  test.each([
    [[], {}],
    [['--quiet'], { quiet: true }],
    [['--url', 'app.db'], { url: 'app.db' }],
    [['--url=app.db', '--quiet'], { url: 'app.db', quiet: true }],
    [['--url=-app.db'], { url: '-app.db' }],
    [['--url', 'a-b'], { url: 'a-b' }],
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
    [['--url', 'app.db', 'secret'], /^argument 3 after the command is not/],
  ])('%j are rejected, and the message names no value', async (args, message) => {
    await isRejected(() => readOptions(args, options), message)
    expect(`${await failureOf(() => readOptions(args, options))}`).not.toContain('secret')
  })
})

describe('limits', () => {
  test('are 200 rows and 100 milliseconds by default', () => {
    expect(readLimits({})).toEqual({ batch: 200, pause: 100 })
    expect(readLimits({ batch: undefined, pause: undefined })).toEqual({ batch: 200, pause: 100 })
  })

  test.each([
    { batch: '1', pause: '0' },
    { batch: '25', pause: '1500' },
    { batch: `${Number.MAX_SAFE_INTEGER}`, pause: `${2 ** 31 - 1}` },
  ])('can be $batch rows and $pause milliseconds', ({ batch, pause }) => {
    expect(readLimits({ batch, pause })).toEqual({ batch: Number(batch), pause: Number(pause) })
  })

  test.each(['', '0', '-1', '1.5', '1e3', ' 1', '1 ', 'x1', '1x', '0x10', '9007199254740992'])('a batch cannot be %j', (batch) =>
    isRejected(() => readLimits({ batch }), /^--batch takes a whole number, 1 or more\.$/),
  )

  test.each(['', '-1', '1.5', '2147483648'])('a pause cannot be %j', (pause) =>
    isRejected(() => readLimits({ pause }), /^--pause takes a whole number from 0 to 2147483647\.$/),
  )
})

describe('a date', () => {
  test.each(['2020-01-31', '2020-01-31T12:00:00Z', '2020-01-31T12:00:00.123+02:00'])('can be %s', (text) => {
    expect(pastDate('--before', text)).toEqual(new Date(text))
  })

  test.each([
    '',
    'then',
    '1',
    '2020',
    '2020-01',
    '20-01-01',
    '2020-1-01',
    '2020-01-1',
    '2020-01-31 12:00',
    'x2020-01-31',
    '2020-99-01',
    '2020-01-31T',
    '+002020-01-31',
  ])('cannot be %j', (text) => isRejected(() => pastDate('--before', text), /^--before takes a date such as/))

  test('cannot be in the future', async () => {
    vi.useFakeTimers({ now: new Date('2026-01-31T12:00:00Z') })
    try {
      expect(pastDate('--before', '2026-01-31T12:00:00Z')).toEqual(new Date())
      await isRejected(() => pastDate('--before', '2026-01-31T12:00:00.001Z'), /^--before takes a date that is not in the future/)
    } finally {
      vi.useRealTimers()
    }
  })
})

test('one of several values is that value exactly', async () => {
  const values = ['sessions', 'tokens'] as const
  expect(oneOf('--only', 'tokens', values)).toBe('tokens')
  for (const text of ['', 'Tokens', 'token', 'tokens '])
    await isRejected(() => oneOf('--only', text, values), /^--only takes sessions or tokens\.$/)
})

describe('the name of a table', () => {
  test.each(['session', 'auth.session', 'user_sessions', 'my-app.sessions$', 'sitzungen_für_2026', '会话'])('can be %s', (name) => {
    expect(tableName('--sessions', name)).toBe(name)
  })

  test.each(['', '.', 'a.', '.a', 'a.b.c', 'a b', 'a@b', 'a:b', 'a/b', 'a;', ';a', '"a"', 'a.b@c', '@a.b'])('cannot be %j', (name) =>
    isRejected(() => tableName('--sessions', name), /^--sessions takes the name of a table/),
  )
})
