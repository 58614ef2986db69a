import type { Table } from 'drizzle-orm'
import { keyOf } from '../library.js'
import type { Connection } from '../query/connection.js'
import type { Dialect } from '../query/dialect.js'
import { getTableColumns } from '../query/drizzle.js'
import { configError } from '../query/errors.js'
import { isTable } from '../query/internals.js'
import type { ModelTable } from '../query/table.js'
import { openTable } from '../query/table.js'

// Fields of Better Auth have no types in the query layer. One object, because tables are cached by their model.
const noModel = {}

/** The table of a model as callers see it, if its rows are stored differently. */
export type Protect = (model: string, table: ModelTable) => ModelTable

/** Opens the tables of a schema by the names of their models, each when it is first used. */
export function openTables(
  connection: Connection<Dialect>,
  schema: Readonly<Record<string, unknown>>,
  protect: Protect = (_, table) => table,
): (model: string) => ModelTable {
  const opened = new Map<string, ModelTable>()
  return (model) => {
    let table = opened.get(model)
    if (!table) {
      const found = tableOf(schema, model)
      table = protect(model, openTable(connection, found, noModel, keyOf(found, `drizzleAdapter: the table ${model}`)))
      opened.set(model, table)
    }
    return table
  }
}

/** Throws if these are the tables of Auth.js. `fields` are the columns that the options of Better Auth name. */
export function refuseAuthjs(schema: Readonly<Record<string, unknown>>, fields: readonly string[]): void {
  const columns = Object.values(schema).flatMap((table) => (isTable(table) ? Object.keys(getTableColumns(table)) : []))
  const isOfAuthjs = ['sessionToken', 'providerAccountId'].some((name) => columns.includes(name) && !fields.includes(name))
  if (isOfAuthjs && !columns.includes('accountId'))
    configError(
      "drizzleAdapter: these are tables of Auth.js. For Auth.js: import { DrizzleAdapter } from 'drizzle-auth-adapter'. For Better Auth, npx auth generate writes the tables",
    )
}

function tableOf(schema: Readonly<Record<string, unknown>>, model: string): Table {
  const table = Object.hasOwn(schema, model) ? schema[model] : undefined
  if (!isTable(table)) {
    const tables = Object.keys(schema).filter((name) => isTable(schema[name]))
    return configError(
      `drizzleAdapter: the schema has no table ${model}. It has ${tables.join(', ') || 'no tables'}. Run npx auth generate and export its tables, and set usePlural if their names are plural`,
    )
  }
  return table
}
