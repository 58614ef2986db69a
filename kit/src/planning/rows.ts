import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import type { Inspector, LiveColumn } from '../doctor/inspector.js'
import { read, samePath } from '../doctor/inspector.js'
import type { Conversion, Conversions } from './alteration.js'
import type { Demand } from './demands.js'
import { count, orphans, refusals, unreadable } from './demands.js'
import { differingLinks, renamesOf } from './links.js'
import { pairOf } from './match.js'
import type { Dialect, Match } from './model.js'
import type { Notice } from './notices.js'
import { counted } from './notices.js'
import { isDateMode } from './rebuild.js'

interface Rows {
  db: Database
  dialect: Dialect
  inspector: Inspector
  match: Match
}

interface Found {
  notices: Notice[]
  conversions?: [field: string, Conversion][]
}

const nothing: Found = { notices: [] }
const found = ({ db, dialect, match }: Rows, where: string) => count(db, { from: `${dialect.path(match.old)} o`, where })
const reference = ({ dialect }: Rows, column: LiveColumn) => `o.${dialect.quote(column.name)}`
const ignoresCase = ({ looseCollation }: LiveColumn) => looseCollation !== undefined && !/_cs(_|$)|^rtrim$/i.test(looseCollation)

/** With a case-insensitive collation, the old adapter found addresses in any case. Others get a placeholder if there is none. */
async function addresses(rows: Rows): Promise<Found> {
  const { db, match, dialect, inspector } = rows
  const email = match.now.model === 'users' ? pairOf(match, 'email') : undefined
  const id = pairOf(match, 'id')?.old
  if (!email?.old || !id) return nothing
  const place: [string, string] = [match.old.name, email.old.name]
  const value = reference(rows, email.old)
  const from = sql.raw(`${dialect.path(match.old)} o`)
  const empty = !email.old.notNull && email.now.notNull ? await found(rows, `${value} is null`) : 0
  const [row] = ignoresCase(email.old) ? await read(db, { n: sql`count(*)` }, from, inspector.hasCapitals(sql.raw(value))) : []
  const capitals = Number(row?.n ?? 0)
  if (empty + capitals === 0) return nothing
  const noAddress = dialect.concat(dialect.text(dialect.quote(id.name)), "'@no-email.invalid'")
  const lower = (text: string) => (capitals > 0 ? inspector.lowerCase(text) : text)
  const forward = (text: string) => (empty > 0 ? `coalesce(${lower(text)}, ${noAddress})` : lower(text))
  const notices = [
    ...(empty > 0 ? [counted('no-address', place, empty)] : []),
    ...(capitals > 0 ? [counted('capitals', place, capitals)] : []),
  ]
  return { notices, conversions: [['email', { forward }]] }
}

/** On MySQL, dates are converted by an expression. On PostgreSQL, dates of users that the new type would round are kept beside it. */
async function dates(rows: Rows): Promise<Found> {
  const { db, match, dialect } = rows
  const demands: Demand[] = []
  const conversions: Found['conversions'] = []
  for (const { now, old } of match.columns) {
    if (!old || !/date/.test(old.holds) || dialect.isSameType(old, now) || dialect.alter) continue
    demands.push(...unreadable(dialect, match.old, old))
    const forward = (value: string) => dialect.date(value, old, now.holds)
    const back = (value: string) => dialect.date(value, now.holds, old)
    const isUsers = match.now.model === 'users'
    if (!isUsers || (!dialect.canRetype(old, now) && dialect.namesKeysByTable))
      conversions.push([now.field, { forward, back, isSuccessor: true }])
    else if (!dialect.namesKeysByTable && (old.fraction ?? 6) > (now.holds.fraction ?? 6)) {
      const own = reference(rows, old)
      const lossy = await found(rows, `date_trunc('milliseconds', ${own}) <> ${own}`)
      if (lossy > 0) conversions.push([now.field, { forward: (value) => `date_trunc('milliseconds', ${value})` }])
    }
  }
  return { notices: await refusals(db, demands), conversions }
}

