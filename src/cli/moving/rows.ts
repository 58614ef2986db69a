import type { SQL } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import type { Database, Inspector, LiveColumn, LiveForeignKey } from '../core.js'
import { read, samePath } from '../core.js'
import type { Current, Move, Mover, NewColumn, Notice, RowCheck, Rows, Step } from './model.js'
import { foreignKeysOf, notice } from './model.js'

/** Counts all rows that prevent the changes, and creates the statements that fix them. */
export async function rowSteps(
  db: Database,
  inspector: Inspector,
  mover: Mover,
  moves: Move[],
  current: Current,
): Promise<{ step: Step; notices: Notice[] }> {
  const notices: Notice[] = []
  const step: Step = { about: 'Fix rows', sql: [] }
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

/** Counts the rows that meet a condition, for each column that has one, and creates a notice for each. */
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
  const message = `users without an email address, who get a placeholder that receives no mail: ${inWords(found)}`
  const fix = 'If one of your providers sends no address, keep your own users table: defineTables({ usersTable }).'
  const value = mover.noAddress(mover.quote(id.old.name))
  return {
    notices: [notice('no-address', [move.old.name, email.old.name], message, fix)],
    sql: [`UPDATE ${pathOf(rows, move.old)} SET ${name} = ${value} WHERE ${name} IS NULL;`],
  }
}

/** Rows without a value for a column that becomes NOT NULL. */
const nulls: RowCheck = (rows) =>
  perColumn(
    rows,
    (value, old, now) => (now.notNull && !old.notNull && !isAddress(rows, now) ? sql`${value} is null` : undefined),
    (at, found) => {
      const message = `the column becomes NOT NULL, and some rows have no value for it: ${found}`
      return notice('needs-value', at, message, 'Give them a value, or delete them, before you run the plan.')
    },
  )

const ignoresCase = ({ looseCollation }: LiveColumn) => looseCollation !== undefined && !/_cs(_|$)|^rtrim$/i.test(looseCollation)

/** With a case-insensitive collation, the old adapter found addresses in any case. */
const capitals: RowCheck = async (rows) => {
  const { move, mover, inspector } = rows
  const email = move.now.model === 'users' ? columnOf(move, 'email') : undefined
  if (!email || !ignoresCase(email.old)) return nothing
  const found = await count(rows, inspector.hasCapitals(reference(rows, email.old)))
  if (found === 0) return nothing
  const name = mover.quote(email.old.name)
  const message = `email addresses with capital letters, which sign-in by email would no longer find; the plan converts them to lower case: ${inWords(found)}`
  const fix =
    'If you keep your tables and only change the import, run this UPDATE when you deploy the change. Convert the address to lower case in profile() of your providers, too.'
  return {
    notices: [notice('capitals', [move.old.name, email.old.name], message, fix)],
    sql: [`UPDATE ${pathOf(rows, move.old)} SET ${name} = ${inspector.lowerCase(name)};`],
  }
}

/** Rows that violate a key of the new tables. */
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
    const message = `duplicate rows, which the new key does not allow: ${inWords(found)}`
    const fix = 'Decide which rows to keep, and delete the others before you run the plan.'
    if (found > 0) notices.push(notice(isEmail ? 'case-collisions' : 'duplicates', [old.name, names], message, fix))
  }
  return { notices }
}

async function countDuplicates(rows: Rows, columns: LiveColumn[], isEmail: boolean): Promise<number> {
  const values = columns.map((column) => {
    const value = reference(rows, column)
    // The plan converts these to lower case.
    return rows.inspector.exact(isEmail && ignoresCase(column) ? sql`lower(${value})` : value)
  })
  const isPresent = columns.map((column) => sql`${reference(rows, column)} is not null`)
  const groups = sql`(select count(*) as n from ${sql.raw(pathOf(rows, rows.move.old))} t where ${sql.join(isPresent, sql` and `)}
    group by ${sql.join(values, sql`, `)} having count(*) > 1) as g`
  const [row] = await read(rows.db, { found: sql`sum(g.n - 1)` }, groups)
  return Number(row?.found ?? 0)
}

/** Rows that violate a new foreign key. */
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
    const message = `rows of users that do not exist, which the new foreign key does not allow: ${inWords(found)}`
    const fix = `DELETE FROM ${pathOf(rows, old)} WHERE ${column} NOT IN (SELECT ${id} FROM ${users});`
    if (found > 0) notices.push(notice('orphans', [old.name, own.name], message, fix))
  }
  return notices
}

/** Values that are too long for the new type. MySQL would fail half-way, and a cast in PostgreSQL truncates. */
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
      return notice('too-long', at, message, 'Shorten or delete them, or declare a longer column in a table of your own.')
    },
  )

/** Dates such as 0000-00-00, which MySQL stores but cannot convert. */
export const zeroDates: RowCheck = (rows) =>
  perColumn(
    rows,
    (value, old, now) =>
      old.holds === 'date' && !rows.mover.isSameType(old, now)
        ? sql`year(${value}) = 0 or month(${value}) = 0 or dayofmonth(${value}) = 0`
        : undefined,
    (at, found) => {
      const message = `dates with zeros, such as 0000-00-00, which cannot be converted: ${found}`
      return notice('unreadable-dates', at, message, 'Set them to valid dates or null, or delete the rows.')
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
      const message = `values that SQLite cannot read as a date: ${found}`
      return notice('unreadable-dates', at, message, 'Write them in UTC, such as 2030-01-31 12:30:00, or delete them.')
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
    notices: [
      ...notices,
      notice('text-dates', [move.old.name, names], `dates stored as text, which the plan converts to numbers: ${inWords(most)}`),
    ],
    sql: [`UPDATE ${pathOf(rows, move.old)} SET ${set.join(', ')};`],
  }
}

/** Numbers that SQLite stored as 4711.0. If a provider has the same id in both spellings, it is not changed. */
export const decimalIds: RowCheck = async (rows) => {
  const { move, mover } = rows
  const id = move.now.model === 'accounts' ? columnOf(move, 'providerAccountId') : undefined
  const provider = columnOf(move, 'provider')
  if (!id || !provider) return nothing
  const [name, key, table] = [mover.quote(id.old.name), mover.quote(provider.old.name), pathOf(rows, move.old)]
  const isDecimal = `${name} GLOB '[1-9]*.0' AND ${name} NOT GLOB '*[^0-9]*.0'`
  const found = await count(rows, sql.raw(isDecimal))
  if (found === 0) return nothing
  const message = `ids stored as 4711.0 instead of 4711, so that the accounts would not be found: ${inWords(found)}`
  const fix = 'If you keep your tables and only change the import, run this UPDATE when you deploy the change.'
  const whole = (column: string) => `substr(${column}, 1, length(${column}) - 2)`
  const statement = `UPDATE ${table} SET ${name} = ${whole(name)} WHERE ${isDecimal}
  AND NOT EXISTS (SELECT 1 FROM ${table} AS same WHERE same.${key} = ${table}.${key} AND same.${name} = ${whole(`${table}.${name}`)});`
  return { notices: [notice('decimal-ids', [move.old.name, id.old.name], message, fix)], sql: [statement] }
}
