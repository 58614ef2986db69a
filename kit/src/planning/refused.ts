import type { LiveColumn } from '../doctor/inspector.js'
import { replacesPrimaryKey } from './alteration.js'
import type { Match, NewColumn } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'

/** Columns whose values the plan cannot convert. */
export const refusedTypes = ({ now: table, columns }: Match, fits: (now: NewColumn, old: LiveColumn) => boolean): Notice[] =>
  columns.flatMap(({ now, old }) => {
    if (!old || fits(now, old)) return []
    const message = `the column is ${old.type} in the database and ${now.type} in your code, and the plan cannot convert it`
    const fix = 'Declare the column with its current type in a table of your own, or change the column before you run the plan.'
    return [notice('wrong-type', [table.path.name, now.name], message, fix)]
  })

export function refusedKey(match: Match): Notice[] {
  const message = 'the table of users has another primary key than your schema file declares'
  return replacesPrimaryKey(match) ? [notice('wrong-type', [match.old.name], message)] : []
}
