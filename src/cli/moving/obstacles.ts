import { isUnfilled, samePath } from '../core.js'
import type { Change, Current, Move, Mover, Notice } from './model.js'
import { replacesPrimaryKey } from './model.js'

/** What of the app's own the changes would break or lose: reasons to refuse the plan. */
export function obstacles(changes: Change[], { dependents, texts, tables }: Current): Notice[] {
  const touched = tables.filter((table) => changes.some((change) => samePath(change.table, table)))
  return [
    ...touched.flatMap(({ name, peculiarity }): Notice[] =>
      peculiarity
        ? [
            {
              code: 'unsupported-table',
              severity: 'error',
              table: name,
              message: `the plan cannot change the table: ${peculiarity}`,
              fix: fixOf(name, peculiarity),
            },
          ]
        : [],
    ),
    ...touched.flatMap((table) =>
      table.columns.flatMap(({ name, unknown }): Notice[] => {
        const isChanged = changes.some((one) => samePath(one.table, table) && one.column === name && one.aspect !== 'name')
        return unknown && isChanged ? [inUse(table.name, name, [unknown], 'its definition cannot change without losing')] : []
      }),
    ),
    ...changes.flatMap(({ table, column, aspect }) => {
      if (column === undefined && aspect === 'type') return []
      const users = dependents.filter(
        (one) =>
          samePath(one.table, table) &&
          (one.column === column || (one.column === undefined && one.breaksOn === 'type')) &&
          (one.breaksOn === aspect || (one.breaksOn === 'type' && aspect === 'kind')),
      )
      const readers = texts.filter(({ text }) => mentions(text, table.name) && (column === undefined || mentions(text, column)))
      const names = [...new Set([...users, ...(aspect === 'name' ? readers : [])].map(({ what }) => what))]
      return names.length === 0 ? [] : [inUse(table.name, column, names, `the ${aspects[aspect]} cannot change while these use it:`)]
    }),
  ]
}

const aspects = { type: 'type', kind: 'type', name: 'name', key: 'primary key' }

const mentions = (text: string, name: string) =>
  new RegExp(`(?<![\\w$])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`, 'i').test(text)

const inUse = (table: string, column: string | undefined, names: string[], why: string): Notice => ({
  code: 'in-use',
  severity: 'error',
  table,
  ...(column !== undefined && { column }),
  message: `${why} ${names.join(', ')}`,
  fix: 'Drop what is named here before the plan, and create it again after it, for the new names and types.',
})

function fixOf(table: string, peculiarity: string): string {
  if (peculiarity.includes('row format')) return `ALTER TABLE \`${table}\` ROW_FORMAT=DYNAMIC;`
  if (peculiarity.includes('engine')) return `ALTER TABLE \`${table}\` ENGINE=InnoDB;`
  return 'Make it an ordinary table, or write the migration by hand.'
}

/** What the columns of a table need before the plan, and what becomes of those that the code does not declare. */
export function columnNotices(move: Move, { isSameType, converts }: Mover): Notice[] {
  const { now, old, columns, others } = move
  const table = now.path.name
  const keys = now.keys.filter((key) => key.kind === 'primary' && !old.keys.some((one) => one.kind === 'primary'))
  // A number that SQLite gives to rows without one is the primary key, or no longer given.
  const isLeft = ({ isFilled, isGenerated }: Move['others'][number]) =>
    isFilled && !isGenerated && replacesPrimaryKey(move) && old.definition
  const required = others.filter((column) => isUnfilled(column) || isLeft(column)).map(({ name }) => name)
  const empty = columns.filter((column) => !column.old && column.now.notNull && column.now.default === undefined)
  return [
    ...keys.map(
      ({ columns: names }): Notice => ({
        code: 'missing-key',
        severity: 'warning',
        table,
        column: names.join(', '),
        message: 'the table has no primary key, which drizzle-kit drops where the documented schema has it in an object; the plan adds it',
      }),
    ),
    ...(others.length === 0
      ? []
      : [
          {
            code: 'undeclared-columns' as const,
            severity: 'warning' as const,
            table,
            column: others.map(({ name }) => name).join(', '),
            message: `your schema file does not declare these; they stay${required.length > 0 ? `, and ${required.join(', ')} may be null, because nothing would fill it` : ''}`,
            fix: 'Declare them with defineTables({ columns: … }) if you need them: drizzle-kit push would drop them.',
          },
        ]),
    ...empty.map(
      ({ now: { name } }): Notice => ({
        code: 'needs-value',
        severity: 'error',
        table,
        column: name,
        message: 'the column is new and required, and existing rows have no value for it',
        fix: 'Give it a default in your schema file, or allow null.',
      }),
    ),
    ...columns.flatMap(({ now: column, old: before }): Notice[] =>
      before && !isSameType(before, column) && !converts(before, column)
        ? [
            {
              code: 'wrong-type',
              severity: 'error',
              table,
              column: column.name,
              message: `the column is ${before.type} in the database and ${column.type} in your code, and the plan cannot convert it`,
              fix: 'Declare the column with the type that it has: keep your own table, or change the column before the plan.',
            },
          ]
        : [],
    ),
  ]
}
