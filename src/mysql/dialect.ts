import type { Dialect } from '../query/dialect.js'
import { sql } from '../query/drizzle.js'
import { withCallbacks } from '../query/internals.js'
import { isDate, isDateType } from '../query/kinds.js'
import { failures } from './failures.js'
import { problemsOf } from './settings.js'
import { headerOf, writes } from './writes.js'

export const mysql: Dialect = {
  name: 'mysql',
  failures,
  driverHints: { integers: "set supportBigNumbers: true in mysql2, or use mode: 'bigint' for this column" },

  canSend(sent, column) {
    // mysql2 turns arrays and objects into SQL, and sends Infinity and NaN as names of columns.
    if (Object(sent) === sent) return isDate(sent) || sent instanceof Uint8Array
    if (typeof sent === 'number') return Number.isFinite(sent)
    // Years must have four digits. MariaDB treats any other year in a condition as before or after all dates.
    return !(typeof sent === 'string' && column && isDateType(column) && !/^\d{4}-/.test(sent))
  },

  findProblems: problemsOf,
  prepare: (query) => ({ prepared: withCallbacks(query).prepare(), method: 'execute' }),

  countWritten(result) {
    const { affectedRows, matchedRows } = headerOf(result)
    return matchedRows || affectedRows
  },

  bytesOf(value, ignoresCase) {
    const text = sql`convert(${value} using utf8mb4)`
    return sql`cast(${ignoresCase ? sql`lower(${text})` : text} as binary)`
  },

  hasText: {
    contains: (text, part) => sql`locate(${part}, ${text}) > 0`,
    startsWith: (text, part) => sql`left(${text}, length(${part})) = ${part}`,
    endsWith: (text, part) => sql`right(${text}, length(${part})) = ${part}`,
  },

  json: {
    toText: (column) => sql`cast(${column} as char)`,
    fromText: (text) => text,
    // A column of text can hold text that the database cannot parse as JSON.
    normalized: (value) => sql`if(json_valid(${value}), json_extract(${value}, '$'), ${value})`,
  },

  ...writes,
  lockRows: (query) => query.for('update'),
}
