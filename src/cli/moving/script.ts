import type { DialectName } from '../core.js'
import { findingLines } from '../findings.js'
import { visibleLines } from '../terminal.js'
import type { Plan } from './model.js'
import { breakpoint } from './model.js'
import { scriptFor } from './plan.js'

/** Formats the plan as a SQL script that database clients and drizzle-kit can run. The notices are comments at the top. */
export function scriptOf({ notices, steps }: Plan, dialect: DialectName, address: string): string {
  const { breakpointLine, howToRun } = scriptFor(dialect)
  const errors = notices.filter(({ severity }) => severity === 'error').length
  const statements = steps.flatMap(({ about, sql }) =>
    sql.map((statement, index) => (index === 0 ? [...comment(about), statement].join('\n') : statement)),
  )
  return [
    ...comment(`Migration plan for ${address}.`),
    ...notices.flatMap((notice) => ['--', ...findingLines(notice).flatMap(comment)]),
    '--',
    ...comment(
      errors > 0
        ? `Fix the ${errors === 1 ? 'error' : `${errors} errors`} above first, then run the command again.`
        : steps.length === 0
          ? 'No changes are needed.'
          : `Take a backup first. ${howToRun}`,
    ),
    '',
    // Comment the statements out, so that nobody runs them by mistake.
    errors > 0 ? comment(statements.join('\n')).join('\n') : statements.join(`\n${breakpointLine}\n`),
    '',
  ].join('\n')
}

/** The lines of a comment. Nothing in the text can end it: neither a line terminator of any database, nor drizzle-kit's breakpoint. */
export const comment = (text: string) =>
  visibleLines(text)
    .replaceAll(breakpoint, breakpoint.replace('>', '\\u003e'))
    .split('\n')
    .map((line) => `-- ${line}`)
