import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import type { LiveColumn, LiveForeignKey, LiveTable, TablePath } from '../doctor/inspector.js'
import { read, samePath } from '../doctor/inspector.js'
import { renamed } from './changes.js'
import type { Catalog, Change, Dialect, NewColumn } from './model.js'
import type { Notice } from './notices.js'
import { inWords, notice } from './notices.js'

/** Rows that a change cannot handle. A plan is refused if there are any, and the way back fails at its first statement. */
export interface Demand {
  code: Notice['code']
  from: string
  where: string
  /** Rows that are the same in these. */
  groups?: string[]
  place: [table: string, column?: string | string[]]
  message: string
  fix?: string
}

export async function count(db: Database, { from, where, groups }: Pick<Demand, 'from' | 'where' | 'groups'>): Promise<number> {
  if (!groups) return Number((await read(db, { found: sql`count(*)` }, sql.raw(from), sql.raw(where)))[0]?.found)
  const same = `(select count(*) as n from ${from} where ${where} group by ${groups.join(', ')} having count(*) > 1) as g`
  return Number((await read(db, { found: sql`sum(g.n - 1)` }, sql.raw(same)))[0]?.found ?? 0)
}

export async function refusals(db: Database, demands: Demand[]): Promise<Notice[]> {
  const notices: Notice[] = []
  for (const demand of demands) {
    const found = await count(db, demand)
    if (found > 0) notices.push(notice(demand.code, demand.place, `${demand.message}: ${inWords(found)}`, demand.fix))
  }
  return notices
}

/** Whether there are such rows, as SQL. */
export const exists = ({ from, where, groups }: Demand) =>
  `EXISTS (SELECT 1 FROM ${from} WHERE ${where}${groups ? ` GROUP BY ${groups.join(', ')} HAVING COUNT(*) > 1` : ''})`

type Held = Pick<NewColumn, 'name' | 'type' | 'holds' | 'notNull'>

const held = (column: LiveColumn): Held => ({
  name: column.name,
  // The collation in which a unique key would compare.
  type:
    column.collation && column.characterSet
      ? `${column.type} character set ${column.characterSet} collate ${column.collation}`
      : column.type,
  holds: column,
  notNull: column.notNull,
})

/** What one value must be for its new column. */
function demandsOf(
  dialect: Dialect,
  from: string,
  where: string,
  value: string,
  to: Held,
  place: Demand['place'],
  isText: boolean,
): Demand[] {
  const { length, bits, isBinary } = to.holds
  const also = (condition: string) => (where === '1 = 1' ? condition : `(${where}) AND ${condition}`)
  const demands: Demand[] = []
  const demand = (code: Demand['code'], condition: string, message: string, fix: string) =>
    demands.push({ code, from, where: also(condition), place, message, fix })
  if (to.holds.holds === 'text' && length !== undefined && isText) {
    const unit = isBinary ? 'bytes' : 'characters'
    const message = `values of more than ${length} ${unit}, which do not fit into ${to.type}`
    demand('too-long', `${dialect.length(value, to.holds)} > ${length}`, message, 'Shorten or delete them, or declare a longer column.')
  }
  const fits = to.holds.holds === 'text' && isText ? dialect.fitsCharacterSet?.(value, to) : undefined
  if (fits)
    demand(
      'character-set',
      `NOT (${fits})`,
      `values that the character set of ${to.type} cannot hold`,
      'Change them, or declare a column in utf8mb4.',
    )
  if (to.holds.holds === 'integer' && bits !== undefined && bits < 63 && !isText) {
    const message = `numbers that are too large for ${to.type}`
    demand('too-large', `(${value} > ${2 ** bits - 1} OR ${value} < ${-(2 ** bits)})`, message, 'Correct them, or declare a larger column.')
  }
  return demands
}

