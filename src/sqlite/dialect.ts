import { isInTable } from '../query/conditions.js'
import type { Dialect } from '../query/dialect.js'
import { sql } from '../query/drizzle.js'
import { isTransaction, sessionKindOf } from '../query/internals.js'
import { returningWrites } from '../query/returning.js'
import { failures, integerHint } from './failures.js'

export const sqlite: Dialect = {
  name: 'sqlite',
  failures,
  driverHints: { integers: integerHint },

  // SQLite's functions and some drivers end a text at its first NUL.
  canSend: (sent) => !(typeof sent === 'string' && sent.includes('\0')),

  prepare: (query, returnsRows) => ({ prepared: query.prepare(), method: returnsRows ? 'all' : 'run' }),

  runUnprepared(db, purpose) {
    // On a file, a connection of libSQL that met a lock commits nothing any more (tursodatabase/libsql-client-ts#352). A batch fails on it.
    const isFile = (db.$client as { protocol?: unknown } | undefined)?.protocol === 'file'
    if (purpose !== 'read' && isFile && sessionKindOf(db) === 'LibSQLSession' && !isTransaction(db))
      return async (query) => (await db.batch([query]))[0]
    // Concurrent calls of one statement of @tursodatabase/database 0.7 all run with the parameters of the last (tursodatabase/turso#7794).
    return /^TursoDatabase(Sync)?Session$/.test(sessionKindOf(db)) ? (query) => query.execute() : undefined
  },

  // A column can be declared with `collate nocase` or `rtrim`. A concatenation has no collation. rqlite cannot parse `collate binary`, and
  // then returns no rows from RETURNING.
  bytesOf: (value, ignoresCase) => (ignoresCase ? sql`lower(cast(${value} as text))` : sql`(cast(${value} as text) || '')`),

  hasText: {
    contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
    startsWith: (text, part) => sql`substr(${text}, 1, length(${part})) = ${part}`,
    endsWith: (text, part) => sql`substr(${text}, -length(${part})) = ${part}`,
  },

  lists: {
    // A list in JSON, whose integers may have 64 bits.
    pack: (sent) =>
      sent.every((each) => ['string', 'number', 'bigint'].includes(typeof each))
        ? `[${sent.map((each) => (typeof each === 'bigint' ? `${each}` : JSON.stringify(each))).join()}]`
        : undefined,

    isIn: (column, is, packed, forms) => isInTable(column, is, sql`json_each(${packed})`, forms),
  },

  // Not every SQLite supports DELETE with LIMIT. Rows need no lock, because SQLite has one writer at a time.
  ...returningWrites(),
}
