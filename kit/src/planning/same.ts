import type { Database } from 'drizzle-auth-adapter/internal'
import type { Inspector, LiveForeignKey, LiveTable, TablePath } from '../doctor/inspector.js'
import { samePath } from '../doctor/inspector.js'
import { alter, alterationOf, followTypes, replacesPrimaryKey, temporary } from './alteration.js'
import type { Outline } from './authjs.js'
import { rightsFor, rightsNotices } from './authjs.js'
import { planLinks } from './links.js'
import type { Alteration, Catalog, Dialect, Match, NewTable, Planned } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'
import { columnNotices } from './obstacles.js'
import { implicitReferences, isLeftEmpty, lackingForeignKeys, rebuildNotice } from './rebuild.js'
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
  const rows = await checkRows(db, dialect, inspector, matches, catalog)
  const isCopied = ({ now }: Match) => dialect.copies && now.model !== 'users'
  const options = (match: Match) => ({
    dialect,
    prefix,
    // The rows of a copied table are converted on their way.
    conversions: (isCopied(match) ? undefined : rows.conversions.get(match)) ?? new Map(),
    values: new Map(),
    keepsTypes: false,
    relaxesOthers: true,
  })
  const all = matches.map((match) => alterationOf(match, options(match)))
  const replaced = matches.filter(replacesPrimaryKey)
  const lacking = new Map(matches.map((match) => [match, dialect.alter ? lackingForeignKeys(match, matches, replaced, catalog) : []]))
  const isChanged = (one: Alteration) =>
    [one.add, one.types, one.set, one.nulls, one.addKeys, one.adopt, one.columnNames].some(({ length }) => length > 0) ||
    one.primary !== undefined ||
    !samePath(one.match.old, one.match.now.path)
  const copied = all.filter((one) => isCopied(one.match) && isChanged(one))
  const inPlace = all.filter((one) => !copied.includes(one))
  const olds = copied.map(({ match }) => match.old)
  const asides = copied.map(({ match: { old, now } }) => ({ old, path: { ...old, name: prefix + old.name }, successor: now.path }))
  const followers = followTypes([...inPlace, ...copied], catalog, (table) => olds.includes(table as LiveTable))
  const altered = inPlace.map((one) => ({ ...alter(one, lacking.get(one.match) ?? [], dialect, catalog), match: one.match }))
  const clones = copied.map((one) => clone(one, dialect, prefix, catalog))

  const moved = inPlace.filter(({ match: { old, now } }) => !samePath(old, now.path))
  const renames: Planned[] = [
    ...altered.flatMap(({ names }) => names),
    ...moved.map(
      ({ match: { old, now } }): Planned => ({ kind: 'renameTables', tables: [[old, now.path]], about: 'Rename tables and columns' }),
    ),
    ...(clones.length === 0
      ? []
      : [
          {
            kind: 'renameTables' as const,
            tables: clones.flatMap(({ swap }) => swap),
            about: 'Swap the old tables for the new ones. They hold tokens that still work: run cleanup later',
          },
        ]),
  ]
  const accounts = matches.find(({ now }) => now.model === 'accounts')?.old
  const created = missing.map((table): Planned => {
    const rights = accounts ? rightsFor(catalog, accounts, table, false) : {}
    return { kind: 'create', table, ...rights, about: 'Create missing tables' }
  })
  const copyRenames = copied.map(
    ({ match: { old }, columnNames }): Planned => ({ kind: 'renameColumns', table: old, names: columnNames, about: '' }),
  )
  const { unlink, link } = dialect.alter
    ? { unlink: [], link: [] }
    : planLinks({
        catalog,
        alterations: [...inPlace, ...followers, ...copied],
        declared: [...matches.map(({ now }) => now).map((now) => withOthers(now, matches)), ...missing],
        renames: [...copyRenames, ...renames],
        asides,
        asideName: (name) => prefix + name,
      })
  const changes: Planned[] = [
    ...(asides.length === 0
      ? []
      : [
          {
            kind: 'stop' as const,
            when: asides.map(({ path }) => dialect.exists(path)).join(' OR '),
            why: 'the plan has run already',
            about: 'Stop here if the plan has run',
          },
        ]),
    ...clones.flatMap((one) => one.changes),
    { kind: 'unlink', keys: unlink, about: 'Drop foreign keys that prevent the changes' },
    ...followers.flatMap((one) => alter(one, [], dialect, catalog).changes),
    ...altered.flatMap((one) => one.changes),
    ...renames,
    ...created,
    { kind: 'link', keys: link, about: 'Add foreign keys' },
  ]
  const rebuilt = changes.flatMap((change) => (change.kind === 'rebuild' ? [change.to.name] : []))
  const emptied = ({ others, old }: Match) =>
    others
      .filter((column) =>
        isLeftEmpty(
          column,
          replaced.some((match) => match.old === old),
          old,
        ),
      )
      .map(({ name }) => name)
  const lackingOf = (table: string) => matches.filter(({ old }) => old.name === table).flatMap((match) => lacking.get(match) ?? [])
  return {
    changes: changes.filter((change) => !('keys' in change) || change.keys.length > 0),
    asides: asides.map(({ path }) => path),
    kept: inPlace.flatMap(({ match, kept, columnNames }) => {
      const columns = [...kept.map(({ name }) => name), ...columnNames.flatMap(([, to]) => (to.startsWith(prefix) ? [to] : []))]
      return columns.length === 0 ? [] : [{ table: match.now.path, columns }]
    }),
    notices: [
      ...rows.notices,
      ...linkNotices(
        unlink.filter((key) => !matches.some(({ old }) => samePath(old, key.table))),
        followers,
        all,
      ),
      ...altered.flatMap(({ notices }) => notices),
      ...(dialect.alter
        ? implicitReferences(
            replaced,
            lackingOf,
            catalog.tables.flatMap(({ foreignKeys }) => foreignKeys),
          )
        : []),
      ...(accounts && missing.length > 0 ? rightsNotices(catalog, [accounts], changes) : []),
      ...dialect.notices([...all, ...followers].map(({ match, types }) => ({ table: match.old, types }))),
      ...(rebuilt.length > 0 ? [rebuildNotice(rebuilt)] : []),
      ...matches.flatMap((match) => columnNotices(match, dialect, emptied(match), prefix)),
    ],
  }
}

