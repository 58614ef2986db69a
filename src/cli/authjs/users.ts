import type { NewColumn } from '../moving/model.js'
import type { MoveDialect, UserMove } from './dialect.js'

/** The names and addresses as Better Auth stores them. It finds a user by the address in lower case. */
export function namesAndAddresses(
  { columns }: UserMove,
  reference: (name: string) => string,
  lowerCase: (text: string) => string,
): [column: string, value: string][] {
  return columns.flatMap(({ now, old }): [string, string][] => {
    if (old && now.field === 'name') return [[old.name, `coalesce(${reference(old.name)}, '')`]]
    return old && now.field === 'email' ? [[old.name, lowerCase(reference(old.name))]] : []
  })
}

const isDate = ({ field }: NewColumn) => field === 'createdAt' || field === 'updatedAt'

/** The required dates that the table of users lacks and the database does not fill: rows get the current time. */
export const newDates = ({ added }: UserMove, { moment }: Pick<MoveDialect, 'moment'>) =>
  added
    .filter((column) => isDate(column) && column.notNull && column.default === undefined)
    .map((column) => ({ column, now: moment(column.holds, 0) }))

/** Updates what was kept of the users: names and addresses that have changed since, and users who have signed up since. */
export function mergeKept(
  { mover: { quote }, same, moment, updateFrom, path, date, changesValues }: MoveDialect,
  lowerCase: (text: string) => string,
  { now: users, kept, keptColumns, columns, verified }: UserMove,
): string[] {
  const nowOf = (column: string) => columns.find(({ old }) => old?.name === column)?.now
  const isVerified = (alias: string) => `${alias}.${quote(verified.now.name)}`
  const [id, ...changed] = keptColumns
  const set = changed.flatMap((column): [string, string][] => {
    const [was, now, field] = [`t.${quote(column.name)}`, `o.${quote(nowOf(column.name)?.name ?? '')}`, nowOf(column.name)?.field]
    if (field === 'name') return [[column.name, `CASE WHEN ${same(now, `coalesce(${was}, '')`)} THEN ${was} ELSE ${now} END`]]
    if (field === 'email') return [[column.name, `CASE WHEN ${same(now, lowerCase(was))} THEN ${was} ELSE ${now} END`]]
    return field === 'emailVerified' ? [[column.name, `CASE WHEN ${isVerified('o')} THEN coalesce(${was}, ${moment(column, 0)}) END`]] : []
  })
  const values = keptColumns.map((column) => {
    const now = nowOf(column.name)
    const value = `o.${quote(now?.name ?? '')}`
    if (now?.field === 'emailVerified') return `CASE WHEN ${value} THEN ${moment(column, 0)} END`
    return now && changesValues(column, now) ? date(value, now.holds, column) : value
  })
  const [idThen, idNow] = [quote(id?.name ?? ''), quote(nowOf(id?.name ?? '')?.name ?? '')]
  const list = keptColumns.map((column) => quote(column.name)).join(', ')
  return [
    updateFrom(kept, users.path, set, `o.${idNow} = t.${idThen}`),
    `INSERT INTO ${path(kept)} (${list}) SELECT ${values.join(', ')} FROM ${path(users.path)} AS o WHERE NOT EXISTS (SELECT 1 FROM ${path(kept)} AS k WHERE k.${idThen} = o.${idNow});`,
  ]
}