/** Dates that other adapters store as text in SQLite. */
async function textDates(rows: Rows): Promise<Found> {
  const { db, match, dialect } = rows
  const affected: LiveColumn[] = []
  const conversions: Found['conversions'] = []
  let most = 0
  for (const { now, old } of match.columns) {
    const texts = old && dialect.alter && isDateMode(now) ? await found(rows, `typeof(${reference(rows, old)}) = 'text'`) : 0
    if (!old || texts === 0) continue
    most = Math.max(most, texts)
    affected.push(old)
    const converted = (value: string) => `coalesce(${dialect.date(value, old, now.holds)}, ${value})`
    conversions.push([now.field, { forward: (value) => `CASE typeof(${value}) WHEN 'text' THEN ${converted(value)} ELSE ${value} END` }])
  }
  if (affected.length === 0) return nothing
  const names = affected.map(({ name }) => name)
  const errors = await refusals(
    db,
    affected.flatMap((old) => unreadable(dialect, match.old, old)),
  )
  return { notices: [...errors, counted('text-dates', [match.old.name, names], most)], conversions }
}

/** Numbers that SQLite stored as 4711.0. If a provider has the same id in both spellings, it is not changed. */
async function decimalIds(rows: Rows): Promise<Found> {
  const { match, dialect } = rows
  const id = match.now.model === 'accounts' ? pairOf(match, 'providerAccountId')?.old : undefined
  const provider = pairOf(match, 'provider')?.old
  if (!id || !provider || !dialect.alter) return nothing
  const own = reference(rows, id)
  const isDecimal = `${own} GLOB '[1-9]*.0' AND ${own} NOT GLOB '*[^0-9]*.0'`
  const decimals = await found(rows, isDecimal)
  if (decimals === 0) return nothing
  const whole = `substr(${own}, 1, length(${own}) - 2)`
  const same = `same.${dialect.quote(provider.name)} = ${reference(rows, provider)} AND same.${dialect.quote(id.name)} = ${whole}`
  const isTaken = `EXISTS (SELECT 1 FROM ${dialect.path(match.old)} AS same WHERE ${same})`
  const forward = () => `CASE WHEN ${isDecimal} AND NOT ${isTaken} THEN ${whole} ELSE ${own} END`
  return { notices: [counted('decimal-ids', [match.old.name, id.name], decimals)], conversions: [['providerAccountId', { forward }]] }
}

/** Rows that a foreign key forbids which the table does not have yet. */
function newReferences(dialect: Dialect, match: Match, matches: Match[]): Demand[] {
  const has = differingLinks(match, renamesOf(matches)).present
  return match.now.foreignKeys.flatMap((key): Demand[] => {
    const target = matches.find((one) => samePath(one.now.path, key.target))
    const own = match.columns.find((column) => column.now.name === key.columns[0])?.old
    const other = target?.columns.find((column) => column.now.name === key.targetColumns[0])?.old
    if (!target || !own || !other || key.columns.length > 1 || has(key)) return []
    return [orphans(dialect, match.old, own.name, target.old, other.name, true)]
  })
}

/** Counts rows that prevent the changes, beside those that the changes themselves demand, and finds the values that must change. */
export async function checkRows(db: Database, dialect: Dialect, inspector: Inspector, matches: Match[]) {
  const notices: Notice[] = []
  const conversions = new Map<Match, Conversions>()
  for (const match of matches) {
    const own = new Map<string, Conversion>()
    conversions.set(match, own)
    for (const check of [addresses, dates, textDates, decimalIds]) {
      const one = await check({ db, dialect, inspector, match })
      notices.push(...one.notices)
      for (const [name, conversion] of one.conversions ?? []) own.set(name, conversion)
    }
    notices.push(...(await refusals(db, newReferences(dialect, match, matches))))
  }
  return { notices, conversions }
}
