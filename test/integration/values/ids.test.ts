import type { Adapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'
import { asText, drivers } from './drivers.js'

// If the ids of an app are numbers, its code calls the adapter with numbers. They must find the same user as their text.

const pgUsers = (id: object) => {
  const usersTable = pg.pgTable('people', {
    ...(id as { id: ReturnType<typeof pg.text> }),
    email: pg.text().notNull(),
    emailVerified: pg.timestamp(),
  })
  return { ...definePg({ usersTable, foreignKeys: false }), quote: '"' as const }
}

const mysqlUsers = (id: object) => {
  const usersTable = my.mysqlTable('people', {
    ...(id as { id: ReturnType<typeof my.text> }),
    email: my.varchar({ length: 190 }).notNull(),
    emailVerified: my.datetime(),
  })
  return { ...defineMysql({ usersTable, foreignKeys: false }), quote: '`' as const }
}

const sqliteUsers = (id: object) => {
  const usersTable = lite.sqliteTable('people', {
    ...(id as { id: ReturnType<typeof lite.text> }),
    email: lite.text().notNull(),
    emailVerified: lite.integer({ mode: 'timestamp' }),
  })
  return { ...defineSqlite({ usersTable, foreignKeys: false }), quote: '`' as const }
}

const types: Record<DialectName, Record<string, () => ReturnType<typeof pgUsers | typeof mysqlUsers | typeof sqliteUsers>>> = {
  sqlite: { integer: () => sqliteUsers({ id: lite.integer().primaryKey({ autoIncrement: true }) }) },
  pg: {
    serial: () => pgUsers({ id: pg.serial().primaryKey() }),
    bigint: () => pgUsers({ id: pg.bigint({ mode: 'bigint' }).generatedByDefaultAsIdentity().primaryKey() }),
  },
  mysql: {
    int: () => mysqlUsers({ id: my.int().autoincrement().primaryKey() }),
    bigint: () => mysqlUsers({ id: my.bigint({ mode: 'bigint' }).autoincrement().primaryKey() }),
  },
}

describe.each(drivers)('with $driver,', ({ dialect, open }) => {
  async function openWith(type: string): Promise<Adapter> {
    const { quote, ...tables } = (types[dialect][type] as () => ReturnType<typeof sqliteUsers>)()
    const { usersTable, accountsTable, sessionsTable, authenticatorsTable } = tables
    const migrations = [usersTable, accountsTable, sessionsTable, authenticatorsTable].map((table) => createTable(table, quote))
    const { adapter, close } = await open({ tables, migrations })
    onTestFinished(close)
    return adapter
  }

  test.each(Object.keys(types[dialect]))('an id of the type %s can be given as text, number and bigint', async (type) => {
    const adapter = await openWith(type)
    const ada = await adapter.createUser({ email: 'ada@example.com' })
    expect(ada.id).toMatch(/^\d+$/)
    for (const [index, id] of [ada.id, Number(ada.id), BigInt(ada.id)].map(asText).entries()) {
      expect(await adapter.getUser(id)).toEqual(ada)
      expect(await adapter.updateUser({ id, email: 'ada@example.com' })).toEqual(ada)
      const account = { userId: id, type: 'oauth' as const, provider: 'p', providerAccountId: `${index}` }
      expect(await adapter.linkAccount(account)).toMatchObject({ userId: ada.id })
      expect(await adapter.getUserByAccount(account)).toEqual(ada)
      await adapter.createSession({ sessionToken: `${index}`, userId: id, expires: new Date(0) })
      expect(await adapter.getSessionAndUser(`${index}`)).toMatchObject({ session: { userId: ada.id }, user: { id: ada.id } })
      expect(await adapter.listAuthenticatorsByUserId(id)).toEqual([])
    }

    const nobody = [Number(ada.id) + 0.5, -Number(ada.id), 2 ** 53, Number.NaN, `0${ada.id}`, `${ada.id}.0`, [ada.id], true, { id: ada.id }]
    for (const id of nobody.map(asText)) {
      expect(await adapter.getUser(id)).toBeNull()
      expect(await adapter.deleteUser(id)).toBeNull()
      await expect(adapter.updateUser({ id, email: 'mallory@example.com' })).rejects.toMatchObject({ kind: 'not-found' })
    }
    for (const userId of [Number(ada.id) + 0.5, Number.NaN, [ada.id], true].map(asText)) {
      const creating = adapter.createSession({ sessionToken: 'none', userId, expires: new Date(0) })
      await expect(creating).rejects.toMatchObject({ kind: 'invalid', column: 'userId' })
    }
    expect(await adapter.deleteUser(asText(Number(ada.id)))).toEqual(ada)
    expect(await adapter.getSessionAndUser('0')).toBeNull()
  })
})

// Checks what docs/tables.md says about tables without foreign keys, and about integer ids on SQLite.
describe.each(drivers)('without foreign keys, with $driver,', ({ dialect, open }) => {
  test('rows that a concurrent sign-in creates after deleteUser sign nobody in, and a second deleteUser deletes them', async () => {
    const { quote, ...tables } = { ...(Object.values(types[dialect])[0] as () => ReturnType<typeof sqliteUsers>)() }
    const { usersTable, accountsTable, sessionsTable, authenticatorsTable } = tables
    const [provider, providerAccountId] = ['provider', 'providerAccountId'].map((name) => quote + name + quote)
    const migrations = [
      ...[usersTable, sessionsTable, authenticatorsTable].map((table) => createTable(table, quote)),
      createTable(accountsTable, quote, [`primary key (${provider}, ${providerAccountId})`]),
    ]
    const { adapter, close } = await open({ tables, migrations })
    onTestFinished(close)
    const { id } = await adapter.createUser({ email: 'ada@example.com' })
    await adapter.deleteUser(id)
    const account = { userId: id, type: 'oauth' as const, provider: 'p', providerAccountId: '1' }
    await adapter.linkAccount(account)
    await adapter.createSession({ sessionToken: 'session', userId: id, expires: new Date(0) })
    expect(await adapter.getSessionAndUser('session')).toBeNull()
    expect(await adapter.getUserByAccount(account)).toBeNull()
    await expect(adapter.linkAccount(account)).rejects.toMatchObject({ kind: 'duplicate' })

    expect(await adapter.deleteUser(id)).toBeNull()
    expect(await adapter.getAccount('1', 'p')).toBeNull()
    expect(await adapter.deleteSession('session')).toBeNull()
    await adapter.linkAccount(account)
  })
})

describe.runIf(inject('dialects').includes('sqlite'))('SQLite’s integer ids', () => {
  test.each([
    ['are reused without autoIncrement, and an orphaned session signs in another user', 'integer primary key', '1', true],
    ['are never reused with autoIncrement', 'integer primary key autoincrement', '2', false],
  ])('%s', async (_, type, next, isSignedIn) => {
    const { accountsTable, sessionsTable, authenticatorsTable, usersTable } = (types.sqlite.integer as typeof sqliteUsers)({})
    const statement = `create table people (id ${type}, email text not null, emailVerified integer)`
    const migrations = [accountsTable, sessionsTable, authenticatorsTable].map((table) => createTable(table, '`'))
    const tables = { usersTable, accountsTable, sessionsTable, authenticatorsTable }
    const { adapter, close } = await (drivers[0] as (typeof drivers)[number]).open({ tables, migrations: [statement, ...migrations] })
    onTestFinished(close)
    const { id } = await adapter.createUser({ email: 'ada@example.com' })
    await adapter.deleteUser(id)
    await adapter.createSession({ sessionToken: 'left', userId: id, expires: new Date(0) })
    const bob = await adapter.createUser({ email: 'bob@example.com' })
    expect(bob.id).toBe(next)
    expect((await adapter.getSessionAndUser('left'))?.user).toEqual(isSignedIn ? bob : undefined)
  })
})
