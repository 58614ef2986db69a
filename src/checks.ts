import type { Column, Table } from 'drizzle-orm'
import { dialectOfDatabase, dialectOfTable, kindsOf } from './detection.js'
import type { Dialect, DialectName } from './dialect.js'
import { getTableColumns } from './drizzle.js'
import { misconfigured } from './errors.js'
import type { AddedColumns, TableOptions } from './tables.js'
import type { AdapterOptions, Tables } from './types.js'
import { dataOf } from './values.js'

// What the columns must hold, where it is not text; a question mark says that a column may be missing.
const requirements: Record<keyof Tables, string> = {
  usersTable: 'id:id email emailVerified:date name? image?',
  accountsTable:
    'userId:id type provider providerAccountId access_token? refresh_token? id_token? expires_in?:number expires_at?:number scope? token_type? session_state?',
  sessionsTable: 'sessionToken userId:id expires:date',
  verificationTokensTable: 'identifier token expires:date',
  authenticatorsTable:
    'credentialID userId:id providerAccountId credentialPublicKey counter:number credentialDeviceType credentialBackedUp:boolean transports?',
}

const tableNames = Object.keys(requirements) as (keyof Tables)[]

interface Requirement {
  column: string
  kind: string
  optional: boolean
}

function requirementsOf(table: keyof Tables): Requirement[] {
  return requirements[table].split(' ').map((requirement) => {
    const [named, kind = 'string'] = requirement.split(':') as [string, string?]
    return { column: named.replace('?', ''), kind, optional: named.endsWith('?') }
  })
}

const expected: Record<string, string> = {
  id: 'a string, number or bigint',
  date: "a Date (mode: 'date', or 'timestamp_ms' in SQLite)",
}

/** The dialect, with a look at the options and, once for each, at the tables. */
export function checking(dialect: Dialect): Dialect {
  return {
    ...dialect,
    check(caller, db, tables, options) {
      const ofDatabase = dialectOfDatabase(db, caller)
      if (ofDatabase !== dialect.name) misconfigured(`${caller}: the dialect is ${dialect.name}, the database of ${ofDatabase}`)
      if (options) checkOptions(caller, options)
      for (const name of tableNames) {
        const table = tables?.[name]
        if (table) checkTable(caller, name, table, dialect.name)
        else if (options && ['usersTable', 'accountsTable'].includes(name))
          misconfigured(`${caller}: ${name} is missing. Pass it in the second argument`)
      }
    },
  }
}

function checkOptions(caller: string, { namedStatements = false, retry = {}, dialect: _, ...others }: AdapterOptions): void {
  const unknown = Object.keys(others)[0]
  const must = (right: boolean, message: string) => right || misconfigured(`${caller}: ${message}`)
  must(!unknown, `there is no option ${unknown}. There are namedStatements, retry and dialect`)
  must(typeof namedStatements === 'boolean', 'namedStatements must be true or false')
  if (retry === false) return
  const { tries = 1, within = 0, ...more } = Object(retry)
  must(Object(retry) === retry && !Object.keys(more)[0], 'retry must be false, or an object with tries, within or both')
  must(Number.isInteger(tries) && tries > 0, 'retry.tries must be a whole number from 1 on')
  must(Number.isFinite(within) && within >= 0, 'retry.within must be a number of milliseconds from 0 on')
}

// An adapter may be made for each request: what was found in order once is not looked at again.
const inOrder = new WeakMap<Table, string>()

function checkTable(caller: string, name: keyof Tables, table: Table, dialect: DialectName): void {
  if (inOrder.get(table) === name + dialect) return
  const found = dialectOfTable(table, `${caller}: ${name}`)
  if (found !== dialect)
    misconfigured(
      `${caller}: ${name} is of the dialect ${found}, the database of ${dialect}. Define the table with drizzle-auth-adapter/${dialect}`,
    )
  const columns = getTableColumns(table) as Record<string, Column>
  for (const { column, kind, optional } of requirementsOf(name)) {
    const wanted = expected[kind] ?? `a ${kind}`
    if (Object.hasOwn(columns, column)) {
      const data = dataOf(columns[column] as Column)
      if (data !== kind && data !== 'custom' && !(kind === 'id' && ['string', 'number', 'bigint'].includes(data)))
        misconfigured(`${caller}: the column ${column} of ${name} holds ${data}; it must hold ${wanted}`)
    } else if (!optional) misconfigured(`${caller}: ${name} has no column ${column}. Add one that holds ${wanted}`)
  }
  inOrder.set(table, name + dialect)
}

const optionNames = ['columns', 'table', 'usersTable', 'foreignKeys'] satisfies (keyof TableOptions<unknown, unknown, unknown>)[]

/** Throws where `defineTables` was given what makes no sense. */
export function checkDefinition(
  dialect: DialectName,
  options: TableOptions<unknown, unknown, AddedColumns<Record<string, unknown>>>,
): void {
  onlyKnown(options, optionNames, 'options')
  const { columns = {}, table, usersTable, foreignKeys = true } = options
  const added = tableNames.map((name) => name.replace('Table', '') as keyof typeof columns)
  onlyKnown(columns, added, 'columns')
  if (table !== undefined) checkCreator(dialect, table)
  if (typeof foreignKeys !== 'boolean') fail('foreignKeys must be true or false')
  if (usersTable !== undefined) checkUsersTable(dialect, usersTable, columns.users)
  for (const name of added) checkAdded(dialect, name, columns[name] ?? {})
}

function checkCreator(dialect: DialectName, create: unknown): void {
  if (typeof create !== 'function') fail(`table must be a table creator, such as ${dialect}TableCreator(…)`)
  if (dialectOfTable(create('probe', {}), 'defineTables: what the table creator makes') !== dialect)
    fail(`table must be a creator of ${dialect} tables`)
}

function checkUsersTable(dialect: DialectName, usersTable: unknown, added: unknown): void {
  if (added) fail('columns.users and usersTable exclude each other: add the columns to your own table')
  if (dialectOfTable(usersTable, 'defineTables: usersTable') !== dialect) fail(`usersTable must be a ${dialect} table`)
  if (!('id' in getTableColumns(usersTable as Table))) fail('usersTable has no column id')
}

function checkAdded(dialect: DialectName, table: keyof AddedColumns<unknown>, added: Record<string, unknown>): void {
  const defaults = requirementsOf(`${table}Table`).map(({ column }) => column)
  for (const [column, builder] of Object.entries(added)) {
    if (defaults.includes(column)) fail(`columns.${table}.${column} is a column of the table already; write the table by hand to change it`)
    if (!kindsOf(builder).some((kind) => kind.toLowerCase() === `${dialect}columnbuilder`))
      fail(`columns.${table}.${column} is no column of drizzle-orm/${dialect}-core`)
  }
}

function onlyKnown(value: object, known: readonly string[], what: string): void {
  if (typeof value !== 'object' || value === null) fail(`${what} must be an object`)
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined) fail(`${what} has no ${unknown}; it takes ${known.join(', ')}`)
}

function fail(message: string): never {
  return misconfigured(`defineTables: ${message}`)
}
