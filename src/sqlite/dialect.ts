import type { SQL } from 'drizzle-orm'
import { kindOf } from '../detection.js'
import type { Dialect } from '../dialect.js'
import { withoutByteOrderMarks } from '../dialect.js'
import { and, eq, sql } from '../drizzle.js'
import { connectionCodes } from '../errors.js'
import { returning } from '../returning.js'
import type { Database } from '../statements.js'
import { typeOf } from '../values.js'

const exactTypes = /^(int|blob|real)/

// sql.js. Drizzle 1.0 gives node:sqlite's session the same name: what only the client of sql.js can do tells them apart.
function losesByteOrderMark({ session }: Database): boolean {
  return kindOf(session) === 'SQLJsSession' && typeof session?.client?.getRowsModified === 'function'
}

export const sqlite: Dialect = {
  name: 'sqlite',
  ...returning,

  suited(db) {
    return losesByteOrderMark(db) ? withoutByteOrderMarks(this) : this
  },

  prepare(query, answers) {
    const prepared = query.prepare()
    return answers ? (values) => prepared.all(values) : (values) => prepared.run(values)
  },

  once: (query, answers) => sqlite.prepare(query, answers),

  // A column may be declared with `collate nocase` or `rtrim`, or have a type that takes '1e3' for 1000. What is joined to it has no
  // collation; `collate binary` would say so more plainly, but rqlite cannot read it and then keeps the rows of RETURNING to itself.
  same: (column, value) =>
    exactTypes.test(typeOf(column))
      ? eq(column, value)
      : (and(eq(column, value), sql`(cast(${column} as text) || '') = cast(${value} as text)`) as SQL),

  // Text with NUL ends there for SQLite's functions and for some of its drivers, which give back less than was stored.
  misfit: (_column, sent) => (typeof sent === 'string' && sent.includes('\0') ? 'invalid' : undefined),

  // Not every SQLite knows DELETE with a LIMIT. Nobody else deletes meanwhile.
  picking: sql``,

  literal: () => undefined,

  failures: [
    [/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID)$|UNIQUE constraint failed/, 'duplicate'],
    [/^SQLITE_CONSTRAINT_FOREIGNKEY$|FOREIGN KEY constraint failed/, 'unknown-user'],
    [/^SQLITE_CONSTRAINT_NOTNULL$|NOT NULL constraint failed/, 'missing-value'],
    [/^SQLITE_CONSTRAINT_(CHECK|DATATYPE)$|^SQLITE_MISMATCH$|CHECK constraint failed|datatype mismatch/, 'invalid'],
    [/^SQLITE_TOOBIG$|string or blob too big/, 'too-long'],
    // Another connection writes: a statement that finds so, even at its end, is rolled back.
    [/^SQLITE_(BUSY|LOCKED)\w*$|database (table )?is locked/, 'conflict', 'nothing'],
    [/^SQLITE_(CANTOPEN|IOERR|NOTADB)\w*$|unable to open database|(connection|database) is not open/, 'unreachable'],
    [/^SQLITE_READONLY\w*$|readonly database/, 'read-only'],
    [/^SQLITE_FULL$|database or disk is full/, 'full'],
    [/^SQLITE_(AUTH|PERM)$/, 'denied'],
    [/^SQLITE_INTERRUPT$/, 'timeout'],
    [/no such (table|column)|has no column named/, 'schema'],
    // rqlite, before it took the statement, and after.
    [/^(leader not found|not leader)$|on remote node at .*: connection refused$/, 'unreachable', 'nothing'],
    [/leadership lost|on remote node at /, 'unreachable', 'unclear'],
    // Cloudflare's D1.
    [/^(D1_ERROR: )?Network connection lost|object to be reset|reset because its code|D1 DB is overloaded/, 'unreachable', 'unclear'],
    ...connectionCodes,
  ],
}
