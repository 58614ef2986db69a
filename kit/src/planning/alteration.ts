import type { LiveColumn, LiveKey, LiveTable } from '../doctor/inspector.js'
import { isUnfilled, samePath } from '../doctor/inspector.js'
import type { Action, Alteration, Assignment, Catalog, Dialect, Match, NewColumn, Planned, TypeChange } from './model.js'
import { liveColumn, primaryKeyOf, sameList } from './model.js'
import type { Notice } from './notices.js'

/** Values of a column that change, and how a changed value becomes one of the old column again. */
export interface Conversion {
  forward(value: string): string
  back?(value: string): string
  /** Whether a new column beside the old one holds the values. */
  isSuccessor?: boolean
}

export type Conversions = ReadonlyMap<string, Conversion>

interface Options {
  dialect: Dialect
  /** What the names of columns begin with that keep something. */
  prefix: string
  /** By field. */
  conversions?: Conversions | undefined
  /** Values of new columns, by field. */
  values?: ReadonlyMap<string, string>
  /** Whether every column that changes its type is kept as it was. Otherwise, columns that nothing would fill become nullable. */
  keepsTypes?: boolean
}

/** The name that a new table or column has until the old one has given up its own. */
export const temporary = (name: string) => `new_${name}`

/** The keys of an old table with the names that its columns get. */
export const keysAfter = ({ old, columns }: Match): LiveKey[] =>
  old.keys.map((key) => ({
    ...key,
    columns: key.columns.map((name) => columns.find((column) => column.old?.name === name)?.now.name ?? name),
  }))

/** Whether the new table has another primary key. */
export function replacesPrimaryKey(match: Match): boolean {
  const wanted = primaryKeyOf(match.now)
  return wanted !== undefined && !sameList(wanted.columns, primaryKeyOf({ keys: keysAfter(match) })?.columns ?? [])
}

const unchanged = (match: Match): Alteration => ({
  match,
  ...{ add: [], kept: [], types: [], set: [], nulls: [], addKeys: [], columnNames: [] },
})

/** What a table needs to become the declared one. */
export function alterationOf(match: Match, { dialect, prefix, conversions, values, keepsTypes }: Options): Alteration {
  const { old, others } = match
  const taken = new Set(old.columns.map(({ name }) => name.toLowerCase()))
  const result = unchanged(match)
  const assign = (column: string, value: string, undo?: Assignment['undo']) => result.set.push({ column, value, ...(undo && { undo }) })
  const nameOfNew = ({ name }: NewColumn) => (taken.has(name.toLowerCase()) ? temporary(name) : name)
  const add = (column: NewColumn, value: string | undefined, undo?: Assignment['undo']) => {
    const name = nameOfNew(column)
    result.add.push({ ...column, name })
    if (name !== column.name) result.columnNames.push([name, column.name])
    if (value !== undefined) assign(name, value, undo)
  }
  const keep = (column: LiveColumn): string => {
    const name = prefix + column.name
    result.kept.push({ ...column, name, notNull: false, default: undefined, rest: '' })
    assign(name, dialect.quote(column.name))
    return dialect.quote(name)
  }
  for (const { now, old: before } of match.columns) {
    const conversion = conversions?.get(now.field)
    const own = before && dialect.quote(before.name)
    if (!own) add(now, values?.get(now.field))
    else if (conversion?.isSuccessor) {
      const name = dialect.quote(nameOfNew(now))
      const isSame = dialect.equals(conversion.forward(own), name)
      // Before the new column, so that the column of the old name gives it up.
      result.columnNames.push([before.name, prefix + before.name])
      const value = `CASE WHEN ${isSame} THEN ${own} ELSE ${conversion.back?.(name) ?? 'NULL'} END`
      add(now, conversion.forward(own), { column: before.name, value })
      if (isUnfilled(before)) result.nulls.push({ column: before, notNull: false })
    } else {
      const isTyped = !dialect.isSameType(before, now)
      const isNamed = keepsTypes && dialect.alter && before.type.toLowerCase() !== now.type.toLowerCase()
      const kept = conversion || (isTyped && keepsTypes) ? keep(before) : undefined
      if (conversion) {
        const value = `CASE WHEN ${dialect.same(conversion.forward(kept as string), own)} THEN ${kept} ELSE ${own} END`
        assign(before.name, conversion.forward(own), { column: before.name, value })
      }
      if (isTyped || isNamed) result.types.push({ old: before, now, isOwn: false })
      if (before.notNull !== now.notNull) result.nulls.push({ column: before, notNull: now.notNull })
      if (before.name !== now.name) result.columnNames.push([before.name, now.name])
    }
  }
  if (!keepsTypes) result.nulls.push(...others.filter(isUnfilled).map((column) => ({ column, notNull: false })))
  // A key of the same columns is enough, whatever its name.
  const present = old.keys.filter(({ isPlain }) => isPlain)
  for (const key of match.now.keys.filter(({ kind }) => kind !== 'primary')) {
    const columns = key.columns.map((name) => nameWhileChanging(result, name))
    const isThere = present.some((one) => one.kind === key.kind && sameList(one.columns, columns))
    if (!isThere) result.addKeys.push({ ...key, columns })
  }
  return result
}

