import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { DialectName } from './dialects.js'
import { root } from './root.js'

export interface BetterAuthSchema {
  schema: Record<string, unknown>
  /** The tables as drizzle-kit describes them. */
  snapshot: unknown
  /** The statements with which drizzle-kit creates the tables. */
  statements: string[]
}

const require = createRequire(import.meta.url)
const kit = require('drizzle-kit/api')
const migrations = {
  pg: [kit.generateDrizzleJson, kit.generateMigration],
  mysql: [kit.generateMySQLDrizzleJson, kit.generateMySQLMigration],
  sqlite: [kit.generateSQLiteDrizzleJson, kit.generateSQLiteMigration],
}
const folder = join(root, '.tmp', 'better-auth')

/** What drizzle-kit makes of a schema file. */
export async function describeSchema(file: string, dialect: DialectName): Promise<Omit<BetterAuthSchema, 'schema'>> {
  // drizzle-kit 0.31 reads tables of Drizzle 0.45 only. Vitest may have another one for the tests.
  const external = ['drizzle-orm', 'drizzle-orm/*']
  const alias = { 'drizzle-auth-adapter/mysql': join(root, 'src/mysql/index.ts') }
  const outfile = join(folder, `${crypto.randomUUID()}.cjs`)
  await build({ entryPoints: [file], outfile, bundle: true, format: 'cjs', platform: 'node', external, alias })
  const [describe] = migrations[dialect]
  const snapshot = await describe(require(outfile))
  await rm(outfile)
  return { snapshot, statements: await statementsBetween(dialect, await describe({}), snapshot) }
}

/** Loads a schema file. */
async function loadSchema(file: string, dialect: DialectName): Promise<BetterAuthSchema> {
  return { schema: await import(file), ...(await describeSchema(file, dialect)) }
}

/** The statements with which drizzle-kit changes tables. */
export function statementsBetween(dialect: DialectName, before: unknown, after: unknown): Promise<string[]> {
  const [, migrate] = migrations[dialect]
  return migrate(before, after)
}

/** Loads a schema file that `createSchema` has written. */
export async function loadSchemaCode(code: string, dialect: DialectName): Promise<BetterAuthSchema> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${crypto.randomUUID()}.ts`)
  await writeFile(file, code)
  return loadSchema(file, dialect).finally(() => rm(file))
}

/** Loads the tables of Better Auth's own Drizzle adapter. */
export const loadOfficialSchema = (dialect: DialectName) =>
  loadSchema(join(root, 'test/auth/better-auth/official', `${dialect}.ts`), dialect)
