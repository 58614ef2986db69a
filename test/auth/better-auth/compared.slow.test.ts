import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { drizzleAdapter as mainAdapter } from '@better-auth/drizzle-adapter'
import { drizzleAdapter as relationsAdapter } from '@better-auth/drizzle-adapter/relations-v2'
import { kyselyAdapter } from '@better-auth/kysely-adapter'
import { getMigrations } from 'better-auth/db/migration'
import type { BetterAuthAdapter } from 'drizzle-auth-adapter/testing'
import { betterAuthCaseOptions, betterAuthCases } from 'drizzle-auth-adapter/testing'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import { createPool } from 'mysql2'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { officialGenerator } from '../../support/better-auth.js'
import type { DialectName } from '../../support/dialects.js'
import { openPool } from '../../support/pool.js'
import { root } from '../../support/root.js'
import { openOfficial, openUnicode } from './store.js'

/** How many of the cases an adapter passes, as in docs/better-auth.md. */
async function passed(adapter: BetterAuthAdapter): Promise<string> {
  let count = 0
  for (const { run } of betterAuthCases)
    count += await run(adapter).then(
      () => 1,
      () => 0,
    )
  return `${count} of ${betterAuthCases.length}`
}

async function openKysely(dialect: DialectName): Promise<BetterAuthAdapter> {
  const { url, client, close } = await openUnicode(dialect, [])
  const dialects = {
    sqlite: () => new SqliteDialect({ database: client as never }),
    pg: () => new PostgresDialect({ pool: openPool({ connectionString: url }) }),
    mysql: () => new MysqlDialect({ pool: createPool(url) }),
  }
  const db = new Kysely<Record<string, never>>({ dialect: dialects[dialect]() })
  onTestFinished(async () => {
    await db.destroy()
    await close()
  })
  const type = dialect === 'pg' ? 'postgres' : dialect
  const { runMigrations } = await getMigrations({ ...betterAuthCaseOptions, database: { db, type } })
  await runMigrations()
  return kyselyAdapter(db, { type })(betterAuthCaseOptions)
}

describe.each(inject('dialects'))('docs/better-auth.md has the figures of other adapters on %s', async (dialect) => {
  const column = { sqlite: 1, pg: 2, mysql: 3 }[dialect]
  const page = await readFile(join(root, 'docs/better-auth.md'), 'utf8')
  const shown = (name: string) =>
    page
      .split('\n')
      .find((line) => line.startsWith(`| \`${name}\``))
      ?.split(' | ')
      [column]?.replace(/ \|$/, '')

  test('its Drizzle adapter', async () => {
    const { db, schema, close } = await openOfficial(dialect)
    onTestFinished(close)
    // Each of its two entries is for one version of Drizzle.
    const [name, adapter] =
      officialGenerator === 'main'
        ? ['@better-auth/drizzle-adapter', mainAdapter(db, { provider: dialect, schema })]
        : ['@better-auth/drizzle-adapter/relations-v2', relationsAdapter(db, { provider: dialect, schema })]
    expect(await passed(adapter(betterAuthCaseOptions))).toBe(shown(name))
  })

  test('its Kysely adapter', async () => {
    expect(await passed(await openKysely(dialect))).toBe(shown('@better-auth/kysely-adapter'))
  })
})
