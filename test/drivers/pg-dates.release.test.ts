import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/pg'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { afterEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { openPg } from '../helpers/databases.js'
import { createTable } from '../helpers/ddl.js'
import { openPool } from '../helpers/pool.js'

const styles = ['ISO', 'SQL', 'German', 'Postgres'].flatMap((style) => ['DMY', 'MDY', 'YMD'].map((order) => `${style}, ${order}`))
const zones = ['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Kiritimati']

const precisions = [0, 1, 2, 3, 4, 5, 6] as const
const columns: Record<string, () => ReturnType<typeof pg.timestamp>> = {
  timestamp: () => pg.timestamp(),
  'timestamp with time zone': () => pg.timestamp({ withTimezone: true }),
  date: () => pg.date({ mode: 'date' }) as unknown as ReturnType<typeof pg.timestamp>,
  ...Object.fromEntries(
    precisions.flatMap((precision) => [
      [`timestamp(${precision})`, () => pg.timestamp({ precision })],
      [`timestamp(${precision}) with time zone`, () => pg.timestamp({ precision, withTimezone: true })],
    ]),
  ),
}

const processZone = process.env.TZ
afterEach(() => {
  if (processZone === undefined) delete process.env.TZ
  else process.env.TZ = processZone
})

/** Connects with each driver, and passes the settings in the driver's own options. */
const drivers = {
  'postgres.js': (url: string, settings: Record<string, string>) => {
    const client = postgres(url, { max: 1, onnotice: () => {}, connection: settings })
    onTestFinished(() => client.end())
    return drizzlePostgresJs({ client })
  },
  'node-postgres': (url: string, settings: Record<string, string>) => {
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    const client = openPool({ connectionString: url, max: 1, options: options.join(' ') })
    onTestFinished(() => client.end())
    return drizzleNodePg({ client })
  },
}

async function openTables(column: () => ReturnType<typeof pg.timestamp>) {
  const usersTable = pg.pgTable('user', {
    id: pg.text().primaryKey(),
    email: pg.text().notNull(),
    name: pg.text(),
    emailVerified: column(),
  })
  const { accountsTable } = defineTables({ usersTable })
  const sessionsTable = pg.pgTable('session', {
    sessionToken: pg.text().primaryKey(),
    userId: pg.text().notNull(),
    expires: column().notNull(),
  })
  const verificationTokensTable = pg.pgTable('token', {
    identifier: pg.text().notNull(),
    token: pg.text().notNull(),
    expires: column().notNull(),
  })
  const tables = { usersTable, accountsTable, sessionsTable, verificationTokensTable }
  const opened = await openPg({ migrations: Object.values(tables).map((table) => createTable(table, '"')) })
  onTestFinished(opened.close)
  const adapterOf = (db: object) => DrizzleAdapter(db as never, tables, { retry: false })
  return { ...opened, adapterOf }
}

type Opened = Awaited<ReturnType<typeof openTables>>

/** Stores rows with this date, which the database parses. */
async function store({ run }: Opened, date: string) {
  await run(`truncate "user", account, session, token`)
  await run(`insert into "user" (id, email, name, "emailVerified") values ('u', 'e', 'n', '${date}')`)
  await run(`insert into account ("userId", type, provider, "providerAccountId") values ('u', 'oauth', 'p', 'a')`)
  await run(`insert into session ("sessionToken", "userId", expires) values ('s', 'u', '${date}')`)
  await run(`insert into token (identifier, token, expires) values ('i', 't', '${date}')`)
}

/** The stored instant in milliseconds, as the database itself computes it. A date without a time zone is in UTC. */
async function storedInstant({ run }: Opened): Promise<number> {
  const [row] = await run(`select floor(extract(epoch from "emailVerified") * 1000)::text as ms from "user"`)
  return Number(row?.ms)
}

/** For each operation that returns a date, a function that reads it. */
async function readersOf(adapter: ReturnType<Opened['adapterOf']>): Promise<Record<string, () => Promise<unknown>>> {
  return {
    getUser: async () => (await adapter.getUser('u'))?.emailVerified,
    getUserByEmail: async () => (await adapter.getUserByEmail('e'))?.emailVerified,
    getUserByAccount: async () => (await adapter.getUserByAccount({ provider: 'p', providerAccountId: 'a' }))?.emailVerified,
    'getSessionAndUser, its session': async () => (await adapter.getSessionAndUser('s'))?.session.expires,
    'getSessionAndUser, its user': async () => (await adapter.getSessionAndUser('s'))?.user.emailVerified,
    updateUser: async () => (await adapter.updateUser({ id: 'u', name: 'm' })).emailVerified,
    useVerificationToken: async () => (await adapter.useVerificationToken({ identifier: 'i', token: 't' }))?.expires,
    deleteSession: async () => (await adapter.deleteSession('s'))?.expires,
    deleteUser: async () => (await adapter.deleteUser('u'))?.emailVerified,
  }
}

