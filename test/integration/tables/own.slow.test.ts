import type { Adapter, Tables } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { Column, SQL, Table } from 'drizzle-orm'
import { eq, sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../support/databases.js'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'
import { expectRoundTrip } from '../../support/round-trip.js'

const email = {
  pg: () => pg.text().notNull().unique(),
  mysql: () => my.varchar({ length: 255 }).notNull().unique(),
  sqlite: () => lite.text().notNull().unique(),
}

/** The id columns that apps use in their own users tables. */
const idColumns: Record<DialectName, Record<string, object>> = {
  pg: {
    text: { id: pg.text().primaryKey() },
    char: { id: pg.char({ length: 36 }).primaryKey() },
    'uuid with a default': { id: pg.uuid().primaryKey().defaultRandom() },
    serial: { id: pg.serial().primaryKey() },
    'bigint as identity': { id: pg.bigint({ mode: 'bigint' }).primaryKey().generatedByDefaultAsIdentity() },
    citext: {
      id: pg
        .customType<{ data: string }>({ dataType: () => 'citext' })()
        .primaryKey(),
    },
  },
  mysql: {
    varchar: { id: my.varchar({ length: 255 }).primaryKey() },
    'varchar with uuid()': { id: my.varchar({ length: 36 }).primaryKey().default(sql`(uuid())`) },
    char: { id: my.char({ length: 36 }).primaryKey() },
    'int unsigned': { id: my.int({ unsigned: true }).autoincrement().primaryKey() },
    'bigint in bigints': { id: my.bigint({ mode: 'bigint', unsigned: true }).autoincrement().primaryKey() },
    'binary(16)': {
      id: my
        .customType<{ data: string; driverData: Buffer }>({
          dataType: () => 'binary(16)',
          toDriver: (value) => {
            if (!/^[\da-f-]{36}$/.test(value)) throw new TypeError('no UUID')
            return Buffer.from(value.replaceAll('-', ''), 'hex')
          },
          fromDriver: (value) => value.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
        })()
        .primaryKey(),
    },
  },
  sqlite: {
    text: { id: lite.text().primaryKey() },
    'text with $defaultFn': {
      id: lite
        .text()
        .primaryKey()
        .$defaultFn(() => `u-${crypto.randomUUID()}`),
    },
    'integer with autoincrement': { id: lite.integer().primaryKey({ autoIncrement: true }) },
    'text with a default': { id: lite.text().primaryKey().default(sql`(lower(hex(randomblob(16))))`) },
  },
}

/** The part of Drizzle databases that is the same in all dialects. */
interface Queries {
  select(fields: Record<string, Column>): { from(table: Table): { where(condition: SQL): Promise<Record<string, unknown>[]> } }
}

/** Opens a database with a users table that has this id column, and an adapter for it. */
async function open(dialect: DialectName, id: object): Promise<{ db: Queries; adapter: object; tables: Tables; close(): Promise<void> }> {
  if (dialect === 'pg') {
    const usersTable = pg.pgTable('people', {
      ...(id as { id: pg.PgTextBuilder<never> }),
      email: email.pg(),
      emailVerified: pg.timestamp({ withTimezone: true, precision: 3 }),
      name: pg.text(),
      image: pg.text(),
    })
    const tables = definePg({ usersTable: usersTable as never })
    const statements = [
      'create extension if not exists citext',
      createTable(usersTable, '"'),
      ...createOtherTables(tables as unknown as Tables, '"'),
    ]
    const { db, close } = await openPg({ migrations: statements })
    return { db: db as never, adapter: DrizzleAdapter(db, tables), tables: tables as unknown as Tables, close }
  }
  if (dialect === 'mysql') {
    const usersTable = my.mysqlTable('people', {
      ...(id as { id: never }),
      email: email.mysql(),
      emailVerified: my.datetime({ fsp: 3 }),
      name: my.text(),
      image: my.longtext(),
    })
    const tables = defineMysql({ usersTable: usersTable as never })
    const { db, close } = await openMysql({
      migrations: ['set names utf8mb4', createTable(usersTable, '`'), ...createOtherTables(tables as unknown as Tables, '`')].map(
        withCharset,
      ),
    })
    return { db: db as never, adapter: DrizzleAdapter(db, tables), tables: tables as unknown as Tables, close }
  }
  const usersTable = lite.sqliteTable('people', {
    ...(id as { id: never }),
    email: email.sqlite(),
    emailVerified: lite.integer({ mode: 'timestamp_ms' }),
    name: lite.text(),
    image: lite.text(),
  })
  const tables = defineSqlite({ usersTable: usersTable as never })
  const { db, close } = await openSqlite({
    migrations: [createTable(usersTable, '`'), ...createOtherTables(tables as unknown as Tables, '`')],
  })
  return { db: db as never, adapter: DrizzleAdapter(db, tables), tables: tables as unknown as Tables, close }
}

// The character set of the server may not have all characters that the contract requires.
const withCharset = (statement: string) => statement.replace(/^(create table .*)$/s, '$1 character set utf8mb4')

function createOtherTables(tables: Tables, quote: '"' | '`'): string[] {
  const q = (name: string) => quote + name + quote
  const foreign = `foreign key (${q('userId')}) references ${q('people')}(${q('id')}) on delete cascade`
  return [
    createTable(tables.accountsTable, quote, [`primary key (${q('provider')}, ${q('providerAccountId')})`, foreign]),
    createTable(tables.sessionsTable as never, quote, [foreign]),
    createTable(tables.verificationTokensTable as never, quote, [`primary key (${q('identifier')}, ${q('token')})`]),
    createTable(tables.authenticatorsTable as never, quote, [`unique (${q('credentialID')})`, foreign]),
  ]
}

for (const dialect of inject('dialects')) {
  describe.each(Object.keys(idColumns[dialect]))(`own users table on ${dialect}, id: %s`, (kind) => {
    let opened: Awaited<ReturnType<typeof open>>
    beforeAll(async () => {
      opened = await open(dialect, idColumns[dialect][kind] as object)
    })
    afterAll(() => opened?.close())

    test('every operation works, and ids that no user has find nobody', async () => {
      const adapter = opened.adapter as Adapter
      await expectRoundTrip(adapter, {})
      for (const id of ['nobody', '', '0', crypto.randomUUID()]) {
        expect(await adapter.getUser(id)).toBeNull()
        expect(await adapter.deleteUser(id)).toBeNull()
        const session = { sessionToken: crypto.randomUUID(), userId: id, expires: new Date(0) }
        await expect(adapter.createSession(session)).rejects.toMatchObject({ kind: 'unknown-user' })
      }
    })

    test('returns ids as strings, and keeps a given id if the column has no default', async () => {
      const adapter = opened.adapter as ReturnType<typeof DrizzleAdapter<Tables>>
      const id = crypto.randomUUID()
      const user = await adapter.createUser({ id, email: `${id}@example.com` })
      expect(user.id).toBeTypeOf('string')
      const column = (opened.tables.usersTable as unknown as { id: { hasDefault: boolean } }).id
      expect(user.id === id).toBe(!column.hasDefault)
      await adapter.linkAccount({ userId: user.id, type: 'oauth', provider: 'p', providerAccountId: id })
      expect(await adapter.getAccount(id, 'p')).toMatchObject({ userId: user.id })
    })

    test('userId has the same value as id in queries of the app', async () => {
      const { tables } = opened
      const adapter = opened.adapter as ReturnType<typeof DrizzleAdapter<Tables>>
      const user = await adapter.createUser({ email: `${crypto.randomUUID()}@example.com` })
      await adapter.linkAccount({ userId: user.id, type: 'oauth', provider: 'p', providerAccountId: user.id })
      type Columns = Record<'id' | 'userId' | 'email' | 'provider' | 'providerAccountId', Column>
      const [users, accounts] = [tables.usersTable as unknown as Columns, tables.accountsTable as unknown as Columns]
      const [found] = await opened.db.select({ id: users.id }).from(tables.usersTable).where(eq(users.email, user.email))
      const linked = eq(accounts.userId, (found as { id: unknown }).id)
      expect(await opened.db.select({ id: accounts.userId }).from(tables.accountsTable).where(linked)).toEqual([found])
      expect(accounts.userId.dataType).toBe(users.id.dataType)
    })
  })
}
