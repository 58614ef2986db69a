import { drizzleAdapter as officialAdapter } from '@better-auth/drizzle-adapter'
import type { BetterAuthAdapter } from 'drizzle-auth-adapter/testing'
import { betterAuthCaseOptions, betterAuthCases } from 'drizzle-auth-adapter/testing'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { describe, inject, test } from 'vitest'
import { openOfficial } from './store.js'

describe.each(inject('dialects'))('%s', (dialect) => {
  test('measure', async () => {
    const store = await openOfficial(dialect)
    const provider = dialect
    const official = officialAdapter(store.db, { provider, schema: store.schema })(betterAuthCaseOptions)
    const kysely = new Kysely<never>({
      dialect:
        dialect === 'sqlite'
          ? new SqliteDialect({ database: store.client as never })
          : dialect === 'pg'
            ? new PostgresDialect({ pool: new pg.Pool({ connectionString: store.url }) })
            : new MysqlDialect({ pool: createPool(store.url) }),
    })
    for (const [name, adapter] of Object.entries({ official })) {
      const failed: string[] = []
      for (const each of betterAuthCases) {
        try {
          await each.run(adapter as unknown as BetterAuthAdapter)
        } catch (error) {
          failed.push(`${each.name}: ${(error as Error).message.split('\n')[0]?.slice(0, 120)}`)
        }
      }
      console.log(`${dialect} ${name}: ${betterAuthCases.length - failed.length} of ${betterAuthCases.length}\n  ${failed.join('\n  ')}`)
    }
    await kysely.destroy().catch(() => {})
    await store.close().catch(() => {})
  })
})
