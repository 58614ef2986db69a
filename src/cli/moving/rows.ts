import type { SQL } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import type { Database, Inspector, LiveColumn, LiveForeignKey } from '../core.js'
import { read, samePath } from '../core.js'
import type { Current, Move, Mover, NewColumn, Notice, RowCheck, Rows, Step } from './model.js'
import { foreignKeysOf } from './model.js'

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

const emptyAddresses: RowCheck = async (rows) => {
  const { move, mover } = rows
  const email = move.now.model === 'users' ? columnOf(move, 'email') : undefined
  const id = columnOf(move, 'id')
  if (!email || !id || email.old.notNull || !email.now.notNull) return nothing
  const found = await count(rows, sql`${reference(rows, email.old)} is null`)
  if (found === 0) return nothing
  const name = mover.quote(email.old.name)
  const notice: Notice = {
    code: 'no-address',
    severity: 'warning',
    table: move.old.name,
    column: email.old.name,
    message: `users without an address, which get one that nobody receives mail at: ${inWords(found)}`,
    fix: 'If a provider of yours sends no address, keep your own users table: defineTables({ usersTable }).',
  }
  const value = mover.noAddress(mover.quote(id.old.name))
  return { notices: [notice], sql: [`UPDATE ${pathOf(rows, move.old)} SET ${name} = ${value} WHERE ${name} IS NULL;`] }
}

/** Rows without a value for a column that becomes required. */
const nulls: RowCheck = async (rows) => {
  const notices: Notice[] = []
  for (const { now, old } of rows.move.columns) {
    const isAddress = rows.move.now.model === 'users' && now.field === 'email'
    if (!old || old.notNull || !now.notNull || isAddress) continue
    const found = await count(rows, sql`${reference(rows, old)} is null`)
    if (found > 0)
      notices.push({
        code: 'needs-value',
        severity: 'error',
        table: rows.move.old.name,
        column: old.name,
        message: `the column becomes required, and some rows have no value for it: ${inWords(found)}`,
        fix: 'Give them a value, or delete them, before the plan.',
      })
  }
  return { notices }
}

const ignoresCase = ({ looseCollation }: LiveColumn) => looseCollation !== undefined && !/_cs(_|$)|^rtrim$/i.test(looseCollation)

/** The old lookup found an address in another case, because of the collation. */
const capitals: RowCheck = async (rows) => {
  const { move, mover, inspector } = rows
  const email = move.now.model === 'users' ? columnOf(move, 'email') : undefined
  if (!email || !ignoresCase(email.old)) return nothing
  const found = await count(rows, inspector.hasCapitals(reference(rows, email.old)))
  if (found === 0) return nothing
  const name = mover.quote(email.old.name)
  const notice: Notice = {
    code: 'capitals',
    severity: 'warning',
    table: move.old.name,
    column: email.old.name,
    message: `addresses with capitals, which sign-in by link would no longer find; the plan makes them lower case: ${inWords(found)}`,
    fix: 'If you only change the import, run this statement of the plan then. Make the address lower case in profile() of your providers, too.',
  }
  return { notices: [notice], sql: [`UPDATE ${pathOf(rows, move.old)} SET ${name} = ${inspector.lowerCase(name)};`] }
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
    const isAddress = now.model === 'users' && taken.length === 1 && taken[0]?.now.field === 'email'
    if (before.length < taken.length || (isThere && !(isAddress && before.some(ignoresCase)))) continue
    const found = await countDuplicates(rows, before, isAddress)
    if (found > 0)
      notices.push({
        code: isAddress ? 'case-collisions' : 'duplicates',
        severity: 'error',
        table: old.name,
        column: names.join(', '),
        message: `duplicates of another row, which the new key forbids: ${inWords(found)}`,
        fix: 'Decide which rows to keep, and delete the others before the plan.',
      })
  }
  return { notices }
}

