import type { BetterAuthOptions } from '@better-auth/core'
import { drizzleAdapter } from '../../../../src/better-auth/index.js'
import { loadOfficialSchema, loadSchemaCode } from '../../../../test/support/better-auth.js'
import { openDatabase } from '../../../../test/support/databases.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { openTestDatabase } from './database.js'

const withRateLimits: BetterAuthOptions = { rateLimit: { storage: 'database' } }

/** The schema file that `auth generate` writes for some options. */
export async function generatedCode(dialect: DialectName, options = withRateLimits): Promise<string> {
  const { db, close } = await openDatabase(dialect, { migrations: [] })
  const created = await drizzleAdapter(db, { schema: {} })(options).createSchema?.(options, 'auth-schema.ts')
  await close()
  return created?.code ?? ''
}

export const generatedSchema = async (dialect: DialectName, options = withRateLimits) =>
  loadSchemaCode(await generatedCode(dialect, options), dialect)

/** A database with the tables of Better Auth: those of the official adapter, or those that `auth generate` writes for some options. */
export async function openBetterAuth(dialect: DialectName, tables?: 'official' | BetterAuthOptions, changes: [RegExp, string][] = []) {
  const { schema, statements } =
    tables === 'official' ? await loadOfficialSchema(dialect, withRateLimits) : await generatedSchema(dialect, tables)
  // MariaDB creates a database in latin1 unless it is told otherwise.
  const settings = dialect === 'mysql' ? 'character set utf8mb4' : ''
  const { examine, ...database } = await openTestDatabase(dialect, { migrations: statements, changes, settings })
  return { ...database, schema, examine: (other: object = schema) => examine(other) }
}
