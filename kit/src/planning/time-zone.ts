import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import { inspectors } from '../doctor/index.js'
import { read } from '../doctor/inspector.js'
import { count } from './demands.js'
import type { Catalog, Match } from './model.js'
import { literal } from './model.js'
import type { Notice } from './notices.js'
import { counted, notice } from './notices.js'

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
  const { quote } = inspectors.mysql
  const isTimestamp = (type: string) => /^timestamp/i.test(type)
  const timestamps = matches.flatMap(({ old: table, columns }) =>
    columns.flatMap(({ now, old }) =>
      old && isTimestamp(old.type) && !isTimestamp(now.type) ? [{ table, name: old.name, field: now.field }] : [],
    ),
  )
  if (timestamps.length === 0) return []
  const [known] = await read(db, { time: sql`convert_tz('2000-01-01', '+00:00', ${timeZone})` }, sql`(select 1) as one`)
  const load = 'Pass an offset such as +02:00, or load the time zones: mysql_tzinfo_to_sql /usr/share/zoneinfo | mysql mysql'
  if (known?.time === null) return [notice('wrong-time-zone', [], 'the server does not know the time zone', load)]
  const guess = `timestamps are converted in the time zone of this connection, ${timeZone}, which must be that of your app's connections`
  const notices = given === undefined ? [notice('time-zone', [], guess)] : []
  for (const { table, name, field } of timestamps.filter((one) => writtenAt.includes(one.field))) {
    const date = `timestampadd(second, unix_timestamp(t.${quote(name)}), '1970-01-01')`
    const where = `convert_tz(${date}, '+00:00', ${literal(timeZone)}) > utc_timestamp() + interval 5 minute`
    const from = `${table.schema ? `${quote(table.schema)}.` : ''}${quote(table.name)} t`
    const found = await count(db, { from, where })
    const message = `rows whose ${field} would be in the future, so the app's connections have another time zone`
    if (found > 0) notices.push(counted('wrong-time-zone', [table.name, name], found, message))
  }
  return notices
}
