import type { Column, SQL } from 'drizzle-orm'
import { isDecimal, isInteger, typeOf } from '../query/columns.js'
import { isInTable } from '../query/conditions.js'
import type { Dialect } from '../query/dialect.js'
import { getTableName, sql } from '../query/drizzle.js'
import { driverOf } from '../query/internals.js'
import { decimalDigits, fitsInto } from '../query/limits.js'
import { returningWrites } from '../query/returning.js'
import { isRounded } from '../query/values.js'
import { deleteUser } from './delete-user.js'
import { failures, integerHint } from './failures.js'
import { committing, withSafeTransactions } from './libsql.js'

export const sqlite: Dialect = {
  name: 'sqlite',
  failures,
  integerHint,

  // SQLite's functions and some drivers end a text at its first NUL. It enforces neither lengths nor scales.
  limits: {
    storesNul: false,
    // NaN becomes null. A column of numbers converts text to 64 bits: an integer, or 15 digits. Any other text is above all numbers.
    alters(column) {
      const isNumber = isInteger(column) || isDecimal(column)
      return (sent) => Number.isNaN(sent) || (isNumber && typeof sent === 'string' && !isNumberOf64Bits(sent))
    },
  },

  prepare: (query, _name, returnsRows) => ({ prepared: committing(query).prepare(), method: returnsRows ? 'all' : 'run' }),

  // Concurrent calls of one statement of @tursodatabase/database 0.7 all run with the parameters of the last (tursodatabase/turso#7794).
  canRunConcurrently: (db) => !/^TursoDatabase(Sync)?Session$/.test(String(driverOf(db).kind)),

  withSafeTransactions,

  mayHideRows: (table) => ({
    catalog: sql`sqlite_master`,
    condition: sql`type = 'view' and lower(name) = lower(${getTableName(table)})`,
  }),

  // A column may be declared with `collate nocase` or `rtrim`, or have a type that takes '1e3' for 1000. A concatenation has no collation;
  // `collate binary` would say so more plainly, but rqlite cannot parse it and then returns no rows from RETURNING.
  exactForm(column) {
    if (isInteger(column) || isDecimal(column) || /^(blob|real)/.test(typeOf(column))) return undefined
    return (value) => bytesOf(value, false)
  },
  bytesOf,

  hasText: {
    contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
    startsWith: (text, part) => sql`substr(${text}, 1, length(${part})) = ${part}`,
    endsWith: (text, part) => sql`substr(${text}, -length(${part})) = ${part}`,
  },

  lists: {
    // A list in JSON, whose integers may have 64 bits.
    pack: (sent) =>
      sent.every((each) => ['string', 'number', 'bigint'].includes(typeof each))
        ? `[${sent.map((each) => (typeof each === 'bigint' ? `${each}` : jsonOf(each))).join()}]`
        : undefined,

    isIn: (column, is, packed, forms) => isInTable(column, is, sql`json_each(${packed})`, forms),
  },

  // Not every SQLite supports DELETE with LIMIT. There is one writer at a time, so nothing need be locked.
  ...returningWrites(sql``),
  deleteUser,
}

function bytesOf(value: Column | SQL, ignoresCase: boolean): SQL {
  return ignoresCase ? sql`lower(cast(${value} as text))` : sql`(cast(${value} as text) || '')`
}

/** A number that is no safe integer is one of a column of floats. Without a point, JSON would make an integer of it. */
const jsonOf = (value: unknown) => JSON.stringify(value) + (isRounded(value) && Math.abs(value as number) < 1e21 ? '.0' : '')

const isNumberOf64Bits = (text: string) => decimalDigits.test(text) && (!/(\d\.?){16}/.test(text) || fitsInto(64, text))
