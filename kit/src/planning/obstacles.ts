import type { LiveTable, TablePath } from '../doctor/inspector.js'
import { samePath } from '../doctor/inspector.js'
import type { Catalog, Change, Dialect, Match, Touched } from './model.js'
import { nameKey } from './model.js'
import type { Notice } from './notices.js'
import { nameInUse, notice } from './notices.js'

const aspects = { type: 'type', kind: 'type', name: 'name', key: 'primary key' }
const again = 'Drop these before you run the plan, and create them again afterwards, with the new names and types.'

const mentions = (text: string, name: string) =>
  new RegExp(`(?<![\\w$])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`, 'i').test(text)

/** What the changes touch of tables that stay. SQLite changes everything that depends on a name by itself, or is rebuilt. */
function touchedBy(changes: Change[], catalog: Catalog): Touched[] {
  const isOld = (table: TablePath) => catalog.tables.some((one) => samePath(one, table))
  return changes.flatMap((change): Touched[] => {
    if (change.kind === 'renameColumns')
      return change.names.filter(([from]) => !from.startsWith('new_')).map(([column]) => ({ table: change.table, column, aspect: 'name' }))
    if (change.kind === 'renameTables') return change.tables.filter(([from]) => isOld(from)).map(([table]) => ({ table, aspect: 'name' }))
    if (change.kind !== 'alter') return []
    return [
      { table: change.table, aspect: 'type' },
      ...change.actions.flatMap((action): Touched[] => {
        if (action.do === 'dropKey') return action.key.kind === 'primary' ? [{ table: change.table, aspect: 'key' }] : []
        if (action.do !== 'retype') return []
        const { from, to } = action
        if (from.type === to.type && from.collation === to.collation && !catalog.database) return []
        const isLike = from.holds === to.holds && !(from.looseCollation && !to.looseCollation && from.collation !== to.collation)
        return [{ table: change.table, column: from.name, aspect: isLike ? 'type' : 'kind' }]
      }),
    ]
  })
}

/** Objects of the app, such as views, that the changes would break, and everything that would stay with a table that is set aside. */
export function obstacles(dialect: Dialect, catalog: Catalog, changes: Change[], olds: LiveTable[]): Notice[] {
  const { dependents, texts, tables } = catalog
  const isAside = (table: TablePath) => olds.some((one) => samePath(one, table))
  const touched = dialect.alter ? [] : touchedBy(changes, catalog).filter(({ table }) => !isAside(table))
  // Foreign keys move to the copy of a table, and views find it by its name.
  const isCopied = changes.some(({ kind }) => kind === 'clone')
  const notices: Notice[] = olds.flatMap((table) => {
    const readers = isCopied ? [] : texts.filter(({ text }) => mentions(text, table.name))
    const triggers = new Set(catalog.triggers.filter((one) => samePath(one.table, table)).map(({ name }) => `trigger ${name}`))
    const users = [
      ...dependents.filter((one) => samePath(one.table, table) && one.breaksOn === 'type' && !/^(policy|check|column) /.test(one.what)),
      ...readers.filter(({ what }) => !triggers.has(what)),
    ].map(({ what }) => what)
    const references = isCopied
      ? []
      : tables
          .filter((one) => !isAside(one))
          .flatMap(({ foreignKeys, name }) =>
            foreignKeys
              .filter(({ target }) => samePath(target, table))
              .map((key) => `foreign key ${key.name} of ${name}`.replace('  ', ' ')),
          )
    const all = [...new Set([...users, ...references])]
    const fix = 'Drop these before you run the plan, and create them again afterwards, for the new table.'
    return [
      ...(all.length > 0
        ? [notice('in-use', [table.name], `the table cannot be set aside while these use it: ${all.join(', ')}`, fix)]
        : []),
      ...(table.peculiarity ? [peculiar(table)] : []),
    ]
  })
  for (const table of tables.filter((one) => touched.some((change) => samePath(change.table, one)))) {
    if (table.peculiarity) notices.push(peculiar(table))
    const isDefined = (column: string) =>
      touched.some((one) => samePath(one.table, table) && one.column === column && one.aspect !== 'name')
    for (const { name: column, unknown } of table.columns)
      if (unknown && isDefined(column))
        notices.push(notice('in-use', [table.name, column], `changing its definition would lose ${unknown}`, again))
  }
  for (const { table, column, aspect } of touched) {
    if (column === undefined && aspect === 'type') continue
    const users = dependents.filter(
      (one) =>
        samePath(one.table, table) &&
        (one.column === column || (one.column === undefined && one.breaksOn === 'type' && column !== undefined)) &&
        (one.breaksOn === aspect || (one.breaksOn === 'type' && aspect === 'kind')),
    )
    const readers = texts.filter(({ text }) => mentions(text, table.name) && (column === undefined || mentions(text, column)))
    const names = [...new Set([...users, ...(aspect === 'name' ? readers : [])].map(({ what }) => what))]
    if (names.length > 0)
      notices.push(
        notice('in-use', [table.name, column], `the ${aspects[aspect]} cannot change while these use it: ${names.join(', ')}`, again),
      )
  }
  return [...notices, ...triggersOf(catalog, changes, olds), ...namesOf(dialect, catalog, changes)]
}

