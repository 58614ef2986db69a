import type { LiveTable, TablePath } from '../doctor/inspector.js'
import { samePath } from '../doctor/inspector.js'
import type { Catalog, Change, Dependent, Dialect } from './model.js'
import { nameKey } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'

const aspects = { type: 'type', kind: 'type', name: 'name', key: 'primary key' }

const mentions = (text: string, name: string) =>
  new RegExp(`(?<![\\w$])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`, 'i').test(text)

/** What the changes touch of tables that stay. SQLite changes everything that depends on a name by itself, or is rebuilt. */
function touchedBy(changes: Change[], { tables, database }: Catalog): Omit<Dependent, 'what'>[] {
  const isOld = (table: TablePath) => tables.some((one) => samePath(one, table))
  return changes.flatMap((change): Omit<Dependent, 'what'>[] => {
    if (change.kind === 'renameTables') return change.tables.filter(([from]) => isOld(from)).map(([table]) => ({ table, breaksOn: 'name' }))
    if (change.kind !== 'renameColumns' && change.kind !== 'alter') return []
    const { table } = change
    if (change.kind === 'renameColumns')
      return change.names.filter(([from]) => !from.startsWith('new_')).map(([column]) => ({ table, column, breaksOn: 'name' }))
    return change.actions.flatMap((action): Omit<Dependent, 'what'>[] => {
      if (action.do === 'dropKey') return action.key.kind === 'primary' ? [{ table, breaksOn: 'key' }] : []
      if (action.do !== 'retype') return []
      const { from, to } = action
      if (from.type === to.type && from.collation === to.collation && !database) return []
      const isLike = from.holds === to.holds && !(from.looseCollation && !to.looseCollation && from.collation !== to.collation)
      return [{ table, column: from.name, breaksOn: isLike ? 'type' : 'kind' }]
    })
  })
}

/** Objects of the app, such as views, that the changes would break, and everything that would stay with a table that is set aside. */
export function obstacles(dialect: Dialect, catalog: Catalog, changes: Change[], olds: LiveTable[]): Notice[] {
  const isAside = (table: TablePath) => olds.some((one) => samePath(one, table))
  const isAltered = (table: TablePath) => changes.some((change) => change.kind === 'alter' && samePath(change.table, table))
  const touched = dialect.alter ? [] : touchedBy(changes, catalog).filter(({ table }) => !isAside(table))
  // Foreign keys move to the copy of a table, and views find it by its name.
  const isCopied = changes.some(({ kind }) => kind === 'clone')
  return [
    ...olds.flatMap((table) => usersOf(catalog, table, isCopied, isAside)),
    ...catalog.tables
      .filter((table) => isAside(table) || (!dialect.alter && isAltered(table)) || touched.some((one) => samePath(one.table, table)))
      .flatMap(peculiar),
    ...touched.flatMap((one) => brokenBy(catalog, one)),
    ...triggersOf(catalog, changes, olds),
    ...namesOf(dialect, catalog, changes),
  ]
}

/** What would stay with a table that is set aside. */
function usersOf(
  { dependents, texts, triggers, tables }: Catalog,
  table: LiveTable,
  isCopied: boolean,
  isAside: (table: TablePath) => boolean,
) {
  const own = new Set(triggers.filter((one) => samePath(one.table, table)).map(({ name }) => `trigger ${name}`))
  const bound = dependents.filter(
    (one) => samePath(one.table, table) && one.breaksOn === 'type' && !/^(policy|check|column) /.test(one.what),
  )
  const readers = isCopied ? [] : texts.filter(({ what, text }) => !own.has(what) && mentions(text, table.name))
  const references = isCopied ? [] : tables.filter((one) => !isAside(one)).flatMap(({ foreignKeys }) => foreignKeys)
  const keys = references.filter(({ target }) => samePath(target, table)).map((key) => `foreign key ${key.name} of ${key.table.name}`)
  const all = [...new Set([...[...bound, ...readers].map(({ what }) => what), ...keys.map((key) => key.replace('  ', ' '))])]
  const fix = 'Drop these before you run the plan, and create them again afterwards, for the new table.'
  return all.length === 0
    ? []
    : [notice('in-use', [table.name], `the table cannot be set aside while these use it: ${all.join(', ')}`, fix)]
}

/** Objects that depend on what a change touches, and what a new definition of a column would lose. */
function brokenBy({ dependents, texts, tables }: Catalog, { table, column, breaksOn }: Omit<Dependent, 'what'>): Notice[] {
  const unknown =
    breaksOn === 'name' ? undefined : tables.find((one) => samePath(one, table))?.columns.find(({ name }) => name === column)?.unknown
  const users = dependents.filter(
    (one) =>
      samePath(one.table, table) &&
      (one.column === column || (one.column === undefined && one.breaksOn === 'type')) &&
      (one.breaksOn === breaksOn || (one.breaksOn === 'type' && breaksOn === 'kind')),
  )
  const isReader = ({ text }: { text: string }) => breaksOn === 'name' && mentions(text, table.name) && (!column || mentions(text, column))
  const names = [...new Set([...users, ...texts.filter(isReader)].map(({ what }) => what))]
  const place: [string, string | undefined] = [table.name, column]
  return [
    ...(unknown ? [notice('in-use', place, `changing its definition would lose ${unknown}`)] : []),
    ...(names.length > 0
      ? [notice('in-use', place, `the ${aspects[breaksOn]} cannot change while these use it: ${names.join(', ')}`)]
      : []),
  ]
}

