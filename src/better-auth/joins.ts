import type { JoinConfig } from '@better-auth/core/db/adapter'
import type { Row } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import type { Lookup } from '../query/lookup.js'
import { asPair } from '../query/lookup.js'
import type { ModelTable } from '../query/table.js'
import { columnOf } from './where.js'

/** The rows of another model that belong to a row. */
interface Joined {
  readonly model: string
  readonly other: ModelTable
  readonly from: string
  readonly to: string
  readonly isOne: boolean
  /** How many rows each row gets at most. */
  readonly limit: number
}

/** The joins that Better Auth asks for. */
export function joinsOf(join: JoinConfig | undefined, table: ModelTable, open: (model: string) => ModelTable): Joined[] {
  return Object.entries(join ?? {}).map(([model, { on, relation, limit = 100 }]) => {
    const other = open(model)
    const isOne = relation === 'one-to-one'
    const most = isOne ? 1 : wholeNumber('limit', limit)
    return { model, other, from: columnOf(on.from, table), to: columnOf(on.to, other), isOne, limit: most }
  })
}

/** Prepares a lookup of a row with rows of other models. The first one-to-one join is part of the same statement. */
export function lookupJoined(table: ModelTable, by: readonly string[], joins: readonly Joined[]): Lookup {
  const first = joins.find(({ isOne }) => isOne)
  if (!first) return async (given) => joinOne(await table.lookup(by)(given), joins)
  const { model, other, from, to } = first
  const lookup = table.lookupWith(by, other, { from, to, isOptional: true }, asPair)
  return async (given) => {
    const [row, otherRow] = (await lookup(given)) ?? []
    return joinOne(
      row ? { ...row, [model]: otherRow ? await other.open(otherRow, false) : null } : null,
      joins.filter((each) => each !== first),
    )
  }
}

async function joinOne(row: Row | null, joins: readonly Joined[]): Promise<Row | null> {
  return row && ((await joinRows([row], joins))[0] ?? null)
}

/** Adds the rows of other models: one statement for each model, however many rows there are. */
export async function joinRows(rows: readonly Row[], joins: readonly Joined[]): Promise<Row[]> {
  let joined = [...rows]
  for (const join of joins) {
    const { model, from, isOne } = join
    const others = await othersOf(rows, join)
    const otherOf = (row: Row) => others.get(String(row[from])) ?? []
    joined = joined.map((row) => ({ ...row, [model]: isOne ? (otherOf(row)[0] ?? null) : otherOf(row) }))
  }
  return joined
}

/** The rows of another model by the value of the column that connects them. */
async function othersOf(rows: readonly Row[], { other, from, to, limit }: Joined): Promise<Map<string, Row[]>> {
  const others = new Map<string, Row[]>()
  const values = [...new Set(rows.map((row) => row[from]).filter((value) => value != null))]
  if (values.length === 0) return others
  const found =
    values.length === 1
      ? await other.list({ column: to, is: 'eq', value: values[0] }, { limit })
      : await other.list({ column: to, is: 'in', value: values })
  for (const each of found) {
    const key = String(each[to])
    const group = others.get(key) ?? []
    others.set(key, group)
    if (group.length < limit) group.push(each)
  }
  return others
}

/** Checks a limit or an offset: Drizzle ignores an invalid limit, and all rows would be returned. */
export function wholeNumber(what: string, count: number): number {
  if (!Number.isSafeInteger(count) || count < 0) throw new Failure('invalid', { hint: `the ${what} must be a whole number` })
  return count
}
