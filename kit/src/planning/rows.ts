import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import type { Inspector, LiveColumn, LiveForeignKey } from '../doctor/inspector.js'
import { read, samePath } from '../doctor/inspector.js'
import type { Conversion } from './alteration.js'
import type { Demand } from './demands.js'
import { count, refusals } from './demands.js'
import { pairOf } from './match.js'
import type { Catalog, Dialect, Match, NewColumn } from './model.js'
import { foreignKeysOf } from './model.js'
import type { Notice } from './notices.js'
import { inWords, notice } from './notices.js'
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
const rowsOf = ({ dialect, match: { old } }: Rows) => `${dialect.path(old)} t`
const found = (rows: Rows, where: string) => count(rows.db, { from: rowsOf(rows), where })
const reference = ({ dialect }: Rows, column: LiveColumn) => `t.${dialect.quote(column.name)}`
const ignoresCase = ({ looseCollation }: LiveColumn) => looseCollation !== undefined && !/_cs(_|$)|^rtrim$/i.test(looseCollation)

/** With a case-insensitive collation, the old adapter found addresses in any case. Others get a placeholder if there is none. */
async function addresses(rows: Rows): Promise<Found> {
  const { match, dialect, inspector } = rows
  const email = match.now.model === 'users' ? pairOf(match, 'email') : undefined
  const id = pairOf(match, 'id')?.old
  if (!email?.old || !id) return nothing
  const place: [string, string] = [match.old.name, email.old.name]
  const value = reference(rows, email.old)
  const notices: Notice[] = []
  const empty = !email.old.notNull && email.now.notNull ? await found(rows, `${value} is null`) : 0
  if (empty > 0) {
    const message = `users without an email address, who get a placeholder that receives no mail: ${inWords(empty)}`
    const fix = 'If one of your providers sends no address, keep your own users table: defineTables({ usersTable }).'
    notices.push(notice('no-address', place, message, fix))
  }
  const [row] = ignoresCase(email.old)
    ? await read(rows.db, { n: sql`count(*)` }, sql.raw(rowsOf(rows)), inspector.hasCapitals(sql.raw(value)))
    : []
  const capitals = Number(row?.n ?? 0)
  if (capitals > 0) {
    const message = `email addresses with capital letters, which sign-in by email would no longer find; the plan converts them to lower case: ${inWords(capitals)}`
    const fix =
      'If you keep your tables and only change the import, run this UPDATE when you deploy the change. Convert the address to lower case in profile() of your providers, too.'
    notices.push(notice('capitals', place, message, fix))
  }
  if (notices.length === 0) return nothing
  const lower = (text: string) => (capitals > 0 ? inspector.lowerCase(text) : text)
  const forward = (text: string) => (empty > 0 ? `coalesce(${lower(text)}, ${dialect.noAddress(dialect.quote(id.name))})` : lower(text))
  return { notices, conversions: [['email', { forward }]] }
}

/** Dates that the new type would round are kept beside it, and on MySQL dates are converted by an expression. */
async function dates(rows: Rows): Promise<Found> {
  const { match, dialect } = rows
  const conversions: Found['conversions'] = []
  for (const { now, old } of match.columns) {
    if (!old || !/date/.test(old.holds) || dialect.isSameType(old, now) || dialect.alter) continue
    const [forward, back] = [
      (value: string) => dialect.date(value, old, now.holds),
      (value: string) => dialect.dateBack(value, old, now.holds),
    ]
    if (dialect.copies) {
      if (!dialect.canRetype(old, now)) conversions.push([now.field, { forward, back, isSuccessor: true }])
    } else if ((old.fraction ?? 6) > (now.holds.fraction ?? 6)) {
      const own = reference(rows, old)
      const lossy = await found(rows, `date_trunc('milliseconds', ${own}) <> ${own}`)
      if (lossy > 0) conversions.push([now.field, { forward: (value) => `date_trunc('milliseconds', ${value})` }])
    }
  }
  return { notices: [], conversions }
}

