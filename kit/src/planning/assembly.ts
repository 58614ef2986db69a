import type { LiveForeignKey, TablePath } from '../doctor/inspector.js'
import { samePath } from '../doctor/inspector.js'
import { alter, alterTable, followTypes } from './alteration.js'
import type { Aside } from './links.js'
import { planLinks } from './links.js'
import type { Alteration, Catalog, Dialect, KeyName, NewForeignKey, NewTable, Planned } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'

export interface Outline {
  changes: Planned[]
  /** The changes of rows. On SQLite, those of ALTER TABLE instead of rebuilds. */
  demanding: Planned[]
  notices: Notice[]
  /** The tables and columns that the plan keeps aside, with the names that they get. */
  asides: TablePath[]
  kept: { table: TablePath; columns: string[] }[]
}

interface Parts {
  dialect: Dialect
  catalog: Catalog
  /** What the names begin with that old tables, columns and keys get. */
  prefix: string
  /** How tables change in place, with foreign keys that SQLite adds. */
  inPlace: { alteration: Alteration; lacking: NewForeignKey[] }[]
  /** How the copies of tables differ from them. */
  copied: Alteration[]
  /** Creates and fills tables beside the old ones. */
  begin: Planned[]
  keyNames: KeyName[]
  asides: Aside[]
  swap: [from: TablePath, to: TablePath][]
  /** Other declared tables that the plan creates. */
  created: NewTable[]
  end: Planned[]
}

/** All changes in the order that makes the way back a rename: fill new tables, change those that stay, and swap the names. */
export function assemble({ dialect, catalog, prefix, inPlace, copied, begin, keyNames, asides, swap, created, end }: Parts): Outline {
  const alterations = inPlace.map(({ alteration }) => alteration)
  const followers = followTypes([...alterations, ...copied], catalog, (table) => asides.some(({ old }) => samePath(old, table)))
  const altered = inPlace.map(({ alteration, lacking }) => alter(alteration, lacking, dialect, catalog))
  const moved = alterations.flatMap(({ match: { old, now } }) =>
    samePath(old, now.path) ? [] : [[old, now.path] as [TablePath, TablePath]],
  )
  const columnNames = altered.flatMap(({ names }) => names)
  const tableNames: Planned[] = [
    { kind: 'renameTables', tables: moved, about: 'Rename tables and columns' },
    {
      kind: 'renameTables',
      tables: swap,
      about: 'Swap the old tables for the new ones. They hold tokens that still work: run cleanup later',
    },
  ]
  const ofCopies = copied.map((one): Planned => ({ kind: 'renameColumns', table: one.match.old, names: one.columnNames, about: '' }))
  const { unlink, link } = planLinks({
    catalog,
    alterations: [...alterations, ...followers, ...copied],
    declared: [...alterations.map(({ match }) => match.now), ...copied.map(withOthers), ...created],
    renames: [...ofCopies, ...columnNames, ...tableNames],
    asides,
    asideName: dialect.copies ? (name) => prefix + name : undefined,
  })
  const isThere = asides.map(({ path }) => dialect.exists(path)).join(' OR ')
  const changes: Planned[] = [
    ...(isThere ? [{ kind: 'stop' as const, when: isThere, why: 'the plan has run already', about: 'Stop here if the plan has run' }] : []),
    ...begin,
    { kind: 'unlink', keys: dialect.alter ? [] : unlink, about: 'Drop foreign keys that prevent the changes' },
    ...followers.flatMap((one) => alter(one, [], dialect, catalog).changes),
    ...altered.flatMap((one) => one.changes),
    ...columnNames,
    { kind: 'renameKeys', keys: keyNames, about: 'Give the new tables the names of their keys' },
    ...tableNames,
    ...end,
    { kind: 'link', keys: dialect.alter ? [] : link, about: 'Add foreign keys' },
  ]
  const isEmpty = (change: Planned) => ('keys' in change ? change.keys : 'tables' in change ? change.tables : [change]).length === 0
  const all = [...alterations, ...copied, ...followers]
  const rebuilt = changes.flatMap((change) => (change.kind === 'rebuild' ? [change.to.name] : []))
  const ofApp = dialect.alter
    ? []
    : unlink.filter((key) => ![...alterations, ...copied].some(({ match }) => samePath(match.old, key.table)))
  return {
    changes: changes.filter((change) => !isEmpty(change)),
    demanding: dialect.alter ? [...begin, ...alterations.flatMap((one) => alterTable(one, dialect))] : changes,
    asides: asides.map(({ path }) => path),
    kept: alterations.flatMap(({ match, kept, columnNames: own }) => {
      const columns = [...kept.map(({ name }) => name), ...own.flatMap(([, to]) => (to.startsWith(prefix) ? [to] : []))]
      return columns.length === 0 ? [] : [{ table: match.now.path, columns }]
    }),
    notices: [
      ...linkNotices(ofApp.filter((key) => !asides.some(({ old }) => samePath(old, key.table)))),
      ...all.flatMap(typeNotices),
      ...altered.flatMap(({ notices }) => notices),
      ...all.flatMap(({ match, types }) => dialect.notices?.(match.old, types) ?? []),
      ...(rebuilt.length > 0 ? [rebuildNotice(rebuilt)] : []),
    ],
  }
}

/** A declared table with the columns that its old table has beside the declared ones. */
const withOthers = ({ match: { now, others } }: Alteration): NewTable => ({
  ...now,
  columns: [...now.columns, ...(others.map((column) => ({ ...column, field: column.name, holds: column, isKey: false })) as never[])],
})

const linkNotices = (keys: LiveForeignKey[]): Notice[] =>
  [...new Set(keys.map(({ table }) => table.name))].map((table) => {
    const names = keys.filter((key) => key.table.name === table).map(({ name }) => name)
    return notice('other-tables', [table], `the plan drops foreign keys and adds them again with the same rules: ${names.join(', ')}`)
  })

const typeNotices = ({ match, types }: Alteration): Notice[] =>
  types
    .filter(({ isOwn }) => isOwn)
    .map(({ old, now }) => {
      const message = `the column references a column whose type changes, so it changes from ${old.type} to ${now.type}`
      return notice('other-columns', [match.old.name, old.name], message)
    })

const rebuildNotice = (tables: string[]) =>
  notice(
    'rebuild',
    [],
    `SQLite has to rebuild ${tables.join(', ')}. drizzle-kit migrate runs in a transaction, where foreign keys cannot be disabled: there, the plan stops before it changes anything`,
  )