/** A declared name of a column, as it is while the table changes. */
const nameWhileChanging = ({ columnNames }: Alteration, name: string) => columnNames.find(([, to]) => to === name)?.[0] ?? name

/** The column after the plan, under its current name. */
function columnAfter({ types, nulls, match }: Alteration, column: LiveColumn, { retyped }: Dialect): LiveColumn {
  const type = types.find(({ old }) => old === column)
  const notNull = nulls.find((one) => one.column === column)?.notNull ?? type?.now.notNull ?? column.notNull
  const isUndeclared = match.others.includes(column)
  return { ...(type ? retyped(type) : column), notNull: type && isUndeclared ? column.notNull && notNull : notNull }
}

/** The changes of a table where ALTER TABLE can do everything. Columns are added, filled, and then get their rules. */
export function alterTable(alteration: Alteration, dialect: Dialect): Planned[] {
  const { match, add, kept, types, set, nulls, addKeys } = alteration
  const { old: table } = match
  const about = `Change the table ${table.name}`
  const isFilled = ({ name }: NewColumn) => set.some(({ column }) => column === name)
  const retype = (column: LiveColumn): Action => ({ do: 'retype', from: column, to: columnAfter(alteration, column, dialect) })
  // Columns that become nullable are so before rows change: on the way back, they are required once their values are back.
  const relaxed = nulls.flatMap(({ column, notNull }) => (notNull || types.some((one) => one.old === column) ? [] : [column]))
  const changed = new Set([...types.map((one) => one.old), ...nulls.map(({ column }) => column)].filter((one) => !relaxed.includes(one)))
  // A column that an old app does not know may be required only from here on: on the way back, its rows have no value.
  const required = add.filter((column) => column.notNull && isFilled(column)).map(liveColumn)
  const before: Action[] = [
    ...relaxed.map(retype),
    ...add.map((column): Action => ({ do: 'add', column: isFilled(column) ? { ...column, notNull: false } : column })),
    ...kept.map((column): Action => ({ do: 'add', column })),
  ]
  const after: Action[] = [
    ...[...changed].map(retype),
    ...required.map((to): Action => ({ do: 'retype', from: { ...to, notNull: false }, to })),
    ...addKeys.map((key): Action => ({ do: 'addKey', key })),
  ]
  const untouched = table.columns.filter(({ rest = '' }) => /on update/i.test(rest)).map(({ name }) => name)
  return [
    ...(before.length > 0 ? [{ kind: 'alter' as const, table, actions: before, about }] : []),
    ...(set.length > 0 ? [{ kind: 'fill' as const, table, set, untouched, about }] : []),
    ...(after.length > 0 ? [{ kind: 'alter' as const, table, actions: after, about }] : []),
  ]
}

/** The changes of a table, and the names that its columns get when everything else is ready. */
export function alter(alteration: Alteration, dialect: Dialect, catalog: Catalog) {
  const inPlace = () => ({ changes: alterTable(alteration, dialect), notices: [] as Notice[] })
  const { changes, notices } = dialect.alter?.(alteration, catalog) ?? inPlace()
  const { columnNames, match } = alteration
  const renames: Planned = { kind: 'renameColumns', table: match.old, names: columnNames, about: 'Rename tables and columns' }
  return { changes, notices, names: columnNames.length === 0 ? [] : [renames] }
}

/** Columns of any table that reference a column whose type changes, directly or indirectly, get its type, too. */
export function followTypes(alterations: Alteration[], tables: LiveTable[]): Alteration[] {
  const all = [...alterations]
  const alterationFor = (table: LiveTable) => {
    const there = all.find(({ match }) => samePath(match.old, table))
    if (there) return there
    const now = { model: 'others' as const, path: table, columns: [], keys: [], foreignKeys: [] }
    const added = unchanged({ now, old: table, columns: [], others: table.columns })
    all.push(added)
    return added
  }
  const references = tables.flatMap((table) =>
    table.foreignKeys.flatMap((key) => key.columns.map((name, index) => ({ table, key, name, other: key.targetColumns[index] }))),
  )
  for (let grows = true; grows; ) {
    grows = false
    for (const { table, key, name, other } of references) {
      const target = all.filter(({ match }) => samePath(match.old, key.target)).flatMap(({ types }) => types)
      const found = target.find(({ old }) => old.name === other)
      const old = table.columns.find((column) => column.name === name)
      const there = all.find(({ match }) => samePath(match.old, table))
      if (!found || !old || [...(there?.types ?? []), ...(there?.match.columns ?? [])].some((one) => one.old === old)) continue
      const { type, holds } = found.now
      const notNull = old.notNull && !(there?.match.others.includes(old) && isUnfilled(old))
      const change: TypeChange = { old, now: { name, type, holds, notNull, isKey: true, default: undefined }, isOwn: true }
      alterationFor(table).types.push(change)
      grows = true
    }
  }
  return all.slice(alterations.length)
}
