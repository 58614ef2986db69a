import type { DialectName } from 'drizzle-auth-adapter/internal'
import type { Table } from 'drizzle-orm'
import { getTableColumns, is, Table as TableClass } from 'drizzle-orm'
import { Problem } from './command.js'
import { tablesModules } from './core.js'
import { loadModule } from './modules.js'
import { findFiles } from './patterns.js'
import type { Settings } from './settings.js'

/** The tables that the schema files export, by the names of the exports. */
export async function schemaTables({ schema, schemaSource, unread }: Settings, cwd: string): Promise<Record<string, Table>> {
  if (!schema) throw unread ?? new Problem('no tables given. Pass --schema, or add schema to drizzle.config.ts.', 2)
  const files = await findFiles(schema, cwd)
  if (files.length === 0) throw new Problem(`${schemaSource} matches no file. Pass --schema with the file that declares your tables.`, 2)
  const exported: Record<string, unknown> = {}
  for (const file of files) Object.assign(exported, await loadModule(file, cwd))
  const tables = Object.entries(exported).filter((entry): entry is [string, Table] => is(entry[1], TableClass))
  if (tables.length === 0) throw new Problem(`${schemaSource} exports no tables.`, 2)
  return Object.fromEntries(tables)
}

/** Gives a table that the user has named the name by which it is recognized, according to its columns. */
export function chooseTable(tables: Record<string, Table>, option: string, given: string | undefined, names: Record<string, string>) {
  if (given === undefined) return tables
  if (!Object.hasOwn(tables, given))
    throw new Problem(`${option} is not a table that the schema exports. It exports ${Object.keys(tables).join(', ')}.`, 2)
  const table = tables[given] as Table
  const { [given]: _, ...others } = tables
  const known = Object.keys(names).find((column) => Object.hasOwn(getTableColumns(table), column)) ?? Object.keys(names)[0]
  return { ...others, [names[known as string] as string]: table }
}

type Creator = (name: string, columns: never, extra: never) => Table

/** The tables of `defineTables()`. `names` maps default names to other ones, optionally with a schema, such as `auth.session`. */
export async function defaultTables(
  dialect: DialectName,
  names: Record<string, string | undefined>,
  casing?: 'snake_case',
): Promise<Record<string, Table>> {
  const create = await creators[dialect]()
  const table: Creator = (name, columns, extra) => {
    const [own, schema] = (names[name] ?? name).split('.').reverse() as [string, string?]
    return create(schema)(own, columns, extra)
  }
  const { defineTables } = await tablesModules[dialect]()
  return (defineTables as unknown as (options: object) => Record<string, Table>)({ table, casing })
}

/** Functions that create a table, optionally in a schema. */
const creators: Record<DialectName, () => Promise<(schema: string | undefined) => Creator>> = {
  async pg() {
    const { pgSchema, pgTable } = await import('drizzle-orm/pg-core')
    return (schema) => (schema === undefined ? pgTable : pgSchema(schema).table) as unknown as Creator
  },
  async mysql() {
    const { mysqlSchema, mysqlTable } = await import('drizzle-orm/mysql-core')
    return (schema) => (schema === undefined ? mysqlTable : mysqlSchema(schema).table) as unknown as Creator
  },
  async sqlite() {
    const { sqliteTable } = await import('drizzle-orm/sqlite-core')
    return (schema) => {
      if (schema !== undefined) throw new Problem('SQLite has no schemas. Pass the name of the table without a dot.', 2)
      return sqliteTable as unknown as Creator
    }
  },
}
