import { describe, expect, test } from 'vitest'
import { oneOf, pastDate, readLimits, readOptions, tableName } from '../../../src/commands/options.js'

const options = { url: { type: 'string' }, quiet: { type: 'boolean' } } as const
const problem = (message: RegExp) => expect.objectContaining({ message: expect.stringMatching(message), exitCode: 2 })

describe('arguments', () => {
  test.each([
    [[], {}],
    [['--url=-app.db', '--quiet'], { url: '-app.db', quiet: true }],
  ])('%j are read', (args, values) => {
    expect({ ...readOptions(args, options) }).toEqual(values)
  })

  test.each([
    [['--url'], /'--url <value>' argument missing/],
    [['--url='], /^--url needs a value/],
    [['--url', '-secret'], /'--url' argument is ambiguous/],
    [['--quiet=secret'], /'--quiet' does not take an argument/],
    [['--quiet', '--', 'secret'], /^an argument is not an option of this command\. See --help/],
    [['-s'], /^an argument is not an option of this command\. See --help/],
    [['--constructor'], /^an argument is not an option of this command\. See --help/],
    [['--secret:1'], /^an argument is not an option of this command\. See --help/],
    [['--quite'], /^an argument is not an option of this command\. Did you mean --quiet\? See --help/],
  ])('%j are rejected, and the message contains no value', (args, message) => {
    expect(() => readOptions(args, options)).toThrow(problem(message))
    expect(() => readOptions(args, options)).not.toThrow('secret')
  })
})

test.each([
  [{}, { batch: 200, pause: 100 }],
  [
    { batch: '1', pause: '0' },
    { batch: 1, pause: 0 },
  ],
])('the limits %j are %j', (given, limits) => {
  expect(readLimits(given)).toEqual(limits)
})

const rejected: [read: () => unknown, message: RegExp][] = [
  [() => readLimits({ batch: '0' }), /^--batch must be a whole number, 1 or more\.$/],
  [() => readLimits({ batch: '1e3' }), /^--batch must be a whole number, 1 or more\.$/],
  [() => readLimits({ pause: '2147483648' }), /^--pause must be a whole number from 0 to 2147483647\.$/],
  [() => pastDate('--before', new Date(Date.now() + 60_000).toISOString()), /^--before must not be in the future/],
  [() => oneOf('--only', 'Tokens', ['sessions', 'tokens']), /^--only must be sessions or tokens\.$/],
]
// JavaScript takes some of these for dates of another year, or of local time.
for (const text of ['then', '1', '2020-1-01', '2020-01-31 12:00', '2020-99-01'])
  rejected.push([() => pastDate('--before', text), /^--before must be a date such as/])
for (const name of ['a.', 'a.b.c', 'a@b', 'a:b', '"a"'])
  rejected.push([() => tableName('--sessions', name), /^--sessions must be the name of a table/])

test.each(rejected)('%s is rejected by the name of the option', (read, message) => {
  expect(read).toThrow(problem(message))
})

test('dates can have a time, and names of tables a schema and letters of any language', () => {
  for (const text of ['2020-01-31', '2020-01-31T12:00:00.123+02:00']) expect(pastDate('--before', text)).toEqual(new Date(text))
  for (const name of ['auth.session', 'my-app.sessions$', 'sitzungen_für_2026', '会话']) expect(tableName('--sessions', name)).toBe(name)
})
