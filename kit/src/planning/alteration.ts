import type { LiveColumn, LiveKey, TablePath } from '../doctor/inspector.js'
import { isUnfilled, samePath } from '../doctor/inspector.js'
import type { Action, Alteration, Assignment, Catalog, Dialect, Match, NewColumn, NewForeignKey, Planned, TypeChange } from './model.js'
import { liveColumn, primaryKeyOf, sameList } from './model.js'
import type { Notice } from './notices.js'

/** Values of a column that change, and how a changed value becomes one of the old column again. */
export interface Conversion {
  forward(value: string): string
  back?(value: string): string
  /** Whether a value of the new column, or one that was kept, is the other one. */
  isUnchanged?(kept: string, now: string): string
  /** Whether a new column beside the old one holds the values. */
  isSuccessor?: boolean
}

interface Options {
  dialect: Dialect
  /** What the names of columns begin with that keep something. */
  prefix: string
  /** By field. */
  conversions?: ReadonlyMap<string, Conversion> | undefined
  /** Values of new columns, by field. */
  values?: ReadonlyMap<string, string>
  /** Whether every column that changes its type is kept as it was. Otherwise, columns that nothing would fill become nullable. */
  keepsTypes?: boolean
}

/** The name that a new column has until the old one has given up its own. */
export const temporary = (name: string) => `new_${name}`

/** Whether the new table has another primary key. */
export function replacesPrimaryKey({ now, old, columns }: Match): boolean {
  const wanted = primaryKeyOf(now)
  const present = primaryKeyOf(old)?.columns.map((name) => columns.find((column) => column.old?.name === name)?.now.name ?? name)
  return wanted !== undefined && !sameList(wanted.columns, present ?? [])
}

const unchanged = (match: Match): Alteration => ({
  match,
  add: [],
  kept: [],
  types: [],
  set: [],
  nulls: [],
  addKeys: [],
  adopt: [],
  columnNames: [],
})

/** What a table needs to become the declared one. */
export function alterationOf(match: Match, options: Options): Alteration {
  const { dialect, prefix, conversions, values, keepsTypes } = options
  const { old, others } = match
  const taken = new Set(old.columns.map(({ name }) => name.toLowerCase()))
  const result = unchanged(match)
  const assign = (column: string, value: string, undo?: Assignment['undo']) => result.set.push({ column, value, ...(undo && { undo }) })
  const add = (column: NewColumn, value: string | undefined, undo?: Assignment['undo']) => {
    const name = taken.has(column.name.toLowerCase()) ? temporary(column.name) : column.name
    result.add.push({ ...column, name })
    if (name !== column.name) result.columnNames.push([name, column.name])
    if (value !== undefined) assign(name, value, undo)
  }
  const keep = (column: LiveColumn): LiveColumn => {
    const kept = { ...column, name: prefix + column.name, notNull: false, default: undefined, rest: '' }
    result.kept.push(kept)
    assign(kept.name, dialect.quote(column.name))
    return kept
  }
  for (const { now, old: before } of match.columns) {
    const conversion = conversions?.get(now.field)
    if (!before) add(now, values?.get(now.field))
    else if (conversion?.isSuccessor) {
      const [own, name] = [dialect.quote(before.name), taken.has(now.name.toLowerCase()) ? temporary(now.name) : now.name]
      const isSame = dialect.equals(conversion.forward(own), dialect.quote(name))
      const back = conversion.back?.(dialect.quote(name)) ?? 'NULL'
      // Before the new column, so that the column of the old name gives it up.
      result.columnNames.push([before.name, prefix + before.name])
      add(now, conversion.forward(own), { column: before.name, value: `CASE WHEN ${isSame} THEN ${own} ELSE ${back} END` })
      if (isUnfilled(before)) result.nulls.push({ column: before, notNull: false })
    } else {
      const isTyped = !dialect.isSameType(before, now)
      const kept = conversion || (isTyped && keepsTypes) ? keep(before) : undefined
      if (conversion && kept) {
        const own = dialect.quote(before.name)
        const keptName = dialect.quote(kept.name)
        const isSame = conversion.isUnchanged?.(keptName, own) ?? dialect.same(conversion.forward(keptName), own)
        const undo = { column: before.name, value: `CASE WHEN ${isSame} THEN ${keptName} ELSE ${own} END` }
        assign(before.name, conversion.forward(own), undo)
      }
      if (isTyped) result.types.push({ old: before, now, isOwn: false })
      else if (keepsTypes && dialect.alter && before.type.toLowerCase() !== now.type.toLowerCase())
        result.types.push({ old: before, now, isOwn: false, isRenamed: true })
      if (before.notNull !== now.notNull) result.nulls.push({ column: before, notNull: now.notNull })
      if (before.name !== now.name) result.columnNames.push([before.name, now.name])
    }
  }
  if (!keepsTypes) result.nulls.push(...others.filter(isUnfilled).map((column) => ({ column, notNull: false })))
  keysOf(result)
  return result
}

