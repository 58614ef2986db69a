import type { Column, Table } from 'drizzle-orm'
import type { ModelName } from '../models.js'
import { keys, modelNames, models } from '../models.js'
import { describeColumn, nameColumn } from '../query/internals.js'
import { markExact } from '../query/kinds.js'
import { toSnakeCase } from './snake-case.js'
import type { AddedColumns, Casing } from './types.js'

/** Converts field names to the names of columns and tables in the database. */
export function namesIn(casing: Casing = 'camelCase'): (name: string) => string {
  return casing === 'camelCase' ? (name) => name : toSnakeCase
}

/** Names the added columns that were declared without a name. For camelCase, Drizzle does this itself. */
export function nameColumns<Columns extends AddedColumns<object>>(columns: Columns, casing: Casing | undefined): Columns {
  if (casing === 'snake_case')
    for (const added of Object.values(columns))
      for (const [key, builder] of Object.entries(added as Record<string, object>)) nameColumn(builder, toSnakeCase(key))
  return columns
}

/** The fields by which rows are found. */
export const lookupFields = (model: ModelName): readonly string[] => [...keys[model], 'email', 'userId']

/** All fields of a model. */
export const allFields = (model: ModelName): readonly string[] => Object.keys(models[model])

/** Marks the columns of the new tables whose types compare exactly. With an app's own users table, ids may have any type. */
export function markColumns(
  tables: Record<`${ModelName}Table`, unknown>,
  hasOwnUsers: boolean,
  exactFields: (model: ModelName) => readonly string[],
): void {
  for (const model of modelNames)
    if (model !== 'users' || !hasOwnUsers)
      markExact(
        tables[`${model}Table`] as Table,
        exactFields(model).filter((field) => field in models[model] && !(hasOwnUsers && field === 'userId')),
      )
}

/** A column that can reference an id: it has the same type, encoding and decoding. A serial type becomes the integer type behind it. */
export function referenceColumn<Builder extends object>(
  id: Column,
  customType: CustomType<Builder>,
  name: string,
  serialTypes: Record<string, string> = {},
): Builder {
  const column = customType({
    dataType: () => serialTypes[id.getSQLType()] ?? id.getSQLType(),
    toDriver: (value) => id.mapToDriverValue(value),
    fromDriver: (value) => id.mapFromDriverValue(value),
    // Drizzle 1.0 applies the codec before `fromDriver`.
    codec: () => (id as { codec?: string }).codec,
  })(name)
  // A custom column would otherwise have an unknown data type.
  return describeColumn(column, { dataType: id.dataType })
}

export type CustomType<Builder> = (mapping: {
  dataType(): string
  toDriver(value: unknown): unknown
  fromDriver(value: unknown): unknown
  codec(): string | undefined
}) => (name: string) => Builder
