import type { SQL } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import type { Database, Inspector, LiveColumn, LiveForeignKey } from '../core.js'
import { read, samePath } from '../core.js'
import type { Current, Move, Mover, NewColumn, Notice, RowCheck, Rows, Step } from './model.js'
import { foreignKeysOf, notice } from './model.js'

/** Rows that stand in the way, counted, and the statements that put them right. All rows are counted, not only some. */
export async function rowSteps(
  db: Database,
  inspector: Inspector,
  mover: Mover,
  moves: Move[],
  current: Current,
): Promise<{ step: Step; notices: Notice[] }> {
  const notices: Notice[] = []
  const step: Step = { about: 'Rows', sql: [] }
  for (const move of moves) {
    const rows = { db, inspector, mover, move }
    for (const check of [emptyAddresses, nulls, capitals, duplicates, tooLong, ...mover.rowChecks]) {
      const found = await check(rows)
      notices.push(...found.notices)
      step.sql.push(...(found.sql ?? []))
    }
    notices.push(...(await orphans(rows, moves, foreignKeysOf(current))))
  }
  return { step, notices }
}

const pathOf = ({ mover }: Rows, { schema, name }: { schema: string; name: string }) =>
  (schema ? `${mover.quote(schema)}.` : '') + mover.quote(name)

async function count(rows: Rows, where: SQL): Promise<number> {
  const [row] = await read(rows.db, { found: sql`count(*)` }, sql.raw(`${pathOf(rows, rows.move.old)} t`), where)
  return Number(row?.found)
}

const columnOf = ({ columns }: Move, field: string) => {
  const found = columns.find(({ now }) => now.field === field)
  return found?.old ? { now: found.now, old: found.old } : undefined
}

const reference = ({ mover }: Rows, column: LiveColumn) => sql.raw(`t.${mover.quote(column.name)}`)
const inWords = (found: number) => `${found.toLocaleString('en')} row${found === 1 ? '' : 's'}`

const nothing = { notices: [] }

/** Counts the rows of each column that meet a condition, which a column need not have, and makes a notice of them. */
async function perColumn(
  rows: Rows,
  condition: (value: SQL, old: LiveColumn, now: NewColumn) => SQL | undefined,
  toNotice: (at: [string, string], found: string, now: NewColumn) => Notice,
): Promise<{ notices: Notice[] }> {
  const notices: Notice[] = []
  for (const { now, old } of rows.move.columns) {
    const where = old && condition(reference(rows, old), old, now)
    const found = where ? await count(rows, where) : 0
    if (old && found > 0) notices.push(toNotice([rows.move.old.name, old.name], inWords(found), now))
  }
  return { notices }
}

const isAddress = ({ move }: Rows, { field }: NewColumn) => move.now.model === 'users' && field === 'email'

const emptyAddresses: RowCheck = async (rows) => {
  const { move, mover } = rows
  const email = move.now.model === 'users' ? columnOf(move, 'email') : undefined
  const id = columnOf(move, 'id')
  if (!email || !id || email.old.notNull || !email.now.notNull) return nothing
  const found = await count(rows, sql`${reference(rows, email.old)} is null`)
  if (found === 0) return nothing
  const name = mover.quote(email.old.name)
  const message = `users without an address, which get one that nobody receives mail at: ${inWords(found)}`
  const fix = 'If a provider of yours sends no address, keep your own users table: defineTables({ usersTable }).'
  const value = mover.noAddress(mover.quote(id.old.name))
  return {
    notices: [notice('no-address', [move.old.name, email.old.name], message, fix)],
    sql: [`UPDATE ${pathOf(rows, move.old)} SET ${name} = ${value} WHERE ${name} IS NULL;`],
  }
}

/** Rows without a value for a column that becomes required. */
const nulls: RowCheck = (rows) =>
  perColumn(
    rows,
    (value, old, now) => (now.notNull && !old.notNull && !isAddress(rows, now) ? sql`${value} is null` : undefined),
    (at, found) => {
      const message = `the column becomes required, and some rows have no value for it: ${found}`
      return notice('needs-value', at, message, 'Give them a value, or delete them, before the plan.')
    },
  )

const ignoresCase = ({ looseCollation }: LiveColumn) => looseCollation !== undefined && !/_cs(_|$)|^rtrim$/i.test(looseCollation)