/** A declared name of a column, as it is while the table changes. */
export const nameWhileChanging = ({ columnNames }: Alteration, name: string) => columnNames.find(([, to]) => to === name)?.[0] ?? name

/** The declared keys that the table lacks, and those that it has under other names. */
function keysOf(alteration: Alteration): void {
  const { match } = alteration
  const { now, old } = match
  const present = old.keys.filter(({ isPlain }) => isPlain)
  const here = (key: LiveKey): LiveKey => ({ ...key, columns: key.columns.map((name) => nameWhileChanging(alteration, name)) })
  const wanted = now.keys.filter(({ kind }) => kind !== 'primary').map(here)
  const primary = primaryKeyOf(now)
  const former = primaryKeyOf(old)
  if (primary && replacesPrimaryKey(match)) {
    alteration.primary = { from: former, to: { ...here(primary), name: primary.name || `${now.path.name}_pkey` } }
    // The former primary key stays unique, because other tables may reference it.
    const isDeclared = wanted.some((key) => key.kind !== 'index' && sameList(key.columns, former?.columns ?? []))
    if (former && !isDeclared) wanted.push({ ...former, kind: 'unique', name: [now.path.name, ...former.columns, 'key'].join('_') })
  }
  for (const key of wanted) {
    const same = present.filter((one) => one.kind === key.kind && sameList(one.columns, key.columns))
    const found = same.find(({ name }) => name === key.name) ?? same[0]
    if (!found) alteration.addKeys.push(key)
    else if (found.name !== key.name || (key.isConstraint && !found.isConstraint)) alteration.adopt.push({ from: found, to: key })
  }
}

/** The column after the plan, under its current name. */
function columnAfter({ types, nulls, match }: Alteration, column: LiveColumn, { retyped }: Dialect): LiveColumn {
  const type = types.find(({ old }) => old === column)
  const notNull = nulls.find((one) => one.column === column)?.notNull ?? type?.now.notNull ?? column.notNull
  const isUndeclared = match.others.includes(column)
  return { ...(type ? retyped(type) : column), notNull: type && isUndeclared ? column.notNull && notNull : notNull }
}

