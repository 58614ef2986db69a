import { expect, test } from 'vitest'
import { scriptOf } from '../../../src/planning/index.js'
import type { Notice } from '../../../src/planning/notices.js'

// The script must be safe to run as it is: only statements are outside of comments, and none while there are errors.

const steps = [
  { about: 'Names', sql: ['RENAME a;', 'RENAME b\n  TO c;'] },
  { about: 'Keys', sql: ['ADD key;'] },
]
const warning: Notice = {
  code: 'capitals',
  severity: 'warning',
  table: 'user',
  column: 'email',
  message: 'two rows',
  fix: 'Make them lower case.',
}
const error: Notice = { code: 'two-tables', severity: 'error', table: 'user', message: 'which one?' }

const linesOf = ({ notices, steps: plan }: { notices: Notice[]; steps: typeof steps }, dialect: 'pg' | 'mysql' | 'sqlite' = 'pg') =>
  scriptOf({ notices, plan, undo: [], cleanup: [] }, dialect, 'localhost/app').split('\n')
const withoutComments = (lines: string[]) => lines.filter((line) => line && !line.startsWith('--') && !line.startsWith('#--'))

test('a script has notices as comments, and the statements in order', () => {
  const lines = linesOf({ notices: [warning], steps })
  expect(lines.slice(0, 5)).toEqual([
    expect.stringMatching(/^-- .*localhost\/app/),
    '--',
    '-- warning  user.email: two rows [capitals]',
    '--          fix: Make them lower case.',
    '--',
  ])
  expect(lines.slice(lines.indexOf('-- Names'))).toEqual([
    '-- Names',
    'RENAME a;',
    '--> statement-breakpoint',
    'RENAME b',
    '  TO c;',
    '--> statement-breakpoint',
    '-- Keys',
    'ADD key;',
    '',
  ])
})

test.each([
  ['pg', '--> statement-breakpoint', '--single-transaction'],
  ['sqlite', '--> statement-breakpoint', 'sqlite3 -bail'],
  // Only with # is the line a comment for the mysql client.
  ['mysql', '#--> statement-breakpoint', 'mysql DATABASE'],
] as const)('a script for %s has breakpoints that its client ignores, and says how to run it', (dialect, breakpoint, client) => {
  const lines = linesOf({ notices: [], steps }, dialect)
  expect(lines.filter((line) => line.includes('statement-breakpoint'))).toEqual([breakpoint, breakpoint])
  expect(lines.find((line) => line.includes(client))).toMatch(/^-- Take a backup first/)
})

test('a script with errors has no statement outside of comments', () => {
  const lines = linesOf({ notices: [error, warning, error], steps })
  expect(withoutComments(lines)).toEqual([])
  expect(lines).toEqual(expect.arrayContaining(['-- error    user: which one? [two-tables]', '-- RENAME a;', '--   TO c;']))
  expect(lines.join('\n')).toContain('Fix the 2 errors above first')
  expect(lines.join('\n')).not.toMatch(/statement-breakpoint|backup/)
})

// PostgreSQL ends a comment at \r, and Drizzle's migrators split a file at each breakpoint, also in a comment.
test.each(['\n', '\r', '\f', '\v', '\0', '\x85', '\u2028', '\u2029', '\n--> statement-breakpoint '])(
  '%j in any text cannot end a comment',
  (end) => {
    const text = `a${end}DROP TABLE b;`
    const hostile: Notice = { ...error, table: text, column: text, message: text, fix: text }
    const steps = [{ about: text, sql: [text] }]
    const printed = scriptOf({ notices: [hostile], plan: steps, undo: steps, cleanup: steps }, 'pg', text)
    expect(printed.split(/[\r\f\v\0\x85\u2028\u2029\n]|--> statement-breakpoint/).filter((line) => !/^(--|$)/.test(line))).toEqual([])
  },
)
