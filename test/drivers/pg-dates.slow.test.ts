import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/pg'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { afterEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { openPg } from '../support/databases.js'
import { createTable } from '../support/ddl.js'
import { openPool } from '../support/pool.js'

const zones = ['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Kiritimati']

const columns = {
  timestamp: () => pg.timestamp(),
  'timestamp(0)': () => pg.timestamp({ precision: 0 }),
  'timestamp with time zone': () => pg.timestamp({ withTimezone: true }),
  date: () => pg.date({ mode: 'date' }) as unknown as ReturnType<typeof pg.timestamp>,
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
function readersOf(adapter: ReturnType<Opened['adapterOf']>): Record<string, () => Promise<unknown>> {
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

describe.runIf(inject('dialects').includes('pg')).each(Object.entries(drivers))('dates on PostgreSQL with %s', (_name, open) => {
  test.each(Object.entries(columns))('are those that are stored, in a column of the type %s and any time zone', async (type, column) => {
    const opened = await openTables(column)
    for (const zone of zones) {
      const adapter = opened.adapterOf(open(opened.url, { TimeZone: zone }))
      for (const date of ['2026-06-05 01:02:03.456+00', '0007-06-05 00:00:00+00', '1969-12-31 23:59:59.001+00', '12026-06-05 01:02:03']) {
        await store(opened, date)
        const instant = new Date(await storedInstant(opened))
        for (const [operation, read] of Object.entries(readersOf(adapter)))
          expect(await read(), `${zone}, ${date}, ${operation}`).toEqual(instant)
      }
      for (const processZone of ['America/New_York', 'Asia/Kolkata']) {
        process.env.TZ = processZone
        await opened.run(`truncate "user"`)
        const emailVerified = new Date('2026-03-08T07:30:00.250Z')
        const created = await adapter.createUser({ id: 'u', email: 'e', emailVerified })
        expect(created.emailVerified).toEqual(new Date(await storedInstant(opened)))
        // `date` keeps only the day, and `timestamp(0)` the second.
        const lost = Math.abs((created.emailVerified as Date).getTime() - emailVerified.getTime())
        expect(lost).toBeLessThan(type === 'date' ? 86_400_000 : type === 'timestamp(0)' ? 1000 : 1)
      }
    }
  })

  test.each(['infinity', '-infinity', '0044-03-15 12:00:00 BC', '290000-01-01'])('such as %s are rejected as garbled', async (date) => {
    for (const column of [columns.timestamp, columns['timestamp with time zone'], columns.date]) {
      const opened = await openTables(column)
      await expectGarbled(opened, opened.adapterOf(open(opened.url, {})), date)
    }
  })

  test.each(['SQL, DMY', 'German, DMY', 'Postgres, MDY'])('are rejected as garbled in the DateStyle %s', async (DateStyle) => {
    for (const column of [columns.timestamp, columns['timestamp with time zone'], columns.date]) {
      const opened = await openTables(column)
      const adapter = opened.adapterOf(open(opened.url, { DateStyle }))
      await expectGarbled(opened, adapter, '2026-06-05 01:02:03.456')
      await opened.run(`truncate "user"`)
      const emailVerified = new Date('2026-06-05T00:00:00Z')
      await expect(adapter.createUser({ id: 'u', email: 'e', emailVerified })).rejects.toThrow('the write itself happened')
      expect(new Date(await storedInstant(opened))).toEqual(emailVerified)
    }
  })

  async function expectGarbled(opened: Opened, adapter: ReturnType<Opened['adapterOf']>, date: string) {
    for (const [operation, read] of Object.entries(readersOf(adapter))) {
      await store(opened, date)
      await expect(read(), operation).rejects.toMatchObject({ kind: 'garbled' })
    }
  }
})
