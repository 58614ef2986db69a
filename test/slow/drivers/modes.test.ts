import { createRequire } from 'node:module'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import * as libsql from 'drizzle-orm/libsql/driver-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js'
import type { PoolOptions } from 'mysql2/promise'
import mysql from 'mysql2/promise'
import pg from 'pg'
import type { Options } from 'postgres'
import postgres from 'postgres'
import { describe, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { openPool } from '../../support/pool.js'
import { root } from '../../support/root.js'
import { expectRoundTrip } from '../../support/round-trip.js'
import { modeTables } from './mode-tables.js'

const matrix = join(root, 'lab/matrix')
const { createClient } = createRequire(join(matrix, 'package.json'))('@libsql/client')
// `drizzle-orm/libsql` imports @libsql/client, which is installed for the matrix only.
const { construct: drizzleLibsql } = libsql as unknown as { construct(client: unknown, config: object): object }

const migrationsOf = (dialect: DialectName) => modeTables(dialect).migrations

async function expectTypesKeptBy(dialect: DialectName, db: object) {
  const { tables, added } = modeTables(dialect)
  await expectRoundTrip(DrizzleAdapter(db as never, tables as never, { retry: false }) as unknown as Adapter, added)
}

const on = (dialect: DialectName) => describe.runIf(inject('dialects').includes(dialect))

on('mysql')('every value is returned in its type with mysql2 and', () => {
  const modes: Record<string, PoolOptions> = {
    'default settings': {},
    supportBigNumbers: { supportBigNumbers: true },
    bigNumberStrings: { supportBigNumbers: true, bigNumberStrings: true },
    dateStrings: { dateStrings: true },
    rowsAsArray: { rowsAsArray: true },
    'a time zone': { timezone: '+09:00' },
    'no typeCast': { typeCast: false },
    'a typeCast of the app': { typeCast: () => 'cast' },
    'CLIENT_FOUND_ROWS off': { flags: ['-FOUND_ROWS'] },
  }

  test.each(Object.entries(modes))('%s', async (_name, options) => {
    const { url, close } = await openMysql({ migrations: migrationsOf('mysql') })
    onTestFinished(close)
    const client = mysql.createPool({ uri: url, connectionLimit: 1, ...options })
    onTestFinished(() => client.end())
    await expectTypesKeptBy('mysql', drizzleMysql({ client }))
  })
})

/** Parsers that apps set for the types of PostgreSQL. */
const parsers: Record<string, [type: number, parse: (value: string) => unknown]> = {
  'bigint as a number': [20, Number],
  'bigint as a bigint': [20, BigInt],
  'boolean as text': [16, String],
}

on('pg')('every value is returned in its type with node-postgres and', () => {
  test('default settings', () => expectTypesKeptByNodePg())

  test.each(Object.entries(parsers))('a parser for %s', async (_name, [type, parse]) => {
    const own = pg.types.getTypeParser(type)
    onTestFinished(() => pg.types.setTypeParser(type, own))
    pg.types.setTypeParser(type, parse)
    await expectTypesKeptByNodePg()
  })

  async function expectTypesKeptByNodePg() {
    const { url, close } = await openPg({ migrations: migrationsOf('pg') })
    onTestFinished(close)
    const client = openPool({ connectionString: url, max: 1 })
    onTestFinished(() => client.end())
    await expectTypesKeptBy('pg', drizzleNodePg({ client }))
  }
})

on('pg')('every value is returned in its type with postgres.js and', () => {
  const modes: Record<string, Options<Record<string, postgres.PostgresType>>> = {
    'default settings': {},
    'fetch_types off': { fetch_types: false },
    'names in camel case': { transform: postgres.camel },
  }
  for (const [name, [type, parse]] of Object.entries(parsers))
    modes[`a parser for ${name}`] = { types: { own: { to: type, from: [type], serialize: String, parse } } }

  test.each(Object.entries(modes))('%s', async (_name, options) => {
    const { url, close } = await openPg({ migrations: migrationsOf('pg') })
    onTestFinished(close)
    const client = postgres(url, { max: 1, ...options })
    onTestFinished(() => client.end())
    await expectTypesKeptBy('pg', drizzlePostgresJs({ client: client as postgres.Sql }))
  })
})

on('sqlite')('every value is returned in its type with', () => {
  test.each([false, true])('better-sqlite3 and defaultSafeIntegers: %s', async (safe) => {
    const client = new Database(':memory:').defaultSafeIntegers(safe)
    onTestFinished(() => void client.close())
    for (const statement of migrationsOf('sqlite')) client.exec(statement)
    await expectTypesKeptBy('sqlite', drizzleSqlite({ client }))
  })

  test.each(['number', 'bigint', 'string'])('libSQL and intMode: %s', async (intMode) => {
    const client = createClient({ url: ':memory:', intMode })
    onTestFinished(() => client.close())
    for (const statement of migrationsOf('sqlite')) await client.execute(statement)
    await expectTypesKeptBy('sqlite', drizzleLibsql(client, {}))
  })
})
