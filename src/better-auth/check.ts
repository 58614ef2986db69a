import type { BetterAuthOptions } from '@better-auth/core'
import { checksSchema, createSchemaCheck, diffSchema, getExpectedSchema, registerSchemaCheck } from '@better-auth/core/db/internal'
import type { Columns } from '../query/drizzle.js'
import { getTableColumns } from '../query/drizzle.js'
import { isTable } from '../query/internals.js'

/**
 * Makes Better Auth compare the tables with what it writes, before its first operation and in `npx auth check`. An error names all that is missing.
 */
export function withSchemaCheck<Adapter extends object>(
  adapter: Adapter,
  schema: Readonly<Record<string, unknown>>,
  options: BetterAuthOptions,
  usePlural: boolean,
): Adapter {
  const find = () => diffSchema(getExpectedSchema(options, { usePlural }), tablesIn(schema))
  registerSchemaCheck(adapter, createSchemaCheck(find, 'drizzle'), { runtimeEnabled: checksSchema(options) })
  return adapter
}

const tablesIn = (schema: Readonly<Record<string, unknown>>) =>
  Object.entries(schema).flatMap(([name, table]) =>
    isTable(table) ? [{ name, columns: columnsOf(getTableColumns(table) as Columns) }] : [],
  )

const columnsOf = (columns: Columns) =>
  Object.entries(columns).map(([name, { notNull, hasDefault, generated, generatedIdentity }]) => ({
    name,
    nullable: !notNull,
    hasDefault: hasDefault || generated !== undefined || generatedIdentity !== undefined,
  }))
