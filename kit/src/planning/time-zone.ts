import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import { inspectors } from '../doctor/index.js'
import type { LiveColumn, TablePath } from '../doctor/inspector.js'
import { read } from '../doctor/inspector.js'
import type { Catalog, Match } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'

/** When a row was written. Such dates are not in the future. */
const writtenAt = ['createdAt', 'updatedAt']

/**
 * MySQL stores a timestamp as a point in time, and shows it in the time zone of the session. Drizzle wrote UTC, which the server read in the
 * time zone of the app's sessions, so the dates are right again only in that zone.
 */
export async function zoneNotices(
  db: Database,
  matches: Pick<Match, 'old' | 'columns'>[],
  given: string | undefined,
  { timeZone = '' }: Catalog,
): Promise<Notice[]> {
  const timestamps = matches.flatMap(({ old, columns }) =>
    columns.flatMap(({ now, old: before }) =>
      before && /^timestamp/i.test(before.type) && !/^timestamp/i.test(now.type) ? [{ table: old, column: before, field: now.field }] : [],
    ),
  )
  if (timestamps.length === 0) return []
  const [known] = await read(db, { time: sql`convert_tz('2000-01-01', '+00:00', ${timeZone})` }, sql`(select 1) as one`)
  if (known?.time === null) return [unknownZone]
  const notices: Notice[] = given === undefined ? [guessed(timeZone)] : []
  for (const { table, column, field } of timestamps) {
    const found = writtenAt.includes(field) ? await future(db, table, column, timeZone) : 0
    if (found > 0) notices.push(wrongZone([table.name, column.name], found))
  }
  return notices
}

async function future(db: Database, table: TablePath, { name }: LiveColumn, zone: string): Promise<number> {
  const { quote } = inspectors.mysql
  const column = sql.raw(`t.${quote(name)}`)
  const shown = sql`convert_tz(timestampadd(second, unix_timestamp(${column}), '1970-01-01'), '+00:00', ${zone})`
  const path = sql.raw(`${table.schema ? `${quote(table.schema)}.` : ''}${quote(table.name)} t`)
  const [row] = await read(db, { found: sql`count(*)` }, path, sql`${shown} > utc_timestamp() + interval 5 minute`)
  return Number(row?.found)
}

const guessed = (zone: string) =>
  notice(
    'time-zone',
    [],
    `timestamps are converted in the time zone of this connection, ${zone}, which must be that of your app's connections`,
    "Run SELECT @@time_zone through your app's connection, and pass the result as --time-zone if it is another one.",
  )

const wrongZone = (place: [string, string], found: number) =>
  notice(
    'wrong-time-zone',
    place,
    `rows that would have been written in the future, so the app's connections have another time zone: ${found.toLocaleString('en')}`,
    "Run SELECT @@time_zone through your app's connection, and pass the result as --time-zone.",
  )

const unknownZone = notice(
  'wrong-time-zone',
  [],
  'the server does not know the time zone',
  'Pass an offset such as +02:00, or load the time zones: mysql_tzinfo_to_sql /usr/share/zoneinfo | mysql mysql',
)
