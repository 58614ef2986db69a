import type { Column } from 'drizzle-orm'
import { isInTable, plainForm } from '../query/conditions.js'
import type { Dialect } from '../query/dialect.js'
import { sql } from '../query/drizzle.js'
import { prepareWithoutServer } from '../query/internals.js'
import { isCollated, isInteger, typeOf } from '../query/kinds.js'
import { returningWrites } from '../query/returning.js'
import { failures } from './failures.js'

const characterTypes = /^(text|(var|bp)?char|character|citext)\b/

export const pg: Dialect = {
  name: 'pg',
  failures,
  driverHints: {
    integers: "use mode: 'bigint' for this column",
    lists: 'with postgres.js and Drizzle 1.0, arrays need fetch_types: true',
  },

  padsText: true,

  // NUL and an integer out of range would abort a transaction, even if they are only compared.
  canSend: (sent, column) =>
    Array.isArray(sent)
      ? sent.every((each) => pg.canSend(each))
      : !(typeof sent === 'string' && sent.includes('\0')) && !(column && isInteger(column) && isTooLarge(sent, column)),

  // An empty name leaves naming to the driver: postgres.js follows its own `prepare` option, and node-postgres sends an unnamed statement,
  // which every connection pooler supports.
  prepare: (query, _, isOnServer) => ({ prepared: isOnServer ? query.prepare('') : prepareWithoutServer(query), method: 'execute' }),

  // Lower case depends on the collation, and a value and its column have different ones.
  bytesOf: (value, ignoresCase) =>
    ignoresCase ? sql`lower(${value}::text collate "default") collate "C"` : sql`${value}::text collate "C"`,

  hasText: {
    contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
    startsWith: (text, part) => sql`left(${text}, length(${part})) = ${part}`,
    endsWith: (text, part) => sql`right(${text}, length(${part})) = ${part}`,
  },

  lists: {
    // An array literal. Quoted elements are never read as NULL.
    pack: (sent) =>
      sent.every((each) => ['string', 'number', 'bigint', 'boolean'].includes(typeof each))
        ? `{${sent.map((each) => `"${String(each).replace(/["\\]/g, '\\$&')}"`).join()}}`
        : undefined,

    isIn(column, is, packed, forms) {
      // A value cannot be cast to a serial type, and a type with a size would round or truncate it.
      const type = isCollated(column) ? 'text' : column.getSQLType().replace(/serial/i, 'int')
      const array = sql`${packed}::${sql.raw(type.replace(/ ?\([\d, ]+\)/, ''))}[]`
      // If values are compared as text, the column may have a collation of its own.
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

  ...returningWrites(sql` for update`),
  lockRows: (query) => query.for('update'),
  deletesInCtes: true,
}

/** Whether an integer does not fit into the column. */
function isTooLarge(sent: unknown, column: Column): boolean {
  const bits = /^(small|\w+2)/.test(typeOf(column)) ? 16n : /^(big|\w+8)/.test(typeOf(column)) ? 64n : 32n
  const limit = 2n ** (bits - 1n)
  return (sent as bigint) < -limit || (sent as bigint) >= limit
}
