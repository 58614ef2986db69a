import { pgSchema, text } from 'drizzle-orm/pg-core'
import { describe, expect, test } from 'vitest'
import { models } from '../../src/contract.js'
import { mysql } from '../../src/mysql/dialect.js'
import { defineTables as defineMysql } from '../../src/mysql/tables.js'
import { pg } from '../../src/pg/dialect.js'
import { defineTables as definePg } from '../../src/pg/tables.js'
import { dialectOfDatabase } from '../../src/query/detection.js'
import type { Selection } from '../../src/query/dialect.js'
import type { Database } from '../../src/query/drizzle.js'
import type { Answer } from './scripted.js'
import { cache, failureOf, scripted } from './scripted.js'

// The statements that delete a user and what belongs to it. test/failures/delete-user-*.test.ts run them on servers.

const dialects = { pg, mysql }
const tablesOf = { pg: definePg(), mysql: defineMysql() }
type Name = keyof typeof dialects

const row = ['1', null, 'ada@example.com', null, null]
const ada = { id: '1', name: null, email: 'ada@example.com', emailVerified: null, image: null }
const none: unknown[][] = []
const header = (affectedRows: number) => ({ affectedRows, insertId: 0 })
const error = (code: string) => Object.assign(new Error('it failed'), { code })

/** Deletes the user 1, its accounts and its sessions, on a server that gives these answers. */
async function deleteUser(name: Name, answers: Answer[], change: (db: Database) => Database = (db) => db) {
  const { statementsOf, db, ...sent } = scripted(name, ...answers)
  const { usersTable, accountsTable, sessionsTable } = tablesOf[name]
  const own = { userId: '1' }
  const changed = change(db)
  const belongings: Selection[] = [
    [statementsOf(accountsTable, ['provider', 'providerAccountId'], models.accounts, changed), own],
    [statementsOf(sessionsTable, ['sessionToken'], models.sessions, changed), own],
  ]
  const users = statementsOf(usersTable, ['id'], models.users, changed)
  const result = dialects[name].writes.removeUser(users, { id: '1' }, belongings)
  return { ...sent, found: await result.catch((failure: unknown) => failure), failure: await failureOf(result) }
}

