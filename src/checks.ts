import type { Column, Table } from 'drizzle-orm'
import { columnsIn, otherLibrary, useOtherAdapter } from './library.js'
import type { Field, FieldKind, ModelName } from './models.js'
import { modelNames, models } from './models.js'
import { checkOptions } from './options.js'
import { getTableColumns } from './query/drizzle.js'
import { configError } from './query/errors.js'
import type { DialectName } from './query/internals.js'
import { dialectOfTable, isAlias } from './query/internals.js'
import { dataOf, isInteger, isNumeric, isUuid, kindOf, typeOf } from './query/kinds.js'
import type { AdapterOptions, Tables } from './types.js'

/** Throws if the adapter cannot work with these tables or these options. */
export function checkAdapter(caller: string, dialect: DialectName, tables: Tables, options: AdapterOptions): void {
  const fail = (message: string): never => configError(`${caller}: ${message}`)
  checkOptions(caller, 'options', options, ['retry', 'secrets', 'onError'])
  const { retry, secrets } = options
  if (retry) checkOptions(caller, 'retry', retry, ['tries', 'within'])
  if (secrets !== undefined && !secrets?.protect) fail('secrets must be the result of secretsAtRest')
  for (const name of ['usersTable', 'accountsTable'] as const)
    if (!tables?.[name]) fail(`${name} is missing. ${otherLibrary(columnsIn(tables)) ?? 'Pass it in the second argument'}`)
  checkTables(caller, dialect, tables)
}

/** Throws if one of the tables does not match the dialect or the contract. */
export function checkTables(caller: string, dialect: DialectName, tables: Partial<Tables>): void {
  for (const model of modelNames) {
    const table = tables[`${model}Table`]
    if (table) checkTable(caller, model, table, dialect, tables.usersTable)
  }
}

const expected: Record<FieldKind, string> = {
  id: 'a text, a uuid or an integer',
  string: 'a text',
  number: 'an integer',
  boolean: 'a boolean',
  date: "a Date (mode: 'date', or 'timestamp_ms' in SQLite)",
}

/** Whether a column with this JavaScript type can hold the field. A custom type may. */
const holds = (kind: FieldKind, data: string) =>
  data === 'custom' || data === kind || (kind === 'id' && /^(string|number|bigint)$/.test(data))

// An adapter may be created for each request: a table is checked once.
const checked = new WeakMap<Table, { model: ModelName; dialect: DialectName; users: Table | undefined }>()

function checkTable(caller: string, model: ModelName, table: Table, dialect: DialectName, users: Table | undefined): void {
  const last = checked.get(table)
  if (last?.model === model && last.dialect === dialect && last.users === users) return
  const name = `${model}Table`
  const fail = (message: string): never => configError(`${caller}: ${message}`)
  const found = dialectOfTable(table, `${caller}: ${name}`)
  if (found !== dialect) fail(`${name} is a table of ${found}, not of ${dialect}. All tables must be of the database's dialect`)
  if (isAlias(table)) fail(`${name} is an alias. Pass the table itself`)
  const columns = getTableColumns(table) as Record<string, Column>
  for (const [field, { kind, optional }] of Object.entries<Field>(models[model])) {
    const column = Object.hasOwn(columns, field) ? columns[field] : undefined
    if (!column) {
      if (!optional) fail(`${name} has no column ${field}. ${lookalikeOf(columns) ?? `Add one that holds ${expected[kind]}`}`)
    } else if (!holds(kind, dataOf(column)) || kindOf(column) === 'other' || isNumeric(column)) {
      const next = field === 'emailVerified' && dataOf(column) === 'boolean' ? `. ${useOtherAdapter}` : ''
      fail(`the column ${field} of ${name} is ${typeOf(column)} and holds ${dataOf(column)}; it must hold ${expected[kind]}${next}`)
    }
  }
  const { id, userId } = columns
  if (model === 'users' && id && kindOf(id) === 'integer' && !id.hasDefault)
    fail('the column id of usersTable holds numbers and has no default. Let the database generate it, or give it a $defaultFn')
  const theirs = users && (getTableColumns(users) as Record<string, Column>).id
  if (userId && theirs && familyOf(userId) !== familyOf(theirs))
    fail(`the column userId of ${name} is ${typeOf(userId)}, the id of usersTable is ${typeOf(theirs)}. Give both the same type`)
  checked.set(table, { model, dialect, users })
}

/** The next step if these are the columns of another table, because tables were mixed up. */
function lookalikeOf(columns: Record<string, Column>): string | undefined {
  const other = otherLibrary([columns])
  if (other) return other
  const model = modelNames.find((each) =>
    Object.entries<Field>(models[each]).every(([field, { optional }]) => optional || Object.hasOwn(columns, field)),
  )
  return model && `It looks like your ${model}Table. Pass it under that name`
}

/** Types of one family can be compared with each other, and hold the same data in code. */
function familyOf(column: Column): string {
  const type = isInteger(column) ? 'integer' : isUuid(column) ? 'uuid' : 'text'
  // MySQL compares binary columns byte by byte, however they were declared.
  const isBinary = /^(var)?binary\b/.test(typeOf(column))
  return dataOf(column) === 'custom' || isBinary ? type : `${type} ${dataOf(column)}`
}
