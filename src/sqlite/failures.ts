import type { FailureCodes, FailureRules } from '../query/failures.js'

export const integerHint =
  "have the driver return 64-bit integers exactly: defaultSafeIntegers in better-sqlite3, intMode: 'bigint' in libSQL, readBigInts in node:sqlite"

const missingDefault =
  'on SQLite, Drizzle sends null for a column without a value, and ignores a default that only the database has: declare it with .default() in the table definition'

const unopened = 'is it a SQLite database, and may this process open it?'

// Names of SQLite's result codes where the driver has them, otherwise its messages.
const codes: FailureCodes = [
  [/^SQLITE_CONSTRAINT_FOREIGNKEY$|FOREIGN KEY constraint failed/, 'reference'], // With RESTRICT, its code is that of a trigger.
  // The message is the trigger's own. node:sqlite and Bun have the number, D1 appends the name.
  [/^1811$|SQLITE_CONSTRAINT_TRIGGER\b/, 'unknown'],
  [/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID)$|UNIQUE constraint failed/, 'duplicate'],
  [/^SQLITE_CONSTRAINT_NOTNULL$|NOT NULL constraint failed/, 'missing-value', { hint: missingDefault }],
  [/^SQLITE_CONSTRAINT_(CHECK|DATATYPE)$|^SQLITE_MISMATCH$|CHECK constraint failed|datatype mismatch/, 'invalid'],
  [/^SQLITE_TOOBIG$|string or blob too big/, 'too-long'],
  // Another connection writes: a statement that finds so, even at its end, is rolled back.
  [/^SQLITE_(BUSY|LOCKED)|database (table )?is locked|SQL statements in progress|^TRANSACTION_ACTIVE$/, 'conflict', { retry: 'always' }],
  [/^SQLITE_(CANTOPEN|NOTADB)\w*$|unable to open database/, 'unreachable', { hint: unopened }],
  [/^SQLITE_IOERR\w*$|(connection|database) is not open/, 'unreachable'],
  [/^SQLITE_READONLY\w*$|readonly database/, 'read-only'],
  [/^SQLITE_FULL$|database or disk is full/, 'full'],
  [/^SQLITE_(AUTH|PERM)$/, 'denied'],
  [/^SQLITE_INTERRUPT$/, 'timeout'],
  [/no such (table|column)|has no column named/, 'schema'],
  [/(safely|too large to be) represented as a JavaScript number/, 'garbled', { hint: integerHint }], // libSQL, and node:sqlite.
  // rqlite: before it accepted the statement, and after.
  [/^(leader not found|not leader)$|on remote node at .*: connection refused$/, 'unreachable', { retry: 'always' }],
  [/leadership lost|on remote node at /, 'unreachable', { retry: 'reads' }],
  [/Network connection lost|object to be reset|reset because its code|D1 DB is overloaded/, 'unreachable', { retry: 'reads' }], // D1
]

// Some append the code: `: SQLITE_CONSTRAINT` (D1, Durable Objects), ` (19)` (@tursodatabase/database).
const named = /(?:UNIQUE|NOT NULL) constraint failed: ([^\s,:]+)(?:$|: SQLITE| \()|(?:no such column:|has no column named) "?([^\s"]+)/

export const failures: FailureRules = { codes, namesIn: ({ message }) => ({ possible: named.exec(String(message))?.slice(1) ?? [] }) }
