import type { Adapter } from 'drizzle-auth-adapter'
import type { Column, SQL, Table } from 'drizzle-orm'
import { eq, sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { openOwnUsers } from '../../support/own-users.js'
import { expectRoundTrip } from '../../support/round-trip.js'

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

for (const dialect of inject('dialects')) {
  describe.each(Object.keys(idColumns[dialect]))(`own users table on ${dialect}, id: %s`, (kind) => {
    let opened: Awaited<ReturnType<typeof openOwnUsers>>
    let db: Queries
    beforeAll(async () => {
      const extensions = dialect === 'pg' ? ['create extension citext'] : []
      opened = await openOwnUsers(dialect, idColumns[dialect][kind] as { id: object }, extensions)
      db = opened.db as unknown as Queries
    })
    afterAll(() => opened?.close())

    test('every operation works, and ids that no user has find nobody', async () => {
      const { adapter } = opened
      await expectRoundTrip(adapter as unknown as Adapter, {})
      for (const id of ['nobody', '', '0', crypto.randomUUID()]) {
        expect(await adapter.getUser(id)).toBeNull()
        expect(await adapter.deleteUser(id)).toBeNull()
        const session = { sessionToken: crypto.randomUUID(), userId: id, expires: new Date(0) }
        await expect(adapter.createSession(session)).rejects.toMatchObject({ kind: 'unknown-user' })
      }
    })

    test('returns ids as strings, and keeps a given id if the column has no default', async () => {
      const { adapter } = opened
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
      const { adapter } = opened
      const user = await adapter.createUser({ email: `${crypto.randomUUID()}@example.com` })
      await adapter.linkAccount({ userId: user.id, type: 'oauth', provider: 'p', providerAccountId: user.id })
      type Columns = Record<'id' | 'userId' | 'email' | 'provider' | 'providerAccountId', Column>
      const [users, accounts] = [tables.usersTable as unknown as Columns, tables.accountsTable as unknown as Columns]
      const [found] = await db
        .select({ id: users.id })
        .from(tables.usersTable as Table)
        .where(eq(users.email, user.email))
      const linked = eq(accounts.userId, (found as { id: unknown }).id)
      expect(
        await db
          .select({ id: accounts.userId })
          .from(tables.accountsTable as Table)
          .where(linked),
      ).toEqual([found])
      expect(accounts.userId.dataType).toBe(users.id.dataType)
    })
  })
}
