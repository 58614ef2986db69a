import type { SQL } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import type { Database } from '../core.js'
import { inspectors, read } from '../core.js'
import type { Move, Notice, Step } from './model.js'
import { notice } from './model.js'

/** When a row was written. Such dates are not in the future. */
const writtenAt = ['createdAt', 'updatedAt']

/**
 * MySQL converts a `timestamp` to a `datetime` in the time zone of the session. Drizzle wrote UTC, which the server read in the time zone of
 * the app's sessions, so the dates are right again only in that zone.
 */
export async function inTimeZone(
  db: Database,
  moves: Move[],
  zone: string | undefined,
): Promise<{ notices: Notice[]; wrap(steps: Step[]): Step[] }> {
  const one = sql`(select 1) as one`
  const [known] = zone === undefined ? [] : await read(db, { time: sql`convert_tz('2000-01-01', '+00:00', ${zone})` }, one)
  const isUnknown = known !== undefined && known.time === null
  const notices = isUnknown ? [unknownZone] : (await Promise.all(moves.map((move) => futureRows(db, move, zone)))).flat()
  const wrap = (steps: Step[]) =>
    zone === undefined || steps.length === 0
      ? steps
      : [
          { about: "Convert timestamps in the time zone of the app's connections", sql: [`SET time_zone = '${zone}';`] },
          ...steps,
          { about: 'Restore settings', sql: ['SET time_zone = DEFAULT;'] },
        ]
  return { notices, wrap }
}

/** Rows that would have been written in the future, which shows that the time zone is another one. */
async function futureRows(db: Database, { old, columns }: Move, zone: string | undefined): Promise<Notice[]> {
  const { quote } = inspectors.mysql
  const path = sql.raw(`${old.schema ? `${quote(old.schema)}.` : ''}${quote(old.name)} t`)
  const notices: Notice[] = []
  for (const { now, old: before } of columns) {
    if (!before || !writtenAt.includes(now.field) || !/^timestamp/i.test(before.type)) continue
    const column = sql.raw(`t.${quote(before.name)}`)
    const [row] = await read(db, { found: sql`count(*)` }, path, sql`${inZone(column, zone)} > utc_timestamp() + interval 5 minute`)
    const found = Number(row?.found)
    if (found > 0) notices.push(wrongZone([old.name, before.name], found))
  }
  return notices
}

const inZone = (timestamp: SQL, zone: string | undefined) =>
  zone === undefined
    ? sql`cast(${timestamp} as datetime)`
    : sql`convert_tz(timestampadd(second, unix_timestamp(${timestamp}), '1970-01-01'), '+00:00', ${zone})`

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
