import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openMysql, openPg, openSqlite } from '../../../../test/support/databases.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import type { Files, Kit } from './kit.js'
import { openKit, script } from './kit.js'

type Row = Record<string, unknown>

/** The rows of the old app. */
export interface OldRows {
  users: (Row & { id: string; email: string | null })[]
  accounts: (Row & { userId: string; provider: string; providerAccountId: string; token_type: string | null })[]
  sessions: (Row & { userId: string; sessionToken: string })[]
  tokens: (Row & { identifier: string; token: string })[]
  authenticators: (Row & { userId: string; credentialID: string })[]
}

interface Options {
  /** MySQL: the default character set of the database. */
  characterSet?: string
}

const open = {
  async sqlite() {
    const database = await openSqlite({ migrations: [] })
    return { ...database, url: database.client.name }
  },
  pg: () => openPg({ migrations: [] }),
  mysql: ({ characterSet = 'utf8mb4' }: Options = {}) => openMysql({ migrations: [`alter database character set ${characterSet}`] }),
}

// drizzle-kit generates the same migrations for every app of a dialect, so it runs only once for each.
const generated = new Map<DialectName, Promise<{ toOfficial: Files; toOurs: Files }>>()

function migrationsOf(dialect: DialectName) {
  const files = generated.get(dialect) ?? generate(dialect)
  generated.set(dialect, files)
  return files
}

async function generate(dialect: DialectName) {
  const kit = await openKit(dialect, '')
  await kit.generate(`./kit/test/support/moving/official-${dialect}.ts`)
  const toOfficial = await kit.read()
  await kit.generate(`./test/support/schema/${dialect}.ts`)
  const toOurs = await kit.read()
  await kit.remove()
  return { toOfficial, toOurs }
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * Opens an app on the official adapter: its migrations, and its database, which is created by them and seeded through that adapter.
 *
 * The official adapter runs in a separate process, because it cannot be imported with Drizzle 1.0.
 */
export async function openApp<Name extends DialectName>(dialect: Name, options: Options = {}) {
  const database = (await open[dialect](options)) as Awaited<ReturnType<(typeof open)[Name]>>
  const kit = await openKit(dialect, database.url)
  const { toOfficial, toOurs } = await migrationsOf(dialect)
  await kit.write(toOfficial)
  const output = await script('kit/test/support/moving/fill.ts', [dialect, database.url, join(kit.folder, 'drizzle')])
  const old = JSON.parse(output, (_, value) => (instant.test(value) ? new Date(value) : value)) as OldRows
  return {
    database,
    kit,
    old,
    /** Writes the generated migration to our tables, edited by `change`, without applying it. */
    writeMigration: (change: (text: string) => string = (same) => same) => kit.write(toOurs, change),
    async close() {
      await database.close()
      await kit.remove()
    },
  }
}

/** The text of a file in this folder that docs/moving.md shows. */
export const documentedFile = (name: string) => readFile(join(import.meta.dirname, name), 'utf8')

/** Applies the migrations of an app on SQLite in the way that docs/moving.md describes. */
export async function migrateSqlite(kit: Kit, url: string): Promise<void> {
  await script('kit/test/support/moving/migrate.ts', [], { cwd: kit.folder, env: { DATABASE_FILE: url } })
}
