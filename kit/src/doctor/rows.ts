import { sql } from 'drizzle-auth-adapter/internal'
import type { SQL } from 'drizzle-orm'
import { readOne } from './inspector.js'
import type { Subject, SubjectColumn, SubjectTable } from './subject.js'

/** The maximum number of rows of a table that one check reads. */
const rowLimit = 50_000

/** How many rows were found, and whether the table may have more than were read. */
export interface Count {
  found: number
  isPartial: boolean
}

/** The columns of a sample, by the names that its conditions use. */
export const key = (index: number) => sql.raw(`auth_rows.k${index}`)

/** Some rows of the table, with these columns as k0, k1, … The limit is in the subquery, so that it bounds what is read. */
function sample({ table }: SubjectTable, columns: SubjectColumn[], orderBy?: SubjectColumn): SQL {
  const fields = columns.map(({ column }, index) => sql`${column} as ${sql.raw(`k${index}`)}`)
  const order = orderBy ? sql` order by ${orderBy.column}` : sql``
  return sql`(select ${sql.join(fields, sql`, `)} from ${table}${order} limit ${sql.raw(String(rowLimit))}) as auth_rows`
}

/** Counts the rows of a sample that meet a condition. */
export async function countRows(
  { db }: Subject,
  table: SubjectTable,
  columns: SubjectColumn[],
  condition: SQL,
  { orderBy, join = sql`` }: { orderBy?: SubjectColumn | undefined; join?: SQL } = {},
): Promise<Count> {
  const fields = { total: sql`count(*)`, found: sql`sum(case when ${condition} then 1 else 0 end)` }
  const { total, found } = await readOne(db, fields, sql`${sample(table, columns, orderBy)}${join}`)
  return { found: Number(found ?? 0), isPartial: Number(total) >= rowLimit }
}

/** Groups the rows of a sample, by all its columns unless told otherwise, and adds up a number for each group. */
export async function sumOfGroups(
  { db }: Subject,
  table: SubjectTable,
  columns: SubjectColumn[],
  perGroup: SQL,
  keys = columns.map((_, index) => key(index)),
): Promise<Count> {
  const present = columns.map((_, index) => sql`${key(index)} is not null`)
  const groups = sql`(select count(*) as rows_read, ${perGroup} as per_group from ${sample(table, columns)} where ${sql.join(present, sql` and `)} group by ${sql.join(keys, sql`, `)}) as auth_groups`
  const fields = { total: sql`sum(auth_groups.rows_read)`, found: sql`sum(auth_groups.per_group)` }
  const { total, found } = await readOne(db, fields, groups)
  return { found: Number(found ?? 0), isPartial: Number(total ?? 0) >= rowLimit }
}

/** `3 rows`, or `3 of the 50,000 rows that were read` if the table may have more. */
export function rowsIn({ found, isPartial }: Count): string {
  const number = (value: number) => value.toLocaleString('en')
  return isPartial ? `${number(found)} of the ${number(rowLimit)} rows that were read` : `${number(found)} row${found === 1 ? '' : 's'}`
}
