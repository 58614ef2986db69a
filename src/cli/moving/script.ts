import type { DialectName } from '../core.js'
import type { Notice, Plan } from './model.js'
import { scriptFor } from './plan.js'

/** The plan as a script: what is to be known as comments, then the statements, as a client or a migration of drizzle-kit takes them. */
export function scriptOf({ notices, steps }: Plan, dialect: DialectName, address: string): string {
  const { breakpoint, howToRun } = scriptFor(dialect)
  const errors = notices.filter(({ severity }) => severity === 'error').length
  const statements = steps.flatMap(({ about, sql }) =>
    sql.map((statement, index) => (index === 0 ? `-- ${about}\n${statement}` : statement)),
  )
  return [
    ...comment(`The plan for ${address}.`),
    ...notices.flatMap(inComment),
    '--',
    ...comment(
      errors > 0
        ? `Put the ${errors === 1 ? 'error' : `${errors} errors`} above right first, then ask for the plan again.`
        : steps.length === 0
          ? 'Nothing has to be changed.'
          : `Take a backup first. ${howToRun}`,
    ),
    '',
    // What cannot work yet must not be run by mistake.
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
