import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import * as pgSchema from '../../support/schema/pg.js'
import type { AnyAdapter } from './database.js'
import { changes, createRows, inserts, lookups, makeAdapter, openDatabase } from './database.js'

const tables = ['user', 'account', 'session', 'verificationToken', 'authenticator']
const beyond = {
  listAccounts: (adapter: AnyAdapter, key: string) => adapter.listAccounts(key),
  listSessions: (adapter: AnyAdapter, key: string) => adapter.listSessions(key),
  revokeSessions: (adapter: AnyAdapter, key: string) => adapter.revokeSessions(key),
}

describe.runIf(inject('dialects').includes('pg'))('row policies of PostgreSQL that fail', () => {
  test('while the statement is planned make every operation fail, and none look empty', async () => {
    const { execute, adapter, url, close } = await openDatabase('pg')
    onTestFinished(close)
    await createRows(adapter, 'ada')
    const role = `tenant_${crypto.randomUUID().slice(0, 8)}`
    await execute(`create role ${role} login`)
    for (const table of tables)
      await execute(
        `alter table "${table}" enable row level security`,
        `grant all on "${table}" to ${role}`,
        // PostgreSQL evaluates the setting before it reads a row.
        `create policy tenant on "${table}" using (1 = current_setting('app.tenant')::int)`,
      )
    const tenantUrl = new URL(url)
    tenantUrl.username = role
    const client = postgres(tenantUrl.href, { max: 1 })
    onTestFinished(async () => {
      await client.end()
      await execute(`drop owned by ${role}`, `drop role ${role}`)
    })
    await client`select set_config('app.tenant', '', false)`
    const limited = makeAdapter(drizzle({ client }), pgSchema)
    const outcomes: Record<string, unknown> = {}
    const calls = { ...lookups, ...changes, ...inserts, ...beyond }
    for (const [operation, run] of Object.entries(calls))
      outcomes[operation] = await run(limited, 'ada').then(
        (answer) => ({ answer }),
        ({ code }) => code,
      )
    expect(outcomes).toEqual(Object.fromEntries(Object.keys(calls).map((operation) => [operation, '22P02'])))
    // In a transaction that the failure has aborted, the value cannot be asked about, either.
    let inTransaction: unknown
    const aborted = drizzle({ client }).transaction(async (tx) => {
      inTransaction = await makeAdapter(tx, pgSchema)
        .getUser('ada')
        .catch(({ code }) => code)
    })
    await expect(aborted).rejects.toThrow()
    expect(inTransaction).toBe('22P02')
    await client`select set_config('app.tenant', '1', false)`
    expect(await DrizzleAdapter(drizzle({ client }), pgSchema).getUser('ada')).toMatchObject({ id: 'ada' })
  })
})
