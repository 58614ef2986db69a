import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import type { LiveColumn, LiveForeignKey, LiveTable, TablePath } from '../doctor/inspector.js'
import { read, samePath } from '../doctor/inspector.js'
import { renamed } from './changes.js'
import type { Catalog, Change, Copy, Dialect, NewColumn } from './model.js'
import type { Notice, NoticeCode, Place } from './notices.js'
import { counted } from './notices.js'

/** Rows that a change cannot handle. A plan is refused if there are any, and the way back fails at its first statement. */
export interface Demand {
  code: NoticeCode
  from: string
  where: string
  /** Rows that are the same in these. */
  groups?: string[]
  place: Place
  message?: string | undefined
  fix?: string | undefined
}

export async function count(db: Database, { from, where, groups }: Pick<Demand, 'from' | 'where' | 'groups'>): Promise<number> {
  if (!groups) return Number((await read(db, { found: sql`count(*)` }, sql.raw(from), sql.raw(where)))[0]?.found)
  const same = `(select count(*) as n from ${from} where ${where} group by ${groups.join(', ')} having count(*) > 1) as g`
  return Number((await read(db, { found: sql`sum(g.n - 1)` }, sql.raw(same)))[0]?.found ?? 0)
}

/** A notice for each demand that rows do not meet. */
export async function refusals(db: Database, demands: Demand[]): Promise<Notice[]> {
  const notices: Notice[] = []
  for (const demand of demands) {
    const found = await count(db, demand)
    if (found > 0) notices.push(counted(demand.code, demand.place, found, demand.message, demand.fix))
  }
  return notices
}

/** Whether there are such rows, as SQL. */
export const exists = ({ from, where, groups }: Demand) =>
  `EXISTS (SELECT 1 FROM ${from} WHERE ${where}${groups ? ` GROUP BY ${groups.join(', ')} HAVING COUNT(*) > 1` : ''})`

/** Rows whose date is not one. */
export function unreadable(dialect: Dialect, table: LiveTable, column: LiveColumn): Demand[] {
  const where = dialect.isDate(column) && dialect.isUnreadable?.(`o.${dialect.quote(column.name)}`)
  return where ? [{ code: 'unreadable-dates', from: `${dialect.path(table)} o`, where, place: [table.name, column.name] }] : []
}

/** Rows that refer to no row of the target, byte for byte. */
export function orphans(dialect: Dialect, table: LiveTable, column: string, target: TablePath, id: string, allowsNull: boolean): Demand {
  const [own, other] = [`o.${dialect.quote(column)}`, `u.${dialect.quote(id)}`]
  const isThere = `EXISTS (SELECT 1 FROM ${dialect.path(target)} u WHERE ${other} = ${own} AND ${dialect.same(other, own)})`
  // Null refers to no row.
  const where = allowsNull ? `${own} IS NOT NULL AND NOT ${isThere}` : `NOT ${isThere}`
  const fix = `${dialect.deleteFrom(table)} WHERE ${where};`
  return { code: 'orphans', from: `${dialect.path(table)} o`, where, place: [table.name, column], fix }
}

type Held = Pick<NewColumn, 'type' | 'holds'>

/** A live column, with the collation in which a unique key compares. */
const held = (column: LiveColumn): Held => {
  const { type, characterSet, collation } = column
  return { type: collation && characterSet ? `${type} character set ${characterSet} collate ${collation}` : type, holds: column }
}

/** What one value must be for its new column. */
function demandsOf(dialect: Dialect, rows: Pick<Demand, 'from' | 'where' | 'place'>, value: string, { type, holds }: Held): Demand[] {
  const { length, bits, isBinary } = holds
  const demand = (code: NoticeCode, condition: string, message: string): Demand => ({
    ...rows,
    code,
    where: `(${rows.where}) AND ${condition}`,
    message,
  })
  if (holds.holds === 'integer' && bits !== undefined && bits < 63) {
    const isTooLarge = `(${value} > ${2 ** bits - 1} OR ${value} < ${-(2 ** bits)})`
    return [demand('too-large', isTooLarge, `numbers that are too large for ${type}`)]
  }
  if (holds.holds !== 'text') return []
  const tooLong = `values of more than ${length} ${isBinary ? 'bytes' : 'characters'}, which do not fit into ${type}`
  const fits = dialect.fitsCharacterSet?.(value, type)
  return [
    ...(length === undefined ? [] : [demand('too-long', `${dialect.length(value, holds)} > ${length}`, tooLong)]),
    ...(fits ? [demand('character-set', `NOT (${fits})`, `values that the character set of ${type} cannot hold`)] : []),
  ]
}

