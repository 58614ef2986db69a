import type { DialectName } from '../core.js'
import type { Step } from '../moving/model.js'
import { comment, scriptOf } from '../moving/script.js'
import type { AuthjsPlan } from './model.js'

/** The plan as a SQL script. What cleans up and what undoes the plan are comments below it. */
export function authjsScript({ notices, plan, cleanup, undo }: AuthjsPlan, dialect: DialectName, address: string): string {
  const section = (title: string, steps: Step[]) =>
    steps.length === 0
      ? []
      : ['', ...comment(title), ...steps.flatMap(({ about, sql }) => ['--', ...comment(about), ...sql.flatMap(comment)])]
  return [
    scriptOf({ notices, steps: plan }, dialect, address).trimEnd(),
    ...section('cleanup: run this later.', cleanup),
    ...section('undo: run this to go back, as long as cleanup has not run.', undo),
    '',
  ].join('\n')
}
