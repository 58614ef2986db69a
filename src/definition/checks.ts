import type { Table } from 'drizzle-orm'
import type { ModelName } from '../models.js'
import { modelNames, models } from '../models.js'
import { checkOptions } from '../options.js'
import { getTableColumns } from '../query/drizzle.js'
import { configError } from '../query/errors.js'
import type { DialectName } from '../query/internals.js'
import { dialectOfTable, isAlias, kindsOf } from '../query/internals.js'
import type { AddedColumns, TableOptions } from './types.js'

const optionNames = ['columns', 'table', 'usersTable', 'foreignKeys', 'casing'] satisfies (keyof TableOptions<unknown, unknown, unknown>)[]

/** Throws if the options of `defineTables` are invalid. */
export function checkDefinition(
  dialect: DialectName,
  options: TableOptions<unknown, unknown, AddedColumns<Record<string, unknown>>>,
): void {
  checkOptions('defineTables', 'options', options, optionNames)
  const { columns = {}, table, usersTable, foreignKeys = true, casing = 'camelCase' } = options
  checkOptions('defineTables', 'columns', columns, modelNames)
  if (table !== undefined) checkCreator(dialect, table)
  if (typeof foreignKeys !== 'boolean') invalidDefinition('foreignKeys must be true or false')
  if (casing !== 'camelCase' && casing !== 'snake_case') invalidDefinition("casing must be 'camelCase' or 'snake_case'")
  if (usersTable !== undefined) checkUsersTable(dialect, usersTable, columns.users)
  for (const model of modelNames) checkAdded(dialect, model, columns[model] ?? {})
}

function checkCreator(dialect: DialectName, create: unknown): void {
  if (typeof create !== 'function') invalidDefinition(`table must be a table creator, such as ${dialect}TableCreator(…)`)
  if (dialectOfTable(create('probe', {}), 'defineTables: the result of the table creator') !== dialect)
    invalidDefinition(`table must be a creator of ${dialect} tables`)
}

function checkUsersTable(dialect: DialectName, usersTable: unknown, added: unknown): void {
  if (added) invalidDefinition('columns.users and usersTable cannot be combined. Add the columns to your own table')
  if (dialectOfTable(usersTable, 'defineTables: usersTable') !== dialect) invalidDefinition(`usersTable must be a ${dialect} table`)
  if (isAlias(usersTable as Table)) invalidDefinition('usersTable is an alias. Pass the table itself')
  if (!('id' in getTableColumns(usersTable as Table))) invalidDefinition('usersTable has no column id')
}

function checkAdded(dialect: DialectName, model: ModelName, added: Record<string, unknown>): void {
  for (const [column, builder] of Object.entries(added)) {
    if (Object.hasOwn(models[model], column))
      invalidDefinition(`columns.${model}.${column} already exists in the table. To change it, declare the table yourself`)
    if (!kindsOf(builder).some((kind) => kind.toLowerCase() === `${dialect}columnbuilder`))
      invalidDefinition(`columns.${model}.${column} is not a column of drizzle-orm/${dialect}-core`)
  }
}

function invalidDefinition(message: string): never {
  return configError(`defineTables: ${message}`)
}