/** What the changes demand of the rows, with the names of the moment. `moved` are the renames that have been made already. */
export function demandsIn(dialect: Dialect, catalog: Catalog, changes: Change[], moved: Change[] = []): Demand[] {
  const now = (table: TablePath, column?: string) => renamed(moved, table, column)
  const liveOf = (table: TablePath): LiveTable | undefined => catalog.tables.find((one) => samePath(one, table))
  const filled = new Set(changes.flatMap((change) => (change.kind === 'fill' ? change.set.map(({ column }) => column) : [])))
  return changes.flatMap((change): Demand[] => {
    // New rows that come from other new rows.
    if (change.kind === 'copy' && !liveOf(change.source)) return []
    if (change.kind === 'copy') {
      const { to, from: rows, where = '1 = 1', values } = change
      const assigned = (name: string) => values.find(([column]) => column === name)?.[1]
      const columns = values.flatMap(([name, value]) => {
        const column = to.columns.find((one) => one.name === name)
        if (!column || column.field === 'id' || /^'[^']*'$/.test(value)) return []
        const place: [string, string] = [change.source.name, name]
        const isText = column.holds.holds === 'text'
        const isNull: Demand[] = column.notNull
          ? [
              {
                code: 'needs-value',
                from: rows,
                where: `(${where}) AND ${value} IS NULL`,
                place,
                message: 'the new column is required, and some rows have no value for it',
                fix: 'Give them a value, or delete them, before you run the plan.',
              },
            ]
          : []
        return [...isNull, ...demandsOf(dialect, rows, where, value, column, place, isText)]
      })
      const unique = to.keys.filter(
        (key) =>
          key.kind !== 'index' &&
          key.columns.every((name) => assigned(name) && to.columns.find((one) => one.name === name)?.field !== 'id'),
      )
      const same = unique.map((key): Demand => {
        const groups = key.columns.map((name) =>
          dialect.comparable(assigned(name) as string, to.columns.find((one) => one.name === name) as NewColumn),
        )
        const present = key.columns.map((name) => `${assigned(name)} IS NOT NULL`).join(' AND ')
        const message = `rows that would be the same in ${key.columns.join(', ')}, which the new key does not allow`
        const fix = 'Decide which rows to keep, and delete the others before you run the plan.'
        return {
          code: 'duplicates',
          from: rows,
          where: `(${where}) AND ${present}`,
          groups,
          place: [change.source.name, key.columns],
          message,
          fix,
        }
      })
      return [...columns, ...same]
    }
    if (change.kind === 'alter') {
      const table = liveOf(change.table)
      if (!table) return []
      const path = dialect.path(now(change.table).table)
      return change.actions.flatMap((action): Demand[] => {
        if (action.do !== 'retype') return []
        const { from, to } = action
        const name = dialect.quote(now(change.table, to.name).column as string)
        const place: [string, string] = [change.table.name, to.name]
        const isTyped = from.type !== to.type || from.collation !== to.collation
        const keys = table.keys.filter((key) => key.kind !== 'index' && key.columns.includes(to.name) && key.isPlain)
        const nulls: Demand[] =
          to.notNull && !from.notNull && !filled.has(to.name) && table.columns.some((column) => column.name === to.name)
            ? [
                {
                  code: 'needs-value',
                  from: path,
                  where: `${name} IS NULL`,
                  place,
                  message: 'the column is required, and some rows have no value for it',
                },
              ]
            : []
        if (!isTyped) return nulls
        const unique = keys.map((key): Demand => {
          const groups = key.columns.map((column) => {
            const live = column === to.name ? to : table.columns.find((one) => one.name === column)
            const reference = dialect.quote(now(change.table, column).column as string)
            return live ? dialect.comparable(reference, held(live)) : reference
          })
          const message = `rows that would be the same in ${key.columns.join(', ')}, which a unique key does not allow`
          return { code: 'duplicates', from: path, where: `${name} IS NOT NULL`, groups, place: [change.table.name, key.columns], message }
        })
        return [...nulls, ...demandsOf(dialect, path, '1 = 1', name, held(to), place, to.holds === 'text'), ...unique]
      })
    }
    return change.kind === 'unlink' && moved.length === 0 ? change.keys.flatMap((key) => exactly(dialect, key)) : []
  })
}

/** A foreign key that is dropped must hold byte for byte. Otherwise it could not be added again. */
function exactly(dialect: Dialect, key: LiveForeignKey): Demand[] {
  const pairs = key.columns.map(
    (name, index) => [`c.${dialect.quote(name)}`, `p.${dialect.quote(key.targetColumns[index] ?? '')}`] as const,
  )
  const parent = pairs.map(([own, other]) => `${other} = ${own} AND ${dialect.same(other, own)}`).join(' AND ')
  const present = pairs.map(([own]) => `${own} IS NOT NULL`).join(' AND ')
  const missing = `NOT EXISTS (SELECT 1 FROM ${dialect.path(key.target)} p WHERE ${parent})`
  return [
    {
      code: 'orphans',
      from: `${dialect.path(key.table)} c`,
      where: `${present} AND ${missing}`,
      place: [key.table.name, key.columns],
      message: `values that are not exactly those of ${key.target.name}, so that the foreign key ${key.name} could not be added again`,
      fix: 'Write them as in the other table, with the same letters in upper and lower case, or delete the rows.',
    },
  ]
}
