import { DrizzleAdapter } from 'drizzle-auth-adapter'
import * as my from 'drizzle-auth-adapter/mysql'
import * as pg from 'drizzle-auth-adapter/pg'
import * as lite from 'drizzle-auth-adapter/sqlite'
import { sql } from 'drizzle-orm'
import { customType, datetime, mysqlTable, varchar } from 'drizzle-orm/mysql-core'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { numeric, text as pgText, real } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import { text } from 'drizzle-orm/sqlite-core'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { openDatabase, openPg } from '../../support/databases.js'
import { createTable } from '../../support/ddl.js'
import { openPool } from '../../support/pool.js'
import * as pgSchema from '../../support/schema/pg.js'

const short = () => varchar({ length: 40 })
const names = {
  pg: () => pg.defineTables({ columns: { users: { first: pgText(), last: pgText(), 'first last': pgText() } } }),
  mysql: () => my.defineTables({ columns: { users: { first: short(), last: short(), 'first last': short() } } }),
  sqlite: () => lite.defineTables({ columns: { users: { first: text(), last: text(), 'first last': text() } } }),
}

const columns = Array.from({ length: 9 }, (_, index) => `c${index}`)
const eachOf = (column: () => object) => Object.fromEntries(columns.map((name) => [name, column()])) as { c0: never }
const wide = {
  pg: () => pg.defineTables({ columns: { users: eachOf(pgText) } }),
  mysql: () => my.defineTables({ columns: { users: eachOf(short) } }),
  sqlite: () => lite.defineTables({ columns: { users: eachOf(text) } }),
}

describe.each(inject('dialects'))('values on %s', (dialect) => {
  test('end up in their own columns, whatever these are called', async () => {
    const { adapter, exec, quote, close } = await openDatabase(dialect, { tables: names[dialect]() })
    onTestFinished(close)
    for (const name of ['first', 'last', 'first last']) await exec(`alter table ${quote('user')} add column ${quote(name)} varchar(40)`)
    type Names = { id: string; first?: string; last?: string; 'first last'?: string }
    const { createUser, updateUser } = adapter() as unknown as Record<'createUser' | 'updateUser', (user: object) => Promise<Names>>
    const { id } = await createUser({ email: 'ada@example.com' })
    expect(await updateUser({ id, first: 'Ada', last: 'Lovelace' })).toMatchObject({ first: 'Ada', last: 'Lovelace', 'first last': null })
    expect(await updateUser({ id, 'first last': 'Ada Lovelace' })).toMatchObject({ last: 'Lovelace', 'first last': 'Ada Lovelace' })
    expect(await createUser({ email: 'b@example.com', 'first last': 'B' })).toMatchObject({ first: null, last: null, 'first last': 'B' })
    expect(await createUser({ email: 'c@example.com', first: 'C', last: 'D' })).toMatchObject({ first: 'C', last: 'D', 'first last': null })
  })
})

describe.each(inject('dialects'))('statements on %s', (dialect) => {
  test('are bounded in the process: the first are kept, and any other is built for each call', async () => {
    const { adapter: create, db, quote, exec, close } = await openDatabase(dialect, { tables: wide[dialect]() })
    onTestFinished(close)
    for (const name of columns) await exec(`alter table ${quote('user')} add column ${name} varchar(9)`)
    const { id } = await create().createUser({ email: 'ada@example.com' })
    const update = vi.spyOn(db as never as { update(): object }, 'update')
    const { updateUser } = create() as unknown as { updateUser(user: object): Promise<object> }
    /** Updates these columns. Returns whether the statement was built for that. */
    const isBuilt = async (names: string[]) => {
      update.mockClear()
      await updateUser({ id, ...Object.fromEntries(names.map((name) => [name, 'x'])) })
      return update.mock.calls.length > 0
    }
    expect(await isBuilt(columns)).toBe(true)
    expect(await isBuilt(columns)).toBe(false)
    for (let set = 1; set < 2 ** (columns.length - 1); set++) await isBuilt(columns.filter((_, index) => set & (1 << index)))
    expect(await isBuilt(columns)).toBe(false)
    for (let call = 0; call < 2; call++) expect(await isBuilt(columns.slice(0, -1))).toBe(true)
  })
})

