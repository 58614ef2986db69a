import { getTableColumns } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import * as post from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import * as lite from 'drizzle-orm/sqlite-core'
import { drizzle as drizzleSqlite } from 'drizzle-orm/sqlite-proxy'
import { describe, expect, test } from 'vitest'
import * as checks from '../../../src/doctor/checks/columns.js'
import type { Finding } from '../../../src/doctor/finding.js'
import type { LiveColumn } from '../../../src/doctor/inspector.js'
import { mysql } from '../../../src/doctor/mysql.js'
import { pg } from '../../../src/doctor/pg.js'
import { sqlite } from '../../../src/doctor/sqlite.js'
import { describeTable, givenTables } from '../../../src/doctor/subject.js'
import { defineTables as defineMysql } from '../../../src/mysql/tables.js'
import { defineTables as definePg } from '../../../src/pg/tables.js'
import type { Database } from '../../../src/query/drizzle.js'
import { defineTables as defineSqlite } from '../../../src/sqlite/tables.js'

// These checks compare the tables in code with those in the database, and read nothing.
const unread = async () => ({ rows: [] })
const dialects = {
  pg: { inspector: pg, connect: () => drizzlePg(unread), tables: definePg() },
  mysql: { inspector: mysql, connect: () => drizzleMysql(unread), tables: defineMysql() },
  sqlite: { inspector: sqlite, connect: () => drizzleSqlite(unread), tables: defineSqlite() },
}
type DialectName = keyof typeof dialects
type Change = Partial<LiveColumn> | 'missing'

/** What the checks find where the database has the tables of the code, but for these changes to columns such as `user.email`. */
function find(dialect: DialectName, changes: Record<string, Change>, tables: object = dialects[dialect].tables): Finding[] {
  const { inspector, connect } = dialects[dialect]
  const db = connect() as unknown as Database
  const left = new Set(Object.keys(changes))
  const described = givenTables(tables as never).map((given) => {
    const changeOf = (column: string) => {
      const path = `${given.names.name}.${column}`
      left.delete(path)
      return changes[path]
    }
    const columns = Object.values(getTableColumns(given.table)).flatMap((column): LiveColumn[] => {
      const change = changeOf(column.name)
      if (change === 'missing') return []
      const type = change?.type ?? column.getSQLType()
      return [
        {
          ...inspector.parseType(type),
          name: column.name,
          type,
          notNull: column.notNull && !column.hasDefault,
          isFilled: false,
          ...change,
        },
      ]
    })
    const unknown = changeOf('tenant')
    if (typeof unknown === 'object')
      columns.push({ holds: 'integer', name: 'tenant', type: 'integer', notNull: false, isFilled: false, ...unknown })
    const live = { schema: '', name: given.names.name, columns, keys: [], foreignKeys: [] }
    return describeTable(db, inspector, given, live)
  })
  if (left.size > 0) throw new Error(`no column ${[...left]}`)
  const subject = { db, inspector, tables: described, attempt: async () => [] }
  return Object.values(checks).flatMap((check) => check(subject) as Finding[])
}

const summary = (findings: Finding[]) => findings.map(({ code, table, column }) => `${code} ${table}.${column}`)

describe.each(['pg', 'mysql', 'sqlite'] as const)('columns on %s', (dialect) => {
  test('are right where the database has what the code says', () => expect(find(dialect, {})).toEqual([]))

  test('may be missing', () => {
    const findings = find(dialect, { 'user.image': 'missing', 'session.expires': 'missing' })
    expect(summary(findings)).toEqual(['missing-column user.image', 'missing-column session.expires'])
    expect(findings[0]).toMatchObject({ severity: 'error', fix: expect.stringContaining('migrations') })
  })

  test('may have another type, which the fix changes', () => {
    const { quote, changeType } = dialects[dialect].inspector
    const [finding, ...others] = find(dialect, { 'session.expires': { type: 'json', holds: 'json' } })
    const declared = dialects[dialect].tables.sessionsTable.expires.getSQLType()
    expect(finding).toMatchObject({
      code: 'wrong-type',
      message: expect.stringMatching(/ is json in the database, and \w+/),
      fix: changeType(quote('session'), quote('expires'), declared, true),
    })
    expect(finding?.message).toContain(declared)
    expect(others).toEqual([])
  })

  test('may be required in the database only', () => {
    const known = find(dialect, { 'user.image': { notNull: true } })
    expect(summary(known)).toEqual(['required-column user.image'])
    expect(known[0]?.fix).toContain('.notNull()')
    const unknown = find(dialect, { 'user.tenant': { notNull: true } })
    expect(summary(unknown)).toEqual(['required-column user.tenant'])
    const { quote } = dialects[dialect].inspector
    expect(unknown[0]?.fix).toContain(`ALTER TABLE ${quote('user')} DROP COLUMN ${quote('tenant')};`)
    expect(known[0]?.message).not.toBe(unknown[0]?.message)
    expect(find(dialect, { 'user.tenant': {} })).toEqual([])
  })

  test('may lack a part of Unicode', () => {
    const findings = find(dialect, { 'user.name': { narrowCharacterSet: 'latin1' } })
    expect(summary(findings)).toEqual(['character-set user.name'])
    expect(findings[0]?.message).toContain('latin1')
  })
})

