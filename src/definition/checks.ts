import { modelNames, models } from '../models.js'
import { checkOptions } from '../options.js'
import { configError } from '../query/errors.js'
import type { DialectName } from '../query/internals.js'
import { kindsOf } from '../query/internals.js'
import type { AddedColumns, TableOptions } from './types.js'

const optionNames = ['columns', 'table', 'usersTable', 'foreignKeys', 'casing'] satisfies (keyof TableOptions<unknown, unknown, unknown>)[]

/** Throws if the options of `defineTables` are invalid in a way that their types allow. */
export function checkDefinition(
  dialect: DialectName,
  options: TableOptions<unknown, unknown, AddedColumns<Record<string, unknown>>>,
): void {
  const fail = (message: string): never => configError(`defineTables: ${message}`)
  checkOptions('defineTables', 'options', options, optionNames)
  const { columns = {}, usersTable } = options
  checkOptions('defineTables', 'columns', columns, modelNames)
  if (usersTable && columns.users) fail('columns.users and usersTable cannot be combined. Add the columns to your own table')
  for (const model of modelNames)
    for (const [column, builder] of Object.entries(columns[model] ?? {})) {
      const name = `columns.${model}.${column}`
      if (Object.hasOwn(models[model], column)) fail(`${name} already exists in the table. To change it, declare the table yourself`)
      if (!kindsOf(builder).some((kind) => kind.toLowerCase() === `${dialect}columnbuilder`))
        fail(`${name} is not a column of drizzle-orm/${dialect}-core`)
    }
}