function peculiar({ name, peculiarity = '' }: LiveTable): Notice {
  const fix = peculiarity.includes('row format')
    ? `ALTER TABLE \`${name}\` ROW_FORMAT=DYNAMIC;`
    : peculiarity.includes('engine')
      ? `ALTER TABLE \`${name}\` ENGINE=InnoDB;`
      : 'Convert it to an ordinary table, or write the migration by hand.'
  return notice('unsupported-table', [name], `the plan cannot change the table: ${peculiarity}`, fix)
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
  const key = ({ schema, name }: TablePath) => nameKey(schema, name.toLowerCase())
  const needed: TablePath[] = []
  const freed = new Set<string>()
  const columns: { table: TablePath; name: string }[] = []
  // MySQL: names of keys are those of one table.
  const double: string[] = []
  const keysOf = (table: TablePath) => {
    const source = changes.find((change) => change.kind === 'clone' && samePath(change.table, table))
    const live = tables.find((one) => samePath(one, source?.kind === 'clone' ? source.of : table))
    const gone = changes.flatMap((change) =>
      change.kind === 'renameKeys' ? change.keys.filter((key) => samePath(key.table, table)).map(({ from }) => from) : [],
    )
    return (live?.keys ?? []).filter(({ name }) => !gone.includes(name)).map(({ name }) => name.toLowerCase())
  }
  for (const change of changes) {
    const own = (schema: string, all: { name: string }[]) =>
      needed.push(...all.filter(({ name }) => name).map(({ name }) => ({ schema, name })))
    if (change.kind === 'create') {
      own(change.table.path.schema, [change.table.path, ...(dialect.copies ? [] : change.table.keys)])
    } else if (change.kind === 'clone') needed.push(change.table)
    else if (change.kind === 'renameTables')
      for (const [from, to] of change.tables) {
        needed.push(to)
        freed.add(key(from))
      }
    else if (change.kind === 'renameKeys' && !dialect.copies)
      for (const { table, from, to } of change.keys) {
        own(table.schema, [{ name: to }])
        freed.add(key({ schema: table.schema, name: from }))
      }
    else if (change.kind === 'link') for (const { table, name } of change.keys) needed.push({ schema: table.schema, name })
    else if (change.kind === 'unlink') for (const { table, name } of change.keys) freed.add(key({ schema: table.schema, name }))
    else if (change.kind === 'alter')
      for (const action of change.actions) {
        if (action.do === 'addKey' && !dialect.copies) own(change.table.schema, [action.key])
        if (action.do === 'addKey' && dialect.copies && keysOf(change.table).includes(action.key.name.toLowerCase()))
          double.push(action.key.name)
        if (action.do === 'dropKey') freed.add(key({ schema: change.table.schema, name: action.key.name }))
        if (action.do === 'add') columns.push({ table: change.table, name: action.column.name })
      }
    else if (change.kind === 'rebuild')
      own(
        '',
        [`__old_${change.from.name}`, ...change.indexes].map((name) => ({ name })),
      )
  }
  const all = new Set([...names].map((name) => name.toLowerCase()))
  const taken = needed.filter((one) => all.has(key(one).toLowerCase()) && !freed.has(key(one)))
  const present = columns.filter(({ table, name }) =>
    tables.find((one) => samePath(one, table))?.columns.some((column) => column.name.toLowerCase() === name.toLowerCase()),
  )
  const tooLong = needed.filter(({ name }) => new TextEncoder().encode(name).length > dialect.nameLimit)
  return [...new Set([...[...taken, ...present].map(({ name }) => name), ...double])]
    .map(nameInUse)
    .concat(
      tooLong.map(({ name }) =>
        notice('name-too-long', [], `the plan needs the name ${name}, which is too long`, 'Rename the table, index or constraint first.'),
      ),
    )
}

/** Notices about the columns of a table that stays one of the same library. */
export function columnNotices(
  { now, old, columns, others }: Match,
  { isSameType, converts }: Dialect,
  emptied: string[],
  prefix: string,
): Notice[] {
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
  const undeclared = others.filter(({ name }) => !name.startsWith(prefix))
  const nullable = emptied.length > 0 ? `, and makes these nullable, because nothing would fill them: ${emptied.join(', ')}` : ''
  if (undeclared.length > 0)
    notices.push(
      notice(
        'undeclared-columns',
        [table, undeclared.map(({ name }) => name)],
        `your schema file does not declare these columns; the plan keeps them${nullable}`,
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
