import type { Column, Table } from 'drizzle-orm'
import type { Field, ModelName } from '../models.js'
import { keys, models } from '../models.js'
import type { Database } from '../query/drizzle.js'
import { getTableColumns, getTableName, sql } from '../query/drizzle.js'
import { uniqueNameOf } from '../query/internals.js'
import type { Tables } from '../types.js'
import type { Finding } from './finding.js'
import type { ColumnType, Inspector, LiveColumn, LiveTable, TableName } from './inspector.js'

/** A declared column, and its state in the database. */
export interface SubjectColumn {
  /** Its name in code. */
  field: string
  /** Its field in the contract. Absent for the app's own columns. */
  contract: Field | undefined
  name: string
  column: Column
  declared: ColumnType
  live: LiveColumn | undefined
}

export interface SubjectTable {
  model: ModelName
  table: Table
  names: TableName
  name: string
  /** As SQL writes it. */
  quoted: string
  live: LiveTable
  columns: SubjectColumn[]
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

/** The tables that are given, in the order of the contract. */
export function givenTables(tables: Partial<Tables>): { model: ModelName; table: Table; names: TableName }[] {
  return (Object.keys(models) as ModelName[]).flatMap((model) => {
    const table = tables[`${model}Table`]
    return table ? [{ model, table, names: tableNames(table) }] : []
  })
}

/** A table's names in the database. */
export function tableNames(table: Table): TableName {
  const name = getTableName(table)
  return { name, schema: uniqueNameOf(table).slice(0, -name.length - 1) || undefined }
}

export function describeTable(
  db: Database,
  inspector: Inspector,
  { model, table, names }: ReturnType<typeof givenTables>[number],
  live: LiveTable,
): SubjectTable {
  const columns = Object.entries(getTableColumns(table) as Record<string, Column>).map(([field, column]): SubjectColumn => {
    const name = columnName(db, table, column)
    return {
      field,
      contract: (models[model] as Record<string, Field>)[field],
      name,
      column,
      declared: inspector.parseType(column.getSQLType(), column),
      live: live.columns.find((one) => one.name === name),
    }
  })
  const quoted = [names.schema, names.name].flatMap((name) => (name ? inspector.quote(name) : [])).join('.')
  return { model, table, names, name: names.name, quoted, live, columns }
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

/** The columns that identify a row, by the contract. */
export const keysOf: Record<ModelName, readonly (readonly string[])[]> = {
  users: [keys.users, ['email']],
  accounts: [keys.accounts],
  sessions: [keys.sessions],
  verificationTokens: [keys.verificationTokens],
  authenticators: [keys.authenticators],
}

/** Whether the column must be compared exactly: it identifies a row or a user. */
export const isKey = (model: ModelName, field: string) =>
  (models[model] as Record<string, Field>)[field]?.kind === 'id' || keysOf[model].some((fields) => fields.includes(field))

export const isUnique = ({ live }: SubjectTable, columns: SubjectColumn[]) =>
  live.keys.some((key) => key.kind !== 'index' && key.columns.every((name) => columns.some((column) => column.name === name)))

/** Whether the column has the declared kind of type. */
export function fits({ declared, live }: SubjectColumn): boolean {
  return live !== undefined && (declared.holds === 'other' || declared.holds === live.holds)
}