/** The old lookup found an address in another case, because of the collation. */
const capitals: RowCheck = async (rows) => {
  const { move, mover, inspector } = rows
  const email = move.now.model === 'users' ? columnOf(move, 'email') : undefined
  if (!email || !ignoresCase(email.old)) return nothing
  const found = await count(rows, inspector.hasCapitals(reference(rows, email.old)))
  if (found === 0) return nothing
  const name = mover.quote(email.old.name)
  const message = `addresses with capitals, which sign-in by link would no longer find; the plan makes them lower case: ${inWords(found)}`
  const fix =
    'If you keep your tables and only change the import, run this UPDATE when you deploy the change. Make the address lower case in profile() of your providers, too.'
  return {
    notices: [notice('capitals', [move.old.name, email.old.name], message, fix)],
    sql: [`UPDATE ${pathOf(rows, move.old)} SET ${name} = ${inspector.lowerCase(name)};`],
  }
}

/** Rows that a key of the new tables forbids. */
const duplicates: RowCheck = async (rows) => {
  const { now, old, columns } = rows.move
  const notices: Notice[] = []
  for (const key of now.keys.filter(({ kind }) => kind !== 'index')) {
    const taken = key.columns.map((name) => columns.find((column) => column.now.name === name))
    const before = taken.flatMap((column) => column?.old ?? [])
    const names = before.map(({ name }) => name)
    const isThere = old.keys.some((one) => one.kind !== 'index' && one.columns.every((name) => names.includes(name)))
    const isEmail = taken.length === 1 && taken[0] !== undefined && isAddress(rows, taken[0].now)
    if (before.length < taken.length || (isThere && !(isEmail && before.some(ignoresCase)))) continue
    const found = await countDuplicates(rows, before, isEmail)
    const message = `duplicates of another row, which the new key forbids: ${inWords(found)}`
    const fix = 'Decide which rows to keep, and delete the others before the plan.'
    if (found > 0) notices.push(notice(isEmail ? 'case-collisions' : 'duplicates', [old.name, names], message, fix))
  }
  return { notices }
}

async function countDuplicates(rows: Rows, columns: LiveColumn[], isEmail: boolean): Promise<number> {
  const values = columns.map((column) => {
    const value = reference(rows, column)
    // The plan makes these lower case.
    return rows.inspector.exact(isEmail && ignoresCase(column) ? sql`lower(${value})` : value)
  })
  const isPresent = columns.map((column) => sql`${reference(rows, column)} is not null`)
  const groups = sql`(select count(*) as n from ${sql.raw(pathOf(rows, rows.move.old))} t where ${sql.join(isPresent, sql` and `)}
    group by ${sql.join(values, sql`, `)} having count(*) > 1) as g`
  const [row] = await read(rows.db, { found: sql`sum(g.n - 1)` }, groups)
  return Number(row?.found ?? 0)
}

/** Rows that a new foreign key forbids. */
async function orphans(rows: Rows, moves: Move[], foreignKeys: LiveForeignKey[]): Promise<Notice[]> {
  const { now, old, columns } = rows.move
  const { quote } = rows.mover
  const notices: Notice[] = []
  for (const key of now.foreignKeys) {
    const target = moves.find((move) => samePath(move.now.path, key.target))
    const own = columns.find((column) => column.now.name === key.columns[0])?.old
    const other = target?.columns.find((column) => column.now.name === key.targetColumns[0])?.old
    if (!target || !own || !other || key.columns.length > 1) continue
    const isThis = ({ table, columns, target: users, targetColumns }: LiveForeignKey) =>
      samePath(table, old) && columns.join() === own.name && samePath(users, target.old) && targetColumns.join() === other.name
    if (foreignKeys.some(isThis)) continue
    const [users, column, id] = [pathOf(rows, target.old), quote(own.name), quote(other.name)]
    const isOrphan = `t.${column} is not null and not exists (select 1 from ${users} u where u.${id} = t.${column})`
    const found = await count(rows, sql.raw(isOrphan))
    const message = `rows of users who do not exist, which the new foreign key forbids: ${inWords(found)}`
    const fix = `DELETE FROM ${pathOf(rows, old)} WHERE ${column} NOT IN (SELECT ${id} FROM ${users});`
    if (found > 0) notices.push(notice('orphans', [old.name, own.name], message, fix))
  }
  return notices
}

