import type { TablePath } from '../doctor/inspector.js'
import { samePath } from '../doctor/inspector.js'
import type { Action, Change, Copy, Dialect, Planned, Step } from './model.js'

/** Whether a change removes what the plan has added. On the way back, these come last. */
const isRemoval = (change: Change) =>
  change.kind === 'drop' || (change.kind === 'alter' && change.actions.every((action) => action.do === 'drop'))

/** The changes that turn a plan back: renames first and what the plan has added is dropped last. */
export function wayBack(changes: Planned[], dialect: Dialect): Planned[] {
  const back = [...changes].reverse().flatMap((change) => inverse(change, dialect))
  // Rows of users who are gone must go before their foreign key comes back.
  const ranks = [
    (change: Change) => change.kind !== 'prune' && change.kind !== 'link' && !isRemoval(change),
    ({ kind }: Change) => kind === 'prune',
    ({ kind }: Change) => kind === 'link',
    isRemoval,
  ]
  return ranks.flatMap((isOfRank) => back.filter(isOfRank))
}

export const last = 'The last step: drop what the plan has added'

/** The only place that says how a change is turned back. */
function inverse(change: Planned, dialect: Dialect): Planned[] {
  switch (change.kind) {
    case 'create':
      return [{ kind: 'drop', table: change.table.path, about: last }]
    case 'copy': {
      const { isCopy, where = '1 = 1', source, ended = [] } = change
      const gone = `${dialect.deleteFrom(source)} WHERE ${where} AND NOT ${existsCopy(dialect, change)};`
      const sql = [...(isCopy ? [gone] : []), ...ended]
      return sql.length === 0 ? [] : [{ kind: 'prune', sql, about: 'Delete what has been deleted since, so that it does not come back' }]
    }
    case 'link':
      return [{ ...change, kind: 'unlink', about: 'Drop foreign keys' }]
    case 'unlink':
      return [{ ...change, kind: 'link', about: 'Add the foreign keys again' }]
    case 'alter': {
      const actions = [...change.actions].reverse().map(opposite)
      const parts = [actions.filter((action) => action.do !== 'drop'), actions.filter((action) => action.do === 'drop')]
      return parts.flatMap((some, index): Planned[] =>
        some.length === 0 ? [] : [{ ...change, actions: some, about: index === 1 ? last : `Restore the table ${change.table.name}` }],
      )
    }
    case 'fill': {
      const set = change.set.flatMap(({ undo, column, value }) => (undo ? [{ ...undo, undo: { column, value } }] : []))
      return set.length === 0 ? [] : [{ ...change, set, about: 'Restore values that have not changed since' }]
    }
    case 'renameColumns':
      return [{ ...change, names: [...change.names].reverse().map(([from, to]) => [to, from]), about: 'Rename columns back' }]
    case 'renameTables':
      return [{ ...change, tables: [...change.tables].reverse().map(([from, to]) => [to, from]), about: 'Rename tables back' }]
    case 'renameKeys': {
      const keys = [...change.keys].reverse().map(({ from, to, statements, ...key }) => {
        const [one, other] = statements ?? []
        return { ...key, from: to, to: from, ...(one && other && { statements: [other, one] as [string, string] }) }
      })
      return [{ ...change, keys, about: 'Rename keys back' }]
    }
    case 'rebuild': {
      const { from, to, values, back } = change
      return [{ kind: 'rebuild', from: to, to: from, values: back, back: values, indexes: [], about: `Restore the table ${from.name}` }]
    }
    default:
      return []
  }
}

function opposite(action: Action): Action {
  if (action.do === 'retype') return { do: 'retype', from: action.to, to: action.from }
  if ('key' in action) return { ...action, do: action.do === 'addKey' ? 'dropKey' : 'addKey' }
  return { ...action, do: action.do === 'add' ? 'drop' : 'add' }
}

/** Whether the copy of a row o is still there. */
export const existsCopy = (dialect: Dialect, { to, isCopy }: Copy, table = to.path) =>
  `EXISTS (SELECT 1 FROM ${dialect.path(table)} AS n WHERE ${isCopy})`

/** The name of a table, and of its column, once the changes have been made. */
export function renamed(changes: Change[], table: TablePath, column?: string): { table: TablePath; column: string | undefined } {
  let [path, name] = [table, column]
  for (const change of changes) {
    if (change.kind === 'renameColumns' && samePath(change.table, path)) name = change.names.find(([from]) => from === name)?.[1] ?? name
    if (change.kind === 'renameTables') path = change.tables.find(([from]) => samePath(from, path))?.[1] ?? path
  }
  return { table: path, column: name }
}

/** The statements of the changes. Changes that are for the same become one step. */
export function stepsOf(dialect: Dialect, changes: Planned[]): Step[] {
  const steps: Step[] = []
  for (const change of changes) {
    const render = dialect.render[change.kind] as ((change: Change) => string[]) | undefined
    if (!render) throw new Error(`${change.kind} is not a change of this database`)
    const sql = render(change)
    const step = steps.at(-1)
    if (step?.about === change.about) step.sql.push(...sql)
    else if (sql.length > 0) steps.push({ about: change.about, sql })
  }
  return steps.length === 0 ? [] : (dialect.wrap?.(steps, changes) ?? steps)
}
