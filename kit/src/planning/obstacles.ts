import type { LiveTable, TablePath } from '../doctor/inspector.js'
import { samePath } from '../doctor/inspector.js'
import type { Aside } from './links.js'
import type { Catalog, Change, Dependent, Dialect } from './model.js'
import { definitionOf, nameKey } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'

const mentions = (text: string, name: string) =>
  new RegExp(`(?<![\\w$])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`, 'i').test(text)

/** What the changes touch of tables that stay. SQLite changes everything that depends on a name by itself, or is rebuilt. */
function touchedBy(changes: Change[], { tables, database }: Catalog): Omit<Dependent, 'what'>[] {
  const isOld = (table: TablePath) => tables.some((one) => samePath(one, table))
  return changes.flatMap((change): Omit<Dependent, 'what'>[] => {
    if (change.kind === 'renameTables') return change.tables.filter(([from]) => isOld(from)).map(([table]) => ({ table, breaksOn: 'name' }))
    if (change.kind === 'renameColumns')
      return change.names.flatMap(([column]) =>
        column.startsWith('new_') ? [] : [{ table: change.table, column, breaksOn: 'name' as const }],
      )
    if (change.kind !== 'alter') return []
    return change.actions.flatMap((action): Omit<Dependent, 'what'>[] => {
      if (action.do !== 'retype') return []
      const { from, to } = action
      if (from.type === to.type && from.collation === to.collation && !database) return []
      const isLike = from.holds === to.holds && !(from.looseCollation && !to.looseCollation && from.collation !== to.collation)
      return [{ table: change.table, column: from.name, breaksOn: isLike ? 'type' : 'kind' }]
    })
  })
}

/** Objects of the app, such as views, that the changes would break, and everything that would stay with a table that is set aside. */
export function obstacles(dialect: Dialect, catalog: Catalog, changes: Change[], asides: Aside[]): Notice[] {
  const isAside = (table: TablePath) => asides.some(({ old }) => samePath(old, table))
  const isAltered = (table: TablePath) => changes.some((change) => change.kind === 'alter' && samePath(change.table, table))
  const touched = dialect.alter ? [] : touchedBy(changes, catalog).filter(({ table }) => !isAside(table))
  const changed = catalog.tables.filter(
    (table) => isAside(table) || (!dialect.alter && isAltered(table)) || touched.some((one) => samePath(one.table, table)),
  )
  return [
    ...asides.flatMap((aside) => usersOf(catalog, aside, isAside)),
    ...changed.flatMap(peculiar),
    ...touched.flatMap((one) => brokenBy(catalog, one)),
    ...triggersOf(catalog, changes, isAside),
    ...namesOf(dialect, catalog, changes),
  ]
}

/** What would stay with a table that is set aside. What finds the new one by its name may stay if that has the same columns. */
function usersOf(
  { dependents, texts, triggers, tables }: Catalog,
  { old, now, keepsRows, isRekeyed }: Aside,
  isAside: (table: TablePath) => boolean,
): Notice[] {
  const has = ({ name }: { name: string }) => now?.columns.some((column) => column.name === name)
  const isSame = keepsRows && now !== undefined && samePath(now.path, old) && old.columns.every(has)
  const ownTriggers = new Set(triggers.filter((one) => samePath(one.table, old)).map(({ name }) => `trigger ${name}`))
  // Rules of the app are those of its own rows: they matter if the new table has the same.
  const isBound = ({ table, breaksOn, what }: Dependent) =>
    samePath(table, old) && !/^policy /.test(what) && (keepsRows || (breaksOn !== 'kind' && !/^(check|column) /.test(what)))
  const readers = isSame ? [] : texts.filter(({ what, text }) => !ownTriggers.has(what) && mentions(text, old.name))
  const keys = tables
    .filter((one) => !isAside(one))
    .flatMap(({ foreignKeys }) => foreignKeys)
    .filter(({ target }) => samePath(target, old) && !keepsRows)
  const implied = tables.flatMap(({ name, foreignKeys }) =>
    foreignKeys.flatMap(({ target, targetColumns, columns }) =>
      isRekeyed && targetColumns.length === 0 && samePath(target, old)
        ? `foreign key ${name}.${columns} to the primary key of ${old.name}`
        : [],
    ),
  )
  const names = [...dependents.filter(isBound), ...readers].map(({ what }) => what)
  const own = keepsRows ? [...rulesOf(old), ...implied] : []
  const all = [...new Set([...names, ...own, ...keys.map((key) => `foreign key ${key.name ? `${key.name} ` : ''}of ${key.table.name}`)])]
  const fix = 'Drop these before you run the plan, and create them again afterwards, for the new table.'
  const message = `the table cannot be set aside while these use it: ${all.join(', ')}`
  return all.length === 0 ? [] : [notice('in-use', [old.name], message, fix)]
}

