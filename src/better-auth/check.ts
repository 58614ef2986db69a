import type { BetterAuthOptions } from '@better-auth/core'
import { checksSchema, createSchemaCheck, diffSchema, getExpectedSchema, registerSchemaCheck } from '@better-auth/core/db/internal'
import type { Columns } from '../query/drizzle.js'
import { getTableColumns } from '../query/drizzle.js'
import { configError } from '../query/errors.js'
import { isTable } from '../query/internals.js'
import { refuseAuthjs } from './tables.js'

/**
 * Makes Better Auth compare the tables with what it writes, before its first operation and in `npx auth check`. An error names all that is missing.
 */
export function withSchemaCheck<Adapter extends object>(
  adapter: Adapter,
  schema: Readonly<Record<string, unknown>>,
  options: BetterAuthOptions,
  usePlural: boolean,
): Adapter {
  const find = () => {
    const findings = findMissing(options, schema, usePlural)
    if (findings.length > 0) explain(getExpectedSchema(options, { usePlural }), schema, usePlural)
    return findings
  }
  registerSchemaCheck(adapter, createSchemaCheck(find, 'drizzle'), { runtimeEnabled: checksSchema(options) })
  return adapter
}

/** Throws if one setting or another function explains all that is missing. */
function explain(expected: ReturnType<typeof getExpectedSchema>, schema: Readonly<Record<string, unknown>>, usePlural: boolean): void {
  refuseAuthjs(
    schema,
    Object.values(expected).flatMap(({ fields }) => Object.keys(fields)),
  )
  const names = Object.keys(expected)
  const others = names.map((name) => (usePlural ? name.replace(/s$/, '') : `${name}s`)).filter((name) => isTable(schema[name]))
  if (others.length === 0 || names.some((name) => isTable(schema[name]))) return
  const next = usePlural ? 'remove usePlural' : 'set usePlural: true'
  configError(`drizzleAdapter: your schema exports ${others.join(', ')}: ${next}`)
}

/** What Better Auth writes and the tables do not have, and columns that prevent its inserts. */
export const findMissing = (options: BetterAuthOptions, schema: Readonly<Record<string, unknown>>, usePlural: boolean) =>
  diffSchema(getExpectedSchema(options, { usePlural }), tablesIn(schema))

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
