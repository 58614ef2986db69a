import type { Column, SQL } from 'drizzle-orm'
import { isDecimal, isFloat, isInteger, isPadded, isText, sizesOf, typeOf } from '../query/columns.js'
import { isInTable, plainForm } from '../query/conditions.js'
import type { Dialect } from '../query/dialect.js'
import { sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { toFailure } from '../query/failures.js'
import { isTransaction, prepareWithoutServer, quotedNameOf } from '../query/internals.js'
import { fitsInto, timeFormOf } from '../query/limits.js'
import { returningWrites } from '../query/returning.js'
import { deleteUser } from './delete-user.js'
import { failures } from './failures.js'

// feature_not_supported ("cached plan must not change result type"), undefined_function, datatype_mismatch, invalid_sql_statement_name:
// what a prepared statement says if the type of a column has changed since, or if a pooler does not know it. It did nothing.
const outdated = /^(0A000|42883|42804|26000)$/

// Their `=` is exact, while one value can be written in several ways: 10.0.0.1 and 10.0.0.1/32.
const otherTypes = /^(uuid|bytea|inet|cidr|macaddr8?|interval|bit|varbit|jsonb)\b/
// The spellings of a numeric before its point. Small numbers in code have an exponent.
const numericForm = /^(?!-[0.]+$)-?(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:e-\d+)?|Infinity)$|^NaN$/
const characterTypes = /^(text|(var|bp)?char|character|citext)\b/

export const pg: Dialect = {
  name: 'pg',
  failures,
  integerHint: "use mode: 'bigint' for this column",
  arrayHint: 'with postgres.js and Drizzle 1.0, arrays need fetch_types: true',

  limits: {
    storesNul: false,
    alters(column) {
      const form = isDecimal(column) ? numericForm : timeFormOf(column)
      if (form) return (sent) => typeof sent === 'string' && !form.test(sent)
      // An integer that is out of range would abort a transaction, also one that is only looked up.
      const bits = /^(small|\w+2)/.test(typeOf(column)) ? 16 : /^(big|\w+8)/.test(typeOf(column)) ? 64 : 32
      return isInteger(column) ? (sent) => typeof sent !== 'object' && !fitsInto(bits, sent) : undefined
    },
    // Without a scale, a numeric keeps the digits that it was given.
    defaultScale: Number.POSITIVE_INFINITY,
    lengthOf(column) {
      if (!/^(var|bp)?char/.test(typeOf(column))) return undefined
      return { characters: sizesOf(column)[0] ?? (isPadded(column) ? 1 : Number.POSITIVE_INFINITY) }
    },
  },

  // An empty name leaves naming to the driver: postgres.js follows its own `prepare` option, and node-postgres sends an unnamed statement,
  // which every connection pooler supports.
  prepare: (query, name) => ({ prepared: name === undefined ? prepareWithoutServer(query) : query.prepare(name), method: 'execute' }),

  // A new name would not help: postgres.js and PgBouncer find prepared statements by their text. A transaction is aborted by then.
  recover(error, { db, values, mayRepeat, prepareLocally }) {
    const isOutdated = outdated.test(toFailure(error, failures).details.code ?? '')
    // Also if this call may not run again: the next one uses what is prepared here.
    const run = isOutdated && !isTransaction(db) ? prepareLocally() : undefined
    if (!run || !mayRepeat) throw error
    return run(values)
  },

  mayHideRows: (table) => ({
    catalog: sql`pg_class`,
    condition: sql`oid = ${quotedNameOf(table)}::regclass and (relkind not in ('r', 'p') or row_security_active(oid))`,
  }),

  lockRows: (query) => query.for('update'),

  // Any text can have a nondeterministic collation; citext always ignores case.
  exactForm(column) {
    if (isInteger(column) || isDecimal(column) || isFloat(column) || otherTypes.test(typeOf(column))) return undefined
    return (value) => bytesOf(isPadded(column) ? sql`${value}::bpchar` : value, false)
  },
  bytesOf,

  hasText: {
    contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
    startsWith: (text, part) => sql`left(${text}, length(${part})) = ${part}`,
    endsWith: (text, part) => sql`right(${text}, length(${part})) = ${part}`,
  },

  // As few digits as tell it from others of 32 bits: 2147483648 is written as 2.1474836e+09.
  fullDigits: (column) => (/^(real|float4)/.test(typeOf(column)) ? { decode: wholeOf32Bits } : undefined),

  lists: {
    // An array as text. Its elements are quoted, so that the text NULL is a text.
    pack: (sent) =>
      sent.every((each) => ['string', 'number', 'bigint', 'boolean'].includes(typeof each))
        ? `{${sent.map((each) => `"${String(each).replace(/["\\]/g, '\\$&')}"`).join()}}`
        : undefined,

    isIn(column, is, packed, forms) {
      const type = isText(column) && pg.exactForm(column) ? 'text' : castableType(column)
      const array = sql`${packed}::${sql.raw(type)}[]`
      // Compared as text, the column may have a collation of its own.
      const others = forms.filter((form) => form !== plainForm)
      if (others.length === 0) return is === 'in' ? sql`${column} = any(${array})` : sql`${column} <> all(${array})`
      // An enum cannot be compared with text by `=`, and a custom type may be one.
      return isInTable(column, is, sql`unnest(${array}) as list(value)`, characterTypes.test(typeOf(column)) ? forms : others)
    },
  },

  json: {
    toText: (column) => sql`${column}::text`,
    fromText: (text, column) => sql`${text}::text::${sql.raw(column.getSQLType())}`,
  },

  // A statement on the table may fail with the same code because of a policy, even while it is planned.
  async isImpossible(table, required) {
    for (const name of Object.keys(required)) {
      const { column, toParameter } = table.definition.of(name)
      const value = sql`(${toParameter(required[name])})::${sql.raw(castableType(column))}`
      try {
        await table.select({ value }, (query) => query.from(sql`(select 1) as one`))
      } catch (failure) {
        // Any other failure leaves the question open, such as one in a transaction that is aborted by now.
        return failure instanceof Failure && failure.kind === 'invalid'
      }
    }
    return false
  },

  ...returningWrites(sql` for update skip locked`),
  deleteUser,
}

function wholeOf32Bits(number: number): number {
  const single = Math.fround(number)
  return Number.isSafeInteger(single) ? single : number
}

function bytesOf(value: Column | SQL, ignoresCase: boolean): SQL {
  // What is lower case depends on a collation, and a value has another one than its column.
  return ignoresCase ? sql`lower(${value}::text collate "default") collate "C"` : sql`${value}::text collate "C"`
}

/** The column's type in a cast. Nothing can be cast to a serial type, and one with a size would round or cut. */
function castableType(column: Column): string {
  return (
    column
      .getSQLType()
      .replace(/serial/i, 'int')
      .replace(/ ?\([\d, ]+\)/, '')
      // Without a size, it has a single one.
      .replace(/^bit\b(?! varying)/i, 'bit varying')
  )
}
