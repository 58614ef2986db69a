import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import { sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { AnyAdapter } from '../../support/databases.js'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'
import { openOwnUsers } from '../../support/own-users.js'
import type * as pgSchema from '../../support/schema/pg.js'

// Unusual tables that people do write, for which a careless comparison or conversion would give a wrong result.

const dialects = inject('dialects')

async function openUsers(dialect: DialectName, columns: Parameters<typeof openOwnUsers>[1], before?: string[]) {
  const opened = await openOwnUsers(dialect, columns, before)
  onTestFinished(opened.close)
  return { ...opened, tables: opened.tables as unknown as typeof pgSchema, db: opened.db as never }
}

/** Expects that a user is found by the exact id, and neither found, updated nor deleted by the other ids. */
async function expectExactId(adapter: AnyAdapter, id: string, others: string[]) {
  const user = await adapter.createUser({ id, email: `${crypto.randomUUID()}@example.com` })
  for (const other of others) {
    expect(await adapter.getUser(other), `getUser(${other})`).toBeNull()
    expect(await adapter.deleteUser(other), `deleteUser(${other})`).toBeNull()
    await expect(adapter.updateUser({ id: other, email: 'mallory@example.com' }), `updateUser(${other})`).rejects.toMatchObject({
      kind: 'not-found',
    })
  }
  expect(await adapter.getUser(user.id)).toEqual(user)
  await adapter.createSession({ sessionToken: user.id, userId: user.id, expires: new Date(0) })
  expect(await adapter.getSessionAndUser(user.id)).toMatchObject({ user: { id: user.id } })
  return user
}

/** Expects that an id that the database generates can be given as text, number or bigint, and in no other form. */
async function expectNumericId(adapter: AnyAdapter) {
  const ada = await adapter.createUser({ email: 'ada@example.com' })
  expect(ada.id).toMatch(/^\d+$/)
  for (const id of [ada.id, Number(ada.id), BigInt(ada.id)] as string[]) {
    expect(await adapter.getUser(id)).toEqual(ada)
    expect(await adapter.updateUser({ id, email: 'ada@example.com' })).toEqual(ada)
    const sessionToken = crypto.randomUUID()
    expect(await adapter.createSession({ sessionToken, userId: id, expires: new Date(0) })).toMatchObject({ userId: ada.id })
    expect(await adapter.getSessionAndUser(sessionToken)).toMatchObject({ user: ada })
  }
  for (const id of [Number(ada.id) + 0.5, -Number(ada.id), 2 ** 53, `0${ada.id}`, `${ada.id}.0`, [ada.id], true] as string[]) {
    expect(await adapter.getUser(id)).toBeNull()
    expect(await adapter.deleteUser(id)).toBeNull()
  }
  expect(await adapter.deleteUser(Number(ada.id) as never)).toEqual(ada)
}

/** A custom type whose values have a prefix in the app and none in the database. */
const prefixed = {
  toDriver: (value: string) => value.replace(/^usr_/, ''),
  fromDriver: (value: unknown) => `usr_${value}`,
}

describe.runIf(dialects.includes('mysql'))('on MySQL', () => {
  test('an id of VARCHAR(100), in capitals, is compared exactly', async () => {
    const id = my.customType<{ data: string }>({ dataType: () => 'VARCHAR(100)' })()
    const { adapter } = await openUsers('mysql', { id: id.primaryKey() })
    await expectExactId(adapter, 'AbC', ['abc', 'ABC', 'AbC ', 'ábc'])
    await expect(adapter.createUser({ id: 'x'.repeat(101), email: 'x' })).rejects.toMatchObject({ kind: 'too-long' })
  })

  test('an id of int with a custom type does not match other spellings of the number', async () => {
    const { adapter } = await openUsers('mysql', {
      id: my
        .customType<{ data: string }>({ dataType: () => 'int', ...prefixed })()
        .primaryKey(),
    })
    await expectExactId(adapter, 'usr_12', ['usr_12abc', 'usr_012', 'usr_ 12', 'usr_12 ', 'usr_1.2e1', 'usr_'])
  })

  test('an id of a custom type that the driver rounds is refused', async () => {
    const id = my.customType<{ data: string }>({ dataType: () => 'bigint', fromDriver: String })()
    const { adapter, exec } = await openUsers('mysql', { id: id.primaryKey() })
    await exec(`insert into people (id, email) values (9007199254740993, 'a@example.com')`)
    await expect(adapter.getUserByEmail('a@example.com')).rejects.toMatchObject({ kind: 'garbled' })
  })

  test('an id whose custom type sends another form than the driver returns works', async () => {
    const id = my.customType<{ data: string; driverData: string | Buffer }>({
      dataType: () => 'varbinary(40)',
      toDriver: (value) => value,
      fromDriver: (value) => (value as Buffer).subarray().toString(),
    })
    const { adapter } = await openUsers('mysql', { id: id().primaryKey() })
    await expectExactId(adapter, 'AbC', ['abc', 'AbC '])
  })

  test('an id whose $defaultFn returns SQL is read back', async () => {
    const { adapter } = await openUsers('mysql', {
      id: my
        .varchar({ length: 40 })
        .primaryKey()
        .$defaultFn(() => sql`concat('u', uuid())`),
    })
    const user = await adapter.createUser({ email: 'a@example.com' })
    expect(user.id).toMatch(/^u[\da-f-]{36}$/)
    expect(await adapter.getUser(user.id)).toEqual(user)
  })

  test.each(['int', 'bigint'])('an id of %s can be given as text, number or bigint', async (type) => {
    const id = type === 'int' ? my.int() : my.bigint({ mode: 'bigint' })
    await expectNumericId((await openUsers('mysql', { id: id.autoincrement().primaryKey() })).adapter)
  })
})

describe.runIf(dialects.includes('pg'))('on PostgreSQL', () => {
  test('an id of integer with a custom type does not match other spellings of the number', async () => {
    const { adapter } = await openUsers('pg', {
      id: pg
        .customType<{ data: string }>({ dataType: () => 'integer', ...prefixed })()
        .primaryKey(),
    })
    await expectExactId(adapter, 'usr_12', ['usr_12abc', 'usr_012', 'usr_ 12', 'usr_', `usr_${'9'.repeat(30)}x`])
  })

  test('the default of the id counts, and not the given id', async () => {
    const { adapter } = await openUsers('pg', {
      id: pg
        .text()
        .primaryKey()
        .$defaultFn(() => 'own'),
    })
    expect(await adapter.createUser({ id: 'given', email: 'a@example.com' })).toMatchObject({ id: 'own' })
    expect(await adapter.getUser('given')).toBeNull()
  })

  test('the padding of char(n) is not part of a session token', async () => {
    const { db, exec, tables, adapter: users } = await openUsers('pg', { id: pg.text().primaryKey() })
    const { usersTable, accountsTable } = tables
    const sessionsTable = pg.pgTable('padded', {
      sessionToken: pg.char({ length: 60 }).primaryKey(),
      userId: pg.text().notNull(),
      expires: pg.timestamp({ precision: 3 }).notNull(),
    })
    await exec(createTable(sessionsTable, '"'))
    const adapter = DrizzleAdapter(db, { usersTable, accountsTable, sessionsTable })
    const { id: userId } = await users.createUser({ id: 'ada', email: 'ada@example.com' })
    const session = { sessionToken: 'token', userId, expires: new Date(4e12) }
    expect(await adapter.createSession(session)).toEqual(session)
    await adapter.createSession({ ...session, sessionToken: 'other' })
    expect(await adapter.getSessionAndUser('token')).toMatchObject({ session })
    expect((await adapter.listSessions(userId, { current: 'token' })).filter(({ current }) => current)).toHaveLength(1)
    expect(await adapter.revokeSessions(userId, { except: 'token' })).toBe(1)
    expect(await adapter.deleteSession('token')).toEqual(session)
  })

  test('a uuid with a custom type does not match other spellings', async () => {
    const { adapter } = await openUsers('pg', {
      id: pg
        .customType<{ data: string }>({ dataType: () => 'UUID', ...prefixed })()
        .primaryKey(),
    })
    const uuid = crypto.randomUUID()
    await expectExactId(adapter, `usr_${uuid}`, [`usr_${uuid.toUpperCase()}`, `usr_{${uuid}}`, `usr_${uuid.replaceAll('-', '')}`, 'usr_x'])
  })

  test.each(['char(10)', 'text'])('a %s of a nondeterministic collation is compared exactly', async (type) => {
    const email = pg.customType<{ data: string }>({ dataType: () => type })
    const { adapter, exec } = await openUsers('pg', { id: pg.text().primaryKey(), email: email().notNull() }, [
      `create collation loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`,
    ])
    await exec(`alter table people alter email type ${type} collate loose`)
    const user = await adapter.createUser({ email: 'jose@abc.d' })
    for (const other of ['jos\u00e9@abc.d', 'JOSE@abc.d']) expect(await adapter.getUserByEmail(other)).toBeNull()
    expect(await adapter.getUserByEmail('jose@abc.d')).toEqual(user)
  })

  test('if the id is varchar without a length, so is userId', async () => {
    const { adapter } = await openUsers('pg', { id: pg.varchar().primaryKey() })
    await expectExactId(adapter, 'x'.repeat(300), ['x'])
  })

  test('defaults that only the database has are applied, and identity columns are not written', async () => {
    const more = { role: pg.text().notNull(), seq: pg.integer().generatedAlwaysAsIdentity() }
    const { adapter, exec } = await openUsers('pg', { id: pg.text().primaryKey(), ...more })
    await exec(`alter table people alter role set default 'member'`)
    const user = await adapter.createUser({ email: 'a@example.com' })
    expect(user).toMatchObject({ role: 'member', seq: 1 })
    expect(await adapter.updateUser({ ...user, name: 'x' })).toMatchObject({ seq: 1 })
  })

  test.each(['integer', 'bigint'])('an id of %s can be given as text, number or bigint', async (type) => {
    const id = type === 'integer' ? pg.serial() : pg.bigint({ mode: 'bigint' }).generatedByDefaultAsIdentity()
    await expectNumericId((await openUsers('pg', { id: id.primaryKey() })).adapter)
  })
})

describe.runIf(dialects.includes('sqlite'))('on SQLite', () => {
  test.each(['string', 'any'])('an id of type %s (numeric affinity) does not match other spellings', async (type) => {
    const { adapter } = await openUsers('sqlite', {
      id: lite
        .customType<{ data: string }>({ dataType: () => type })()
        .primaryKey(),
    })
    await expectExactId(adapter, '1000', ['1e3', '01000', '1000.0', ' 1000'])
  })

  test('the spaces of char(n), which SQLite does not pad, are part of an id', async () => {
    const char = lite.customType<{ data: string }>({ dataType: () => 'char(20) collate rtrim' })
    const { adapter, exec } = await openUsers('sqlite', { id: char().primaryKey() })
    await exec(`insert into people (id, email) values ('ada  ', 'ada@example.com')`)
    expect(await adapter.getUser('ada')).toBeNull()
    expect(await adapter.getUser('ada  ')).toMatchObject({ id: 'ada  ' })
  })

  test('an id column of the sessions table stays a number', async () => {
    const { db, exec } = await openUsers('sqlite', { id: lite.integer().primaryKey() })
    const { usersTable, accountsTable } = defineSqlite({ table: lite.sqliteTableCreator((name) => `x_${name}`) })
    await exec(createTable(usersTable, '`'))
    const sessionsTable = lite.sqliteTable('x_session', {
      id: lite.integer().primaryKey(),
      sessionToken: lite.text().notNull(),
      userId: lite.text().notNull(),
      expires: lite.integer({ mode: 'timestamp' }).notNull(),
    })
    await exec(createTable(sessionsTable, '`'))
    const adapter = DrizzleAdapter(db, { usersTable, accountsTable, sessionsTable })
    const user = await adapter.createUser({ email: 'a@example.com' })
    expect(await adapter.createSession({ sessionToken: 's', userId: user.id, expires: new Date(0) })).toMatchObject({
      id: 1,
      userId: user.id,
    })
  })

  test('rows without a user belong to nobody', async () => {
    const { db, exec, run, tables } = await openUsers('sqlite', { id: lite.text().primaryKey() })
    const sessionsTable = lite.sqliteTable('other', {
      sessionToken: lite.text().primaryKey(),
      userId: lite.text(),
      expires: lite.integer({ mode: 'timestamp' }).notNull(),
    })
    await exec(createTable(sessionsTable, '`'))
    await exec(`insert into other values ('s', null, 4000000000)`)
    const adapter = DrizzleAdapter(db, { ...tables, sessionsTable: sessionsTable as never })
    expect(await adapter.listSessions(null as never)).toEqual([])
    expect(await adapter.revokeSessions(null as never)).toBe(0)
    expect(await run('select * from other')).toHaveLength(1)
  })

  test('updateAccount with unlessChanged fails if tokens are encoded differently each time', async () => {
    const encrypted = lite.customType<{ data: string; driverData: string }>({
      dataType: () => 'text',
      toDriver: (value) => `${crypto.randomUUID()} ${value}`,
      fromDriver: (value) => value.slice(37),
    })
    const { db, exec, tables } = await openUsers('sqlite', { id: lite.text().primaryKey() })
    const text = () => lite.text().notNull()
    const columns = { userId: text(), type: text(), provider: text(), providerAccountId: text(), access_token: encrypted() }
    const accountsTable = lite.sqliteTable('other', columns)
    await exec(createTable(accountsTable, '`'))
    const adapter = DrizzleAdapter(db, { usersTable: tables.usersTable, accountsTable })
    const key = { provider: 'p', providerAccountId: '1' }
    const account = await adapter.linkAccount({ ...key, userId: 'u', type: 'oauth', access_token: 'a1' })
    await expect(adapter.updateAccount({ ...key, access_token: 'a2' }, { unlessChanged: account as never })).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('custom type'),
    })
    expect(await adapter.updateAccount({ ...key, access_token: 'a2' })).toMatchObject({ access_token: 'a2' })
  })

  test('an integer id can be given as text, number or bigint', async () => {
    await expectNumericId((await openUsers('sqlite', { id: lite.integer().primaryKey({ autoIncrement: true }) })).adapter)
  })
})