/** The changes of a table where ALTER TABLE can do everything. Columns are added, filled, and then get their rules. */
export function alterTable(alteration: Alteration, dialect: Dialect): Planned[] {
  const { match, add, kept, types, set, nulls, addKeys, adopt, primary } = alteration
  const { old } = match
  const isFilled = ({ name }: NewColumn) => set.some(({ column }) => column === name)
  // A column that an old app does not know may be required only from here on: on the way back, its rows have no value.
  const added = add.map((column): Action => ({ do: 'add', column: isFilled(column) ? { ...column, notNull: false } : column }))
  const about = `Change the table ${old.name}`
  // Columns that become nullable are so before rows change: on the way back, they are required once their values are back.
  const isBound = (column: LiveColumn) => types.some((one) => one.old === column) || primary?.from?.columns.includes(column.name)
  const relaxed = nulls.filter(({ column, notNull }) => !notNull && !isBound(column)).map(({ column }) => column)
  const changed = [...new Set([...types.map((one) => one.old), ...nulls.map(({ column }) => column)])].filter(
    (column) => !relaxed.includes(column),
  )
  const retype = (column: LiveColumn): Action => ({ do: 'retype', from: column, to: columnAfter(alteration, column, dialect) })
  const untouched = old.columns.filter(({ rest = '' }) => /on update/i.test(rest)).map(({ name }) => name)
  // An index of PostgreSQL that becomes a constraint; MySQL has one kind only.
  const constrained = adopt.filter(({ from, to }) => to.isConstraint && !from.isConstraint)
  const actions: Action[] = [
    ...(primary?.from ? [{ do: 'dropKey' as const, key: primary.from }] : []),
    ...constrained.map(({ from }) => ({ do: 'dropKey' as const, key: from })),
    ...changed.map(retype),
    ...add
      .filter((column) => column.notNull && isFilled(column))
      .map((column): Action => {
        const to = liveColumn(column)
        return { do: 'retype', from: { ...to, notNull: false }, to }
      }),
    ...(primary ? [{ do: 'addKey' as const, key: primary.to }] : []),
    ...[...constrained.map(({ to }) => to), ...addKeys].map((key) => ({ do: 'addKey' as const, key })),
  ]
  const names = adopt.filter(({ from, to }) => !constrained.some((one) => one.from === from) && from.name !== to.name)
  return (
    [
      {
        kind: 'alter',
        table: old,
        actions: [...relaxed.map(retype), ...added, ...kept.map((column): Action => ({ do: 'add', column }))],
        about,
      },
      { kind: 'fill', table: old, set, untouched, about },
      {
        kind: 'renameKeys',
        keys: names.map(({ from, to }) => ({ table: old, from: from.name, to: to.name, isConstraint: from.isConstraint })),
        about,
      },
      { kind: 'alter', table: old, actions, about },
    ] satisfies Planned[]
  ).filter((change) => ('actions' in change ? change.actions : 'set' in change ? change.set : change.keys).length > 0)
}

/** The changes of a table, and the names that its columns get when everything else is ready. */
export function alter(alteration: Alteration, foreignKeys: NewForeignKey[], dialect: Dialect, catalog: Catalog) {
  const { changes, notices }: { changes: Planned[]; notices: Notice[] } = dialect.alter?.(alteration, foreignKeys, catalog) ?? {
    changes: alterTable(alteration, dialect),
    notices: [],
  }
  const { columnNames, match } = alteration
  const names: Planned[] =
    columnNames.length === 0 ? [] : [{ kind: 'renameColumns', table: match.old, names: columnNames, about: 'Rename tables and columns' }]
  return { changes, names, notices }
}

/** Columns of any table that reference a column whose type changes, directly or indirectly, get its type, too. */
export function followTypes(alterations: Alteration[], { tables }: Catalog, isLeftOut: (table: TablePath) => boolean): Alteration[] {
  const own: Alteration[] = []
  const typesOf = (table: TablePath) => [...alterations, ...own].filter(({ match }) => samePath(match.old, table))
  const references = tables
    .filter((table) => !isLeftOut(table))
    .flatMap((table) => table.foreignKeys.flatMap((key) => key.columns.map((name, index) => ({ table, key, name, index }))))
  for (let grows = true; grows; ) {
    grows = false
    for (const { table, key, name, index } of references) {
      const retyped = typesOf(key.target).flatMap(({ types }) => types)
      const target = retyped.find(({ old }) => old.name === key.targetColumns[index])
      const old = table.columns.find((column) => column.name === name)
      const there = typesOf(table)
      const isDone = there.some(({ types, match }) => [...types, ...match.columns].some((one) => one.old === old))
      if (!target || !old || isDone) continue
      const { type, holds } = target.now
      const isOther = there.some(({ match }) => match.others.includes(old))
      const notNull = old.notNull && !(isOther && isUnfilled(old))
      const change: TypeChange = { old, now: { name, type, holds, notNull, isKey: true, default: undefined }, isOwn: true }
      if (there[0]) there[0].types.push(change)
      else {
        const now = { model: 'others' as const, path: table, columns: [], keys: [], foreignKeys: [] }
        own.push({ ...unchanged({ now, old: table, columns: [], others: table.columns }), types: [change] })
      }
      grows = true
    }
  }
  return own
}
