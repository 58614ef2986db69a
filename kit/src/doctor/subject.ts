import type { Database } from 'drizzle-auth-adapter/internal'
import { getTableColumns, getTableName, schemaOf, sql } from 'drizzle-auth-adapter/internal'
import type { Column, Table } from 'drizzle-orm'
import type { Finding } from './finding.js'
import type { ColumnType, Declaration, Inspector, LiveColumn, LiveTable, TableName } from './inspector.js'
import type { TableModel } from './model.js'

/** A declared column, and its state in the database. */
export interface SubjectColumn {
  /** Its name in code. */
  field: string
  /** What the library stores in it. Absent for other columns. */
  kind: TableModel['fields'][string]['kind'] | undefined
  name: string
  column: Column
  declared: ColumnType
  live: LiveColumn | undefined
}

/** A primary key, a unique constraint or an index in code. Columns have their names in code. */
export interface SubjectKey {
  fields: readonly string[]
  isUnique: boolean
  /** The name of an index or a unique key. */
  name?: string | undefined
}

/** A foreign key in code. Columns of the other table have their names in the database. */
interface SubjectForeignKey {
  name?: string | undefined
  fields: readonly string[]
  target: TableName
  targetColumns: readonly string[]
  onDelete: string
}

export interface SubjectTable {
  about: TableModel
  table: Table
  /** The name of its export. */
  exported: string
  names: TableName
  name: string
  /** As SQL writes it. */
  quoted: string
  live: LiveTable
  columns: SubjectColumn[]
  keys: SubjectKey[]
  foreignKeys: SubjectForeignKey[]
}

/** The input of the checks. `tables` are those that exist in the database. */
export interface Subject {
  db: Database
  inspector: Inspector
  tables: SubjectTable[]
  /** Checks one table. If the table cannot be read, that becomes a finding, and the other tables are still checked. */
  attempt(table: SubjectTable, check: () => Promise<Finding[]>): Promise<Finding[]>
}

export type Check = (subject: Subject) => Finding[] | Promise<Finding[]>

/** A table's names in the database. */
export function tableNames(table: Table): TableName {
  const name = getTableName(table)
  return { name, schema: schemaOf(table) }
}

export function describeTable(
  db: Database,
  inspector: Inspector,
  { about, table, exported }: { about: TableModel; table: Table; exported: string },
  names: TableName,
  live: LiveTable,
): SubjectTable {
  const columns = Object.entries(getTableColumns(table) as Record<string, Column>).map(([field, column]): SubjectColumn => {
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
  const quoted = [names.schema, names.name].flatMap((name) => (name ? inspector.quote(name) : [])).join('.')
  const fieldOf = (name: string) => columns.find(({ column }) => column.name === name)?.field ?? name
  const declared = inspector.declaration(table)
  const keys = keysIn(declared, columns).map(({ names, ...key }) => ({ ...key, fields: names.map(fieldOf) }))
  const foreignKeys = declared.foreignKeys.map((key): SubjectForeignKey => {
    const { name, columns: own, foreignColumns, foreignTable } = key.reference()
    const { onDelete = 'no action' } = key
    const targetColumns = foreignColumns.map((column) => columnName(db, foreignTable, column))
    return { name, fields: own.map(({ name }) => fieldOf(name)), target: tableNames(foreignTable), targetColumns, onDelete }
  })
  return { about, table, exported, names, name: names.name, quoted, live, columns, keys, foreignKeys }
}

/** The declared keys, by the names of their columns in the declaration, without partial indexes and indexes on expressions. */
function keysIn({ primaryKeys, uniqueConstraints, indexes }: Declaration, columns: SubjectColumn[]) {
  const single = columns.flatMap(({ column }) =>
    column.primary || column.isUnique ? [{ columns: [column], name: column.primary ? undefined : column.uniqueName }] : [],
  )
  const unique = [...single, ...primaryKeys.map(({ columns }) => ({ columns, name: undefined })), ...uniqueConstraints].map((key) => ({
    names: key.columns.map(({ name }) => name),
    isUnique: true,
    name: key.name,
  }))
  const others = indexes.flatMap(({ config: { name, columns: indexed, unique: isUnique = false, where } }) => {
    const names = indexed.flatMap((column) => ('name' in column ? String(column.name) : []))
    return where || names.length < indexed.length ? [] : { names, isUnique, name }
  })
  return [...unique, ...others]
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
export function liveColumns(table: SubjectTable, fields: readonly string[]): SubjectColumn[] | undefined {
  const columns = fields.map((field) => table.columns.find((column) => column.field === field && column.live))
  return columns.every((column) => column !== undefined) ? (columns as SubjectColumn[]) : undefined
}

export const isUnique = ({ live }: SubjectTable, columns: SubjectColumn[]) =>
  live.keys.some((key) => key.kind !== 'index' && key.columns.every((name) => columns.some((column) => column.name === name)))

/** Whether the column has the declared kind of type. */
export function fits({ declared, live }: SubjectColumn): boolean {
  if (declared.holds === 'other' || declared.holds === live?.holds) return live !== undefined
  // MariaDB has no type of its own for JSON.
  return declared.holds === 'json' && live?.holds === 'text'
}
