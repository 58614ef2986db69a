import Database from 'better-sqlite3'
import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openPg } from '../support/databases.js'
import { migrationsOf } from '../support/migrations.js'
import { openPool } from '../support/pool.js'
import * as pgSchema from '../support/schema/pg.js'
import * as sqliteSchema from '../support/schema/sqlite.js'
import type { Witness } from './fields.js'
import { roundTripText } from './fields.js'
import { texts } from './texts.js'

const adapterOf = (db: object) => DrizzleAdapter(db as never, pgSchema, { retry: false }) as Adapter

async function openDatabase(settings = '') {
  const { url, db, run, close } = await openPg({ settings })
  onTestFinished(close)
  const state = () =>
    run(`select (select json_agg(u order by id) from "user" u) as users, (select count(*) from "account") as accounts,
      (select json_agg(s order by "sessionToken") from "session" s) as sessions, (select count(*) from "verificationToken") as tokens`)
  const witness: Witness = { adapter: adapterOf(db), state }
  return { url, run, witness }
}

function openAdapter(url: string): Adapter {
  const client = postgres(url, { max: 1 })
  onTestFinished(() => client.end())
  return adapterOf(drizzlePostgresJs({ client }))
}

describe.runIf(inject('dialects').includes('pg'))('a database in another encoding', () => {
  test.each(['LATIN1', 'SQL_ASCII', 'WIN1251', 'EUC_JP'])('%s keeps a text unchanged, or rejects it', async (encoding) => {
    const { url, witness } = await openDatabase(`encoding '${encoding}' locale 'C' template template0`)
    const pool = openPool({ connectionString: url, max: 1 })
    onTestFinished(() => pool.end())
    for (const adapter of [openAdapter(url), adapterOf(drizzleNodePg({ client: pool }))])
      for (const [about, text] of Object.entries(texts)) {
        const kept = await roundTripText(adapter, witness, text).catch((error) =>
          Promise.reject(new Error(`${about}: ${error.message}`, { cause: error })),
        )
        if (about === 'letters and digits') expect(kept).toBe(true)
        expect(await adapter.getUserByEmail(text), about).toBeNull()
        expect(await adapter.deleteSession(text), about).toBeNull()
      }
  })

  test('a default encoding of the role does not matter', async () => {
    const { url, run, witness } = await openDatabase()
    await run(`alter database "${new URL(url).pathname.slice(1)}" set client_encoding to 'LATIN1'`)
    const adapter = openAdapter(url)
    expect(await roundTripText(adapter, witness, 'José ħ 😀')).toBe(true)
  })
})

describe.runIf(inject('dialects').includes('sqlite'))('a SQLite file', () => {
  test.each(['UTF-8', 'UTF-16le', 'UTF-16be'])('in %s keeps a text unchanged', async (encoding) => {
    const client = new Database(':memory:')
    onTestFinished(() => void client.close())
    client.pragma(`encoding = '${encoding}'`)
    for (const statement of await migrationsOf('sqlite')) client.exec(statement)
    expect(client.pragma('encoding', { simple: true })).toBe(encoding)
    const adapter = DrizzleAdapter(drizzleSqlite({ client }), sqliteSchema) as Adapter
    const witness: Witness = { adapter, state: async () => client.prepare('select * from user').all() }
    for (const [about, text] of Object.entries(texts)) expect(await roundTripText(adapter, witness, text), about).toBe(!text.includes('\0'))
  })
})
