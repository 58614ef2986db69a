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
import { openOfficial, openUnicode } from '../../auth/better-auth/store.js'
import { officialGenerator } from '../../support/better-auth.js'
import type { DialectName } from '../../support/dialects.js'
import { openPool } from '../../support/pool.js'
import { root } from '../../support/root.js'

/** The names of the cases that an adapter fails. */
async function failedBy(adapter: BetterAuthAdapter): Promise<string[]> {
  const failed: string[] = []
  for (const { name, run } of betterAuthCases) await run(adapter).catch(() => failed.push(name))
  return failed
}

/** How many cases passed, as in docs/better-auth.md. */
const passed = (failed: string[]) => `${betterAuthCases.length - failed.length} of ${betterAuthCases.length}`

/** What docs/better-auth.md says about an adapter that fails the case. */
const sentences: [names: RegExp, sentence: string][] = [
  [/^an account of a provider belongs to one user$/, 'An account of a provider is linked to two users.'],
  [/^update changes one row$/, '`update`, which should change one row, changes every row that matches.'],
  [/^an error contains none of the values$/, "The error of a failed sign-up contains the user's email address."],
  [/^a guarded update has one winner$/, 'Twenty calls mark the same row as used at the same moment, and all report success.'],
  // MariaDB also ignores a space at the end, and MySQL the Unicode normalization.
  [/^equality does not ignore /, 'A verification of `jose@example.com` is found by `josé@example.com`, or in another case.'],
  [/^mode insensitive ignores case/, 'A search that ignores case also ignores accents.'],
  [/^dates beyond 2038/, 'A date after January 2038 is refused.'],
  [/^ids of 64 characters/, 'An id of 64 characters is refused.'],
  [/^a search for [%_] /, 'A search for `%` or `_` also finds other texts.'],
  [/^a search for \\ /, 'A search for a text with a backslash does not find it.'],
]
const sentenceOf = (failed: string) => sentences.find(([names]) => names.test(failed))?.[1] ?? failed

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
  const databases = { sqlite: /every database/, pg: /every database|PostgreSQL/, mysql: /every database|MySQL, MariaDB/ }[dialect]
  const comparison = page.split('\n').map((line) => line.slice(2).split(' | '))
  const told = (cell: number) =>
    comparison.filter(({ [cell]: where = '' }) => /^on /.test(where) && databases.test(where)).map(([sentence]) => sentence)

  test('its Drizzle adapter', async () => {
    const { db, schema, close } = await openOfficial(dialect)
    onTestFinished(close)
    // Each of its two entries is for one version of Drizzle.
    const [name, cell, adapter] =
      officialGenerator === 'main'
        ? ['@better-auth/drizzle-adapter', 1, mainAdapter(db, { provider: dialect, schema })]
        : ['@better-auth/drizzle-adapter/relations-v2', 2, relationsAdapter(db, { provider: dialect, schema })]
    const failed = await failedBy(adapter(betterAuthCaseOptions))
    expect(passed(failed)).toBe(shown(name))
    expect(new Set(told(cell))).toEqual(new Set(failed.map(sentenceOf)))
  })

  test('its Kysely adapter', async () => {
    expect(passed(await failedBy(await openKysely(dialect)))).toBe(shown('@better-auth/kysely-adapter'))
  })
})
