import { isUnfilled, samePath } from '../core.js'
import type { Change, Current, Move, Mover, Notice } from './model.js'
import { notice, replacesPrimaryKey } from './model.js'

const aspects = { type: 'type', kind: 'type', name: 'name', key: 'primary key' }
const again = 'Drop these before you run the plan, and create them again afterwards, with the new names and types.'

/** Objects of the app, such as views and triggers, that the changes would break. Each one blocks the plan. */
export function obstacles(changes: Change[], { dependents, texts, tables }: Current): Notice[] {
  const notices: Notice[] = []
  for (const table of tables.filter((one) => changes.some((change) => samePath(change.table, one)))) {
    const { name, peculiarity } = table
    if (peculiarity) notices.push(notice('unsupported-table', [name], `the plan cannot change the table: ${peculiarity}`, fixOf(table)))
    const isDefined = (column: string) =>
      changes.some((one) => samePath(one.table, table) && one.column === column && one.aspect !== 'name')
    for (const { name: column, unknown } of table.columns)
      if (unknown && isDefined(column))
        notices.push(notice('in-use', [name, column], `changing its definition would lose ${unknown}`, again))
  }
  for (const { table, column, aspect } of changes) {
    if (column === undefined && aspect === 'type') continue
    const users = dependents.filter(
      (one) =>
        samePath(one.table, table) &&
        (one.column === column || (one.column === undefined && one.breaksOn === 'type')) &&
        (one.breaksOn === aspect || (one.breaksOn === 'type' && aspect === 'kind')),
    )
    const readers = texts.filter(({ text }) => mentions(text, table.name) && (column === undefined || mentions(text, column)))
    const names = [...new Set([...users, ...(aspect === 'name' ? readers : [])].map(({ what }) => what))]
    if (names.length > 0)
      notices.push(
        notice('in-use', [table.name, column], `the ${aspects[aspect]} cannot change while these use it: ${names.join(', ')}`, again),
      )
  }
  return notices
}

export const mentions = (text: string, name: string) =>
  new RegExp(`(?<![\\w$])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`, 'i').test(text)

function fixOf({ name, peculiarity = '' }: Current['tables'][number]): string {
  if (peculiarity.includes('row format')) return `ALTER TABLE \`${name}\` ROW_FORMAT=DYNAMIC;`
  if (peculiarity.includes('engine')) return `ALTER TABLE \`${name}\` ENGINE=InnoDB;`
  return 'Convert it to an ordinary table, or write the migration by hand.'
}

/** Problems with the columns of a table, and notices about columns that the code does not declare. */
export function columnNotices(move: Move, { isSameType, converts }: Mover): Notice[] {
  const { now, old, columns, others } = move
  const table = now.path.name
  const notices: Notice[] = []
  for (const key of now.keys)
    if (key.kind === 'primary' && !old.keys.some((one) => one.kind === 'primary'))
      notices.push(
        notice(
          'missing-key',
          [table, key.columns],
          'the table has no primary key (drizzle-kit ignores it in the documented schema, which declares it in an object); the plan adds it',
        ),
      )
  // SQLite only fills an integer column automatically while it is the primary key.
  const isLeft = ({ isFilled, isGenerated }: Move['others'][number]) =>
    isFilled && !isGenerated && replacesPrimaryKey(move) && old.definition
  const empty = others.filter((column) => isUnfilled(column) || isLeft(column)).map(({ name }) => name)
  const emptied = empty.length > 0 ? `, and makes these nullable, because nothing would fill them: ${empty.join(', ')}` : ''
  if (others.length > 0)
    notices.push(
      notice(
        'undeclared-columns',
        [table, others.map(({ name }) => name)],
        `your schema file does not declare these columns; the plan keeps them${emptied}`,
        'Declare them with defineTables({ columns: … }) if you need them: drizzle-kit push would drop them.',
      ),
    )
  for (const { now: column, old: before } of columns) {
    const at: [string, string] = [table, column.name]
    if (!before && column.notNull && column.default === undefined) {
      const message = 'the column is new and NOT NULL, and existing rows have no value for it'
      notices.push(notice('needs-value', at, message, 'Give it a default in your schema file, or allow null.'))
    }
    if (before && !isSameType(before, column) && !converts(before, column)) {
      const message = `the column is ${before.type} in the database and ${column.type} in your code, and the plan cannot convert it`
      const fix = 'Declare the column with its current type in a table of your own, or change the column before you run the plan.'
      notices.push(notice('wrong-type', at, message, fix))
    }
  }
  return notices
}
