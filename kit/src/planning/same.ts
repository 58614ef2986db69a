import type { Database } from 'drizzle-auth-adapter/internal'
import type { Inspector, TablePath } from '../doctor/inspector.js'
import { isUnfilled, samePath } from '../doctor/inspector.js'
import { alter, alterationOf, alterTable, replacesPrimaryKey, temporary } from './alteration.js'
import type { Outline } from './assembly.js'
import { assemble } from './assembly.js'
import type { Alteration, Catalog, Dialect, Match, NewTable, Planned } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'
import { implicitReferences, lackingForeignKeys } from './rebuild.js'
import { rightsFor, rightsNotices } from './rights.js'
import { checkRows } from './rows.js'

/** The move to other tables of the same library. Tables change in place, or on MySQL as copies, except for the users. */
export async function planSame(
  db: Database,
  dialect: Dialect,
  inspector: Inspector,
  catalog: Catalog,
  matches: Match[],
  missing: NewTable[],
  prefix: string,
): Promise<Outline> {
  const rows = await checkRows(db, dialect, inspector, matches)
  const isCopied = ({ now }: Match) => dialect.copies && now.model !== 'users'
  // The rows of a copied table are converted on their way.
  const all = matches.map((match) =>
    alterationOf(match, { dialect, prefix, conversions: isCopied(match) ? undefined : rows.conversions.get(match) }),
  )
  const isChanged = (one: Alteration) =>
    alterTable(one, dialect).length + one.columnNames.length > 0 || !samePath(one.match.old, one.match.now.path)
  const copied = all.filter((one) => isCopied(one.match) && isChanged(one))
  const replaced = dialect.alter ? matches.filter(replacesPrimaryKey) : []
  const inPlace = all
    .filter((one) => !copied.includes(one))
    .map((alteration) => ({ alteration, lacking: dialect.alter ? lackingForeignKeys(alteration.match, matches, replaced, catalog) : [] }))
  const clones = copied.map((one) => clone(one, dialect, prefix, catalog))
  const accounts = matches.find(({ now }) => now.model === 'accounts')?.old
  const created = missing.map((table): Planned => {
    const rights = accounts ? rightsFor(catalog, accounts, table, false) : {}
    return { kind: 'create', table, ...rights, about: 'Create missing tables' }
  })
  const outline = assemble({
    dialect,
    catalog,
    prefix,
    inPlace,
    copied,
    begin: clones.flatMap(({ changes }) => changes),
    keyNames: [],
    asides: copied.map(({ match: { old, now } }) => ({ old, path: { ...old, name: prefix + old.name }, successor: now.path })),
    swap: clones.flatMap(({ swap }) => swap),
    created: missing,
    end: created,
  })
  return {
    ...outline,
    notices: [
      ...rows.notices,
      ...outline.notices,
      ...implicitReferences(replaced, inPlace, catalog),
      ...(accounts && missing.length > 0 ? rightsNotices(catalog, [accounts], created) : []),
      ...matches.flatMap((match) => columnNotices(match, dialect, replaced.includes(match), prefix)),
    ],
  }
}

/** MySQL: a copy of a table, which changes while it is empty. The rows follow. */
function clone(alteration: Alteration, dialect: Dialect, prefix: string, catalog: Catalog) {
  const { match } = alteration
  const { old, now, columns, others } = match
  const path = { schema: now.path.schema, name: temporary(now.path.name) }
  const own = alterationOf({ ...match, old: { ...old, ...path, foreignKeys: [] } }, { dialect, prefix })
  // An undeclared column that references an id of another type has it in the copy, too.
  own.types.push(...alteration.types.filter(({ isOwn }) => isOwn))
  const { changes, names } = alter(own, [], dialect, catalog)
  const about = `Copy the table ${old.name}`
  const value = (column: { name: string }) => `o.${dialect.quote(column.name)}`
  const isTyped = (column: { name: string }) => own.types.some((type) => type.old === column)
  const values = [
    ...columns.flatMap(({ now: column, old: before }): [string, string][] => {
      if (!before || before.isGenerated) return []
      if (/date/.test(before.holds)) return [[column.name, dialect.date(value(before), before, column.holds)]]
      const isText = column.holds.holds === 'text' && !dialect.isSameType(before, column)
      return [[column.name, isText ? dialect.text(value(before)) : value(before)]]
    }),
    ...others
      .filter(({ isGenerated }) => !isGenerated)
      .map((column): [string, string] => [column.name, isTyped(column) ? dialect.text(value(column)) : value(column)]),
  ]
  const keys = now.keys.filter(({ kind }) => kind !== 'index')
  const key = (keys.find(({ kind }) => kind === 'primary') ?? keys[0])?.columns ?? []
  const pairs = key.flatMap((name) => {
    const before = columns.find((column) => column.now.name === name)?.old
    return before ? [dialect.same(`n.${dialect.quote(name)}`, value(before))] : []
  })
  const gone = `${dialect.deleteFrom(old)} WHERE NOT EXISTS (SELECT 1 FROM ${dialect.path(path)} AS n WHERE ${pairs.join(' AND ')});`
  const ended = pairs.length === key.length && key.length > 0 ? [gone] : []
  return {
    swap: [
      [old, { ...old, name: prefix + old.name }],
      [path, now.path],
    ] as [TablePath, TablePath][],
    changes: [
      { kind: 'clone', table: path, of: old, about },
      ...[...changes, ...names].map((change) => ({ ...change, about })),
      { kind: 'copy', to: { ...now, path }, source: old, from: `${dialect.path(old)} AS o`, values, ended, about },
    ] as Planned[],
  }
}

/** Notices about the columns of a table. */
function columnNotices({ now, old, columns, others }: Match, dialect: Dialect, isReplaced: boolean, prefix: string): Notice[] {
  const table = now.path.name
  const undeclared = others.filter(({ name }) => !name.startsWith(prefix)).map(({ name }) => name)
  // Another primary key of SQLite gives no ids any more.
  const isLeftEmpty = (column: (typeof others)[number]) => isUnfilled(column) || (isReplaced && column.isFilled && !column.isGenerated)
  const emptied = others.filter(isLeftEmpty).map(({ name }) => name)
  const nullable = emptied.length > 0 ? `, and makes these nullable, because nothing would fill them: ${emptied.join(', ')}` : ''
  return [
    ...now.keys.flatMap(({ kind, columns: names }) =>
      kind === 'primary' && !old.keys.some((one) => one.kind === 'primary') ? [notice('missing-key', [table, names])] : [],
    ),
    ...(undeclared.length === 0
      ? []
      : [
          notice(
            'undeclared-columns',
            [table, undeclared],
            `your schema file does not declare these columns; the plan keeps them${nullable}`,
          ),
        ]),
    ...columns.flatMap(({ now: column, old: before }) => {
      const at: [string, string] = [table, column.name]
      if (!before && column.notNull && column.default === undefined) {
        const message = 'the column is new and NOT NULL, and existing rows have no value for it'
        return [notice('needs-value', at, message, 'Give it a default in your schema file, or allow null.')]
      }
      if (!before || dialect.isSameType(before, column) || dialect.converts(before, column)) return []
      const message = `the column is ${before.type} in the database and ${column.type} in your code, and the plan cannot convert it`
      const fix = 'Declare the column with its current type in a table of your own, or change the column before you run the plan.'
      return [notice('wrong-type', at, message, fix)]
    }),
  ]
}
