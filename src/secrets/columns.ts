import type { Column } from 'drizzle-orm'
import { accountNames } from '../library.js'
import type { AccountNames } from '../models.js'
import { tokenFields } from '../models.js'
import type { Columns } from '../query/drizzle.js'
import { configError } from '../query/errors.js'
import { isEnum, isInteger, isNumeric, isPadded, isUuid, typeOf } from '../query/kinds.js'

/** The length of a stored session token. */
const sessionLength = 46

/** Encrypted tokens are longer than plain ones, and those of some providers have thousands of characters. */
const tokenLength = 4_000

/** Returns the number of characters that fit into a column in any case. */
function capacityOf(column: Column): number {
  const type = typeOf(column)
  if (/^tiny(text|blob)/.test(type)) return 255
  if (/^(n?varchar|char(acter)? varying|varbinary)/.test(type)) return Number(/\((\d+)\)/.exec(type)?.[1] ?? Number.POSITIVE_INFINITY)
  return isUuid(column) || isInteger(column) || isNumeric(column) || isEnum(column) ? 0 : Number.POSITIVE_INFINITY
}

function check(caller: string, table: string, column: Column, field: string, length: number): void {
  const refuse = (reason: string, change: string) =>
    configError(`${caller}: the column ${field} of ${table} is ${typeOf(column)}, which ${reason}. Make it ${change}`)
  // The padding would become part of the token.
  if (isPadded(column) || /^binary\b/.test(typeOf(column))) refuse('pads what it stores', 'a varchar or a text')
  if (capacityOf(column) < length) refuse('cannot hold a protected token', `a text of ${length.toLocaleString('en')} characters or more`)
}

export function checkSessionColumns(caller: string, columns: Columns): void {
  check(caller, 'sessionsTable', columns.sessionToken as Column, 'sessionToken', sessionLength)
}

export function checkAccountColumns(
  caller: string,
  columns: Columns,
  names: AccountNames = accountNames.authjs,
  table = 'accountsTable',
): void {
  // Those of Auth.js were checked before, and its tokens are optional.
  for (const name of names === accountNames.authjs ? [] : Object.values(names))
    if (!columns[name]) configError(`${caller}: the table ${table} has no column ${name}, which the accounts of Better Auth have`)
  for (const field of tokenFields) {
    const column = columns[names[field]]
    if (column) check(caller, table, column, names[field], tokenLength)
  }
}