describe.runIf(inject('dialects').includes('pg'))('prepared statements on PostgreSQL', () => {
  const drivers = {
    'postgres.js': (url: string) => {
      const client = postgres(url, { max: 1 })
      return { db: drizzle({ client }), run: (sql: string) => client.unsafe(sql), end: () => client.end() }
    },
    'node-postgres': (url: string) => {
      const client = openPool({ connectionString: url, max: 1 })
      return { db: drizzleNodePg({ client }), run: async (sql: string) => (await client.query(sql)).rows, end: () => client.end() }
    },
  }
  const both = Object.keys(drivers) as (keyof typeof drivers)[]

  async function open(driver: keyof typeof drivers) {
    const { url, close } = await openPg()
    const opened = drivers[driver](url)
    onTestFinished(async () => {
      await opened.end()
      await close()
    })
    return opened
  }

  test.each(both)('are bounded on the server, however many sets of columns and limits callers choose: %s', async (driver) => {
    const { db, run } = await open(driver)
    for (const name of columns) await run(`alter table "user" add column ${name} text`)
    const adapter = DrizzleAdapter(db as never, wide.pg(), { namedStatements: true }) as unknown as {
      createUser(user: object): Promise<{ id: string }>
      updateUser(user: object): Promise<object>
      listSessions(userId: string, options: object): Promise<unknown[]>
    }
    const { id } = await adapter.createUser({ email: 'ada@example.com' })
    for (let set = 1; set < 2 ** columns.length; set++) {
      const changed = columns.filter((_, index) => set & (1 << index))
      for (const value of ['x', 'y']) await adapter.updateUser({ id, ...Object.fromEntries(changed.map((name) => [name, value])) })
    }
    for (let limit = 1; limit <= 150; limit++) await adapter.listSessions(id, { limit })
    const [{ count } = { count: 0 }] = (await run('select count(*)::int as count from pg_prepared_statements')) as { count: number }[]
    expect(count).toBeLessThan(150)
  })

  test.each(both.flatMap((driver) => [true, false].map((namedStatements) => [driver, namedStatements] as const)))(
    'go on after the type of a column has changed: %s, namedStatements %s',
    async (driver, namedStatements) => {
      const { db, run } = await open(driver)
      const adapter = DrizzleAdapter(db as never, pgSchema, { namedStatements, retry: false })
      const { id } = await adapter.createUser({ email: 'ada@example.com' })
      for (let call = 0; call < 2; call++) {
        expect(await adapter.getUser(id)).toMatchObject({ id })
        expect(await adapter.updateUser({ id, name: 'Ada' })).toMatchObject({ name: 'Ada' })
      }
      for (const table of ['account', 'session', 'authenticator'])
        await run(`alter table "${table}" drop constraint "${table}_userId_user_id_fk"`)
      await run(`alter table "user" alter column id type uuid using id::uuid`)
      for (let call = 0; call < 3; call++) {
        expect(await adapter.getUser(id)).toMatchObject({ id })
        expect(await adapter.updateUser({ id, name: 'Eva' })).toMatchObject({ name: 'Eva' })
      }
    },
  )
})

describe.runIf(inject('dialects').includes('pg'))('an error of PostgreSQL', () => {
  test('names a required column that the table definition lacks', async () => {
    const { adapter, exec, close } = await openDatabase('pg')
    onTestFinished(close)
    await exec('alter table "user" add column plan text not null')
    await expect(adapter().createUser({ email: 'ada@example.com' })).rejects.toMatchObject({ kind: 'missing-value', column: 'plan' })
  })

  test('is none for what the type of a column can hold: a user with Infinity in a column of the app is read', async () => {
    const tables = pg.defineTables({ columns: { users: { score: real(), rank: numeric({ mode: 'number' }) } } })
    const { adapter, exec, close } = await openDatabase('pg', { tables })
    onTestFinished(close)
    await exec('alter table "user" add column score real, add column rank numeric')
    const user = await adapter().createUser({ email: 'ada@example.com' })
    await exec(`update "user" set score = '-Infinity', rank = 'NaN'`)
    expect(await adapter().getUser(user.id)).toEqual({ ...user, score: Number.NEGATIVE_INFINITY, rank: Number.NaN })
  })
})

describe.runIf(inject('dialects').includes('mysql'))('a value for MySQL', () => {
  test('that is longer than max_allowed_packet is too long, and does not look like a lost connection', async () => {
    const { adapter, run, close } = await openDatabase('mysql')
    onTestFinished(close)
    const [{ size } = { size: 0 }] = (await run('select @@max_allowed_packet as size')) as { size: number }[]
    const account = { userId: 'ada', type: 'oauth' as const, provider: 'p', providerAccountId: '1' }
    await adapter().createUser({ id: 'ada', email: 'ada@example.com' })
    await expect(adapter().linkAccount({ ...account, access_token: 'x'.repeat(size) })).rejects.toMatchObject({ kind: 'too-long' })
    expect(await adapter().getUser('ada')).toMatchObject({ id: 'ada' })
  })
})

// MariaDB has no such function. CI runs this file with MySQL, too.
describe.runIf(process.env.MYSQL_SERVER === 'mysql')('an id that a custom type sends to MySQL as SQL', () => {
  const uuid = customType<{ data: string; driverData: Uint8Array }>({
    dataType: () => 'binary(16)',
    toDriver: (id) => sql`uuid_to_bin(${id})`,
    fromDriver: (bytes) =>
      Buffer.from(bytes)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  })

  test('is nobody’s if the database cannot evaluate it', async () => {
    const usersTable = mysqlTable('user', {
      id: uuid()
        .primaryKey()
        .$defaultFn(() => crypto.randomUUID()),
      email: short().notNull(),
      emailVerified: datetime({ fsp: 3 }),
    })
    const tables = my.defineTables({ usersTable })
    const migrations = Object.values(tables).map((table) => createTable(table as never, '`'))
    const { adapter: create, close } = await openDatabase('mysql', { tables, migrations })
    onTestFinished(close)
    const adapter = create()
    const { id } = await adapter.createUser({ email: 'ada@example.com' })
    for (const operation of ['getUser', 'deleteUser'] as const) expect(await adapter[operation]('no uuid'), operation).toBeNull()
    expect(await adapter.listAccounts('no uuid')).toEqual([])
    expect(await adapter.deleteUser(id)).toMatchObject({ id })
  })
})

describe.runIf(inject('dialects').includes('mysql'))('a row that MySQL returns', () => {
  test('exists: one whose key a trigger replaces is not found, and was written', async () => {
    const { adapter, exec, run, close } = await openDatabase('mysql')
    onTestFinished(close)
    await exec("create trigger replaced before insert on user for each row set new.id = concat('x', new.id)")
    const failure = await adapter({ retry: false })
      .createUser({ id: 'ada', email: 'ada@example.com' })
      .catch((error) => error)
    expect(failure).toMatchObject({ kind: 'not-found', operation: 'createUser', written: true })
    expect(await run('select id from user')).toHaveLength(1)
  })
})
