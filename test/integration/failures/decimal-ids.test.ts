import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { Table } from 'drizzle-orm'
import { getTableName } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import mysql from 'mysql2/promise'
import { describe, expect, inject, test } from 'vitest'
import { createTable } from '../../support/ddl.js'
import { changes, expectNotFound, lookups, makeAdapter, openDatabase, useDatabase } from './database.js'

const prefix = (scale: number | undefined) => `d${scale ?? ''}_`

/** Numeric ids need a default: the id of the next user. */
let nextId = ''

/** Tables with decimal user ids of the given scale. */
const tablesOf = {
  pg(scale?: number) {
    const id = scale === undefined ? pg.numeric() : pg.numeric({ precision: 20, scale })
    const columns = {
      id: id.$defaultFn(() => nextId).primaryKey(),
      email: pg.text().notNull(),
      emailVerified: pg.timestamp(),
      name: pg.text(),
    }
    const table = pg.pgTableCreator((name) => prefix(scale) + name)
    return definePg({ usersTable: table('user', columns), table, foreignKeys: false })
  },
  mysql(scale = 0) {
    const id = my.decimal({ precision: 20, scale })
    const columns = {
      id: id.$defaultFn(() => nextId).primaryKey(),
      email: my.text().notNull(),
      emailVerified: my.datetime(),
      name: my.text(),
    }
    const table = my.mysqlTableCreator((name) => prefix(scale) + name)
    return defineMysql({ usersTable: table('user', columns), table, foreignKeys: false })
  },
  sqlite(scale = 0) {
    const columns = {
      id: lite
        .numeric()
        .$defaultFn(() => nextId)
        .primaryKey(),
      email: lite.text().notNull(),
      emailVerified: lite.integer({ mode: 'timestamp' }),
      name: lite.text(),
    }
    const table = lite.sqliteTableCreator((name) => prefix(scale) + name)
    return defineSqlite({ usersTable: table('user', columns), table, foreignKeys: false })
  },
}

const cases = {
  pg: [undefined, 0],
  mysql: [0],
  sqlite: [0],
}

const isUnknownUser = (error: unknown) => expect(error).toMatchObject({ kind: 'unknown-user' })

describe.each(inject('dialects'))('a decimal id on %s', (dialect) => {
  const all = cases[dialect].map((scale) => ({ scale, tables: tablesOf[dialect](scale) as Record<string, Table> }))
  const quote = dialect === 'mysql' ? '`' : '"'
  const migrations = all.flatMap(({ tables }) => Object.values(tables).map((table) => createTable(table, quote)))
  const database = useDatabase(() => openDatabase(dialect, { migrations }))

  // Other spellings of the same number, or close to it.
  const spellings = ['1', '1.0', '1.00', '1.000', '01', '+1', '1e0', '1.', ' 1', '1 ', '1.0000000000000000000000001']

  test.each(all)('is only found by its canonical spelling; scale $scale', async ({ tables }) => {
    const { db, run } = database()
    const adapter = makeAdapter(db, tables)
    const id = '1'
    nextId = id
    const created = await adapter.createUser({ email: 'ada@example.com' })
    expect(created.id).toBe(id)
    const belongings = { userId: id, expires: new Date(4e12) }
    await adapter.createSession({ ...belongings, sessionToken: 's' })
    await adapter.linkAccount({ userId: id, type: 'oauth', provider: 'p', providerAccountId: 'a' })
    const rest = { providerAccountId: 'a', credentialPublicKey: 'k', counter: 0, credentialDeviceType: 'd', credentialBackedUp: true }
    await adapter.createAuthenticator({ userId: id, credentialID: 'c', ...rest })

    for (const other of spellings.filter((spelling) => spelling !== id)) {
      await expectNotFound(adapter, other, {
        getUser: lookups.getUser,
        listAuthenticatorsByUserId: lookups.listAuthenticatorsByUserId,
        updateUser: changes.updateUser,
        deleteUser: changes.deleteUser,
      } as typeof lookups)
    }
    expect(await adapter.getUser(id)).toEqual(created)

    expect(await adapter.getSessionAndUser('s')).toMatchObject({ session: { userId: id }, user: created })
    expect(await adapter.listAuthenticatorsByUserId(id)).toHaveLength(1)

    expect(await adapter.updateUser({ id, name: 'Ada' })).toMatchObject({ id, name: 'Ada' })
    expect(await adapter.deleteUser(id)).toMatchObject({ id, name: 'Ada' })
    const { sessionsTable, accountsTable, authenticatorsTable } = tables
    for (const table of [sessionsTable, accountsTable, authenticatorsTable])
      expect(await run(`select * from ${quote}${getTableName(table as Table)}${quote}`)).toEqual([])
  })

  test.each(all)('does not get sessions and accounts of another spelling; scale $scale', async ({ tables }) => {
    const adapter = makeAdapter(database().db, tables)
    const id = '2'
    nextId = id
    await adapter.createUser({ email: 'eva@example.com' })
    for (const other of spellings.map((spelling) => spelling.replace('1', '2')).filter((spelling) => spelling !== id)) {
      await adapter.createSession({ userId: other, sessionToken: other, expires: new Date(4e12) }).catch(isUnknownUser)
      expect(await adapter.getSessionAndUser(other), `a session of ${other}`).toBeNull()
      await adapter.linkAccount({ userId: other, type: 'oauth', provider: other, providerAccountId: 'a' }).catch(isUnknownUser)
      expect(await adapter.getUserByAccount({ provider: other, providerAccountId: 'a' }), `an account of ${other}`).toBeNull()
    }
  })
})

test('an id with digits after the point is refused', () => {
  const tables = tablesOf.mysql(2)
  expect(() => makeAdapter(drizzle({ client: mysql.createPool({}) }) as never, tables as never)).toThrow(
    /decimal\(20,2\).*leave the fraction out/,
  )
})