/** What a table has that a declaration cannot have. */
function rulesOf({ keys, columns, definition }: LiveTable): string[] {
  const found = definition === undefined ? undefined : definitionOf(definition)
  const clauses = [...(found?.columns.flatMap((column) => column.clauses) ?? []), ...(found?.constraints ?? [])]
  return [
    ...keys.flatMap(({ isPlain, name }) => (isPlain ? [] : `index ${name}`)),
    ...columns.flatMap(({ isGenerated, name }) => (isGenerated ? `column ${name}` : [])),
    ...columns.flatMap(({ unknown }) => unknown ?? []),
    ...clauses.flatMap(({ kind, text }) => (kind === 'check' ? text : [])),
    ...(definition !== undefined && !found ? ['a part of its definition'] : []),
  ]
}

/** Objects that depend on what a change touches, and what a new definition of a column would lose. */
function brokenBy({ dependents, texts, tables }: Catalog, { table, column, breaksOn }: Omit<Dependent, 'what'>): Notice[] {
  const live = tables.find((one) => samePath(one, table))?.columns.find(({ name }) => name === column)
  const unknown = breaksOn === 'name' ? undefined : live?.unknown
  const users = dependents.filter(
    (one) =>
      samePath(one.table, table) &&
      (one.column === column || (one.column === undefined && one.breaksOn === 'type')) &&
      (one.breaksOn === breaksOn || (one.breaksOn === 'type' && breaksOn === 'kind')),
  )
  const isReader = ({ text }: { text: string }) => breaksOn === 'name' && mentions(text, table.name) && (!column || mentions(text, column))
  const names = [...new Set([...users, ...texts.filter(isReader)].map(({ what }) => what))]
  const place: [string, string | undefined] = [table.name, column]
  const used = `the ${breaksOn === 'name' ? 'name' : 'type'} cannot change while these use it: ${names.join(', ')}`
  return [
    ...(unknown ? [notice('in-use', place, `changing its definition would lose ${unknown}`)] : []),
    ...(names.length > 0 ? [notice('in-use', place, used)] : []),
  ]
}

function peculiar({ name, peculiarity }: LiveTable): Notice[] {
  if (!peculiarity) return []
  const option = peculiarity.includes('row format') ? 'ROW_FORMAT=DYNAMIC' : peculiarity.includes('engine') ? 'ENGINE=InnoDB' : undefined
  const fix = option ? `ALTER TABLE \`${name}\` ${option};` : 'Convert it to an ordinary table, or write the migration by hand.'
  return [notice('unsupported-table', [name], `the plan cannot change the table: ${peculiarity}`, fix)]
}

/** Triggers that would fire on rows that the plan or its way back writes, or that would stay with a table that is set aside. */
function triggersOf({ triggers }: Catalog, changes: Change[], isAside: (table: TablePath) => boolean): Notice[] {
  const fires = ({ table, events, columns }: Catalog['triggers'][number]) =>
    changes.some((change) => {
      if (change.kind !== 'fill' || !samePath(change.table, table) || !events.includes('UPDATE')) return false
      const written = [...change.set.map(({ column }) => column), ...change.untouched]
      return columns.length === 0 || written.some((name) => columns.includes(name))
    })
  return triggers.flatMap((trigger) => {
    const isLeft = isAside(trigger.table)
    if (!isLeft && !fires(trigger)) return []
    const [why, where] = isLeft ? ['stays with the old table', ', for the new table'] : ['would fire on every row', '']
    const message = `the trigger ${trigger.name} ${why}. Run before the plan and before its undo: ${trigger.off} Afterwards${where}, run the statement that creates or enables it`
    return [{ ...notice('trigger', [trigger.table.name], message), run: { before: [trigger.off], after: [trigger.on] } }]
  })
}

