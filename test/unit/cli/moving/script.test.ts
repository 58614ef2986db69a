import { describe, expect, test } from 'vitest'
import type { Notice, Plan } from '../../../../src/cli/moving/model.js'
import { scriptOf } from '../../../../src/cli/moving/script.js'

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
  fix: 'Make them\nlower case.',
}
const error: Notice = { code: 'two-tables', severity: 'error', table: 'user', message: 'which one?' }

const linesOf = (plan: Plan, dialect: 'pg' | 'mysql' | 'sqlite' = 'pg') => scriptOf(plan, dialect, 'localhost/app').split('\n')
const withoutComments = (lines: string[]) => lines.filter((line) => line && !line.startsWith('--') && !line.startsWith('#--'))

describe('the script', () => {
  test('has the statements in order, each step with what it is for', () => {
    const lines = linesOf({ notices: [], steps })
    expect(lines[0]).toMatch(/^-- .*localhost\/app/)
    expect(lines.slice(lines.indexOf(''))).toEqual([
      '',
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
    // MySQL's own client takes only this for a comment.
    ['mysql', '#--> statement-breakpoint', 'mysql DATABASE'],
  ] as const)('is made for the client of %s', (dialect, breakpoint, client) => {
    const lines = linesOf({ notices: [], steps }, dialect)
    expect(lines.filter((line) => line.includes('statement-breakpoint'))).toEqual([breakpoint, breakpoint])
    expect(lines.find((line) => line.includes(client))).toMatch(/^-- Take a backup first/)
  })

  test('tells each notice with its place and its fix, as comments', () => {
    const lines = linesOf({ notices: [warning, { code: 'rebuild', severity: 'warning', message: 'anew' }], steps })
    expect(lines.slice(1, 8)).toEqual([
      '--',
      '-- warning  user.email: two rows [capitals]',
      '--          fix: Make them',
      '-- lower case.',
      '--',
      '-- warning  anew [rebuild]',
      '--',
    ])
    expect(withoutComments(lines)).toEqual(['RENAME a;', 'RENAME b', '  TO c;', 'ADD key;'])
  })

  test.each([
    [[error], 'Fix the error above first'],
    [[error, warning, error], 'Fix the 2 errors above first'],
  ])('runs nothing while there are errors', (notices, advice) => {
    const lines = linesOf({ notices, steps })
    expect(withoutComments(lines)).toEqual([])
    expect(lines.join('\n')).toContain(advice)
    expect(lines).toContain('-- -- Names')
    expect(lines).toContain('-- RENAME a;')
    expect(lines).toContain('--   TO c;')
    expect(lines).toContain('-- error    user: which one? [two-tables]')
    expect(lines.join('\n')).not.toContain('statement-breakpoint')
    expect(lines.join('\n')).not.toContain('backup')
  })

  test('says that nothing has to be changed', () => {
    expect(linesOf({ notices: [], steps: [] })).toEqual([expect.any(String), '--', '-- No changes are needed.', '', '', ''])
    expect(linesOf({ notices: [error], steps: [] }).join('\n')).toContain('Fix the error above')
  })
})