/** Values that would not fit. MySQL stops at them half-way, and a cast of PostgreSQL cuts them. */
const tooLong: RowCheck = (rows) =>
  perColumn(
    rows,
    (_, old, now) => {
      if (now.holds.length === undefined || rows.mover.isSameType(old, now)) return undefined
      return sql.raw(`${rows.mover.lengthOf(`t.${rows.mover.quote(old.name)}`)} > ${now.holds.length}`)
    },
    (at, found, { type, holds }) => {
      const unit = holds.isBinary ? 'bytes' : 'characters'
      const message = `values of more than ${holds.length} ${unit}, which do not fit into ${type}: ${found}`
      return notice('too-long', at, message, 'Shorten or delete them, or declare the column with more room in tables of your own.')
    },
  )

/** Dates such as 0000-00-00, which MySQL keeps but does not convert. */
export const zeroDates: RowCheck = (rows) =>
  perColumn(
    rows,
    (value, old, now) =>
      old.holds === 'date' && !rows.mover.isSameType(old, now)
        ? sql`year(${value}) = 0 or month(${value}) = 0 or dayofmonth(${value}) = 0`
        : undefined,
    (at, found) => {
      const message = `dates with zeros, such as 0000-00-00, which cannot be converted: ${found}`
      return notice('unreadable-dates', at, message, 'Give these rows real dates or null, or delete them.')
    },
  )

const modeOf = ({ column }: NewColumn) => (column as { mode?: string }).mode
export const isDateMode = (column: NewColumn) => /^timestamp(_ms)?$/.test(modeOf(column) ?? '')

/** Dates that other adapters store as text in SQLite. */
export const textDates: RowCheck = async (rows) => {
  const { move, mover } = rows
  const affected: { now: NewColumn; old: LiveColumn }[] = []
  let most = 0
  for (const { now, old } of move.columns) {
    const found = old && isDateMode(now) ? await count(rows, sql`typeof(${reference(rows, old)}) = 'text'`) : 0
    if (old && found > 0) affected.push({ now, old })
    most = Math.max(most, found)
  }
  if (affected.length === 0) return nothing
  const { notices } = await perColumn(
    rows,
    (value, _, now) => (isDateMode(now) ? sql`typeof(${value}) = 'text' and strftime('%s', ${value}) is null` : undefined),
    (at, found) => {
      const message = `texts that SQLite cannot read as a date: ${found}`
      return notice('unreadable-dates', at, message, 'Write them as in 2030-01-31 12:30:00, which is in UTC, or delete them.')
    },
  )
  const set = affected.map(({ now, old }) => {
    const name = mover.quote(old.name)
    const seconds = `CAST(strftime('%s', ${name}) AS INTEGER)`
    const converted = modeOf(now) === 'timestamp' ? seconds : `${seconds} * 1000 + CAST(substr(strftime('%f', ${name}), 4) AS INTEGER)`
    return `${name} = CASE typeof(${name}) WHEN 'text' THEN coalesce(${converted}, ${name}) ELSE ${name} END`
  })
  const names = affected.map(({ old }) => old.name)
  return {
    notices: [...notices, notice('text-dates', [move.old.name, names], `dates as text, which become numbers: ${inWords(most)}`)],
    sql: [`UPDATE ${pathOf(rows, move.old)} SET ${set.join(', ')};`],
  }
}

/** Numbers that SQLite stored as 4711.0. An id that its provider has in both spellings stays as it is. */
export const decimalIds: RowCheck = async (rows) => {
  const { move, mover } = rows
  const id = move.now.model === 'accounts' ? columnOf(move, 'providerAccountId') : undefined
  const provider = columnOf(move, 'provider')
  if (!id || !provider) return nothing
  const [name, key, table] = [mover.quote(id.old.name), mover.quote(provider.old.name), pathOf(rows, move.old)]
  const isDecimal = `${name} GLOB '[1-9]*.0' AND ${name} NOT GLOB '*[^0-9]*.0'`
  const found = await count(rows, sql.raw(isDecimal))
  if (found === 0) return nothing
  const message = `ids that are stored as 4711.0 instead of 4711, so that the accounts would not be found: ${inWords(found)}`
  const fix = 'If you keep your tables and only change the import, run this UPDATE when you deploy the change.'
  const whole = (column: string) => `substr(${column}, 1, length(${column}) - 2)`
  const statement = `UPDATE ${table} SET ${name} = ${whole(name)} WHERE ${isDecimal}
  AND NOT EXISTS (SELECT 1 FROM ${table} AS same WHERE same.${key} = ${table}.${key} AND same.${name} = ${whole(`${table}.${name}`)});`
  return { notices: [notice('decimal-ids', [move.old.name, id.old.name], message, fix)], sql: [statement] }
}
