import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { BetterAuthOptions } from '@better-auth/core'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { drizzle } from 'drizzle-orm/postgres-js'
import { build } from 'esbuild'
import postgres from 'postgres'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { root } from '../../support/root.js'

type Schema = Record<string, unknown>

const require = createRequire(import.meta.url)

/** The schema of a file for the tests, and the statements with which drizzle-kit creates its tables. */
async function load(file: string, dialect: DialectName) {
  // drizzle-kit 0.31 reads tables of Drizzle 0.45 only. Vitest may have another one for the tests.
  const external = ['drizzle-orm', 'drizzle-orm/*']
  const outfile = join(root, '.tmp', 'better-auth', `${crypto.randomUUID()}.cjs`)
  await build({ entryPoints: [file], outfile, bundle: true, format: 'cjs', platform: 'node', external })
  const [describe, migrate] = migrations[dialect]
  const statements: string[] = await migrate(await describe({}), await describe(require(outfile)))
  await rm(outfile)
  return { schema: (await import(file)) as Schema, statements }
}

/** A database with the tables of the official adapter. */
export async function openOfficial(dialect: DialectName) {
  const { schema, statements } = await load(join(import.meta.dirname, 'official', `${dialect}.ts`), dialect)
  return { ...(await openDatabase(dialect, { migrations: statements })), schema }
}

const kit = require('drizzle-kit/api')
const migrations = {
  pg: [kit.generateDrizzleJson, kit.generateMigration],
  mysql: [kit.generateMySQLDrizzleJson, kit.generateMySQLMigration],
  sqlite: [kit.generateSQLiteDrizzleJson, kit.generateSQLiteMigration],
}

/** A database with the tables that Better Auth needs for some options, as `npx auth generate` and drizzle-kit make them. */
export async function openStore(dialect: DialectName, config: { transaction?: boolean } = {}) {
  const database = await openDatabase(dialect, { migrations: [] })
  // postgres.js remembers the types of a statement's parameters, and these tables change theirs under the same names.
  const client = dialect === 'pg' ? postgres(database.url, { prepare: false }) : undefined
  const db = client ? drizzle({ client }) : database.db
  const folder = join(root, '.tmp', 'better-auth', crypto.randomUUID())
  await mkdir(folder, { recursive: true })
  const known = new Map<string, { schema: Schema; statements: string[] }>()

  /** The schema file for these options, loaded, and the statements that create its tables. */
  async function schemaFor(options: BetterAuthOptions) {
    const created = await drizzleAdapter(db, { schema: {} })(options).createSchema?.(options, 'auth-schema.ts')
    const code = created?.code ?? ''
    let found = known.get(code)
    if (!found) {
      const path = join(folder, `schema-${known.size}`)
      await writeFile(`${path}.ts`, code)
      found = await load(`${path}.ts`, dialect)
      known.set(code, found)
    }
    return found
  }

  async function dropTables(): Promise<void> {
    if (dialect === 'pg') return database.exec('drop schema public cascade; create schema public')
    const list =
      dialect === 'mysql'
        ? `select table_name as name from information_schema.tables where table_schema = database()`
        : `select name from sqlite_master where type = 'table' and name not like 'sqlite%'`
    const off = dialect === 'mysql' ? 'set foreign_key_checks = 0' : 'pragma foreign_keys = off'
    await database.exec(off)
    for (const { name } of await database.run(list)) await database.exec(`drop table ${database.quote(String(name))}`)
    await database.exec(off.replace('= 0', '= 1').replace('= off', '= on'))
  }

  return {
    ...database,
    db,
    schemaFor: async (options: BetterAuthOptions) => (await schemaFor(options)).schema,
    async migrate(options: BetterAuthOptions) {
      const { statements } = await schemaFor(options)
      await dropTables()
      for (const statement of statements) await database.exec(statement)
    },
    async adapterFor(options: BetterAuthOptions) {
      const { schema } = await schemaFor(options)
      return drizzleAdapter(db, { schema, ...config })
    },
    async close() {
      await rm(folder, { recursive: true, force: true })
      await client?.end()
      await database.close()
    },
  }
}