/** A declared table with the columns that its old table has beside the declared ones. */
function withOthers(now: NewTable, matches: Match[]): NewTable {
  const match = matches.find((one) => one.now === now)
  const others = (match?.others ?? []).map((column) => ({
    ...column,
    field: column.name,
    holds: column,
    isKey: false,
  })) as unknown as NewTable['columns']
  return { ...now, columns: [...now.columns, ...others] }
}

function linkNotices(keys: LiveForeignKey[], followers: Alteration[], all: Alteration[]): Notice[] {
  const tables = [...new Set(keys.map(({ table }) => table.name))]
  const names = (table: string) => keys.filter((key) => key.table.name === table).map(({ name }) => name)
  return [
    ...tables.map((table) =>
      notice('other-tables', [table], `the plan drops foreign keys and adds them again with the same rules: ${names(table).join(', ')}`),
    ),
    ...[...followers, ...all].flatMap(({ match, types }) =>
      types
        .filter(({ isOwn }) => isOwn)
        .map(({ old, now }) =>
          notice(
            'other-columns',
            [match.old.name, old.name],
            `the column references a column whose type changes, so it changes from ${old.type} to ${now.type}`,
            'Declare this type in your schema file, too. Otherwise drizzle-kit changes it back.',
          ),
        ),
    ),
  ]
}

/** MySQL: a copy of a table, which changes while it is empty. The rows follow. */
function clone(alteration: Alteration, dialect: Dialect, prefix: string, catalog: Catalog) {
  const { match } = alteration
  const { old, now, columns, others } = match
  const path = { schema: now.path.schema, name: temporary(now.path.name) }
  const own = alterationOf(
    { ...match, old: { ...old, ...path, foreignKeys: [] } },
    { dialect, prefix, conversions: new Map(), values: new Map(), keepsTypes: false, relaxesOthers: true },
  )
  // An undeclared column that references an id of another type has it in the copy, too.
  own.types.push(...alteration.types.filter(({ isOwn }) => isOwn))
  const { changes, names } = alter(own, [], dialect, catalog)
  const about = `Copy the table ${old.name}`
  const value = (column: { name: string }) => `o.${dialect.quote(column.name)}`
  const values = [
    ...columns.flatMap(({ now: column, old: before }): [string, string][] => {
      if (!before || before.isGenerated) return []
      if (/date/.test(before.holds)) return [[column.name, dialect.date(value(before), before, column.holds)]]
      const isText = column.holds.holds === 'text' && !dialect.isSameType(before, column)
      return [[column.name, isText ? dialect.text(value(before)) : value(before)]]
    }),
    ...others
      .filter(({ isGenerated }) => !isGenerated)
      .map((column): [string, string] => {
        const isTyped = own.types.some((type) => type.old === column)
        return [column.name, isTyped ? dialect.text(value(column)) : value(column)]
      }),
  ]
  const keys = now.keys.filter(({ kind }) => kind !== 'index')
  const key = (keys.find(({ kind }) => kind === 'primary') ?? keys[0])?.columns ?? []
  const pairs = key.flatMap((name) => {
    const before = columns.find((column) => column.now.name === name)?.old
    return before ? [dialect.same(`n.${dialect.quote(name)}`, value(before))] : []
  })
  const gone = `${dialect.deleteFrom(old)} WHERE NOT EXISTS (SELECT 1 FROM ${dialect.path(path)} AS n WHERE ${pairs.join(' AND ')});`
  return {
    swap: [
      [old, { ...old, name: prefix + old.name }],
      [path, now.path],
    ] as [TablePath, TablePath][],
    changes: [
      { kind: 'clone', table: path, of: old, about },
      ...[...changes, ...names].map((change) => ({ ...change, about })),
      {
        kind: 'copy',
        to: { ...now, path },
        source: old,
        from: `${dialect.path(old)} AS o`,
        values,
        ended: pairs.length === key.length && key.length > 0 ? [gone] : [],
        about,
      },
    ] as Planned[],
  }
}
