import type { BetterAuthOptions } from '@better-auth/core'
import { deleteExpired } from 'drizzle-auth-adapter'
import type { Table } from 'drizzle-orm'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openOfficial, openStore } from '../../auth/better-auth/store.js'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'

const options: BetterAuthOptions = { rateLimit: { storage: 'database' } }
const now = new Date(Math.floor(Date.now() / 1000) * 1000)
const day = 24 * 3_600_000
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds)
const live = ago(-3_600_000)
const dates = { createdAt: now, updatedAt: now }

interface Database {
  insert(table: Table): { values(rows: object[]): PromiseLike<unknown> }
  select(): { from(table: Table): PromiseLike<{ id: string }[]> }
}

/** Tables of Better Auth: those of its own adapter, or those of `auth generate`. */
async function open(dialect: DialectName, tables: 'official' | 'generated' = 'official') {
  if (tables === 'official') {
    const opened = await openOfficial(dialect, options)
    onTestFinished(opened.close)
    return { db: opened.db as unknown as Database, schema: opened.schema as Record<string, Table> }
  }
  const store = await openStore(dialect)
  onTestFinished(store.close)
  await store.migrate(options)
  return { db: store.db as Database, schema: (await store.schemaFor(options)) as Record<string, Table> }
}

type Opened = Awaited<ReturnType<typeof open>>

const idsIn = async ({ db, schema }: Opened, name: string) => (await db.select().from(schema[name] as Table)).map(({ id }) => id).sort()

describe.each(inject('dialects'))("deleteExpired on Better Auth's tables on %s", (dialect) => {
  test.each(['official', 'generated'] as const)('deletes expired rows and old rate limits, and no others: %s', async (tables) => {
    const opened = await open(dialect, tables)
    const { db, schema } = opened
    const insert = (name: string, given: Record<string, Date>, row: (id: string, date: Date) => object) => {
      const rows = Object.entries(given).map(([id, date]) => ({ id, ...dates, ...row(id, date) }))
      return db.insert(schema[name] as Table).values(rows)
    }
    await insert('user', { u: now }, () => ({ name: 'Ada', email: 'ada@example.com', emailVerified: true }))
    const sessions = { old: ago(1_000), older: ago(1e9), live }
    await insert('session', sessions, (token, expiresAt) => ({ token, userId: 'u', expiresAt }))
    await insert('verification', { old: ago(1_000), live }, (identifier, expiresAt) => ({ identifier, value: 'v', expiresAt }))
    const requests = { old: ago(day + 5_000), live: ago(day - 60_000) }
    await insert('rateLimit', requests, (key, date) => ({ key, count: 1, lastRequest: date.getTime() }))
    expect(await deleteExpired(db as never, schema)).toEqual({ sessions: 2, verifications: 1, rateLimits: 1, finished: true })
    for (const name of ['session', 'verification', 'rateLimit']) expect(await idsIn(opened, name)).toEqual(['live'])
    expect(await deleteExpired(db as never, schema)).toEqual({ sessions: 0, verifications: 0, rateLimits: 0, finished: true })
  })
})

describe.each(inject('dialects'))('deleteExpired on tables of both libraries on %s', (dialect) => {
  test("leaves an app's own tables alone that have names of the other library", async () => {
    const opened = await openDatabase(dialect)
    onTestFinished(opened.close)
    const { rateLimit } = (await open(dialect)).schema
    await opened.exec(`create table rate_limit (id varchar(9), ${opened.quote('key')} varchar(9), count integer, last_request bigint)`)
    await (opened.db as unknown as Database).insert(rateLimit as Table).values([{ id: '1', key: 'k', count: 1, lastRequest: 1 }])
    const deleted = await deleteExpired(opened.db as never, { ...opened.tables, rateLimit } as never)
    expect(deleted).toEqual({ sessions: 0, verificationTokens: 0, finished: true })
    expect(await opened.run('select * from rate_limit')).toHaveLength(1)
  })
})
