import type { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import { sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openDatabase } from '../../support/databases.js'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'

let calls = 0
const nextCall = () => `call ${++calls}`

const lowerCase = (value: string) => value.toLowerCase()

const definitions = {
  pg: () =>
    definePg({
      columns: {
        users: {
          role: pg.text().notNull().default('member'),
          made: pg.text().$defaultFn(nextCall),
          madeBySql: pg.text().$defaultFn(() => sql`upper('made')`),
          touched: pg.text().$onUpdate(nextCall),
          touchedBySql: pg.text().$onUpdate(() => sql`md5(random()::text)`),
          createdAt: pg.timestamp().notNull().defaultNow(),
          shout: pg.text().generatedAlwaysAs(sql`upper(name)`),
          settings: pg.jsonb().$type<{ dark: boolean }>(),
          inline: pg.customType<{ data: string }>({ dataType: () => 'text', toDriver: lowerCase })(),
        },
        sessions: {
          ip: pg.text(),
          made: pg.text().$defaultFn(nextCall),
          touched: pg.text().$onUpdate(nextCall),
          device: pg.text().notNull().default('unknown'),
        },
      },
    }),
  mysql: () =>
    defineMysql({
      columns: {
        users: {
          role: my.varchar({ length: 20 }).notNull().default('member'),
          made: my.varchar({ length: 40 }).$defaultFn(nextCall),
          madeBySql: my.varchar({ length: 40 }).$defaultFn(() => sql`upper('made')`),
          touched: my.varchar({ length: 40 }).$onUpdate(nextCall),
          touchedBySql: my.varchar({ length: 40 }).$onUpdate(() => sql`uuid()`),
          createdAt: my.timestamp().notNull().defaultNow(),
          shout: my.varchar({ length: 255 }).generatedAlwaysAs(sql`upper(name)`),
          settings: my.json().$type<{ dark: boolean }>(),
          inline: my.customType<{ data: string }>({ dataType: () => 'varchar(40)', toDriver: lowerCase })(),
        },
        sessions: {
          ip: my.varchar({ length: 40 }),
          made: my.varchar({ length: 40 }).$defaultFn(nextCall),
          touched: my.varchar({ length: 40 }).$onUpdate(nextCall),
          device: my.varchar({ length: 20 }).notNull().default('unknown'),
        },
      },
    }),
  sqlite: () =>
    defineSqlite({
      columns: {
        users: {
          role: lite.text().notNull().default('member'),
          made: lite.text().$defaultFn(nextCall),
          madeBySql: lite.text().$defaultFn(() => sql`upper('made')`),
          touched: lite.text().$onUpdate(nextCall),
          touchedBySql: lite.text().$onUpdate(() => sql`hex(randomblob(8))`),
          createdAt: lite.integer({ mode: 'timestamp' }).notNull().default(sql`(unixepoch())`),
          shout: lite.text().generatedAlwaysAs(sql`upper(name)`),
          settings: lite.text({ mode: 'json' }).$type<{ dark: boolean }>(),
          inline: lite.customType<{ data: string }>({ dataType: () => 'text', toDriver: lowerCase })(),
        },
        sessions: {
          ip: lite.text(),
          made: lite.text().$defaultFn(nextCall),
          touched: lite.text().$onUpdate(nextCall),
          device: lite.text().notNull().default('unknown'),
        },
      },
    }),
}

type AddedColumns = ReturnType<typeof DrizzleAdapter<ReturnType<(typeof definitions)['pg']>>>

async function open(dialect: DialectName) {
  const tables = definitions[dialect]()
  const quote = dialect === 'pg' ? '"' : '`'
  const migrations = [createTable(tables.usersTable, quote), createTable(tables.sessionsTable, quote)]
  const { adapter, close } = await openDatabase(dialect, { migrations, tables })
  return { adapter: adapter() as unknown as AddedColumns, close }
}

describe.each(inject('dialects'))('added columns on %s', (dialect) => {
  let { adapter, close } = {} as Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    ;({ adapter, close } = await open(dialect))
  })
  afterAll(() => close())
  const email = () => `${crypto.randomUUID()}@example.com`

  test('get a new default value for each row', async () => {
    const [first, second] = [
      await adapter.createUser({ email: email(), name: 'Ada' }),
      await adapter.createUser({ email: email(), name: 'Bob' }),
    ]
    expect(first).toMatchObject({ role: 'member', madeBySql: 'MADE', shout: 'ADA', settings: null })
    expect(first.made).toMatch(/^call \d+$/)
    expect(second.made).toMatch(/^call \d+$/)
    expect(second.made).not.toBe(first.made)
    expect(second.touched).not.toBe(first.touched)
    expect(second.touchedBySql).not.toBe(first.touchedBySql)
    expect(Math.abs(first.createdAt.getTime() - Date.now())).toBeLessThan(86_400_000)
    expect(await adapter.getUser(first.id)).toEqual(first)
    expect(await adapter.getUser(second.id)).toEqual(second)
  })

  test('keep given values instead of their defaults', async () => {
    const given = { role: 'admin', made: 'given', touched: 'given', createdAt: new Date('2020-02-02T02:02:02Z') }
    const user = await adapter.createUser({ email: email(), ...given })
    expect(user).toMatchObject(given)
    expect(await adapter.getUser(user.id)).toEqual(user)
  })

  test('with $onUpdate change with each update, and only then', async () => {
    const user = await adapter.createUser({ email: email(), name: 'Ada' })
    const [once, twice] = [await adapter.updateUser({ id: user.id, name: 'Eva' }), await adapter.updateUser({ id: user.id, name: 'Ida' })]
    expect(once).toMatchObject({ shout: 'EVA', made: user.made, createdAt: user.createdAt })
    expect(new Set([user.touched, once.touched, twice.touched]).size).toBe(3)
    expect(new Set([user.touchedBySql, once.touchedBySql, twice.touchedBySql]).size).toBe(3)
    expect(await adapter.updateUser({ id: user.id })).toEqual(twice)
    expect(await adapter.getUser(user.id)).toEqual(twice)
  })

  test('are cleared by null, unchanged by undefined, and cannot be written if they are generated', async () => {
    const user = await adapter.createUser({ email: email(), name: 'Ada', settings: { dark: false }, inline: 'A' })
    const updated = await adapter.updateUser({ id: user.id, settings: null, role: 'x', made: null, inline: null, shout: 'no' } as never)
    expect(updated).toMatchObject({ settings: null, made: null, inline: null, role: 'x', shout: 'ADA' })
    expect(await adapter.updateUser({ id: user.id, settings: { dark: true }, inline: 'B' })).toMatchObject({
      settings: { dark: true },
      inline: 'b',
      role: 'x',
    })
    expect(await adapter.createUser({ email: email(), settings: null, inline: null, shout: 'no' } as never)).toMatchObject({
      settings: null,
      inline: null,
      shout: null,
    })
  })

  test('are returned with sessions, too', async () => {
    const user = await adapter.createUser({ email: email() })
    const session = { sessionToken: crypto.randomUUID(), userId: user.id, expires: new Date('2030-01-01T00:00:00.123Z') }
    const created = await adapter.createSession({ ...session, ip: '::1' })
    expect(created).toMatchObject({ ...session, ip: '::1', device: 'unknown', made: expect.stringMatching(/^call/) })
    expect(await adapter.getSessionAndUser(session.sessionToken)).toEqual({ session: created, user })
    const updated = await adapter.updateSession({ sessionToken: session.sessionToken, device: 'phone' })
    expect(updated).toEqual({ ...created, device: 'phone', touched: expect.not.stringContaining(created.touched as string) })
  })
})
