import type { Column, Table } from 'drizzle-orm'
import type { ModelName } from '../models.js'
import { keys, modelNames, models } from '../models.js'
import { markExact } from '../query/columns.js'
import { getTableName } from '../query/drizzle.js'
import { nameColumn, setDataType } from '../query/internals.js'
import type { AddedColumns, Casing } from './types.js'

/** How a name of the contract is written in the database. */
export function namesIn(casing: Casing = 'camelCase'): (name: string) => string {
  return casing === 'camelCase' ? (name) => name : toSnakeCase
}

// As Drizzle's own `casing` writes the names that Drizzle allows in code: `lastLoginIP` becomes `last_login_ip`.
function toSnakeCase(name: string): string {
  const words = name.match(/[\d\p{Ll}\p{Lo}]+|\p{Lu}+(?![\p{Ll}\p{Lo}])|\p{Lu}[\d\p{Ll}\p{Lo}]+/gu) ?? [name]
  return words.map((word) => word.toLowerCase()).join('_')
}

/** Names the added columns that have no name of their own in the database. By default, Drizzle does so when it makes the table. */
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

/** Marks the columns of the new tables whose types compare exactly. An app's own users table decides about its ids itself. */
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

/** What a creator calls a table: it may add a prefix. */
export function namesOf(create: unknown): (table: string) => string {
  return (table) => getTableName((create as (name: string, columns: object) => Table)(table, {}))
}

/**
 * A column that can refer to an id: of its type, and encoding and decoding as it does.
 * A type that counts on its own is replaced by the one that it counts in.
 */
export function referringTo<Builder>(
  id: Column,
  customType: CustomType<Builder>,
  name: string,
  countedIn: Record<string, string> = {},
): Builder {
  const column = customType({
    dataType: () => countedIn[id.getSQLType()] ?? id.getSQLType(),
    toDriver: (value) => id.mapToDriverValue(value),
    fromDriver: (value) => id.mapFromDriverValue(value),
    // Where Drizzle 1.0 decodes before `fromDriver` does.
    codec: () => (id as { codec?: string }).codec,
  })(name)
  // What it holds is as well known as what the id holds, though it is made as a custom column.
  return setDataType(column, id.dataType)
}

type CustomType<Builder> = (mapping: {
  dataType(): string
  toDriver(value: unknown): unknown
  fromDriver(value: unknown): unknown
  codec(): string | undefined
}) => (name: string) => Builder
