import type { LiveForeignKey, LiveTable, TablePath } from '../doctor/inspector.js'
import { samePath } from '../doctor/inspector.js'
import { renamed } from './changes.js'
import type { Alteration, Catalog, Change, Dialect, Match, NewTable } from './model.js'
import { sameList } from './model.js'

/** What happens to one row when another one goes. RESTRICT and NO ACTION are the same on MySQL, and nearly so elsewhere. */
const ruleOf = ({ rules }: LiveForeignKey, event: string) => new RegExp(`ON ${event} (CASCADE|SET NULL|SET DEFAULT)`).exec(rules)?.[1]

/** The names that tables and columns get, of which the ones are those that others replace. */
export const renamesOf = (matches: Match[]): Change[] => [
  ...matches.map(({ old, columns }): Change => {
    const names = columns.flatMap(({ now, old: before }): [string, string][] => (before ? [[before.name, now.name]] : []))
    return { kind: 'renameColumns', table: old, names }
  }),
  { kind: 'renameTables', tables: matches.map(({ old, now }) => [old, now.path]) },
]

/** A foreign key with the names after the plan. */
function afterPlan(key: LiveForeignKey, renames: Change[]): LiveForeignKey {
  const columns = (table: TablePath, names: string[]) => names.map((name) => renamed(renames, table, name).column as string)
  return {
    ...key,
    table: renamed(renames, key.table).table,
    columns: columns(key.table, key.columns),
    target: renamed(renames, key.target).table,
    targetColumns: columns(key.target, key.targetColumns),
  }
}

/** Foreign keys of a live table that the declared one does not have, with the names after the plan, and those that it lacks. */
export function differingLinks({ old, now }: Match, renames: Change[]) {
  const present = old.foreignKeys.map((key) => afterPlan(key, renames))
  const isReference = (one: LiveForeignKey, other: LiveForeignKey) =>
    sameList(one.columns, other.columns) &&
    samePath(one.target, other.target) &&
    // On SQLite, the primary key need not be named.
    (other.targetColumns.length === 0 || sameList(one.targetColumns, other.targetColumns))
  const isSame = (one: LiveForeignKey, other: LiveForeignKey) =>
    isReference(one, other) &&
    ['DELETE', 'UPDATE'].every((event) => ruleOf(one, event) === ruleOf(other, event)) &&
    [one.name, ''].includes(other.name)
  return {
    present: (key: LiveForeignKey) => present.some((one) => isReference(key, one)),
    own: present.filter((key) => !now.foreignKeys.some((one) => isReference(one, key))),
    lacking: now.foreignKeys.filter((key) => !present.some((one) => isSame(key, one))),
  }
}

/** An old table whose place another one takes, and the name that it gets. */
export interface Aside {
  old: LiveTable
  path: TablePath
  now: NewTable | undefined
  /** Whether each row of the new table has the values of a row of the old one. */
  keepsRows: boolean
  /** Whether it has another primary key. */
  isRekeyed: boolean
}

interface Situation {
  dialect: Dialect
  catalog: Catalog
  alterations: Alteration[]
  asides: Aside[]
  renames: Change[]
  prefix: string
}

/** The foreign keys to drop before columns and tables change, and those of them to add again afterwards. */
export function planLinks({ dialect, catalog, alterations, asides, renames, prefix }: Situation) {
  const asideOf = (table: TablePath) => asides.find(({ old }) => samePath(old, table))
  const isRetyped = (table: TablePath, columns: string[]) =>
    alterations.some(({ match, types }) => samePath(match.old, table) && types.some(({ old }) => columns.includes(old.name)))
  const unlink: LiveForeignKey[] = []
  const link: LiveForeignKey[] = []
  for (const key of catalog.tables.flatMap(({ foreignKeys }) => foreignKeys)) {
    const own = afterPlan(key, renames)
    const aside = asideOf(key.table)
    const isBroken = isRetyped(key.table, key.columns) || isRetyped(key.target, key.targetColumns) || asideOf(key.target) !== undefined
    // The new table has a foreign key of this name. On MySQL, there cannot be two.
    if (isBroken || (aside && dialect.namesKeysByTable)) unlink.push(key)
    if (isBroken && !aside) link.push(own)
    if (!isBroken && aside && dialect.namesKeysByTable)
      link.push({ ...own, table: aside.path, columns: key.columns, name: prefix + key.name })
  }
  return { unlink, link }
}
