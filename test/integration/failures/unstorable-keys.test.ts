import { AdapterOperationError } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/pg'
import type { Table } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { createTable } from '../../support/ddl.js'
import { createTables, mysqlTables } from '../../support/loose.js'
import { migrationsOf } from '../../support/migrations.js'
import type { AnyAdapter } from './database.js'
import { changes, createRows, expectNotFound, lookups, makeAdapter, openDatabase, useDatabase } from './database.js'

const dialects = inject('dialects')

/** Every operation fails with an error of the database: no key is called nobody's because of a failure. */
async function expectInvalid(adapter: AnyAdapter, key: string, calls = { ...lookups, ...changes }) {
  const answers: Record<string, unknown> = {}
  for (const [operation, run] of Object.entries(calls))
    answers[operation] = await run(adapter, key).then(
      (answer) => ({ answer }),
      ({ kind }) => kind,
    )
  expect(answers).toEqual(Object.fromEntries(Object.keys(calls).map((operation) => [operation, 'invalid'])))
}

describe.runIf(dialects.includes('mysql')).each([
  ['latin1', ['\u{1F600}', 'jos\u0113', "\u{1F600}'"]],
  ['utf8mb3', ['\u{1F600}']],
])('a key outside the character set of a MySQL column in %s', (charset, unstorable) => {
  const database = useDatabase(
    () => openDatabase('mysql', { migrations: createTables(mysqlTables, '`', ` character set ${charset}`), tables: mysqlTables }),
    ({ adapter }) => createRows(adapter, 'jose'),
  )

  test.each(unstorable)('is an error of the database: %j', async (key) => {
    await expectInvalid(database().adapter, key)
    expect(await database().adapter.getSessionAndUser('jose')).toMatchObject({ user: { id: 'jose' } })
  })
})

interface IdColumn {
  /** The id column. */
  id: () => { $defaultFn(make: () => never): { primaryKey(): object } }
  /** A statement to run before the tables are created. */
  before?: string
  /** The id of the user, and keys that the column cannot store. */
  known: string
  unstorable: string[]
}

const uuid = '5f0c2a1e-7d0b-4b1a-9c2e-1a2b3c4d5e6f'
const digits = '9'.repeat(140_000)
const ofPg = (type: string) => () => pg.customType<{ data: string }>({ dataType: () => type })()

const spellingsOfSeven = ['7.0', '07', '+7', ' 7', '7e0', '7.']

const ids: Record<string, IdColumn> = {
  uuid: { id: () => pg.uuid(), known: uuid, unstorable: ['abc', '', uuid.toUpperCase(), `{${uuid}}`, `${uuid}\0`, '\u{1F600}'] },
  integer: { id: () => pg.integer().$defaultFn(() => 7), known: '7', unstorable: [...spellingsOfSeven, '2147483648', digits, 'abc', ''] },
  citext: { id: ofPg('citext'), before: 'create extension citext', known: 'Ada', unstorable: ['ada', 'Ada\0'] },
}

const byId = {
  getUser: lookups.getUser,
  listAuthenticatorsByUserId: lookups.listAuthenticatorsByUserId,
  updateUser: changes.updateUser,
  deleteUser: changes.deleteUser,
} as typeof lookups

const tablesOf = ({ id, known }: IdColumn, prefix: string) => {
  const columns = {
    id: id()
      .$defaultFn(() => known as never)
      .primaryKey() as ReturnType<typeof pg.text>,
    email: pg.text().notNull(),
    emailVerified: pg.timestamp(),
    name: pg.text(),
  }
  const usersTable = pg.pgTable(`${prefix}user`, columns)
  return defineTables({ usersTable, table: pg.pgTableCreator((name) => prefix + name), foreignKeys: false })
}

describe.runIf(dialects.includes('pg'))('a key that does not fit the type of the id column of a PostgreSQL table', () => {
  const all = Object.entries(ids).map(([type, each], index) => ({ type, ...each, tables: tablesOf(each, `t${index}_`) }))
  const migrations = all.flatMap(({ before, tables }) => [
    ...(before ? [before] : []),
    ...Object.values(tables).map((table) => createTable(table as Table, '"')),
  ])
  const database = useDatabase(() => openDatabase('pg', { migrations }))

  test.each(all)('is not found: $type', async ({ tables, known, unstorable }) => {
    const adapter = makeAdapter(database().db, tables)
    const user = await adapter.createUser({ email: 'a@example.com' })
    expect(user.id).toBe(known)
    for (const [index, other] of unstorable.entries()) {
      await expectNotFound(adapter, other, byId)
      const session = { sessionToken: `${index}`, userId: other, expires: new Date(4e12) }
      await adapter.createSession(session).catch((error) => expect(error).toBeInstanceOf(AdapterOperationError))
      expect(await adapter.getSessionAndUser(`${index}`), `a session of ${other}`).toBeNull()
    }
    expect(await adapter.getUser(known)).toEqual(user)
    expect(await adapter.deleteUser(known)).toEqual(user)
  })
})

test.runIf(dialects.includes('pg'))('a key outside an enum of PostgreSQL is an error of the database', async () => {
  const provider = pg.pgEnum('provider', ['github', 'gitlab'])
  const accountsTable = pg.pgTable('linked', {
    userId: pg.text().notNull(),
    type: pg.text().notNull(),
    provider: provider().notNull(),
    providerAccountId: pg.text().notNull(),
  })
  const migrations = [`create type provider as enum ('github', 'gitlab')`, createTable(accountsTable, '"')]
  const { db, close } = await openDatabase('pg', { migrations: [...(await migrationsOf('pg')), ...migrations] })
  onTestFinished(close)
  const adapter = makeAdapter(db, { usersTable: defineTables().usersTable, accountsTable })
  const user = await adapter.createUser({ email: 'ada@example.com' })
  await adapter.linkAccount({ userId: user.id, type: 'oauth', provider: 'github', providerAccountId: '1' })
  for (const other of ['google', 'GitHub', '']) {
    const key = { provider: other, providerAccountId: '1' }
    for (const call of [adapter.getUserByAccount, adapter.unlinkAccount])
      await expect(call(key), other).rejects.toMatchObject({ kind: 'invalid' })
  }
  expect(await adapter.getUserByAccount({ provider: 'github', providerAccountId: '1' })).toEqual(user)
})
