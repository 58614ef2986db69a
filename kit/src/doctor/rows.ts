import { sql } from 'drizzle-auth-adapter/internal'
import type { SQL } from 'drizzle-orm'
import type { FindingCode } from './finding.js'
import { finding } from './finding.js'
import { readOne } from './inspector.js'
import type { Examined, ExaminedColumn, ExaminedTable } from './table.js'

/** The maximum number of rows of a table that one check reads. */
const rowLimit = 50_000

/** How many rows were found, and whether the table may have more than were read. */
interface Count {
  found: number
  isPartial: boolean
}

/** The columns of a sample, by the names that conditions use. */
export const key = (index: number) => sql.raw(`auth_rows.k${index}`)

/** Some rows of the table, with these columns as k0, k1, … The limit is in the subquery, so that it bounds what is read. */
function sample({ table }: ExaminedTable, columns: ExaminedColumn[]): SQL {
  const fields = columns.map(({ column }, index) => sql`${column} as ${sql.raw(`k${index}`)}`)
  return sql`(select ${sql.join(fields, sql`, `)} from ${table} limit ${sql.raw(String(rowLimit))}) as auth_rows`
}

async function count({ db }: Examined, total: SQL, found: SQL, from: SQL): Promise<Count> {
  const row = await readOne(db, { total, found: sql`sum(${found})` }, from)
  return { found: Number(row.found ?? 0), isPartial: Number(row.total ?? 0) >= rowLimit }
}

/** Rows that are wrong. */
interface WrongRows {
  code: FindingCode
  /** The columns that the condition reads. The first one is named by the finding. */
  columns: ExaminedColumn[]
  condition: SQL
  join?: SQL
  message: string
  fix: string
}

/** Counts the rows of a sample that meet a condition. If there are any, they are a finding. */
export async function findRows(examined: Examined, table: ExaminedTable, wrong: WrongRows) {
  const { code, columns, condition, join = sql``, message, fix } = wrong
  const isWrong = sql`case when ${condition} then 1 else 0 end`
  const rows = await count(examined, sql`count(*)`, isWrong, sql`${sample(table, columns)}${join}`)
  if (rows.found === 0) return []
  return [finding(code, `${message}: ${rowsIn(rows)}`, { table: table.name, column: columns[0]?.name, fix })]
}

/** Counts the rows of a sample that repeat the values of another one. */
export async function countDuplicates(examined: Examined, table: ExaminedTable, columns: ExaminedColumn[]): Promise<Count> {
  const keys = columns.map((_, index) => key(index))
  const present = keys.map((each) => sql`${each} is not null`)
  const groups = sql`(select count(*) as size from ${sample(table, columns)} where ${sql.join(present, sql` and `)} group by ${sql.join(keys, sql`, `)}) as auth_groups`
  return count(examined, sql`sum(auth_groups.size)`, sql`auth_groups.size - 1`, groups)
}

/** `3 rows`, or `3 of the 50,000 rows that were read` if the table may have more. */
export function rowsIn({ found, isPartial }: Count): string {
  const number = (value: number) => value.toLocaleString('en')
  return isPartial ? `${number(found)} of the ${number(rowLimit)} rows that were read` : `${number(found)} row${found === 1 ? '' : 's'}`
}
