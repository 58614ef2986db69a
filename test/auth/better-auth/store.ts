import type { BetterAuthOptions } from '@better-auth/core'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { betterAuthCaseOptions } from 'drizzle-auth-adapter/testing'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import type { BetterAuthSchema } from '../../support/better-auth.js'
import { loadOfficialSchema, loadSchemaCode } from '../../support/better-auth.js'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'

/** A database whose text columns hold any text. MariaDB creates one in latin1 unless it is told otherwise. */
export function openUnicode(dialect: DialectName, migrations: string[]) {
  return openDatabase(dialect, { migrations, ...(dialect === 'mysql' && { settings: 'character set utf8mb4' }) })
}

/** A database with the tables of the official adapter. */
export async function openOfficial(dialect: DialectName, options: BetterAuthOptions = betterAuthCaseOptions) {
  const { schema, snapshot, statements } = await loadOfficialSchema(dialect, options)
  return { ...(await openUnicode(dialect, statements)), schema, snapshot }
}

/** A database as drivers open it. */
interface Opened {
  db: object
  exec(statement: string): Promise<unknown>
  run(query: string): Promise<Record<string, unknown>[]>
  close(): Promise<unknown>
}

/** Schemas by their code. To share one is quicker, and shares the statements that are kept with its tables. */
export type KnownSchemas = Map<string, BetterAuthSchema>

/** A database on one of the servers, or a SQLite file, with the tables that Better Auth needs for some options. */
export async function openStore(dialect: DialectName, { transaction = false, known = new Map() as KnownSchemas } = {}) {
  const database = await openUnicode(dialect, [])
  const connected = dialect === 'pg' ? connectPostgresJs(database.url) : undefined
  const close = async () => {
    await connected?.close()
    await database.close()
  }
  return createStore(dialect, { ...database, db: connected?.db ?? database.db, close }, transaction, known)
}

function connectPostgresJs(url: string): { db: object; close(): Promise<unknown> } {
  // postgres.js remembers the types of a statement's parameters, and these tables change theirs under the same names.
  const client = postgres(url, { prepare: false })
  return { db: drizzle({ client }), close: () => client.end() }
}

/** Creates and drops the tables for some options, as `npx auth generate` and drizzle-kit make them. */
export function createStore<Database extends Opened>(
  dialect: DialectName,
  database: Database,
  transaction: boolean,
  known: KnownSchemas = new Map(),
) {
  const { db } = database

  /** The schema file for these options, loaded, and the statements that create its tables. */
  async function schemaFor(options: BetterAuthOptions) {
    const created = await drizzleAdapter(db, { schema: {} })(options).createSchema?.(options, 'auth-schema.ts')
    const code = created?.code ?? ''
    const found = known.get(code) ?? (await loadSchemaCode(code, dialect))
    known.set(code, found)
    return found
  }

  async function dropTables(): Promise<void> {
    if (dialect === 'pg') {
      await database.exec('drop schema public cascade')
      await database.exec('create schema public')
      return
    }
    const list =
      dialect === 'mysql'
        ? `select table_name as name from information_schema.tables where table_schema = database()`
        : `select name from sqlite_master where type = 'table' and name not like 'sqlite%'`
    const off = dialect === 'mysql' ? 'set foreign_key_checks = 0' : 'pragma foreign_keys = off'
    await database.exec(off)
    for (const { name } of await database.run(list)) await database.exec(`drop table ${dialect === 'mysql' ? `\`${name}\`` : `"${name}"`}`)
    await database.exec(off.replace('= 0', '= 1').replace('= off', '= on'))
  }

  return {
    ...database,
    schemaFor: async (options: BetterAuthOptions) => (await schemaFor(options)).schema,
    async migrate(options: BetterAuthOptions) {
      const { statements } = await schemaFor(options)
      await dropTables()
      for (const statement of statements) await database.exec(statement)
    },
    async adapterFor(options: BetterAuthOptions) {
      const { schema } = await schemaFor(options)
      return drizzleAdapter(db, { schema, transaction })
    },
  }
}
