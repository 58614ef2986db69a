import type { Column, Table } from 'drizzle-orm'
import { columnsIn, otherLibrary, useOtherAdapter } from './library.js'
import type { Field, FieldKind, ModelName } from './models.js'
import { keys, modelNames, models } from './models.js'
import { checkOptions } from './options.js'
import type { RetryLimits } from './query/connection.js'
import { getTableColumns } from './query/drizzle.js'
import { configError } from './query/errors.js'
import type { DialectName } from './query/internals.js'
import { dialectOfTable, isAlias } from './query/internals.js'
import { dataOf, isInteger, isNumeric, isUuid, kindOf, typeOf } from './query/kinds.js'
import type { AdapterOptions, Tables } from './types.js'

/** Throws if the adapter cannot work with these tables or these options. */
export function checkAdapter(caller: string, dialect: DialectName, tables: Tables, options: AdapterOptions): void {
  const fail = (message: string): never => configError(`${caller}: ${message}`)
  checkAdapterOptions(caller, options)
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

function checkAdapterOptions(caller: string, options: AdapterOptions): void {
  const must = (isRight: boolean, message: string) => isRight || configError(`${caller}: ${message}`)
  checkOptions(caller, 'options', options, ['retry', 'secrets', 'onError'])
  const { retry, secrets, onError } = options
  must(onError === undefined || typeof onError === 'function', 'onError must be a function')
  must(secrets === undefined || !!secrets?.protect, 'secrets must be the result of secretsAtRest')
  checkRetry(caller, retry)
}

/** Throws if the option `retry` is not valid. */
export function checkRetry(caller: string, retry: RetryLimits | false = {}): void {
  const must = (isRight: boolean, message: string) => isRight || configError(`${caller}: ${message}`)
  if (retry === false) return
  must(Object(retry) === retry, 'retry must be false, or an object with tries, within or both')
  checkOptions(caller, 'retry', retry, ['tries', 'within'])
  const { tries = 1, within = 0 } = retry
  must(Number.isInteger(tries) && tries > 0, 'retry.tries must be a whole number, 1 or more')
  must(Number.isFinite(within) && within >= 0, 'retry.within must be a number of milliseconds, 0 or more')
}

const expected: Record<FieldKind, string> = {
  id: 'a string, number or bigint',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  date: "a Date (mode: 'date', or 'timestamp_ms' in SQLite)",
}

const typesOf: Record<FieldKind, string> = {
  id: 'a text, a uuid or an integer',
  string: 'a text',
  number: 'an integer',
  boolean: 'a boolean',
  date: 'a date or a timestamp',
}

/** Whether a column with this JavaScript type can hold the field. A custom type may. */
const holds = (kind: FieldKind, data: string) =>
  data === 'custom' || data === kind || (kind === 'id' && /^(string|number|bigint)$/.test(data))

/** Throws if the columns of a key cannot identify rows. */
export function checkKey(caller: string, name: string, table: Table, key: readonly string[]): void {
  const columns = getTableColumns(table) as Record<string, Column>
  const keyColumns = key.map((each) => [each, columns[each] as Column] as const)
  for (const [field, column] of keyColumns)
    if (kindOf(column) === 'other' || isNumeric(column))
      configError(`${caller}: the column ${field} of ${name} is ${typeOf(column)}, and a key must be a text, a uuid, an integer or a date`)
  // MySQL reports the number that it generated, but no other default.
  const generated = keyColumns.find(([, column]) => (column as { autoIncrement?: boolean }).autoIncrement)
  const defaulted = keyColumns.find(([, column]) => column !== generated?.[1] && column.hasDefault && !column.defaultFn)
  if (generated && defaulted)
    configError(
      `${caller}: the key of ${name} has the auto-increment column ${generated[0]} beside ${defaulted[0]}, which has a default. MySQL does not tell both: give ${defaulted[0]} a $defaultFn`,
    )
}

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
    } else if (!holds(kind, dataOf(column))) {
      const next = field === 'emailVerified' && dataOf(column) === 'boolean' ? `. ${useOtherAdapter}` : ''
      fail(`the column ${field} of ${name} holds ${dataOf(column)}; it must hold ${expected[kind]}${next}`)
    } else if (kindOf(column) === 'other') fail(`the column ${field} of ${name} is ${typeOf(column)}; it must be ${typesOf[kind]}`)
  }
  checkKey(caller, name, table, keys[model])
  const { id, userId } = columns
  if (model === 'users' && holdsNumbers(id as Column) && !(id as Column).hasDefault)
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

// A custom type may represent ids in any way.
function holdsNumbers(column: Column): boolean {
  return kindOf(column) === 'integer'
}

/** Types of one family can be compared with each other, and hold the same data in code. */
function familyOf(column: Column): string {
  const type = isInteger(column) ? 'integer' : isUuid(column) ? 'uuid' : 'text'
  // MySQL compares binary columns byte by byte, however they were declared.
  const isBinary = /^(var)?binary\b/.test(typeOf(column))
  return dataOf(column) === 'custom' || isBinary ? type : `${type} ${dataOf(column)}`
}
