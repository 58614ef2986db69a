import { findingLines } from '../commands/findings.js'
import { visibleLines } from '../commands/terminal.js'
import type { Dialect, Plan, Step } from './model.js'
import { breakpoint } from './model.js'

/** Formats the plan as a SQL script that database clients and drizzle-kit can run. Everything else is a comment. */
export function scriptOf(
  { notices, plan, undo, cleanup }: Plan,
  { breakpointLine, howToRun }: Pick<Dialect, 'breakpointLine' | 'howToRun'>,
  address: string,
): string {
  const errors = notices.filter(({ severity }) => severity === 'error').length
  const statements = plan.flatMap(({ about, sql }) =>
    sql.map((statement, index) => (index === 0 ? [...comment(about), statement].join('\n') : statement)),
  )
  const section = (title: string, steps: Step[]) =>
    steps.length === 0
      ? []
      : ['', ...comment(title), ...steps.flatMap(({ about, sql }) => ['--', ...comment(about), ...sql.flatMap(comment)])]
  return [
    ...comment(`Migration plan for ${address}.`),
    ...notices.flatMap((notice) => [
      '--',
      ...findingLines(notice).flatMap(comment),
      ...(notice.run ? ['before the plan:', ...notice.run.before, 'after it:', ...notice.run.after].flatMap(comment) : []),
    ]),
    '--',
    ...comment(
      errors > 0
        ? `Fix the ${errors === 1 ? 'error' : `${errors} errors`} above first, then run the command again.`
        : plan.length === 0
          ? 'No changes are needed.'
          : `Take a backup first. ${howToRun}`,
    ),
    '',
    // Nobody runs them by mistake.
    errors > 0 ? comment(statements.join('\n')).join('\n') : statements.join(`\n${breakpointLine}\n`),
    ...section('cleanup: run this later. Then there is no way back.', cleanup),
    ...section('undo: run this to go back, as long as cleanup has not run.', undo),
    '',
  ].join('\n')
}

/** The lines of a comment. Nothing in the text can end it: neither a line terminator of any database, nor drizzle-kit's breakpoint. */
const comment = (text: string) =>
  visibleLines(text)
    .replaceAll(breakpoint, breakpoint.replace('>', '\\u003e'))
    .split('\n')
    .map((line) => `-- ${line}`)