test('a column that the code fills may be required in the database', () => {
  const usersTable = post.pgTable('user', { id: post.text(), email: post.text(), role: post.text().default('guest'), team: post.text() })
  const changes = { 'user.role': { notNull: true }, 'user.team': { notNull: true } }
  expect(summary(find('pg', changes, { usersTable }))).toEqual(['required-column user.team'])
})

test('a type of the app is not compared', () => {
  const role = lite.customType<{ data: string }>({ dataType: () => 'role' })
  const own = post.pgTable('user', { id: post.text(), email: post.text(), role: post.pgEnum('role', ['guest'])() })
  expect(find('pg', { 'user.role': { type: 'text', holds: 'text' } }, { usersTable: own })).toEqual([])
  const liteOwn = lite.sqliteTable('user', { id: lite.text(), email: lite.text(), role: role() })
  expect(summary(find('sqlite', { 'user.role': { type: 'text', holds: 'text' } }, { usersTable: liteOwn }))).toEqual([
    'wrong-type user.role',
  ])
})

describe('lengths', () => {
  test.each([
    ['user.id', 36],
    ['user.email', 254],
    ['account.userId', 36],
    ['account.provider', 32],
    ['account.providerAccountId', 255],
    ['account.access_token', 4096],
    ['account.refresh_token', 4096],
    ['account.id_token', 4096],
    ['account.scope', 1000],
    ['session.sessionToken', 46],
    ['session.userId', 36],
    ['verificationToken.identifier', 254],
    ['verificationToken.token', 64],
    ['authenticator.userId', 36],
    ['authenticator.credentialID', 1364],
    ['authenticator.providerAccountId', 1364],
    ['authenticator.credentialPublicKey', 500],
  ])('%s has real values of up to %i characters', (path, usual) => {
    const [short, ...others] = find('pg', { [path]: { length: usual - 1 } })
    expect(others).toEqual([])
    expect(short).toMatchObject({ code: 'too-short', message: expect.stringMatching(`holds ${usual - 1} characters.* up to ${usual}$`) })
    expect(short?.fix).toMatch(/^ALTER TABLE .* TYPE text /)
    // The code has no limit, so this is another finding.
    const [enough] = find('pg', { [path]: { type: `varchar(${usual})` } })
    expect(enough).toMatchObject({ code: 'too-short', message: expect.stringContaining(`varchar(${usual}), shorter than in your code`) })
  })

  const usersTable = my.mysqlTable('user', {
    id: my.varchar({ length: 20 }).primaryKey(),
    email: my.varchar({ length: 100 }).notNull(),
    image: my.varchar({ length: 500 }),
    key: my.varbinary({ length: 32 }),
    notes: my.text(),
    age: my.int(),
  })

  test.each<[string, Change, boolean]>([
    ['user.image', { type: 'varchar(499)' }, true],
    ['user.image', { type: 'varchar(500)' }, false],
    ['user.image', { type: 'varchar(501)' }, false],
    ['user.image', { type: 'longtext' }, false],
    // Bytes are not characters.
    ['user.image', { type: 'tinytext' }, false],
    ['user.key', { type: 'varchar(9)' }, false],
    ['user.key', { type: 'varbinary(9)' }, true],
    ['user.notes', { type: 'tinytext' }, true],
    ['user.age', { length: 1 }, false],
    // The database or the app makes ids, of a length that the code knows.
    ['user.id', { type: 'varchar(19)' }, true],
  ])('%s that is %j is too short: %s', (path, change, isShort) => {
    const others = ['too-short user.email']
    const found = summary(find('mysql', { [path]: change }, { usersTable }))
    expect(found.sort()).toEqual([...others, ...(isShort ? [`too-short ${path}`] : [])].sort())
  })

  test('have no fix in SQL where the code itself is too short', () => {
    expect(find('mysql', {}, { usersTable })).toEqual([expect.not.objectContaining({ fix: expect.anything() })])
    const long = my.mysqlTable('user', { id: my.varchar({ length: 20 }), email: my.varchar({ length: 254 }) })
    expect(find('mysql', { 'user.email': { type: 'varchar(253)' } }, { usersTable: long })[0]?.fix).toContain('MODIFY `email` varchar(254)')
  })

  test('do not matter where the type is another', () => {
    const other = my.mysqlTable('user', { id: my.int(), email: my.varchar({ length: 254 }), mood: my.mysqlEnum(['sad']) })
    expect(find('mysql', { 'user.mood': { type: 'varchar(9)' } }, { usersTable: other })).toEqual([])
    expect(summary(find('mysql', { 'user.email': { holds: 'json', length: 1 } }, { usersTable: other }))).toEqual(['wrong-type user.email'])
    expect(summary(find('mysql', { 'user.id': { type: 'varchar(9)' } }, { usersTable: other }))).toEqual(['wrong-type user.id'])
    const address = my.customType<{ data: string }>({ dataType: () => 'address' })
    const custom = my.mysqlTable('user', { id: my.int(), email: address() })
    expect(find('mysql', { 'user.email': { holds: 'bytes', length: 9 } }, { usersTable: custom })).toEqual([])
  })
})