async function countDuplicates(rows: Rows, columns: LiveColumn[], isAddress: boolean): Promise<number> {
  const values = columns.map((column) => {
    const value = reference(rows, column)
    // The plan makes these lower case.
    return rows.inspector.exact(isAddress && ignoresCase(column) ? sql`lower(${value})` : value)
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
    if (found > 0)
      notices.push({
        code: 'orphans',
        severity: 'error',
        table: old.name,
        column: own.name,
        message: `rows of users who do not exist, which the new foreign key forbids: ${inWords(found)}`,
        fix: `DELETE FROM ${pathOf(rows, old)} WHERE ${column} NOT IN (SELECT ${id} FROM ${users});`,
      })
  }
  return notices
}

/** Dates that other adapters store as text in SQLite. */
export const textDates: RowCheck = async (rows) => {
  const { move, mover } = rows
  const affected: { now: NewColumn; old: LiveColumn }[] = []
  const notices: Notice[] = []
  let most = 0
  for (const { now, old } of move.columns) {
    if (!old || !/^timestamp(_ms)?$/.test(modeOf(now) ?? '')) continue
    const isText = sql`typeof(${reference(rows, old)}) = 'text'`
    const found = await count(rows, isText)
    if (found > 0) affected.push({ now, old })
    most = Math.max(most, found)
    const unreadable = await count(rows, sql`${isText} and strftime('%s', ${reference(rows, old)}) is null`)
    if (unreadable > 0)
      notices.push({
        code: 'unreadable-dates',
        severity: 'error',
        table: move.old.name,
        column: old.name,
        message: `texts that SQLite cannot read as a date: ${inWords(unreadable)}`,
        fix: 'Write them as in 2030-01-31 12:30:00, which is in UTC, or delete them.',
      })
  }
  if (affected.length === 0) return nothing
  const set = affected.map(({ now, old }) => {
    const name = mover.quote(old.name)
    const seconds = `CAST(strftime('%s', ${name}) AS INTEGER)`
    const converted = modeOf(now) === 'timestamp' ? seconds : `${seconds} * 1000 + CAST(substr(strftime('%f', ${name}), 4) AS INTEGER)`
    return `${name} = CASE typeof(${name}) WHEN 'text' THEN coalesce(${converted}, ${name}) ELSE ${name} END`
  })
  const notice: Notice = {
    code: 'text-dates',
    severity: 'warning',
    table: move.old.name,
    column: affected.map(({ old }) => old.name).join(', '),
    message: `dates as text, which become numbers: ${inWords(most)}`,
  }
  return { notices: [...notices, notice], sql: [`UPDATE ${pathOf(rows, move.old)} SET ${set.join(', ')};`] }
}

const modeOf = ({ column }: NewColumn) => (column as { mode?: string }).mode

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
  const notice: Notice = {
    code: 'decimal-ids',
    severity: 'warning',
    table: move.old.name,
    column: id.old.name,
    message: `ids that are stored as 4711.0 instead of 4711, so that the accounts would not be found: ${inWords(found)}`,
    fix: 'If you only change the import, run this statement of the plan then.',
  }
  const whole = (column: string) => `substr(${column}, 1, length(${column}) - 2)`
  const statement = `UPDATE ${table} SET ${name} = ${whole(name)} WHERE ${isDecimal}
  AND NOT EXISTS (SELECT 1 FROM ${table} AS same WHERE same.${key} = ${table}.${key} AND same.${name} = ${whole(`${table}.${name}`)});`
  return { notices: [notice], sql: [statement] }
}

/** Values that would not fit. MySQL stops at them half-way, and a cast of PostgreSQL cuts them. */
const tooLong: RowCheck = async (rows) => {
  const notices: Notice[] = []
  for (const { now, old } of rows.move.columns) {
    const limit = now.holds.length
    if (!old || limit === undefined || rows.mover.isSameType(old, now)) continue
    const found = await count(rows, sql.raw(`${rows.mover.lengthOf(`t.${rows.mover.quote(old.name)}`)} > ${limit}`))
    if (found > 0)
      notices.push({
        code: 'too-long',
        severity: 'error',
        table: rows.move.old.name,
        column: old.name,
        message: `values of more than ${limit} ${now.holds.isBinary ? 'bytes' : 'characters'}, which do not fit into ${now.type}: ${inWords(found)}`,
        fix: 'Shorten or delete them, or declare the column with more room in tables of your own.',
      })
  }
  return { notices }
}

/** Dates such as 0000-00-00, which MySQL keeps but does not convert. */
export const zeroDates: RowCheck = async (rows) => {
  const notices: Notice[] = []
  for (const { now, old } of rows.move.columns) {
    if (old?.holds !== 'date' || rows.mover.isSameType(old, now)) continue
    const value = reference(rows, old)
    const found = await count(rows, sql`year(${value}) = 0 or month(${value}) = 0 or dayofmonth(${value}) = 0`)
    if (found > 0)
      notices.push({
        code: 'unreadable-dates',
        severity: 'error',
        table: rows.move.old.name,
        column: old.name,
        message: `dates with zeros, such as 0000-00-00, which cannot be converted: ${inWords(found)}`,
        fix: 'Give these rows real dates or null, or delete them.',
      })
  }
  return { notices }
}
