import { visible } from '../commands/terminal.js'
import { sqlTokens } from '../doctor/definition.js'
import type { Plan } from './model.js'
import { breakpoint } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'

/**
 * Refuses a plan that would print an unsafe name or text. Anyone who can create a table or a foreign key chooses names, and a name that ends
 * a comment or a statement of the plan would run as SQL, or as a command of psql.
 */
export function refuseUnsafe(plan: Plan): Plan {
  const texts = [
    ...plan.notices.flatMap(({ table = '', column = '', message, fix = '' }) => [table, column, message, fix]),
    ...[...plan.plan, ...plan.undo, ...plan.cleanup].flatMap(({ about, sql }) => [
      about,
      ...sql.flatMap(sqlTokens).filter((token) => !/^\s/.test(token)),
    ]),
  ]
  const unsafe = new Set(texts.filter(isUnsafe))
  return unsafe.size === 0 ? plan : { notices: [...[...unsafe].map(unsafeText), ...plan.notices], plan: [], undo: [], cleanup: [] }
}

function isUnsafe(text: string): boolean {
  // A string is not a name, and may have several lines.
  const shown = text.startsWith("'") ? text.replaceAll('\n', '') : text
  return visible(shown) !== shown || text.includes(breakpoint)
}

const unsafeText = (text: string): Notice => {
  const message = `the plan would contain ${visible(text)}, which has a control character, a line separator or a statement breakpoint`
  return notice('unsafe-text', [], message)
}