describe('dates', () => {
  test.each<[DialectName, string, Change, string[]]>([
    ['pg', 'session.expires', { fraction: 2 }, ['no-milliseconds session.expires']],
    ['pg', 'session.expires', { fraction: 3 }, []],
    ['pg', 'user.emailVerified', { fraction: 0 }, ['no-milliseconds user.emailVerified']],
    ['mysql', 'verificationToken.expires', { type: 'datetime' }, ['no-milliseconds verificationToken.expires']],
    ['mysql', 'session.expires', { type: 'timestamp(3)' }, ['ends-in-2038 session.expires']],
    ['mysql', 'session.expires', { type: 'timestamp' }, ['no-milliseconds session.expires', 'ends-in-2038 session.expires']],
  ])('on %s, %s that is %j has the findings %j', (dialect, path, change, expected) => {
    const findings = find(dialect, { [path]: change })
    expect(summary(findings)).toEqual(expected)
    for (const { fix } of findings) expect(fix).toMatch(/^ALTER TABLE/)
  })

  test('in columns of the app may be of any kind', () => {
    const usersTable = my.mysqlTable('user', { id: my.int(), email: my.text(), born: my.timestamp() })
    expect(find('mysql', {}, { usersTable })).toEqual([])
  })

  test('lose what the code drops', () => {
    const sessionsTable = post.pgTable('session', { expires: post.timestamp({ precision: 2 }) })
    expect(summary(find('pg', { 'session.expires': { fraction: 3 } }, { sessionsTable }))).toEqual(['no-milliseconds session.expires'])
  })

  test('are of seconds if the code reads them so', () => {
    const sessionsTable = lite.sqliteTable('session', { expires: lite.integer({ mode: 'timestamp' }) })
    expect(summary(find('sqlite', {}, { sessionsTable }))).toEqual(['no-milliseconds session.expires'])
  })
})

describe('integers', () => {
  test.each<[DialectName, string, Change, string[]]>([
    ['pg', 'account.expires_at', { type: 'integer' }, ['small-integer account.expires_at']],
    ['pg', 'authenticator.counter', { type: 'integer' }, ['small-integer authenticator.counter']],
    ['pg', 'account.expires_in', { type: 'integer' }, []],
    ['mysql', 'authenticator.counter', { type: 'int' }, ['small-integer authenticator.counter']],
    ['mysql', 'authenticator.counter', { type: 'int unsigned' }, []],
    ['mysql', 'authenticator.counter', { type: 'decimal(20)' }, ['wrong-type authenticator.counter']],
  ])('on %s, %s that is %j has the findings %j', (dialect, path, change, expected) =>
    expect(summary(find(dialect, { [path]: change }))).toEqual(expected),
  )

  test('end at a number that is named', () => {
    expect(find('pg', { 'authenticator.counter': { type: 'integer' } })[0]).toMatchObject({
      message: expect.stringMatching(/ is integer,.* 2,147,483,647$/),
      fix: expect.stringMatching(/^ALTER TABLE .* TYPE bigint/),
    })
  })

  test('in columns of the app may be of any size', () => {
    const usersTable = post.pgTable('user', { id: post.text(), email: post.text(), counter: post.smallint() })
    expect(find('pg', {}, { usersTable })).toEqual([])
    const custom = post.customType<{ data: number }>({ dataType: () => 'counting' })
    const authenticatorsTable = post.pgTable('authenticator', { counter: custom() })
    const change = { type: 'numeric', bits: 3 }
    expect(find('pg', { 'authenticator.counter': change }, { authenticatorsTable })).toEqual([])
  })
})