function peculiar({ name, peculiarity }: LiveTable): Notice[] {
  if (!peculiarity) return []
  const option = peculiarity.includes('row format') ? 'ROW_FORMAT=DYNAMIC' : peculiarity.includes('engine') ? 'ENGINE=InnoDB' : undefined
  const fix = option ? `ALTER TABLE \`${name}\` ${option};` : 'Convert it to an ordinary table, or write the migration by hand.'
  return [notice('unsupported-table', [name], `the plan cannot change the table: ${peculiarity}`, fix)]
}

/** Triggers that would fire on rows that the plan or its way back writes, or that would stay with a table that is set aside. */
function triggersOf({ triggers }: Catalog, changes: Change[], olds: LiveTable[]): Notice[] {
  return triggers.flatMap((trigger) => {
    const fires = changes.some(
      (change) =>
        change.kind === 'fill' &&
        samePath(change.table, trigger.table) &&
        trigger.events.includes('UPDATE') &&
        (trigger.columns.length === 0 ||
          [...change.set.map(({ column }) => column), ...change.untouched].some((name) => trigger.columns.includes(name))),
    )
    const isAside = olds.some((table) => samePath(table, trigger.table))
    if (!fires && !isAside) return []
    const why = isAside ? 'stays with the old table' : 'would fire on every row'
    const message = `the trigger ${trigger.name} ${why}. Run before the plan and before its undo: ${trigger.off} Afterwards${isAside ? ', for the new table' : ''}, run the statement that creates or enables it`
    return [{ ...notice('trigger', [trigger.table.name], message), run: { before: [trigger.off], after: [trigger.on] } }]
  })
}

/** Names that the changes need and that something else has. */
function namesOf(dialect: Dialect, { names, tables }: Catalog, changes: Change[]): Notice[] {
  const keyOf = ({ schema, name }: TablePath) => nameKey(schema, name).toLowerCase()
  const beside = (table: TablePath, all: string[]) => all.filter(Boolean).map((name) => ({ schema: table.schema, name }))
  // On MySQL, names of keys are those of one table.
  const keysBeside = (table: TablePath, all: string[]) => (dialect.copies ? [] : beside(table, all))
  const nameOf = ({ name }: { name: string }) => name
  const taken = new Set([...names].map((name) => name.toLowerCase()))
  const needed: TablePath[] = []
  for (const change of changes) {
    if (change.kind === 'create') needed.push(change.table.path, ...keysBeside(change.table.path, change.table.keys.map(nameOf)))
    if (change.kind === 'clone') needed.push(change.table)
    if (change.kind === 'renameTables') needed.push(...change.tables.map(([, to]) => to))
    if (change.kind === 'renameKeys') needed.push(...change.keys.flatMap(({ table, to }) => keysBeside(table, [to])))
    if (change.kind === 'link') needed.push(...change.keys.flatMap(({ table, name }) => beside(table, [name])))
    if (change.kind === 'rebuild') needed.push(...beside({ schema: '', name: '' }, [`__old_${change.from.name}`, ...change.indexes]))
    if (change.kind === 'alter')
      needed.push(...change.actions.flatMap((action) => (action.do === 'addKey' ? keysBeside(change.table, [action.key.name]) : [])))
  }
  const freed = changes.flatMap((change): TablePath[] => {
    if (change.kind === 'renameTables') return change.tables.map(([from]) => from)
    if (change.kind === 'renameKeys') return change.keys.flatMap(({ table, from }) => keysBeside(table, [from]))
    if (change.kind === 'unlink') return change.keys.flatMap(({ table, name }) => beside(table, [name]))
    if (change.kind !== 'alter') return []
    return change.actions.flatMap((action) => (action.do === 'dropKey' ? beside(change.table, [action.key.name]) : []))
  })
  const free = new Set(freed.map(keyOf))
  const doubles = needed.filter((one) => taken.has(keyOf(one)) && !free.has(keyOf(one))).map(nameOf)
  // Columns of a table, and on MySQL its keys.
  const inTables = changes.flatMap((change): string[] => {
    if (change.kind !== 'alter') return []
    const source = changes.find((one) => one.kind === 'clone' && samePath(one.table, change.table))
    const live = tables.find((one) => samePath(one, source?.kind === 'clone' ? source.of : change.table))
    const renamed = changes.flatMap((one) =>
      one.kind === 'renameKeys' ? one.keys.filter(({ table }) => samePath(table, change.table)) : [],
    )
    const keys = dialect.copies ? (live?.keys ?? []).filter(({ name }) => !renamed.some(({ from }) => from === name)) : []
    const has = (all: { name: string }[] = [], { name }: { name: string }) =>
      all.some((one) => one.name.toLowerCase() === name.toLowerCase())
    return change.actions.flatMap((action) => {
      if (action.do === 'add') return has(live?.columns, action.column) ? [action.column.name] : []
      return action.do === 'addKey' && has(keys, action.key) ? [action.key.name] : []
    })
  })
  const tooLong = needed.filter(({ name }) => new TextEncoder().encode(name).length > dialect.nameLimit)
  return [
    ...[...new Set([...doubles, ...inTables])].map((name) =>
      notice('name-in-use', [], `the plan needs the name ${name}, which is already in use`),
    ),
    ...tooLong.map(({ name }) => notice('name-too-long', [], `the plan needs the name ${name}, which is too long`)),
  ]
}
