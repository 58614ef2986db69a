import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { BetterAuthOptions } from '@better-auth/core'
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

/** A schema file without its relations, which only one version of Drizzle understands. */
export function withoutRelations(code: string): string {
  return code
    .replace(/^export const \w+ = (relations|defineRelationsPart)\(.*?^(\}\))?\);?$/gms, '')
    .replace(/^import .* from ["']drizzle-orm["']/m, (line) => line.replace(/\b(relations|defineRelationsPart)\b,?/, ''))
}

/** What drizzle-kit makes of a schema file. */
export async function describeSchema(file: string, dialect: DialectName): Promise<Omit<BetterAuthSchema, 'schema'>> {
  // drizzle-kit 0.31 reads tables of Drizzle 0.45 only. Vitest may have another one for the tests.
  const external = ['drizzle-orm', 'drizzle-orm/*']
  const alias = { 'drizzle-auth-adapter/mysql': join(root, 'src/mysql/index.ts') }
  const outfile = join(folder, `${crypto.randomUUID()}.cjs`)
  const stdin = { contents: withoutRelations(await readFile(file, 'utf8')), resolveDir: dirname(file), loader: 'ts' as const }
  await build({ stdin, outfile, bundle: true, format: 'cjs', platform: 'node', external, alias })
  const [describe] = migrations[dialect]
  const snapshot = await describe(require(outfile))
  await rm(outfile)
  return { snapshot, statements: await statementsBetween(dialect, await describe({}), snapshot) }
}

/** The statements with which drizzle-kit changes tables. */
export function statementsBetween(dialect: DialectName, before: unknown, after: unknown): Promise<string[]> {
  const [, migrate] = migrations[dialect]
  return migrate(before, after)
}

/** Loads the code of a schema file. */
export async function loadSchemaCode(code: string, dialect: DialectName): Promise<BetterAuthSchema> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${crypto.randomUUID()}.ts`)
  await writeFile(file, code)
  try {
    return { schema: await import(file), ...(await describeSchema(file, dialect)) }
  } finally {
    await rm(file)
  }
}

/** Better Auth's own generators: that of its command line, and that of its adapter for Drizzle 1.0. */
export const officialGenerators = {
  async main(dialect: DialectName, options: BetterAuthOptions) {
    // The command line needs Node.js 22.
    Object.groupBy ??= groupBy as never
    const { generateDrizzleSchema } = await import('auth/api')
    return (await generateDrizzleSchema({ options, adapter: { options: { provider: dialect } } as never })).code ?? ''
  },
  async 'relations-v2'(dialect: DialectName, options: BetterAuthOptions) {
    const { drizzleAdapter } = await import('@better-auth/drizzle-adapter/relations-v2')
    const adapter = drizzleAdapter({ _: { relations: {} } }, { provider: dialect })(options)
    return (await adapter.createSchema?.(options, 'auth-schema.ts'))?.code ?? ''
  },
}

function groupBy<T>(values: Iterable<T>, keyOf: (value: T) => string): Record<string, T[]> {
  const groups: Record<string, T[]> = {}
  for (const value of values) {
    const key = keyOf(value)
    groups[key] = [...(groups[key] ?? []), value]
  }
  return groups
}

/** The official generator for the installed Drizzle. */
export const officialGenerator = process.env.DRIZZLE === '1.0' ? 'relations-v2' : 'main'

/** Loads the tables and relations that Better Auth's own generator writes. */
export async function loadOfficialSchema(dialect: DialectName, options: BetterAuthOptions): Promise<BetterAuthSchema> {
  return loadSchemaCode(await officialGenerators[officialGenerator](dialect, options), dialect)
}
