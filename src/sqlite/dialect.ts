import type { Column, SQL } from 'drizzle-orm'
import { isDecimal, isInteger, typeOf } from '../query/columns.js'
import type { Dialect, RowDialect, Run, SqlDialect } from '../query/dialect.js'
import type { Query } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import { sessionOf } from '../query/internals.js'
import { returningRows, withReturning } from '../query/returning.js'
import { failures, integerHint } from './failures.js'
import { committing } from './libsql.js'
import { removeUser } from './remove-user.js'

function prepare(query: Query, returnsRows: boolean): Run {
  const method = returnsRows ? 'all' : 'run'
  // Concurrent calls of one statement of @tursodatabase/database 0.7 all run with the parameters of the last (tursodatabase/turso#7794).
  if (/^TursoDatabase(Sync)?Session$/.test(String(sessionOf(query).kind))) return (parameters) => query.prepare()[method](parameters)
  const prepared = committing(query).prepare()
  return (parameters) => prepared[method](parameters)
}

const sqliteSql: SqlDialect = {
  failures,
  integerHint,
  withReturning,

  // SQLite's functions and some drivers end a text at its first NUL. It enforces neither lengths nor scales.
  storage: {
    storesNul: false,
    defaultScale: Number.POSITIVE_INFINITY,
    decimalsAreFloats: true,
    lengthOf: () => undefined,
    // A numeric column converts text to a number of 64 bits: an integer, or 15 digits.
    isChanged: (column, sent) => isDecimal(column) && typeof sent === 'string' && /(\d\.?){16}/.test(sent) && !isInt64(sent),
  },

  prepare,
  runOnce: (query, returnsRows) => prepare(query, returnsRows)([]),

  // A column may be declared with `collate nocase` or `rtrim`, or have a type that takes '1e3' for 1000. A concatenation has no collation;
  // `collate binary` would say so more plainly, but rqlite cannot parse it and then returns no rows from RETURNING.
  exactForm(column) {
    if (isInteger(column) || /^(blob|real)/.test(typeOf(column))) return undefined
    return (value) => bytesOf(value, false)
  },
  bytesOf,

  hasText(text, place, part) {
    if (place === 'contains') return sql`instr(${text}, ${part}) > 0`
    return place === 'startsWith' ? sql`substr(${text}, 1, length(${part})) = ${part}` : sql`substr(${text}, -length(${part})) = ${part}`
  },
}

function bytesOf(value: Column | SQL, ignoresCase: boolean): SQL {
  return ignoresCase ? sql`lower(cast(${value} as text))` : sql`(cast(${value} as text) || '')`
}

const isInt64 = (text: string) => /^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)

// Not every SQLite supports DELETE with LIMIT. There is one writer at a time, so nothing need be locked.
const rows: RowDialect = { ...returningRows(sql``), removeUser }

export const sqlite: Dialect = { name: 'sqlite', sql: sqliteSql, rows }
