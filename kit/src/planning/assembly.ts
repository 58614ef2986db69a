import type { LiveForeignKey, LiveTable, TablePath } from '../doctor/inspector.js'
import { samePath } from '../doctor/inspector.js'
import { alter, alterTable, replacesPrimaryKey, temporary } from './alteration.js'
import type { Aside } from './links.js'
import { differingLinks, planLinks, renamesOf } from './links.js'
import type { Alteration, Catalog, Copy, Dialect, KeyName, NewTable, Planned } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'
import { createIndex, renameIndex } from './rebuild.js'
import { rightsFor, rightsNotices } from './rights.js'

/** What a source decides: what the table of users needs, which tables replace which, and what their rows become. */
export interface Move {
  /** What the names begin with that old tables, columns and keys get. */
  prefix: string
  users: Alteration | undefined
  /** Tables of the app, whose columns get other types because they reference others. */
  followers: Alteration[]
  /** Tables that the plan creates, and those whose place they take. `alteration` says how columns become others that hold the same. */
  replacements: { old?: LiveTable | undefined; now?: NewTable | undefined; alteration?: Alteration }[]
  /** The rows of new tables, which have other names while they are filled. */
  copies(beside: (now: NewTable) => NewTable): (Copy & { about: string })[]
  /** Which users were created after the plan, if that can be seen. */
  isNewUser?: { table: TablePath; where: string } | undefined
}

export interface Outline {
  changes: Planned[]
  /** The changes of rows. On SQLite, those of ALTER TABLE instead of rebuilds. */
  demanding: Planned[]
  notices: Notice[]
  asides: Aside[]
  /** The columns of users that keep what others held. */
  kept: string[]
  record: TablePath
  prefix: string
  /** The table of users after the plan, and what has the owner that new tables get. */
  users: TablePath
  owner: TablePath
  isNewUser?: Move['isNewUser']
}

/** All changes in the order that makes the way back a rename: fill new tables, change the users, and swap the names. */
export function assemble(dialect: Dialect, catalog: Catalog, record: TablePath, move: Move): Outline {
  const { prefix, users, followers, replacements } = move
  const inPlace = [...(users ? [users] : []), ...followers]
  const all = [...inPlace, ...replacements.flatMap(({ alteration }) => alteration ?? [])]
  const asides = replacements.flatMap(({ old, now, alteration }): Aside[] =>
    old
      ? [
          {
            old,
            now,
            path: { schema: old.schema, name: prefix + old.name },
            keepsRows: alteration !== undefined,
            isRekeyed: alteration !== undefined && replacesPrimaryKey(alteration.match),
          },
        ]
      : [],
  )
  const fresh = replacements.flatMap(({ now }) => now ?? [])
  const { made, keyNames, beside } = createBeside(dialect, catalog, move)
  const copies = move.copies(beside)
  const renames = renamesOf(all.map(({ match }) => match))
  const { unlink, link } = planLinks({ dialect, catalog, alterations: all, asides, prefix, renames })
  link.push(...fresh.flatMap(({ foreignKeys }) => foreignKeys))
  if (users) link.push(...differingLinks(users.match, renames).lacking)
  const altered = inPlace.map((one) => alter(one, dialect, catalog))
  const moved = users ? [users.match].filter(({ old, now }) => !samePath(old, now.path)) : []
  const isNewName = (now: NewTable) => beside(now) !== now
  const swap: Names = [
    ...asides.map(({ old, path }): Names[number] => [old, path]),
    ...fresh.filter(isNewName).map((now): Names[number] => [beside(now).path, now.path]),
  ]
  const isSet = (change: Planned) => ('keys' in change ? change.keys : 'tables' in change ? change.tables : [change]).length > 0
  const changes = [
    ...made,
    ...copies,
    { kind: 'unlink', keys: dialect.alter ? [] : unlink, about: 'Drop foreign keys that prevent the changes' } as const,
    ...altered.flatMap((one) => one.changes),
    ...altered.flatMap(({ names }) => names),
    { kind: 'renameKeys', keys: keyNames, about: 'Give the new tables the names of their keys' } as const,
    {
      kind: 'renameTables',
      tables: moved.map(({ old, now }): Names[number] => [old, now.path]),
      about: 'Rename tables and columns',
    } as const,
    { kind: 'renameTables', tables: swap, isSwap: true, about: swapping } as const,
    { kind: 'link', keys: dialect.alter ? [] : link, about: 'Add foreign keys' } as const,
  ].filter(isSet)
  const rebuilt = changes.flatMap((change) => (change.kind === 'rebuild' ? change.to.name : []))
  const isOfApp = ({ table }: LiveForeignKey) => ![users?.match, ...asides].some((one) => one && samePath(one.old, table))
  return {
    changes,
    demanding: dialect.alter ? [...copies, ...(users ? alterTable(users, dialect) : [])] : changes,
    asides,
    kept: users ? [...users.kept.map(({ name }) => name), ...users.columnNames.flatMap(([, to]) => (to.startsWith(prefix) ? to : []))] : [],
    record,
    prefix,
    users: users?.match.now.path ?? record,
    owner: users?.match.old ?? asides[0]?.old ?? record,
    isNewUser: move.isNewUser,
    notices: [
      ...(dialect.alter ? [] : linkNotices(unlink.filter(isOfApp))),
      ...all.flatMap(typeNotices),
      ...altered.flatMap(({ notices }) => notices),
      ...all.flatMap(({ match, types }) => dialect.notices?.(match.old, types) ?? []),
      ...rightsNotices(
        catalog,
        asides.map(({ old }) => old),
        made,
      ),
      ...(rebuilt.length > 0
        ? [
            notice(
              'rebuild',
              [],
              `SQLite has to rebuild ${rebuilt.join(', ')}. drizzle-kit migrate runs in a transaction, where foreign keys cannot be disabled: there, the plan stops before it changes anything`,
            ),
          ]
        : []),
    ],
  }
}