/** A statement without quotes, and in one line. */
const plain = (statement: string | undefined) => statement?.replaceAll(/[`"]/g, '').replaceAll(/\s+/g, ' ')

test.each(Object.keys(dialects) as Name[])('%s has the name by which its databases are known', (name) => {
  expect(dialects[name].name).toBe(dialectOfDatabase(scripted(name).db, 'test'))
})

describe('on MySQL', () => {
  test('everything goes in one statement, in which the user comes last', async () => {
    const { found, statements, parameters } = await deleteUser('mysql', [[row], header(4)])
    expect(found).toEqual(ada)
    expect(statements).toHaveLength(2)
    expect(plain(statements[1])).toBe(
      'delete from account, session, user using (select 0 as auth_part union all select 1 as auth_part) as auth_parts' +
        ' left join account on auth_part = 0 and account.userId = ? left join session on auth_part = 1 and session.userId = ?' +
        ' straight_join user on user.id = ?',
    )
    expect(parameters[1]).toEqual(['1', '1', '1'])
  })

  test('of concurrent callers, one gets the user', async () => {
    const { found, commands } = await deleteUser('mysql', [[row], header(0)])
    expect(found).toBeNull()
    expect(commands()).toEqual(['select', 'delete'])
  })

  test('without the user, rows that no user has are deleted', async () => {
    const { found, statements, commands } = await deleteUser('mysql', [none, none, header(0), header(0)])
    expect(found).toBeNull()
    expect(commands()).toEqual(['select', 'select', 'delete', 'delete'])
    expect(plain(statements[2])).toMatch(/^delete from account where .* not exists \(select 1 from user /)
  })

  test.each(['1442', '1175'])('where that statement is not allowed (%s), the user goes first, and then its rows', async (code) => {
    const { found, statements } = await deleteUser('mysql', [[row], error(code), [row], header(1), header(1), header(1)])
    expect(found).toEqual(ada)
    expect(statements.slice(3).map(plain)).toEqual([
      'delete from user where user.id = ?',
      'delete from account where account.userId = ?',
      'delete from session where session.userId = ?',
    ])
  })

  test.each([
    ['1452', 'still-referenced'],
    ['1317', 'timeout'],
    ['11442', 'unknown'],
    ['14420', 'unknown'],
  ])('another failure (%s) is thrown as %s', async (code, kind) => {
    const { failure, commands } = await deleteUser('mysql', [[row], error(code)])
    expect(failure).toMatchObject({ kind, details: { code } })
    expect(commands()).toEqual(['select', 'delete'])
  })
})

describe('on PostgreSQL', () => {
  // Without its parentheses, and with one word for the conditions that test/query/pg-dialect.test.ts is about.
  const outline = (statement: string | undefined) =>
    plain(statement)
      ?.replaceAll(/[()]|width_bucket.*? = 1\)* and /g, '')
      .replaceAll(/(\S+) = \$\d+ and \1::text collate C = \$\d+::text/g, '$1 is ours')
      .replaceAll(/\$\d+/g, '?')

  const isOurs = (column: string) =>
    `${column} is ours and exists select 1 from deleted_user or not exists select 1 from user where user.id is ours and not row_security_active?::regclass`
  const expected =
    'with deleted_user as delete from user where user.id is ours returning 1 as one,' +
    ` belonging_0 as delete from account where ${isOurs('account.userId')}, belonging_1 as delete from session where ${isOurs('session.userId')}` +
    ' select id, name, email, floorextractepoch from user.emailVerified * 1000::text, image' +
    ' from user where user.id is ours and exists select 1 from deleted_user'

  /** A transaction of the app, in which nothing runs but savepoints. */
  const inTransaction = (db: Database) =>
    ({ rollback: () => {}, transaction: (run: (savepoint: Database) => unknown) => run(db) }) as unknown as Database

  test('everything goes in one statement, also if the user is gone already', async () => {
    const { found, statements, parameters } = await deleteUser('pg', [[row]])
    expect(found).toEqual(ada)
    expect(statements.map(outline)).toEqual([expected])
    expect([...new Set(parameters[0])]).toEqual(['1', '"user"'])
    expect(await deleteUser('pg', [none])).toMatchObject({ found: null })
  })

  test('in a transaction of the app, the statement runs in a savepoint', async () => {
    const { found, statements } = await deleteUser('pg', [[row]], inTransaction)
    expect(found).toEqual(ada)
    expect(statements.map(outline)).toEqual([expected])
  })

  test("Drizzle's cache forgets all of these tables", async () => {
    const forgotten: unknown[] = []
    const invalidate = async ({ tables }: { tables: unknown[] }) => forgotten.push(...tables)
    await deleteUser('pg', [[row]], (db) => Object.assign(Object.create(db), { $cache: { invalidate } }))
    const { usersTable, accountsTable, sessionsTable } = tablesOf.pg
    expect(forgotten).toEqual([usersTable, accountsTable, sessionsTable])
    for (const $cache of [undefined, {}])
      expect(await deleteUser('pg', [[row]], (db) => Object.assign(Object.create(db), { $cache }))).toMatchObject({ found: ada })
  })

  test("the statement is not answered from Drizzle's cache", async () => {
    // Otherwise it is, whatever the driver then makes of it.
    const { db, statements } = scripted('pg')
    const { usersTable } = definePg()
    await Promise.allSettled([cache(db, none).select({ id: usersTable.id }).from(usersTable)])
    expect(statements).toEqual([])
    for (const inside of [(db: Database) => db, inTransaction]) {
      const deleted = await deleteUser('pg', [[row]], (db) => inside(cache(db, none)))
      expect(deleted.found).toEqual(ada)
      expect(deleted.statements.map(outline)).toEqual([expected])
    }
  })

  test('policies are looked for by the name of the table with its schema', async () => {
    const { statementsOf, parameters } = scripted('pg', none)
    const users = statementsOf(pgSchema('auth').table('the from users', { id: text().primaryKey() }), ['id'], {})
    const sessions = statementsOf(tablesOf.pg.sessionsTable, ['sessionToken'], models.sessions)
    await pg.writes.removeUser(users, { id: '1' }, [[sessions, { userId: '1' }]])
    expect(parameters[0]).toContain('"auth"."the from users"')
  })

  test.each(['0A000', '27000'])('where that statement is not allowed (%s), the user goes first, and then its rows', async (code) => {
    const { found, commands, statements } = await deleteUser('pg', [error(code), [row], none, none])
    expect(found).toEqual(ada)
    expect(commands()).toEqual(['with', 'delete', 'delete', 'delete'])
    expect(outline(statements[2])).toBe('delete from account where account.userId is ours')
  })

  test.each([
    ['23503', 'still-referenced'],
    ['40P01', 'conflict'],
    ['A_0A000', 'unknown'],
    ['270001', 'unknown'],
  ])('another failure (%s) is thrown as %s', async (code, kind) => {
    for (const change of [undefined, inTransaction]) {
      const { failure, commands } = await deleteUser('pg', [error(code)], change)
      expect(failure).toMatchObject({ kind, details: { code } })
      expect(commands()).toEqual(['with'])
    }
  })
})
