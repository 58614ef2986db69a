import { mkdir, writeFile } from 'node:fs/promises'
import { drizzle as sqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as mysql } from 'drizzle-orm/mysql2'
import { drizzle as pg } from 'drizzle-orm/postgres-js'
import { drizzleAdapter } from '../../src/better-auth/index.js'
import { betterAuthCaseOptions as options } from '../../src/testing/index.js'
import { describeSchema, withoutRelations } from '../../test/support/better-auth.js'
import { betterAuthSchema, cache } from './bundle.js'
import type { Cell } from './cell.js'

const databases = { pg, mysql, sqlite }

/** Writes the schema file for the cases of Better Auth. Returns the statements that create its tables. */
export async function writeBetterAuthSchema({ dialect }: Cell): Promise<string[]> {
  const created = await drizzleAdapter(databases[dialect].mock(), { schema: {} })(options).createSchema?.(options, '')
  const file = betterAuthSchema(dialect)
  await mkdir(cache, { recursive: true })
  // Each cell loads it with its own version of Drizzle.
  await writeFile(file, withoutRelations(created?.code ?? ''))
  const { statements } = await describeSchema(file, dialect)
  return dialect === 'mysql' ? ['alter database character set utf8mb4', ...statements] : statements
}
