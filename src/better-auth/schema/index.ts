import type { BetterAuthDBSchema } from '@better-auth/core/db'
import type { Database } from '../../query/drizzle.js'
import type { SchemaOptions } from './context.js'
import { schemaFile } from './file.js'

interface FileOptions extends Pick<SchemaOptions, 'dialect' | 'options' | 'schema' | 'modelName' | 'fieldName'> {
  readonly database: Database
  readonly camelCase?: boolean | undefined
  readonly usePlural?: boolean | undefined
  readonly schemaName?: string | undefined
}

interface FileSystem {
  existsSync(file: string): boolean
  readFileSync(file: string): Uint8Array
}

/** What `npx auth generate` writes. */
export function createSchemaFile(
  file: string,
  tables: BetterAuthDBSchema,
  given: FileOptions,
): { code: string; path: string; overwrite: boolean } {
  // An import of `node:fs` would be part of every bundle, also where there are no files.
  const { process } = globalThis as { process?: { getBuiltinModule?(name: 'node:fs'): FileSystem } }
  const fs = process?.getBuiltinModule?.('node:fs')
  const exists = fs?.existsSync(file) ?? false
  const { database, camelCase = false, usePlural = false, ...others } = given
  const current = exists ? String(fs?.readFileSync(file)) : ''
  const code = schemaFile(tables, { ...others, camelCase, usePlural, current, isV1: isDrizzle1(database) })
  return { code, path: file, overwrite: exists }
}

/** Whether a database is one of Drizzle 1.0, which keeps relations where 0.45 keeps a schema. */
function isDrizzle1(database: Database): boolean {
  return 'relations' in ((database as { _?: object })._ ?? {})
}
