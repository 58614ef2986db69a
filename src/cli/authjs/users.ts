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