/** Dates that other adapters store as text in SQLite. */
async function textDates(rows: Rows): Promise<Found> {
  const { match, dialect } = rows
  if (!dialect.alter) return nothing
  const affected: LiveColumn[] = []
  const conversions: Found['conversions'] = []
  let most = 0
  for (const { now, old } of match.columns) {
    const texts = old && isDateMode(now) ? await found(rows, `typeof(${reference(rows, old)}) = 'text'`) : 0
    most = Math.max(most, texts)
    if (!old || texts === 0) continue
    affected.push(old)
    const isSeconds = (now.column as { mode?: string }).mode === 'timestamp'
    const converted = (value: string) => {
      const seconds = `CAST(strftime('%s', ${value}) AS INTEGER)`
      return isSeconds ? seconds : `${seconds} * 1000 + CAST(substr(strftime('%f', ${value}), 4) AS INTEGER)`
    }
    conversions.push([
      now.field,
      { forward: (value) => `CASE typeof(${value}) WHEN 'text' THEN coalesce(${converted(value)}, ${value}) ELSE ${value} END` },
    ])
  }
  if (affected.length === 0) return nothing
  const demands = affected.map(
    (old): Demand => ({
      code: 'unreadable-dates',
      from: rowsOf(rows),
      where: `typeof(${reference(rows, old)}) = 'text' and strftime('%s', ${reference(rows, old)}) is null`,
      place: [match.old.name, old.name],
      message: 'values that SQLite cannot read as a date',
      fix: 'Write them in UTC, such as 2030-01-31 12:30:00, or delete them.',
    }),
  )
  const names = affected.map(({ name }) => name)
  const message = `dates stored as text, which the plan converts to numbers: ${inWords(most)}`
  return { notices: [...(await refusals(rows.db, demands)), notice('text-dates', [match.old.name, names], message)], conversions }
}

/** Numbers that SQLite stored as 4711.0. If a provider has the same id in both spellings, it is not changed. */
async function decimalIds(rows: Rows): Promise<Found> {
  const { match, dialect } = rows
  const id = match.now.model === 'accounts' ? pairOf(match, 'providerAccountId')?.old : undefined
  const provider = pairOf(match, 'provider')?.old
  if (!id || !provider || !dialect.alter) return nothing
  const isDecimal = (value: string) => `${value} GLOB '[1-9]*.0' AND ${value} NOT GLOB '*[^0-9]*.0'`
  const decimals = await found(rows, isDecimal(reference(rows, id)))
  if (decimals === 0) return nothing
  const whole = (value: string) => `substr(${value}, 1, length(${value}) - 2)`
  const [table, name, key] = [dialect.quote(`__old_${match.old.name}`), dialect.quote(id.name), dialect.quote(provider.name)]
  const isTaken = `EXISTS (SELECT 1 FROM ${table} AS same WHERE same.${key} = ${table}.${key} AND same.${name} = ${whole(`${table}.${name}`)})`
  const message = `ids stored as 4711.0 instead of 4711, so that the accounts would not be found: ${inWords(decimals)}`
  const fix =
    'If you keep your tables and only change the import, run an UPDATE when you deploy the change: see “Account ids that are numbers” in the docs.'
  return {
    notices: [notice('decimal-ids', [match.old.name, id.name], message, fix)],
    conversions: [
      [
        'providerAccountId',
        {
          forward: (value) => `CASE WHEN ${isDecimal(value)} AND NOT ${isTaken} THEN ${whole(value)} ELSE ${value} END`,
          isUnchanged: (kept, now) => `${now} IN (${kept}, ${whole(kept)})`,
        },
      ],
    ],
  }
}

