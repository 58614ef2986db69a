import { defineTables } from 'drizzle-auth-adapter/pg'
import { pgTable, text } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { failures as mysqlFailures } from '../../../src/mysql/failures.js'
import { failures } from '../../../src/pg/failures.js'
import { toFailure } from '../../../src/query/failures.js'
import { failures as sqliteFailures } from '../../../src/sqlite/failures.js'

const { sessionsTable, usersTable } = defineTables()

test.each([
  ['PostgreSQL', failures, { code: '53300', routine: 'InitProcess' }],
  ['MySQL, for an account', mysqlFailures, { code: 'ER_USER_LIMIT_REACHED', errno: 1226 }],
  ['MariaDB, for an account', mysqlFailures, { code: 'ER_TOO_MANY_USER_CONNECTIONS', errno: 1203 }],
  ['MySQL', mysqlFailures, { code: 'ER_CON_COUNT_ERROR', errno: 1040 }],
])('the connection limit of %s is unreachable, and any statement may be repeated', (_, all, details) => {
  const error = Object.assign(new Error('too many connections'), details)
  expect(toFailure(error, all, usersTable, 'write')).toMatchObject({ kind: 'unreachable', retry: 'always' })
})

test('PostgreSQL 18 has a code of its own for RESTRICT, and names the table and the constraint', () => {
  const error = Object.assign(
    new Error('update or delete on table "user" violates RESTRICT setting of foreign key constraint "post_key" on table "post"'),
    {
      code: '23001',
      detail: 'Key (id)=(secret) is referenced from table "post".',
      table_name: 'post',
      constraint_name: 'post_key',
      routine: 'ri_ReportViolation',
    },
  )
  expect(toFailure(error, failures, usersTable, 'delete')).toMatchObject({
    kind: 'still-referenced',
    details: { code: '23001', table: 'user', column: undefined, constraint: 'post_key', hint: 'the table post refers to it' },
  })
})

test('in Bun, where every error has the number of a column in its source, the column of the table is named', () => {
  const details = { code: '23502', column_name: 'email', column: 20, routine: 'ExecConstraints' }
  const { details: found } = toFailure(Object.assign(new Error('null value'), details), failures, usersTable, 'write')
  expect(found).toMatchObject({ table: 'user', column: 'email' })
  const ofBun = toFailure(Object.assign(new Error('null value'), { ...details, column_name: undefined }), failures, usersTable, 'write')
  expect(ofBun.details.column).toBeUndefined()
})

test('a trigger that reports a violated foreign key with names of its own does not name the reference', () => {
  const details = { code: '23503', column: 'userId', constraint: 'user_email_unique', routine: 'exec_stmt_raise' }
  const failure = toFailure(Object.assign(new Error('wrong tenant'), details), failures, sessionsTable, 'write')
  expect(failure.details).toMatchObject({ table: 'session', column: undefined, constraint: undefined })
})

test('a column with a point in its name is named', () => {
  const table = pgTable('session', { id: text().primaryKey(), userId: text('user.id') })
  const details = { code: '23503', table: 'session', detail: 'Key ("user.id")=(secret) is not present', routine: 'ri_ReportViolation' }
  const failure = toFailure(Object.assign(new Error('violates'), details), failures, table, 'write')
  expect(failure.details.column).toBe('user.id')
})

test('the words of a trigger of D1 are not taken for those of SQLite, except for a violated foreign key', () => {
  const kindOf = (words: string) =>
    toFailure(
      new Error(`D1_ERROR: ${words}: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_TRIGGER)`),
      sqliteFailures,
      usersTable,
      'delete',
    )
  expect(kindOf('database is locked')).toMatchObject({ kind: 'unknown', retry: undefined })
  expect(kindOf('UNIQUE constraint failed: user.email')).toMatchObject({ kind: 'unknown' })
  expect(kindOf('FOREIGN KEY constraint failed')).toMatchObject({ kind: 'still-referenced' })
})

test('of several addresses of a host, the first is named', () => {
  const refused = (address: string) => Object.assign(new Error(`connect ECONNREFUSED ${address}:5432`), { address, port: 5432 })
  const error = Object.assign(new AggregateError([refused('::1'), refused('127.0.0.1')]), { code: 'ECONNREFUSED' })
  expect(toFailure(new Error('Failed query: secret', { cause: error }), failures).message).toMatch(/no server answers at ::1 port 5432\./)
})
