import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BetterAuthOptions } from 'better-auth'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { drizzle as sqliteDatabase } from 'drizzle-orm/better-sqlite3'
import { drizzle as mysqlDatabase } from 'drizzle-orm/mysql2'
import { drizzle as pgDatabase } from 'drizzle-orm/postgres-js'
import { describe, expect, test } from 'vitest'
import { openAuth } from '../../demo/better-auth/auth.js'
import { describeSchema } from '../support/better-auth.js'
import { migrationsOf, statementsOf } from '../support/migrations.js'
import { root } from '../support/root.js'

const databases = { pg: pgDatabase.mock(), mysql: mysqlDatabase.mock(), sqlite: sqliteDatabase.mock() }

describe.each(Object.keys(databases) as (keyof typeof databases)[])('the demo with Better Auth on %s', (dialect) => {
  const file = join(root, 'demo/better-auth/schema', `${dialect}.ts`)

  test('has the tables that the adapter generates for its options', async () => {
    const database = drizzleAdapter(databases[dialect], { schema: {} })
    const { options } = openAuth({ origin: 'http://localhost:3000', database, secret: 'a'.repeat(32), mailUrl: '' })
    const created = await database(options as BetterAuthOptions).createSchema?.(options as BetterAuthOptions, 'no-such-file.ts')
    expect(await readFile(file, 'utf8')).toBe(created?.code)
  })

  test('has migrations that create these tables', async () => {
    const { statements } = await describeSchema(file, dialect)
    expect(await migrationsOf(dialect, 'demo/better-auth/migrations')).toEqual(statements.flatMap(statementsOf))
  })
})
