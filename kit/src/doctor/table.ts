import type { Database } from 'drizzle-auth-adapter/internal'
import { getTableColumns, getTableName, schemaOf, sql } from 'drizzle-auth-adapter/internal'
import type { Column, Table } from 'drizzle-orm'
import type { Finding } from './finding.js'
import type { ColumnType, Inspector, LiveColumn, LiveTable, TableName } from './inspector.js'
import type { GivenTable, TableModel } from './models.js'

/** A declared column, and its state in the database. */
export interface ExaminedColumn {
  /** Its name in code. */
  field: string
  /** What the library stores in it. Absent for other columns. */
  kind: TableModel['fields'][string]['kind'] | undefined
  name: string
  column: Column
  declared: ColumnType
  live: LiveColumn | undefined
}

/** A primary key, a unique constraint or an index in code. */
export interface DeclaredKey {
  columns: ExaminedColumn[]
  isUnique: boolean
  /** The name of an index or a unique key. */
  name?: string | undefined
}

/** A foreign key in code. Columns of the other table have their names in the database. */
export interface DeclaredForeignKey {
  name?: string | undefined
  columns: ExaminedColumn[]
  target: Table
  targetColumns: readonly string[]
  onDelete: string
}

export interface ExaminedTable {
  about: TableModel
  table: Table
  /** The name of its export. */
  exported: string
  name: string
  /** As SQL writes it. */
  quoted: string
  live: LiveTable
  columns: ExaminedColumn[]
  keys: DeclaredKey[]
  foreignKeys: DeclaredForeignKey[]
}

/** The input of the checks: the tables of the schema that exist in the database. */
export interface Examined {
  db: Database
  inspector: Inspector
  tables: ExaminedTable[]
}

/** A check of one table. */
export interface Check {
  /** What is checked, for the finding that the check failed. */
  about: string
  find(table: ExaminedTable, examined: Examined): Finding[] | Promise<Finding[]>
}

/** A table's names in the database. */
export function tableNames(table: Table): TableName {
  const name = getTableName(table)
  return { name, schema: schemaOf(table) }
}

export function describeTable(
  db: Database,
  inspector: Inspector,
  { about, table }: GivenTable,
  exported: string,
  live: LiveTable,
): ExaminedTable {
  const columns = Object.entries(getTableColumns(table) as Record<string, Column>).map(([field, column]): ExaminedColumn => {
    const name = columnName(db, table, column)
    return {
      field,
      kind: Object.hasOwn(about.fields, field) ? about.fields[field]?.kind : undefined,
      name,
      column,
      declared: inspector.parseType(column.getSQLType(), column),
      live: live.columns.find((one) => one.name === name),
    }
  })
  const { schema, name } = tableNames(table)
  const quoted = [schema, name].flatMap((name) => (name ? inspector.quote(name) : [])).join('.')
  const declared = inspector.declaration(table)
  const own = (keyed: { name: string }[]) => keyed.flatMap((one) => columns.filter(({ column }) => column.name === one.name))
  const foreignKeys = declared.foreignKeys.map(({ reference, onDelete = 'no action' }): DeclaredForeignKey => {
    const { name, columns: keyed, foreignColumns, foreignTable } = reference()
    const targetColumns = foreignColumns.map((column) => columnName(db, foreignTable, column))
    return { name, columns: own(keyed), target: foreignTable, targetColumns, onDelete: onDelete.toUpperCase() }
  })
  const key = (keyed: { name: string }[], isUnique: boolean, name?: string): DeclaredKey => ({ columns: own(keyed), isUnique, name })
  const keys = [
    ...columns.filter(({ column }) => column.primary).map(({ column }) => key([column], true)),
    ...columns.filter(({ column }) => column.isUnique).map(({ column }) => key([column], true, column.uniqueName)),
    ...declared.primaryKeys.map((one) => key(one.columns, true)),
    ...declared.uniqueConstraints.map((one) => key(one.columns, true, one.name)),
    // Without partial indexes and indexes on expressions.
    ...declared.indexes.flatMap(({ config: { name, columns: indexed, unique = false, where } }) => {
      const named = indexed.filter((column): column is Column => 'name' in column)
      return where || named.length < indexed.length ? [] : key(named, unique, name)
    }),
  ]
  return { about, table, exported, name, quoted, live, columns, keys, foreignKeys }
}

/** A column's name in the database. Drizzle 0.45 applies `casing` only when it builds a statement, so the name is read from a statement. */
export function columnName(db: Database, table: Table, column: Column): string {
  const { sql: text } = db
    .select({ column: sql`${column}` })
    .from(table)
    .toSQL()
  const name = /^select (?:(["`])(?:(?!\1).|\1\1)*\1\.)*(["`])((?:(?!\2).|\2\2)*)\2 from /.exec(text)?.[3]
  return name?.replaceAll(/(["`])\1/g, '$1') ?? column.name
}

/** The columns of these fields, or undefined if one of them is not in the database. */
export function liveColumns(table: ExaminedTable, fields: readonly string[]): ExaminedColumn[] | undefined {
  const columns = fields.map((field) => table.columns.find((column) => column.field === field && column.live))
  return columns.every((column) => column !== undefined) ? (columns as ExaminedColumn[]) : undefined
}

/** Whether a key makes these columns unique at every moment. */
export const isUnique = ({ live }: ExaminedTable, columns: ExaminedColumn[]) =>
  live.keys.some(
    (key) => key.kind !== 'index' && !key.isDeferrable && key.columns.every((name) => columns.some((column) => column.name === name)),
  )

/** Whether an index starts with these columns. */
export const hasIndex = ({ live }: ExaminedTable, ...columns: ExaminedColumn[]) =>
  live.keys.some((key) => columns.every(({ name }, index) => key.columns[index] === name))

/** Whether the column has the declared kind of type. */
export function fits({ declared, live }: ExaminedColumn): boolean {
  if (declared.holds === 'other' || declared.holds === live?.holds) return live !== undefined
  // MariaDB has no type of its own for JSON.
  return declared.holds === 'json' && live?.holds === 'text'
}