async function expectInstant(adapter: ReturnType<Opened['adapterOf']>, ms: number, label: string) {
  for (const [operation, date] of Object.entries(await readersOf(adapter)))
    expect(await date(), `${label}, ${operation}`).toEqual(new Date(ms))
}

describe.runIf(inject('dialects').includes('pg')).each(Object.entries(drivers))('dates on PostgreSQL with %s', (_name, open) => {
  test.each(styles)('are the stored ones in the DateStyle %s', async (style) => {
    for (const column of ['timestamp', 'timestamp with time zone', 'date']) {
      const opened = await openTables(columns[column] as () => ReturnType<typeof pg.timestamp>)
      for (const zone of zones) {
        const adapter = opened.adapterOf(open(opened.url, { DateStyle: style, TimeZone: zone }))
        for (const date of [
          '2026-06-05 01:02:03.456+00',
          '2026-12-31 23:59:59.999+00',
          '0007-06-05 00:00:00+00',
          '1969-12-31 23:59:59.001+00',
        ]) {
          await store(opened, date)
          await expectInstant(adapter, await storedInstant(opened), `${column}, ${zone}, ${date}`)
        }
      }
    }
  })

  test.each(['database', 'role'])('are the stored ones in a DateStyle of the %s', async (owner) => {
    const opened = await openTables(() => pg.timestamp({ precision: 3 }))
    const name = new URL(opened.url).pathname.slice(1)
    const url = new URL(opened.url)
    if (owner === 'role') {
      await opened.run(`create role ${name} superuser login`)
      onTestFinished(() => opened.exec(`drop role ${name}`))
      url.username = name
    }
    await opened.run(`alter ${owner} ${name} set DateStyle to 'SQL, DMY'`)
    const adapter = opened.adapterOf(open(url.href, {}))
    await store(opened, '2026-06-05 01:02:03.456')
    await expectInstant(adapter, Date.UTC(2026, 5, 5, 1, 2, 3, 456), owner)
  })

  test.each(Object.keys(columns))('that the adapter writes into %s are stored and read as the same instant', async (column) => {
    const opened = await openTables(columns[column] as () => ReturnType<typeof pg.timestamp>)
    for (const settings of [
      {},
      { DateStyle: 'SQL, DMY', TimeZone: 'Asia/Kolkata' },
      { DateStyle: 'German, MDY', TimeZone: 'America/St_Johns' },
    ] as Record<string, string>[]) {
      const adapter = opened.adapterOf(open(opened.url, settings))
      for (const zone of ['UTC', 'America/New_York', 'Asia/Kolkata']) {
        process.env.TZ = zone
        for (const emailVerified of ['2026-06-05T01:02:03.456Z', '2026-03-08T07:30:00.000Z', '0050-02-03T04:05:06.000Z'].map(
          (text) => new Date(text),
        )) {
          await opened.run(`truncate "user"`)
          const made = await adapter.createUser({ id: 'u', email: 'e', emailVerified })
          const stored = new Date(await storedInstant(opened))
          expect(made.emailVerified, `createUser, ${emailVerified.toISOString()}`).toEqual(stored)
          expect((await adapter.getUser('u'))?.emailVerified).toEqual(stored)
          // A column with a lower precision may round; `date` keeps only the day.
          const lost = Math.abs(stored.getTime() - emailVerified.getTime())
          expect(lost).toBeLessThan(column === 'date' ? 86_400_000 : column.includes('(0)') ? 1000 : column.includes('(1)') ? 100 : 10)
        }
      }
    }
  })

  test.each(['infinity', '-infinity', '0044-03-15 12:00:00 BC', '12026-06-05 01:02:03', '290000-01-01'])(
    'such as %s are returned as stored, or rejected',
    async (date) => {
      for (const column of ['timestamp', 'timestamp with time zone', 'date']) {
        const opened = await openTables(columns[column] as () => ReturnType<typeof pg.timestamp>)
        const adapter = opened.adapterOf(open(opened.url, {}))
        await store(opened, date)
        const ms = date.includes('infinity') ? Number.NaN : await storedInstant(opened)
        for (const [operation, read] of Object.entries(await readersOf(adapter))) {
          await store(opened, date)
          const found = await read().catch((error) => error)
          if (found instanceof Date) expect(found.getTime(), `${column}, ${operation}`).toBe(ms)
          else expect(found, `${column}, ${operation}`).toMatchObject({ kind: 'garbled' })
          if (found instanceof Date) expect(found.getTime()).not.toBeNaN()
        }
      }
    },
  )

  test('outside the range of Date are rejected', async () => {
    const opened = await openTables(() => pg.timestamp({ precision: 3 }))
    const adapter = opened.adapterOf(open(opened.url, {}))
    for (const date of ['infinity', '-infinity', '290000-01-01']) {
      for (const operation of Object.keys(await readersOf(adapter))) {
        await store(opened, date)
        await expect((await readersOf(adapter))[operation]?.(), `${date}, ${operation}`).rejects.toMatchObject({ kind: 'garbled' })
      }
    }
  })
})
