import { AdapterOperationError, DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import { sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../support/databases.js'
import { createTable } from '../../support/ddl.js'

// Unusual tables that people do write, for which a careless comparison or conversion would give a wrong result.

const dialects = inject('dialects')
type Users = ReturnType<typeof DrizzleAdapter<ReturnType<typeof definePg>>>

async function pgUsers(id: object, more: object = {}, extra: string[] = []) {
  const usersTable = pg.pgTable('people', {
    ...(id as { id: ReturnType<typeof pg.text> }),
    email: pg.text().notNull(),
    emailVerified: pg.timestamp(),
    ...more,
  })
  const tables = definePg({ usersTable: usersTable as never, foreignKeys: false })
  const opened = await openPg({
    migrations: [...extra, createTable(usersTable, '"'), createTable(tables.accountsTable, '"'), createTable(tables.sessionsTable, '"')],
  })
  onTestFinished(opened.close)
  const { accountsTable, sessionsTable } = tables
  return {
    ...opened,
    adapter: DrizzleAdapter(opened.db, { usersTable: usersTable as never, accountsTable, sessionsTable }) as unknown as Users,
    tables,
  }
}

async function mysqlUsers(id: object, more: object = {}, suffix = '') {
  const usersTable = my.mysqlTable('people', {
    ...(id as { id: ReturnType<typeof my.text> }),
    email: my.varchar({ length: 190 }).notNull(),
    emailVerified: my.datetime(),
    ...more,
  })
  const tables = defineMysql({ usersTable: usersTable as never, foreignKeys: false })
  const opened = await openMysql({
    migrations: [createTable(usersTable, '`') + suffix, createTable(tables.accountsTable, '`'), createTable(tables.sessionsTable, '`')],
  })
  onTestFinished(opened.close)
  const { accountsTable, sessionsTable } = tables
  return {
    ...opened,
    adapter: DrizzleAdapter(opened.db, { usersTable: usersTable as never, accountsTable, sessionsTable }) as unknown as Users,
    tables,
  }
}

/** Expects that a user is found by the exact id, and neither found, updated nor deleted by the other ids. */
async function expectExactId(adapter: Users, id: string, others: string[]) {
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

/** A custom type whose values have a prefix in the app and none in the database. */
const prefixed = {
  toDriver: (value: string) => value.replace(/^usr_/, ''),
  fromDriver: (value: unknown) => `usr_${value}`,
}

describe.runIf(dialects.includes('mysql'))('on MySQL', () => {
  test.each(['VARCHAR(100)', 'varchar(100) binary'])('an id of %s is compared exactly', async (type) => {
    const id = my.customType<{ data: string }>({ dataType: () => type })()
    const { adapter } = await mysqlUsers({ id: id.primaryKey() })
    await expectExactId(adapter, 'AbC', ['abc', 'ABC', 'AbC ', 'ábc'])
    await expect(adapter.createUser({ id: 'x'.repeat(101), email: 'x' })).rejects.toMatchObject({ kind: 'invalid' })
  })

  test.each(['decimal(10,0)', 'int'])('an id of %s with a custom type does not match other spellings of the number', async (type) => {
    const { adapter } = await mysqlUsers({
      id: my
        .customType<{ data: string }>({ dataType: () => type, ...prefixed })()
        .primaryKey(),
    })
    await expectExactId(adapter, 'usr_12', ['usr_12abc', 'usr_012', 'usr_ 12', 'usr_12 ', 'usr_1.2e1', 'usr_'])
  })

  test('an id of a custom type that the driver rounds is refused', async () => {
    const id = my.customType<{ data: string }>({ dataType: () => 'bigint', fromDriver: String })()
    const { adapter, exec } = await mysqlUsers({ id: id.primaryKey() })
    await exec(`insert into people (id, email) values (9007199254740993, 'a@example.com')`)
    await expect(adapter.getUserByEmail('a@example.com')).rejects.toMatchObject({ kind: 'garbled' })
  })

  test('a decimal id does not match other spellings of the number', async () => {
    const { adapter } = await mysqlUsers({
      id: my
        .decimal({ precision: 10, scale: 0 })
        .primaryKey()
        .$defaultFn(() => '7'),
    })
    await expectExactId(adapter, '7', ['7abc', '007', ' 7', '7e0', 'x'])
  })

  // The database writes these numbers in another way than JavaScript: 1.00, 1e15.
  test.each([
    ['decimal(20,2)', my.decimal({ precision: 20, scale: 2, mode: 'number' }), '1'],
    ['double', my.double(), '1000000000000000'],
  ])('an id of %s in number mode is found by its number', async (_type, id, value) => {
    const { adapter } = await mysqlUsers({ id: id.primaryKey().$defaultFn(() => Number(value)) })
    expect(await adapter.createUser({ email: 'a@example.com' })).toMatchObject({ id: value })
    expect(await adapter.updateUser({ id: value, email: 'b@example.com' })).toMatchObject({ email: 'b@example.com' })
    expect(await adapter.deleteUser(value)).toMatchObject({ email: 'b@example.com' })
  })

  test.each(['integer', 'int4', 'INTEGER'])('a number out of range for %s is rejected, even without strict mode', async (type) => {
    const level = my.customType<{ data: number }>({ dataType: () => type })()
    const { adapter, run } = await mysqlUsers({ id: my.varchar({ length: 100 }).primaryKey() }, { level })
    const user = { email: 'a@example.com', level: 3_000_000_000 }
    await expect(adapter.createUser(user)).rejects.toMatchObject({ kind: 'invalid', column: 'level' })
    expect(await run('select * from people')).toEqual([])
  })

  test('a trailing space is rejected in character(n), which would lose it', async () => {
    const id = my.customType<{ data: string }>({ dataType: () => 'character(20)' })()
    const { adapter } = await mysqlUsers({ id: id.primaryKey() })
    await expectExactId(adapter, 'abc', ['abc ', 'ABC'])
    await expect(adapter.createUser({ id: 'd ', email: 'd@example.com' })).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('createUser without an argument fails, even if the database generates ids', async () => {
    const { adapter, run } = await mysqlUsers({ id: my.int().autoincrement().primaryKey() }, { email: my.varchar({ length: 190 }) })
    for (const nothing of [undefined, null])
      await expect(adapter.createUser(nothing as never)).rejects.toBeInstanceOf(AdapterOperationError)
    expect(await run('select * from people')).toEqual([])
  })

  test('an id whose custom type returns SQL works', async () => {
    const id = my.customType<{ data: string; driverData: Buffer }>({
      dataType: () => 'binary(16)',
      toDriver: (value) => sql`unhex(${value.replaceAll('-', '')})`,
      fromDriver: (value) => value.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    })
    const { adapter } = await mysqlUsers({ id: id().primaryKey() })
    await expectExactId(adapter, crypto.randomUUID(), [crypto.randomUUID()])
  })

  test('an id whose custom type sends another form than the driver returns works', async () => {
    const id = my.customType<{ data: string; driverData: string | Buffer }>({
      dataType: () => 'varbinary(40)',
      toDriver: (value) => value,
      fromDriver: (value) => (value as Buffer).subarray().toString(),
    })
    const { adapter } = await mysqlUsers({ id: id().primaryKey() })
    await expectExactId(adapter, 'AbC', ['abc', 'AbC '])
  })

  test('an id whose $defaultFn returns SQL is read back', async () => {
    const { adapter } = await mysqlUsers({
      id: my
        .varchar({ length: 40 })
        .primaryKey()
        .$defaultFn(() => sql`concat('u', uuid())`),
    })
    const user = await adapter.createUser({ email: 'a@example.com' })
    expect(user.id).toMatch(/^u[\da-f-]{36}$/)
    expect(await adapter.getUser(user.id)).toEqual(user)
  })

  test.each(['latin1', 'utf8mb3', 'ascii'])('a key with characters outside the character set %s is not found', async (charset) => {
    const { adapter } = await mysqlUsers({ id: my.varchar({ length: 100 }).primaryKey() }, {}, ` character set ${charset}`)
    await expectExactId(adapter, 'abc', ['ab\u{1F600}', 'ab\u4E2D\u{1F600}', 'abc\u{1F600}'])
    expect(await adapter.getUserByEmail('\u{1F600}')).toBeNull()
  })

  test('tables with different collations can be joined', async () => {
    const opened = await mysqlUsers(
      { id: my.varchar({ length: 100 }).primaryKey() },
      {},
      ' character set utf8mb4 collate utf8mb4_general_ci',
    )
    const varchar = () => my.varchar({ length: 100 }).notNull()
    const sessionsTable = my.mysqlTable('other', {
      sessionToken: varchar().primaryKey(),
      userId: varchar(),
      expires: my.datetime().notNull(),
    })
    await opened.exec(`${createTable(sessionsTable, '`')} character set utf8mb4 collate utf8mb4_unicode_ci`)
    const { usersTable, accountsTable } = opened.tables
    const adapter = DrizzleAdapter(opened.db, { usersTable: usersTable as never, accountsTable, sessionsTable })
    const user = await opened.adapter.createUser({ email: 'a@example.com' })
    await adapter.createSession({ sessionToken: 's', userId: user.id, expires: new Date(0) })
    expect(await adapter.getSessionAndUser('s')).toMatchObject({ session: { userId: user.id }, user: { id: user.id } })
    expect(await adapter.getSessionAndUser('S')).toBeNull()
  })

  test('a later change of the argument does not affect the lookup', async () => {
    const {
      db,
      exec,
      tables,
      adapter: users,
    } = await mysqlUsers({ id: my.varchar({ length: 100 }).primaryKey() }, {}, ' character set utf8mb4 collate utf8mb4_general_ci')
    const varchar = () => my.varchar({ length: 100 }).notNull()
    const accountsTable = my.mysqlTable('other', { userId: varchar(), type: varchar(), provider: varchar(), providerAccountId: varchar() })
    await exec(`${createTable(accountsTable, '`')} character set utf8mb4 collate utf8mb4_unicode_ci`)
    const adapter = DrizzleAdapter(db, { usersTable: tables.usersTable as never, accountsTable })
    for (const id of ['ada', 'bob']) {
      await users.createUser({ id, email: `${id}@example.com` })
      await adapter.linkAccount({ userId: id, type: 'oauth', provider: 'p', providerAccountId: id })
    }
    const account = { provider: 'p', providerAccountId: 'ada' }
    const finding = adapter.getUserByAccount(account)
    account.providerAccountId = 'bob'
    expect(await finding).toMatchObject({ id: 'ada' })
  })

  test('a date out of range for timestamp is rejected, even without strict mode', async () => {
    const { db, exec, tables, adapter } = await mysqlUsers({ id: my.varchar({ length: 100 }).primaryKey() })
    const sessionsTable = my.mysqlTable('other', {
      sessionToken: my.varchar({ length: 100 }).primaryKey(),
      userId: my.varchar({ length: 100 }).notNull(),
      expires: my.timestamp().notNull(),
    })
    await exec(createTable(sessionsTable, '`'))
    const { usersTable, accountsTable } = tables
    const user = await adapter.createUser({ email: 'a@example.com' })
    const withTimestamp = DrizzleAdapter(db, { usersTable: usersTable as never, accountsTable, sessionsTable })
    const session = { sessionToken: 's', userId: user.id }
    await expect(withTimestamp.createSession({ ...session, expires: new Date('2040-01-01') })).rejects.toMatchObject({
      kind: 'invalid',
      column: 'expires',
    })
    await withTimestamp.createSession({ ...session, expires: new Date('2030-01-01') })
  })

  test('createUser returns the stored value if the database changes it', async () => {
    const more = { price: my.decimal({ precision: 10, scale: 2 }), small: my.float() }
    const { adapter } = await mysqlUsers({ id: my.varchar({ length: 100 }).primaryKey() }, more)
    const user = await adapter.createUser({ email: 'a@example.com', price: '1.5', small: 0.1 } as never)
    expect(user).toMatchObject({ price: '1.50' })
    expect(await adapter.getUser(user.id)).toEqual(user)
  })

  test.each([
    ['abc ', my.char({ length: 10 })],
    ['abc', my.binary({ length: 10 })],
  ])('an id that the database would change is rejected: %j', async (id, column) => {
    const { adapter, run } = await mysqlUsers({ id: column.primaryKey() })
    await expect(adapter.createUser({ id, email: 'a@example.com' })).rejects.toMatchObject({ kind: 'invalid', column: 'id' })
    expect(await run('select * from people')).toEqual([])
  })
})

describe.runIf(dialects.includes('pg'))('on PostgreSQL', () => {
  test.each(['numeric', 'integer', 'bigint'])(
    'an id of %s with a custom type does not match other spellings of the number',
    async (type) => {
      const { adapter } = await pgUsers({
        id: pg
          .customType<{ data: string }>({ dataType: () => type, ...prefixed })()
          .primaryKey(),
      })
      await expectExactId(adapter, 'usr_12', ['usr_12abc', 'usr_012', 'usr_ 12', 'usr_', `usr_${'9'.repeat(30)}x`])
    },
  )

  test('the padding of char(n) is not part of a session token', async () => {
    const { db, exec, tables, adapter: users } = await pgUsers({ id: pg.text().primaryKey() })
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
    const { adapter } = await pgUsers({
      id: pg
        .customType<{ data: string }>({ dataType: () => 'UUID', ...prefixed })()
        .primaryKey(),
    })
    const uuid = crypto.randomUUID()
    await expectExactId(adapter, `usr_${uuid}`, [`usr_${uuid.toUpperCase()}`, `usr_{${uuid}}`, `usr_${uuid.replaceAll('-', '')}`, 'usr_x'])
  })

  test('a provider that is not in the enum is not found, and the lookup does not abort a transaction', async () => {
    const provider = pg.pgEnum('provider', ['github', 'gitlab'])
    const { db, exec, tables } = await pgUsers({ id: pg.text().primaryKey() }, {}, [`create type provider as enum ('github', 'gitlab')`])
    const accountsTable = pg.pgTable('linked', {
      userId: pg.text().notNull(),
      type: pg.text().notNull(),
      provider: provider().notNull(),
      providerAccountId: pg.text().notNull(),
    })
    await exec(createTable(accountsTable, '"'))
    await db.transaction(async (tx) => {
      const adapter = DrizzleAdapter(tx, { usersTable: tables.usersTable as never, accountsTable })
      const user = await adapter.createUser({ email: 'a@example.com' })
      await adapter.linkAccount({ userId: user.id, type: 'oauth', provider: 'github', providerAccountId: '1' })
      for (const other of ['google', 'GitHub', '']) {
        expect(await adapter.getUserByAccount({ provider: other, providerAccountId: '1' })).toBeNull()
        expect(await adapter.unlinkAccount({ provider: other, providerAccountId: '1' })).toBeUndefined()
      }
      expect(await adapter.getUserByAccount({ provider: 'github', providerAccountId: '1' })).toMatchObject({ id: user.id })
    })
  })

  test.each(['char(10)', 'varchar(10)', 'text'])('a %s of a nondeterministic collation is compared exactly', async (type) => {
    const email = pg.customType<{ data: string }>({ dataType: () => type })
    const { adapter, exec } = await pgUsers({ id: pg.text().primaryKey() }, { email: email().notNull() }, [
      `create collation loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`,
    ])
    await exec(`alter table people alter email type ${type} collate loose`)
    const user = await adapter.createUser({ email: 'jose@abc.d' })
    for (const other of ['jos\u00e9@abc.d', 'JOSE@abc.d']) expect(await adapter.getUserByEmail(other)).toBeNull()
    expect(await adapter.getUserByEmail('jose@abc.d')).toEqual(user)
  })

  test('if the id is varchar without a length, so is userId', async () => {
    const { adapter } = await pgUsers({ id: pg.varchar().primaryKey() })
    await expectExactId(adapter, 'x'.repeat(300), ['x'])
  })

  test('arrays are stored, and defaults that only the database has are applied', async () => {
    const { adapter, exec } = await pgUsers(
      { id: pg.text().primaryKey() },
      { tags: pg.text().array(), role: pg.text().notNull(), seq: pg.integer().generatedAlwaysAsIdentity() },
    )
    await exec(`alter table people alter role set default 'member'`)
    const user = await adapter.createUser({ email: 'a@example.com', tags: ['a', "b'"] } as never)
    expect(user).toMatchObject({ tags: ['a', "b'"], role: 'member', seq: 1 })
    expect(await adapter.updateUser({ ...user, name: 'x' })).toMatchObject({ seq: 1 })
    await expect(adapter.createUser({ email: 'b@example.com', tags: ['\ud800'] } as never)).rejects.toMatchObject({ kind: 'invalid' })
  })
})

describe.runIf(dialects.includes('sqlite'))('on SQLite', () => {
  async function sqliteUsers(id: object, more: object = {}) {
    const usersTable = lite.sqliteTable('people', {
      ...(id as { id: ReturnType<typeof lite.text> }),
      email: lite.text().notNull(),
      emailVerified: lite.integer({ mode: 'timestamp' }),
      ...more,
    })
    const tables = defineSqlite({ usersTable: usersTable as never, foreignKeys: false })
    const opened = await openSqlite({
      migrations: [createTable(usersTable, '`'), createTable(tables.accountsTable, '`'), createTable(tables.sessionsTable, '`')],
    })
    onTestFinished(opened.close)
    const { accountsTable, sessionsTable } = tables
    const used = { usersTable: usersTable as never, accountsTable, sessionsTable }
    return { ...opened, tables: used, adapter: DrizzleAdapter(opened.db, used) as unknown as Users }
  }

  test.each(['numeric', 'string', 'any'])('an id of type %s (numeric affinity) does not match other spellings', async (type) => {
    const { adapter } = await sqliteUsers({
      id: lite
        .customType<{ data: string }>({ dataType: () => type })()
        .primaryKey(),
    })
    await expectExactId(adapter, '1000', ['1e3', '01000', '1000.0', ' 1000'])
  })

  test('an id column of the sessions table stays a number', async () => {
    const { db, exec } = await sqliteUsers({ id: lite.integer().primaryKey() })
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

  test('errors thrown by code of the app do not leak values', async () => {
    const leaking = lite.customType<{ data: string }>({
      dataType: () => 'text',
      fromDriver: (value) => {
        throw new Error(`${value}`)
      },
    })
    const { adapter } = await sqliteUsers({ id: lite.text().primaryKey() }, { note: leaking() })
    const error = await adapter.createUser({ email: 'a@example.com', note: 'SECRET_123' } as never).catch((error) => error)
    expect(error).toBeInstanceOf(AdapterOperationError)
    expect(JSON.stringify(error) + error.stack).not.toContain('SECRET_123')
    const hostile = new Proxy({}, { get: () => 'SECRET_123' })
    const thrown = Object.defineProperty(new Error('SECRET_123'), 'code', {
      get: () => {
        throw hostile
      },
    })
    const other = await adapter
      .createUser({
        get email(): string {
          throw thrown
        },
      } as never)
      .catch((error) => error)
    expect(other).toBeInstanceOf(AdapterOperationError)
  })

  test('rows without a user belong to nobody', async () => {
    const { db, exec, run, tables } = await sqliteUsers({ id: lite.text().primaryKey() })
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
    const { db, exec, tables } = await sqliteUsers({ id: lite.text().primaryKey() })
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

  test('values that are not numbers are rejected in number columns', async () => {
    const { adapter } = await sqliteUsers({ id: lite.text().primaryKey() })
    const user = await adapter.createUser({ email: 'a@example.com' })
    const account = { userId: user.id, type: 'oauth' as const, provider: 'p', providerAccountId: '1' }
    for (const expires_at of [Number.NaN, Number.POSITIVE_INFINITY, 'soon'] as number[])
      await expect(adapter.linkAccount({ ...account, expires_at })).rejects.toMatchObject({ kind: 'invalid', column: 'expires_at' })
    expect(await adapter.linkAccount({ ...account, expires_in: '3600' as never })).toMatchObject({ expires_in: 3600 })
  })
})

describe.runIf(dialects.includes('sqlite'))('columns whose joined names are equal', () => {
  test('do not share a prepared statement', async () => {
    const columns = { a: lite.text(), bc: lite.text(), ab: lite.text(), c: lite.text() }
    const { usersTable, accountsTable } = defineSqlite({ columns: { users: columns } })
    const { db, close } = await openSqlite({ migrations: [createTable(usersTable, '`'), createTable(accountsTable, '`')] })
    onTestFinished(close)
    const { createUser } = DrizzleAdapter(db, { usersTable, accountsTable })
    const [one, other] = [
      { a: '1', bc: '2' },
      { ab: '3', c: '4' },
    ]
    expect(await createUser({ email: 'one@example.com', emailVerified: null, ...one } as never)).toMatchObject(one)
    expect(await createUser({ email: 'other@example.com', emailVerified: null, ...other } as never)).toMatchObject(other)
  })
})