/** What prevents the changes of rows: nulls, duplicates, orphans and dates that are none. */
function demandsOf(rows: Rows, matches: Match[], catalog: Catalog, conversions: ReadonlyMap<string, Conversion>): Demand[] {
  const { dialect, match } = rows
  const { now, old, columns } = match
  const from = rowsOf(rows)
  const all: Demand[] = []
  const isAddress = (column: NewColumn) => now.model === 'users' && column.field === 'email'
  for (const { now: column, old: before } of columns) {
    if (!before) continue
    const [own, place] = [reference(rows, before), [old.name, before.name] as [string, string]]
    if (column.notNull && !before.notNull && !isAddress(column)) {
      const message = 'the column becomes NOT NULL, and some rows have no value for it'
      all.push({
        code: 'needs-value',
        from,
        where: `${own} is null`,
        place,
        message,
        fix: 'Give them a value, or delete them, before you run the plan.',
      })
    }
    if (dialect.copies && before.holds === 'date' && dialect.isUnreadable && !dialect.isSameType(before, column))
      all.push({
        code: 'unreadable-dates',
        from,
        where: dialect.isUnreadable(own, before),
        place,
        message: 'dates with zeros, such as 0000-00-00, which cannot be converted',
        fix: 'Set them to valid dates or null, or delete the rows.',
      })
  }
  for (const key of now.keys.filter(({ kind }) => kind !== 'index')) {
    const taken = key.columns.map((name) => columns.find((column) => column.now.name === name))
    const before = taken.flatMap((column) => column?.old ?? [])
    const names = before.map(({ name }) => name)
    const isThere = old.keys.some((one) => one.kind !== 'index' && one.columns.every((name) => names.includes(name)))
    const isEmail = taken.length === 1 && taken[0] !== undefined && isAddress(taken[0].now)
    const isRetyped = taken.some((column) => column?.old && !dialect.isSameType(column.old, column.now))
    if (before.length < taken.length || (isThere && !isRetyped && !(isEmail && before.some(ignoresCase)))) continue
    const values = taken.map((column) => {
      const value = reference(rows, column?.old as LiveColumn)
      const forward = isEmail && conversions.has('email') ? rows.inspector.lowerCase(value) : value
      return dialect.comparable(forward, column?.now as NewColumn)
    })
    const where = before.map((column) => `${reference(rows, column)} is not null`).join(' and ')
    const message = 'duplicate rows, which the new key does not allow'
    const fix = 'Decide which rows to keep, and delete the others before you run the plan.'
    all.push({ code: isEmail ? 'case-collisions' : 'duplicates', from, where, groups: values, place: [old.name, names], message, fix })
  }
  for (const key of now.foreignKeys) {
    const target = matches.find((one) => samePath(one.now.path, key.target))
    const own = columns.find((column) => column.now.name === key.columns[0])?.old
    const other = target?.columns.find((column) => column.now.name === key.targetColumns[0])?.old
    if (!target || !own || !other || key.columns.length > 1) continue
    const isThis = (one: LiveForeignKey) =>
      samePath(one.table, old) &&
      one.columns.join() === own.name &&
      samePath(one.target, target.old) &&
      one.targetColumns.join() === other.name
    if (foreignKeysOf(catalog).some(isThis)) continue
    const [value, id] = [reference(rows, own), `u.${dialect.quote(other.name)}`]
    const isThere = `exists (select 1 from ${dialect.path(target.old)} u where ${id} = ${value} and ${dialect.same(id, value)})`
    const where = `${value} is not null and not ${isThere}`
    const message = 'rows of users that do not exist, which the new foreign key does not allow'
    const fix = `${dialect.deleteFrom(old)} WHERE ${where.replaceAll(value, `o.${dialect.quote(own.name)}`)};`
    all.push({ code: 'orphans', from, where, place: [old.name, own.name], message, fix })
  }
  return all
}

/** Counts all rows that prevent the changes, and finds the values that must change. */
export async function checkRows(db: Database, dialect: Dialect, inspector: Inspector, matches: Match[], catalog: Catalog) {
  const notices: Notice[] = []
  const conversions = new Map<Match, Map<string, Conversion>>()
  for (const match of matches) {
    const rows: Rows = { db, dialect, inspector, match }
    const own = new Map<string, Conversion>()
    conversions.set(match, own)
    for (const check of [addresses, dates, textDates, decimalIds]) {
      const one = await check(rows)
      notices.push(...one.notices)
      for (const [name, conversion] of one.conversions ?? []) own.set(name, conversion)
    }
    notices.push(...(await refusals(db, demandsOf(rows, matches, catalog, own))))
  }
  return { notices, conversions }
}
