import type { LiveForeignKey, TablePath } from '../doctor/inspector.js'
import { samePath } from '../doctor/inspector.js'
import { replacesPrimaryKey } from './alteration.js'
import { renamed } from './changes.js'
import type { Alteration, Catalog, Change, NewForeignKey, NewTable } from './model.js'
import { sameList } from './model.js'

const isSameReference = (now: NewForeignKey, old: LiveForeignKey) =>
  sameList(now.columns, old.columns) && samePath(now.target, old.target) && sameList(now.targetColumns, old.targetColumns)

function hasRules({ rules }: LiveForeignKey, { onDelete, onUpdate }: NewForeignKey): boolean {
  // RESTRICT and NO ACTION are the same on MySQL, and nearly so on PostgreSQL.
  const rule = (event: string) => (new RegExp(`ON ${event} (CASCADE|SET NULL|SET DEFAULT)`).exec(rules)?.[1] ?? 'no action').toLowerCase()
  const plain = (text: string) => (text === 'restrict' ? 'no action' : text)
  return rule('DELETE') === plain(onDelete) && rule('UPDATE') === plain(onUpdate)
}

/** A table that another one replaces, with the name that it gets. Its foreign keys stay with it, as far as their types fit. */
export interface Aside {
  old: TablePath
  path: TablePath
  successor?: TablePath | undefined
}

interface Situation {
  catalog: Catalog
  alterations: Alteration[]
  /** The tables that the plan creates or turns into declared ones, with their names after the plan. */
  declared: NewTable[]
  /** The renames of the plan. */
  renames: Change[]
  asides: Aside[]
  /** The name of a foreign key that makes room for a new one. Absent where keys are renamed. */
  asideName?: ((name: string) => string) | undefined
}

/** The foreign keys to drop before columns and tables change, and those to add afterwards. */
export function planLinks({ catalog, alterations, declared, renames, asides, asideName }: Situation) {
  const asideOf = (table: TablePath) => asides.find(({ old }) => samePath(old, table))
  const alterationOf = (table: TablePath) => alterations.find(({ match }) => samePath(match.old, table))
  const isRetyped = (table: TablePath, columns: string[]) =>
    alterationOf(table)?.types.some(({ old }) => columns.includes(old.name)) ?? false
  const isReplaced = (table: TablePath) => {
    const match = alterationOf(table)?.match
    return match !== undefined && match.now.columns.length > 0 && replacesPrimaryKey(match)
  }
  const wanted = declared.flatMap((table) => table.foreignKeys.map((key) => ({ table: table.path, key })))
  const isWantedName = ({ table, name }: LiveForeignKey) =>
    wanted.some((one) => one.table.schema === table.schema && one.key.name.toLowerCase() === name.toLowerCase())
  /** With the names after the plan. */
  const after = (key: LiveForeignKey): LiveForeignKey => {
    const column = (table: TablePath) => (name: string) => renamed(renames, table, name).column as string
    const target = asideOf(key.target)?.successor ?? renamed(renames, key.target).table
    return {
      ...key,
      table: renamed(renames, key.table).table,
      columns: key.columns.map(column(key.table)),
      target,
      targetColumns: key.targetColumns.map(column(key.target)),
    }
  }
  const unlink: LiveForeignKey[] = []
  const link: LiveForeignKey[] = []
  const kept: LiveForeignKey[] = []
  const changedTypes = (key: LiveForeignKey) => isRetyped(key.table, key.columns) || isRetyped(key.target, key.targetColumns)
  for (const key of catalog.tables.flatMap(({ foreignKeys }) => foreignKeys)) {
    const aside = asideOf(key.table)
    const now = after(key)
    if (aside) {
      const successor = declared.find(({ path }) => aside.successor && samePath(path, aside.successor))
      // An undeclared foreign key of a copied table is one of the new table, too.
      const isLost =
        successor !== undefined && !successor.foreignKeys.some((one) => isSameReference(one, { ...now, table: successor.path }))
      const keepsColumns = isLost && key.columns.every((name) => successor.columns.some((column) => column.name === name))
      const collides = asideName !== undefined && (isWantedName(key) || keepsColumns)
      if (changedTypes(key) || collides || asideOf(key.target)) unlink.push(key)
      if (!changedTypes(key) && collides && !asideOf(key.target)) link.push({ ...now, name: asideName?.(key.name) ?? key.name })
      if (keepsColumns) link.push({ ...now, table: successor.path })
      continue
    }
    const own = wanted.find((one) => samePath(one.table, now.table) && isSameReference(one.key, now))?.key
    const isOff =
      changedTypes(key) ||
      isReplaced(key.table) ||
      isReplaced(key.target) ||
      asideOf(key.target) !== undefined ||
      (own !== undefined && (own.name !== key.name || !hasRules(key, own)))
    if (!isOff) kept.push(now)
    else {
      unlink.push(key)
      if (!own) link.push(now)
    }
  }
  for (const { table, key } of wanted) {
    if (kept.some((one) => samePath(one.table, table) && isSameReference(key, one))) continue
    const old = unlink.map(after).find((one) => samePath(one.table, table) && isSameReference(key, one))
    const rules = ` ON DELETE ${key.onDelete.toUpperCase()} ON UPDATE ${key.onUpdate.toUpperCase()}`
    link.push({ ...key, table, rules: old && hasRules(old, key) ? old.rules : rules })
  }
  return { unlink, link }
}
