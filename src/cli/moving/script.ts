import type { DialectName } from '../core.js'
import type { Notice, Plan } from './model.js'
import { scriptFor } from './plan.js'

/** Formats the plan as a SQL script that database clients and drizzle-kit can run. The notices are comments at the top. */
export function scriptOf({ notices, steps }: Plan, dialect: DialectName, address: string): string {
  const { breakpoint, howToRun } = scriptFor(dialect)
  const errors = notices.filter(({ severity }) => severity === 'error').length
  const statements = steps.flatMap(({ about, sql }) =>
    sql.map((statement, index) => (index === 0 ? `-- ${about}\n${statement}` : statement)),
  )
  return [
    ...comment(`Migration plan for ${address}.`),
    ...notices.flatMap(inComment),
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
    errors > 0 ? comment(statements.join('\n')).join('\n') : statements.join(`\n${breakpoint}\n`),
    '',
  ].join('\n')
}

const comment = (text: string) => text.split('\n').map((line) => `-- ${line}`)

function inComment({ severity, code, table, column, message, fix }: Notice): string[] {
  const place = [table, column].filter(Boolean).join('.')
  const line = `${severity.padEnd(9)}${place && `${place}: `}${message} [${code}]`
  return ['--', ...comment(line), ...(fix ? comment(`${' '.repeat(9)}fix: ${fix}`) : [])]
}