function copyDemands(dialect: Dialect, { to, source, where = '1 = 1', values }: Copy): Demand[] {
  const from = `${dialect.path(source)} AS o`
  // New ids and constants fit.
  const assigned = values.flatMap(([name, value]) => {
    const column = to.columns.find((one) => one.name === name)
    return column && !/random\w*\(|\bUUID\(|^'[^']*'$/i.test(value)
      ? [{ name, value, column, type: column.live ? held(column.live) : column }]
      : []
  })
  const keys = to.keys.flatMap(({ kind, columns }) => {
    const parts = columns.flatMap((name) => assigned.filter((one) => one.name === name))
    return kind === 'index' || parts.length < columns.length ? [] : [{ columns, parts }]
  })
  return [
    ...keys.map(({ columns, parts }): Demand => {
      const groups = parts.map(({ value, type }) => dialect.comparable(value, type))
      const present = parts.map(({ value }) => `${value} IS NOT NULL`).join(' AND ')
      return { code: 'duplicates', from, where: `(${where}) AND ${present}`, groups, place: [source.name, columns] }
    }),
    ...assigned.flatMap(({ name, value, column, type }) => {
      const rows = { from, where, place: [source.name, name] as Place }
      const isNull: Demand = { ...rows, code: 'needs-value', where: `(${where}) AND ${value} IS NULL` }
      return [...(column.notNull ? [isNull] : []), ...demandsOf(dialect, rows, value, type)]
    }),
  ]
}

/** What the changes demand of the rows, with the names of the moment. `moved` are the renames that have been made already. */
export function demandsIn(dialect: Dialect, { tables }: Catalog, changes: Change[], moved: Change[] = []): Demand[] {
  const now = (table: TablePath, column?: string) => renamed(moved, table, column)
  const liveOf = (table: TablePath) => tables.find((one) => samePath(one, table))
  const fills = changes.flatMap((change) => (change.kind === 'fill' ? change.set.map((one) => ({ ...one, table: change.table })) : []))
  return changes.flatMap((change): Demand[] => {
    // Not new rows that come from other new rows.
    if (change.kind === 'copy') return liveOf(change.source) ? copyDemands(dialect, change) : []
    if (change.kind === 'unlink' && moved.length === 0) return change.keys.map((key) => exactly(dialect, key))
    const table = change.kind === 'alter' ? liveOf(change.table) : undefined
    if (change.kind !== 'alter' || !table) return []
    const from = dialect.path(now(table).table)
    const fill = (name: string) => fills.find((one) => one.column === name && samePath(one.table, table))
    const retyped = new Map(change.actions.flatMap((action) => (action.do === 'retype' ? [[action.to.name, action] as const] : [])))
    const isTyped = (name: string) => {
      const { from: before, to } = retyped.get(name) ?? {}
      return before?.type !== to?.type || before?.collation !== to?.collation
    }
    const own = (name: string) => dialect.quote(now(table, name).column as string)
    const added = change.actions.flatMap((action) => (action.do === 'addKey' ? [action.key] : []))
    // Such as email addresses, which become lower case.
    const converted = ([name = '', ...others]: string[]) => (moved.length + others.length === 0 ? fill(name)?.value : undefined)
    const kept = table.keys.filter((key) => key.isPlain && (key.columns.some(isTyped) || converted(key.columns)))
    const keys = [...added, ...kept].filter(({ kind, columns }) => kind !== 'index' && columns.every((name) => columnOf(table, name)))
    return [
      ...[...retyped.values()].flatMap(({ from: before, to }): Demand[] => {
        const rows = { from, where: '1 = 1', place: [table.name, to.name] as Place }
        const isRequired = to.notNull && !before.notNull && !fill(to.name) && columnOf(table, to.name)
        return [
          ...(isRequired ? [{ ...rows, code: 'needs-value' as const, where: `${own(to.name)} IS NULL` }] : []),
          ...(isTyped(to.name) ? demandsOf(dialect, rows, own(to.name), held(to)) : []),
        ]
      }),
      ...keys.map(({ columns }): Demand => {
        const value = converted(columns)
        const groups = columns.map((name) =>
          dialect.comparable(value ?? own(name), held(retyped.get(name)?.to ?? (columnOf(table, name) as LiveColumn))),
        )
        const where = columns.map((name) => `${own(name)} IS NOT NULL`).join(' AND ')
        return { code: value ? 'case-collisions' : 'duplicates', from, where, groups, place: [table.name, columns] }
      }),
    ]
  })
}

const columnOf = ({ columns }: LiveTable, name: string) => columns.find((column) => column.name === name)

/** A foreign key that is dropped must hold byte for byte. Otherwise it could not be added again. */
function exactly(dialect: Dialect, { name, table, columns, target, targetColumns }: LiveForeignKey): Demand {
  const pairs = columns.map((own, index) => [`c.${dialect.quote(own)}`, `p.${dialect.quote(targetColumns[index] ?? '')}`] as const)
  const parent = pairs.map(([own, other]) => `${other} = ${own} AND ${dialect.same(other, own)}`).join(' AND ')
  const present = pairs.map(([own]) => `${own} IS NOT NULL`).join(' AND ')
  return {
    code: 'orphans',
    from: `${dialect.path(table)} c`,
    where: `${present} AND NOT EXISTS (SELECT 1 FROM ${dialect.path(target)} p WHERE ${parent})`,
    place: [table.name, columns],
    message: `values that are not exactly those of ${target.name}, so that the foreign key ${name} could not be added again`,
    fix: 'Write them as in the other table, with the same letters in upper and lower case, or delete the rows.',
  }
}