type Names = [from: TablePath, to: TablePath][]

const swapping = 'Swap the old tables for the new ones. They hold tokens that still work: run cleanup later'

/** New tables, with the names that they and their keys have until the old ones have given up theirs. */
function createBeside(dialect: Dialect, catalog: Catalog, { prefix, users, replacements }: Move) {
  const olds = replacements.flatMap(({ old }) => old ?? [])
  const taken = new Set(olds.flatMap(({ keys }) => keys.map(({ name }) => name.toLowerCase())))
  const keyNames: KeyName[] = []
  const besides = new Map<NewTable, NewTable>()
  const made = replacements.flatMap(({ old, now }): Planned[] => {
    if (!now) return []
    const path = old ? { ...now.path, name: temporary(now.path.name) } : now.path
    const keys = now.keys.map((key) => {
      const name = key.name || (dialect.alter || dialect.namesKeysByTable ? '' : `${now.path.name}_pkey`)
      if (!name || dialect.namesKeysByTable || !taken.has(name.toLowerCase())) return { ...key, name }
      const first = { ...key, name: temporary(name) }
      const statements: [string, string] = [createIndex(path.name, first), createIndex(path.name, key)]
      keyNames.push({ table: path, from: first.name, to: name, isConstraint: key.isConstraint, statements })
      return first
    })
    const table = { ...now, path, keys }
    if (old) besides.set(now, table)
    const owner = old ?? replacements.find((one) => one.old && one.now)?.old ?? users?.match.old
    return [{ kind: 'create', table, ...(owner && rightsFor(catalog, owner, now, old !== undefined)), about: 'Create the new tables' }]
  })
  const wanted = new Set(keyNames.map(({ to }) => to.toLowerCase()))
  const colliding = dialect.namesKeysByTable ? [] : collidingKeys(dialect, catalog, olds, wanted, prefix)
  return { made, keyNames: [...colliding, ...keyNames], beside: (now: NewTable) => besides.get(now) ?? now }
}

/** Keys of old tables whose names the new ones need. */
function collidingKeys(dialect: Dialect, { attached }: Catalog, olds: LiveTable[], wanted: Set<string>, prefix: string): KeyName[] {
  return olds.flatMap((table) =>
    table.keys.flatMap(({ name, isConstraint }): KeyName[] => {
      const statement = attached?.find((one) => one.name === name)?.statement
      const key = { table, from: name, to: prefix + name, isConstraint }
      // SQLite rewrites the statement of an index when its table is renamed. With the old name, it gets the old statement back.
      if (statement) return [{ ...key, statements: [statement, renameIndex(statement, prefix + name)] }]
      return !dialect.alter && wanted.has(name.toLowerCase()) ? [key] : []
    }),
  )
}

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
