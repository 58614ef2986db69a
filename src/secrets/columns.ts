import type { Column } from 'drizzle-orm'
import { tokenFields } from '../models.js'
import { isDecimal, isInteger, isPadded, isUuid, typeOf } from '../query/columns.js'
import type { Columns } from '../query/drizzle.js'
import { configError } from '../query/errors.js'

/** The length of a stored session token. */
const sessionLength = 46

/** Encrypted tokens are longer than plain ones, and those of some providers have thousands of characters. */
const tokenLength = 4_000

/** How many characters a column holds at least. A `char` without a length holds one. */
function capacityOf(column: Column): number {
  const type = typeOf(column)
  if (/^tiny(text|blob)/.test(type)) return 255
  const [, size] = /^(?:(?:n|var|nvar)?char(?:acter)?(?: varying)?|bpchar|(?:var)?binary)\s*\((\d+)\)/.exec(type) ?? []
  if (size !== undefined) return Number(size)
  if (/^(n?char|character|binary)$/.test(type)) return 1
  const isEnum = column.columnType.includes('Enum')
  const isText = !isUuid(column) && !isInteger(column) && !isDecimal(column) && !isEnum
  return isText ? Number.POSITIVE_INFINITY : 0
}

function check(caller: string, table: string, column: Column, field: string, length: number): void {
  // The padding would be hashed and encrypted with the token.
  if (isPadded(column))
    configError(`${caller}: the column ${field} of ${table} is ${typeOf(column)}, which pads what it stores. Make it a varchar or a text`)
  if (capacityOf(column) >= length) return
  configError(
    `${caller}: the column ${field} of ${table} is ${typeOf(column)}, which cannot hold a protected token. Make it a text of ${length.toLocaleString('en')} characters or more`,
  )
}

export function checkSessionColumns(caller: string, columns: Columns): void {
  check(caller, 'sessionsTable', columns.sessionToken as Column, 'sessionToken', sessionLength)
}

export function checkAccountColumns(caller: string, columns: Columns): void {
  for (const field of tokenFields) if (columns[field]) check(caller, 'accountsTable', columns[field], field, tokenLength)
}