interface Names {
  needed?: TablePath[]
  freed?: TablePath[]
}

/** Names that the changes need and that something else has. */
function namesOf(dialect: Dialect, { names, tables }: Catalog, changes: Change[]): Notice[] {
  const keyOf = ({ schema, name }: TablePath) => nameKey(schema, name).toLowerCase()
  const beside = (table: TablePath, all: string[]) => all.filter(Boolean).map((name) => ({ schema: table.schema, name }))
  // On MySQL, names of indexes are those of one table, and elsewhere those of foreign keys.
  const keysBeside = (table: TablePath, all: string[]) => (dialect.namesKeysByTable ? [] : beside(table, all))
  const linksBeside = (table: TablePath, all: string[]) => (dialect.namesKeysByTable ? beside(table, all) : [])
  const used = changes.map((change): Names => {
    switch (change.kind) {
      case 'create': {
        const { path, keys } = change.table
        return {
          needed: [
            path,
            ...keysBeside(
              path,
              keys.map(({ name }) => name),
            ),
          ],
        }
      }
      case 'renameTables':
        return { needed: change.tables.map(([, to]) => to), freed: change.tables.map(([from]) => from) }
      case 'renameKeys': {
        const all = change.keys.map(({ table, from, to }) => ({ from: keysBeside(table, [from]), to: keysBeside(table, [to]) }))
        return { needed: all.flatMap(({ to }) => to), freed: all.flatMap(({ from }) => from) }
      }
      case 'link':
        return { needed: change.keys.flatMap(({ table, name }) => linksBeside(table, [name])) }
      case 'unlink':
        return { freed: change.keys.flatMap(({ table, name }) => linksBeside(table, [name])) }
      case 'rebuild':
        return { needed: beside({ schema: '', name: '' }, [`__old_${change.from.name}`, ...change.indexes]) }
      case 'alter': {
        const of = (what: 'addKey' | 'dropKey') => change.actions.flatMap((action) => (action.do === what ? action.key.name : []))
        return { needed: keysBeside(change.table, of('addKey')), freed: keysBeside(change.table, of('dropKey')) }
      }
      default:
        return {}
    }
  })
  const needed = used.flatMap(({ needed = [] }) => needed)
  const free = new Set(used.flatMap(({ freed = [] }) => freed).map(keyOf))
  const taken = new Set([...names].map((name) => name.toLowerCase()))
  const doubles = needed.filter((one) => taken.has(keyOf(one)) && !free.has(keyOf(one))).map(({ name }) => name)
  // Columns of a table, and on MySQL its keys.
  const inTables = changes.flatMap((change) => {
    const live = change.kind === 'alter' ? tables.find((one) => samePath(one, change.table)) : undefined
    const named = changes.flatMap((one) =>
      one.kind === 'renameKeys' ? one.keys.filter(({ table }) => table === live).map(({ from }) => from) : [],
    )
    const keys = dialect.namesKeysByTable ? (live?.keys ?? []).filter(({ name }) => !named.includes(name)) : []
    const has = (all: { name: string }[] = [], { name }: { name: string }) =>
      all.some((one) => one.name.toLowerCase() === name.toLowerCase()) ? name : []
    const actions = change.kind === 'alter' ? change.actions : []
    return actions.flatMap((action) =>
      action.do === 'add' ? has(live?.columns, action.column) : action.do === 'addKey' ? has(keys, action.key) : [],
    )
  })
  const tooLong = needed.filter(({ name }) => new TextEncoder().encode(name).length > dialect.nameLimit)
  return [
    ...[...new Set([...doubles, ...inTables])].map((name) =>
      notice('name-in-use', [], `the plan needs the name ${name}, which is already in use`),
    ),
    ...tooLong.map(({ name }) => notice('name-too-long', [], `the plan needs the name ${name}, which is too long`)),
  ]
}
