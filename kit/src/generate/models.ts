import type { BetterAuthOptions } from '@better-auth/core'
import type { DBFieldAttribute } from '@better-auth/core/db'
import { getAuthTables } from '@better-auth/core/db'
import type { diffSchema } from '@better-auth/core/db/internal'
import { getDatabaseIndexName, resolveDatabaseSchemaIndexes } from '@better-auth/core/db/internal'
import type { DialectName } from 'drizzle-auth-adapter/internal'
import { isTable, toSnakeCase } from 'drizzle-auth-adapter/internal'
import type { Table } from 'drizzle-orm'
import * as mysql from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** What the adapter knows about the app. */
export interface SchemaConfig {
  readonly schema: Readonly<Record<string, unknown>>
  readonly dialect: DialectName
  readonly usePlural: boolean
  readonly camelCase: boolean
  readonly schemaName?: string | undefined
  /** Whether the installed Drizzle is 1.0. */
  readonly isV1: boolean
  /** What the schema lacks. */
  findMissing(): ReturnType<typeof diffSchema>
}

type TableConfig = ReturnType<typeof pg.getTableConfig>
export type Column = TableConfig['columns'][number]

/** What a table says about itself, with its columns by their names in code. */
export type Existing = Omit<TableConfig, 'columns'> & { readonly table: Table; readonly columns: Readonly<Record<string, Column>> }

/** An index, with the names of its columns in code. */
export interface Index {
  readonly name: string
  readonly columns: readonly string[]
  readonly isUnique: boolean
}

/** `field` is the name of the field in Better Auth. */
export type Field = DBFieldAttribute & { readonly field: string }

/** A table as Better Auth wants it. */
export interface Model {
  /** The keys of its models in Better Auth. Models of one name are one table. */
  readonly keys: readonly string[]
  /** The name of the export. */
  readonly name: string
  /** By the names of columns in code. */
  readonly fields: Readonly<Record<string, Field>>
  readonly indexes: readonly Index[]
  /** The table that the app passes. */
  readonly existing: Existing | undefined
}

export function readTable(table: Table, dialect: DialectName): Existing {
  const read = { pg: pg.getTableConfig, mysql: mysql.getTableConfig, sqlite: sqlite.getTableConfig }[dialect] as (table: Table) => unknown
  const config = read(table) as TableConfig
  const keyOf = (column: Column) => Object.entries(table).find(([, each]) => each === column)?.[0] ?? column.name
  return { ...config, table, columns: Object.fromEntries(config.columns.map((column) => [keyOf(column), column])) }
}

/** The tables that Better Auth needs. */
export function modelsOf(options: BetterAuthOptions, { schema, usePlural, dialect }: SchemaConfig): Model[] {
  const all = Object.entries(getAuthTables(options)).map(([key, table]) => ({
    ...table,
    key,
    tableName: table.modelName + (usePlural ? 's' : ''),
  }))
  const tables = all.filter(({ disableMigrations }) => !disableMigrations)
  const declared = resolveDatabaseSchemaIndexes(tables.map((each) => ({ ...each, indexes: each.indexes ?? [] })))
  return [...new Set(tables.map(({ tableName }) => tableName))].map((name) => {
    const own = all.filter(({ tableName }) => tableName === name)
    const keys = own.map(({ key }) => key)
    const entries = own
      .flatMap((each) => Object.entries(each.fields))
      .map(([field, each]) => [each.fieldName || field, { ...each, field }] as const)
    const fields = Object.fromEntries(entries)
    const index = (isUnique: boolean, ...columns: [string, ...string[]]): Index => {
      return { name: getDatabaseIndexName(name, { fields: columns, unique: isUnique }), columns, isUnique }
    }
    const indexes: Index[] = [
      ...(declared.get(name) ?? []).map(({ unique = false, ...each }) => ({ ...each, isUnique: unique })),
      ...entries.flatMap(([key, { index: isIndexed, unique }]) => (isIndexed && !unique ? [index(false, key)] : [])),
      // Better Auth looks an account up by these two. Without this index, one account of a provider could belong to two users.
      ...(keys.includes('account') ? [index(true, columnOf({ fields }, 'providerId'), columnOf({ fields }, 'accountId'))] : []),
      // Expired rows are found by it. Without this index, cleaning up reads the whole table.
      ...(keys.includes('session') || keys.includes('verification') ? [index(false, columnOf({ fields }, 'expiresAt'))] : []),
    ]
    const isFirst = ({ columns }: Index, at: number) => indexes.findIndex((each) => each.columns.join() === columns.join()) === at
    const table = Object.hasOwn(schema, name) && isTable(schema[name]) ? schema[name] : undefined
    return { keys, name, fields, indexes: indexes.filter(isFirst), existing: table && readTable(table, dialect) }
  })
}

/** The model to which a field refers, by its key or by its name. */
export const referredBy = ({ references }: Pick<Field, 'references'>, models: readonly Model[]): Model | undefined =>
  models.find(({ keys, name }) => [...keys, name, name.replace(/s$/, '')].includes(references?.model ?? ''))

export const columnOf = ({ fields }: Pick<Model, 'fields'>, field = 'id') =>
  Object.keys(fields).find((key) => fields[key]?.field === field) ?? field

/** How columns are named in the database: as in code, in snake_case, or without a name in the code. Undefined if no column tells. */
export function namingOf(columns: Readonly<Record<string, Column>>): 'none' | 'camel' | 'snake' | undefined {
  const telling = Object.entries(columns).find(([key, { keyAsName }]) => keyAsName || toSnakeCase(key) !== key)
  return telling && (telling[1].keyAsName ? 'none' : telling[1].name === telling[0] ? 'camel' : 'snake')
}
