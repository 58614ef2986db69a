import { int as myInt, mysqlTable, varchar } from 'drizzle-orm/mysql-core'
import { integer as pgInteger, pgTable, text as pgText } from 'drizzle-orm/pg-core'
import { integer as liteInteger, text as liteText, sqliteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { mysql } from '../../src/mysql/dialect.js'
import { pg } from '../../src/pg/dialect.js'
import type { FailureKind, Retry } from '../../src/query/errors.js'
import { toFailure } from '../../src/query/failures.js'
import { sqlite } from '../../src/sqlite/dialect.js'

// What the codes and messages of databases and their drivers mean. test/failures provokes those that a server can be made to give.

const dialects = { pg, mysql, sqlite }
type Name = keyof typeof dialects

/** Codes, whole messages, and parts of messages, with what they mean. */
type Meaning = [kind: FailureKind, retry: Retry | undefined, signs: string[], parts?: string[]]

const meanings: Record<Name, Meaning[]> = {
  pg: [
    ['duplicate', undefined, ['23505']],
    ['unknown-user', undefined, ['23503']],
    ['still-referenced', undefined, ['23001']],
    ['missing-value', undefined, ['23502']],
    ['too-long', undefined, ['22001', '54000']],
    ['garbled', undefined, ['2201G', '22021']],
    ['invalid', undefined, ['22003', '22P02', '23514']],
    ['conflict', 'always', ['40001', '40P01', '55P03']],
    ['conflict', undefined, ['40003', '40002', '25P02']],
    ['timeout', undefined, ['57014', '25P03', '25P04', 'Query read timeout']],
    ['unreachable', 'always', ['57P03', '53300', '08001', '08004', 'CONNECT_TIMEOUT', 'timeout exceeded when trying to connect']],
    ['unreachable', 'reads', ['57P01', '57P02', '57P05', '08000', '08003', '08006', 'CONNECTION_CLOSED']],
    ['unreachable', 'reads', ['Connection terminated unexpectedly']],
    ['unreachable', undefined, ['08P01', '57P04', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED']],
    ['unreachable', undefined, [], ['Cannot use a pool after calling end on the pool']],
    ['denied', undefined, ['42501', '28000', '28P01']],
    ['read-only', undefined, ['25006']],
    ['full', undefined, ['53100', '53200']],
    ['schema', undefined, ['42P01', '42703', '3F000', '3D000']],
    ['unknown', undefined, ['42601', 'XX000', '2200', '0800', '4000', '2800']],
  ],
  mysql: [
    ['duplicate', undefined, ['1062', '1586']],
    ['unknown-user', undefined, ['1452', '1216']],
    ['still-referenced', undefined, ['1451', '1217']],
    ['missing-value', undefined, ['1048', '1364']],
    ['too-long', undefined, ['1406', '1153']],
    [
      'invalid',
      undefined,
      ['1264', '1265', '1267', '1270', '1271', '1292', '1300', '1366', '1411', '3140', '3819', '3854', '3988', '4025'],
    ],
    ['conflict', 'always', ['1205', '1213', '3101', '1180', '3572', '8002', '8005', '8022', '8028', '9007']],
    ['timeout', undefined, ['1317', '1969', '3024', 'PROTOCOL_SEQUENCE_TIMEOUT', 'ETIMEDOUT']],
    ['unreachable', 'always', ['1040', '1203', '1226', '1047', 'POOL_NONEONLINE', 'connect ETIMEDOUT']],
    ['unreachable', 'always', ['No connections available.', 'Queue limit reached.']],
    ['unreachable', 'reads', ['1053', '1152', '1159', '1161', '1927', '2006', '2013', '4031', 'PROTOCOL_CONNECTION_LOST']],
    ['unreachable', undefined, ['1077', '2002', '2003', 'POOL_CLOSED']],
    ['unreachable', undefined, [], ['Cannot add new command when connection is in closed state']],
    ['denied', undefined, ['1044', '1045', '1142', '1143', '1227', '1698', '1820', '1862', '3118', '3955', '4151']],
    ['read-only', undefined, ['1290', '1792', '1836']],
    ['full', undefined, ['1021', '1114']],
    ['schema', undefined, ['1049', '1054', '1146']],
    ['unknown', undefined, ['1064', 'No connections available, not one', 'the Pool is closed']],
  ],
  sqlite: [
    ['duplicate', undefined, ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_ROWID']],
    ['duplicate', undefined, [], ['UNIQUE constraint failed: user.email']],
    ['unknown-user', undefined, ['SQLITE_CONSTRAINT_FOREIGNKEY'], ['FOREIGN KEY constraint failed']],
    ['missing-value', undefined, ['SQLITE_CONSTRAINT_NOTNULL'], ['NOT NULL constraint failed: user.email']],
    ['invalid', undefined, ['SQLITE_CONSTRAINT_CHECK', 'SQLITE_CONSTRAINT_DATATYPE', 'SQLITE_MISMATCH']],
    ['invalid', undefined, [], ['CHECK constraint failed: age > 0', 'datatype mismatch']],
    ['too-long', undefined, ['SQLITE_TOOBIG'], ['string or blob too big']],
    ['conflict', 'always', ['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_LOCKED', 'SQLITE_LOCKED_SHAREDCACHE', 'TRANSACTION_ACTIVE']],
    ['conflict', 'always', [], ['database is locked', 'database table is locked', 'cannot commit - SQL statements in progress']],
    ['unreachable', undefined, ['SQLITE_CANTOPEN', 'SQLITE_CANTOPEN_ISDIR', 'SQLITE_IOERR', 'SQLITE_IOERR_READ', 'SQLITE_NOTADB']],
    ['unreachable', undefined, [], ['unable to open database file', 'The database connection is not open', 'database is not open']],
    ['read-only', undefined, ['SQLITE_READONLY', 'SQLITE_READONLY_DBMOVED'], ['attempt to write a readonly database']],
    ['full', undefined, ['SQLITE_FULL'], ['database or disk is full']],
    ['denied', undefined, ['SQLITE_AUTH', 'SQLITE_PERM']],
    ['timeout', undefined, ['SQLITE_INTERRUPT']],
    ['schema', undefined, [], ['no such table: user', 'no such column: nick', 'table user has no column named nick']],
    ['garbled', undefined, [], ['1 cannot be safely represented as a JavaScript number']],
    ['garbled', undefined, [], ['Value is too large to be represented as a JavaScript number']],
    ['unreachable', 'always', ['leader not found', 'not leader']],
    ['unreachable', 'reads', [], ['leadership lost while committing', 'on remote node at 10.0.0.1:4002: EOF']],
    ['unreachable', 'reads', [], ['storage caused object to be reset', 'reset because its code was updated', 'D1 DB is overloaded']],
    ['unknown', undefined, ['SQLITE_ERROR', 'SQLITE_CORRUPT', 'a Network connection lost']],
  ],
}

const meaningOf = (name: Name, message: string) => {
  // By its message, an error is told as by its code.
  const { kind, retry } = toFailure({ message }, dialects[name].sql.failures, undefined, 'write-for-user')
  return { kind, retry }
}

describe.each(Object.keys(meanings) as Name[])('the failures of %s', (name) => {
  test.each(meanings[name])('that are %s and allow another try %s: %j', (kind, retry, signs, parts = []) => {
    for (const sign of signs) {
      expect({ sign, ...meaningOf(name, sign) }).toEqual({ sign, kind, retry })
      const failure = toFailure({ code: sign }, dialects[name].sql.failures, undefined, 'write-for-user')
      if (!sign.includes(' ')) expect({ sign, kind: failure.kind, code: failure.details.code }).toEqual({ sign, kind, code: sign })
      // No code is part of another one.
      if (kind !== 'unknown')
        for (const other of [`x-${sign}`, `${sign}-x`]) expect({ other, ...meaningOf(name, other) }).not.toEqual({ other, kind, retry })
    }
    for (const part of parts)
      for (const message of [part, `Error: ${part}`, `${part}.`])
        expect({ message, ...meaningOf(name, message) }).toEqual({ message, kind, retry })
  })
})

test.each<[Name, string, FailureKind, Retry | undefined]>([
  ['pg', 'Connection terminated due to connection timeout', 'unreachable', 'always'],
  ['pg', 'Connection terminated', 'unreachable', undefined],
  ['mysql', 'Pool is closed.', 'unreachable', undefined],
  ['sqlite', 'Network connection lost.', 'unreachable', 'reads'],
  ['sqlite', 'D1_ERROR: Network connection lost.', 'unreachable', 'reads'],
])('on %s, a message that begins so: %s', (name, message, kind, retry) => {
  expect(meaningOf(name, message)).toEqual({ kind, retry })
  expect(meaningOf(name, `x${message}`).kind).toBe('unknown')
})

test('rqlite says whether it had a connection to the leader', () => {
  const refused = 'error on remote node at 10.0.0.1:4002: connection refused'
  expect(meaningOf('sqlite', refused)).toEqual({ kind: 'unreachable', retry: 'always' })
  expect(meaningOf('sqlite', `${refused} later`)).toEqual({ kind: 'unreachable', retry: 'reads' })
})

test('a failure that a setting would prevent says which', () => {
  const hintOf = (name: Name, error: object) => toFailure(error, dialects[name].sql.failures).details.hint
  expect(hintOf('pg', { code: '22021' })).toContain('client_encoding')
  expect(hintOf('sqlite', { message: 'cannot be safely represented as a JavaScript number' })).toBe(sqlite.sql.failures.integerHint)
  for (const [name, option] of [
    ['pg', "mode: 'bigint'"],
    ['mysql', 'supportBigNumbers'],
    ['sqlite', 'defaultSafeIntegers'],
  ] as const)
    expect(dialects[name].sql.failures.integerHint).toContain(option)
})

const people = {
  pg: pgTable('people', { email: pgText().unique('email_key'), nick: pgText('the nick'), age: pgInteger() }),
  mysql: mysqlTable('people', {
    email: varchar({ length: 9 }).unique('email_key'),
    nick: varchar('the nick', { length: 9 }),
    age: myInt(),
  }),
  sqlite: sqliteTable('people', { email: liteText().unique('email_key'), nick: liteText('the_nick'), age: liteInteger() }),
}

test.each<[Name, string, string, string | undefined]>([
  ['pg', '42703', 'column "the nick" does not exist', 'the nick'],
  ['pg', '42703', 'column people.age does not exist', 'age'],
  ['pg', '42703', 'column "age" of relation "people" does not exist', 'age'],
  ['pg', '42703', 'the column "age" does not exist', undefined],
  ['pg', '42703', 'column "age" does not exist, or does it', undefined],
  ['mysql', '1048', "Column 'email' cannot be null", 'email'],
  ['mysql', '1364', "Field 'age' doesn't have a default value", 'age'],
  ['mysql', '1406', "Data too long for column 'the nick' at row 1", 'the nick'],
  ['mysql', '1054', "Unknown column 'people.age' in 'field list'", 'age'],
  ['mysql', '1366', "Incorrect value: 'column 'email' x' for column 'age' at row 1", 'age'],
  ['mysql', '1366', 'Incorrect value for column `auth`.`people`.`age` at row 1', 'age'],
  ['mysql', '1366', 'Incorrect value for column `age`', 'age'],
  ['mysql', '1366', "Incorrect value 'xcolumn 'email''", undefined],
  ['mysql', '1062', "Duplicate entry 'ada' for key 'people.email_key'", 'email'],
  ['mysql', '1062', "Duplicate entry 'ada' for key 'email_key'", 'email'],
  ['mysql', '1062', "Duplicate entry 'ada' for key 'email_key' and more", undefined],
  ['mysql', '1062', "Duplicate entry 'x for key 'age'' for key 'people.email_key'", 'email'],
  ['mysql', '1062', "Duplicate entry 'x for key 'age' x' for key 'PRIMARY'", undefined],
  ['sqlite', 'SQLITE_CONSTRAINT_UNIQUE', 'UNIQUE constraint failed: people.email', 'email'],
  ['sqlite', 'SQLITE_CONSTRAINT_UNIQUE', 'UNIQUE constraint failed: people.email, people.age', undefined],
  ['sqlite', 'SQLITE_CONSTRAINT_NOTNULL', 'NOT NULL constraint failed: people.age', 'age'],
  ['sqlite', 'SQLITE_ERROR', 'no such column: age', 'age'],
  ['sqlite', 'SQLITE_ERROR', 'no such column: "the_nick" - should this be a string literal?', 'the_nick'],
  ['sqlite', 'SQLITE_ERROR', 'table people has no column named age', 'age'],
  ['sqlite', 'SQLITE_ERROR', 'table people has no column named "age"', 'age'],
])('on %s, %s: %s', (name, code, message, column) => {
  const { details } = toFailure({ code, message }, dialects[name].sql.failures, people[name])
  expect(details).toMatchObject({ table: 'people', column })
})
