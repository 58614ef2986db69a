import type { Column, Table } from 'drizzle-orm'
import { getTableColumns } from 'drizzle-orm'
import { dialectOfDatabase, dialectOfTable } from './detection.js'
import type { DialectName } from './dialect.js'
import { AdapterConfigError } from './errors.js'
import type { AdapterOptions, Tables } from './types.js'
import { dataOf } from './values.js'

// What each column must hold; a question mark says that it may be missing.
const requirements = {
  usersTable: { id: 'id', email: 'string', emailVerified: 'date', name: 'string?', image: 'string?' },
  accountsTable: {
    userId: 'id',
    type: 'string',
    provider: 'string',
    providerAccountId: 'string',
    access_token: 'string?',
    refresh_token: 'string?',
    id_token: 'string?',
    expires_in: 'number?',
    expires_at: 'number?',
    scope: 'string?',
    token_type: 'string?',
    session_state: 'string?',
  },
  sessionsTable: { sessionToken: 'string', userId: 'id', expires: 'date' },
  verificationTokensTable: { identifier: 'string', token: 'string', expires: 'date' },
  authenticatorsTable: {
    credentialID: 'string',
    userId: 'id',
    providerAccountId: 'string',
    credentialPublicKey: 'string',
    counter: 'number',
    credentialDeviceType: 'string',
    credentialBackedUp: 'boolean',
    transports: 'string?',
  },
} satisfies Record<keyof Tables, Record<string, string>>

const expected: Record<string, string> = {
  id: 'a string, number or bigint',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  date: "a Date (mode: 'date', or 'timestamp_ms' in SQLite)",
}

/** Throws where an option is not one, or is not what it must be. */
export function checkOptions(options: AdapterOptions): void {
  const { namedStatements = false, retry = {} } = options
  const unknown = Object.keys(options).find((name) => !['namedStatements', 'retry'].includes(name))
  if (unknown) throw new AdapterConfigError(`DrizzleAdapter: there is no option ${unknown}. There are namedStatements and retry.`)
  if (typeof namedStatements !== 'boolean') throw new AdapterConfigError('DrizzleAdapter: namedStatements must be true or false.')
  if (retry !== false) checkRetry(retry)
}

function checkRetry(retry: Exclude<AdapterOptions['retry'], false | undefined>): void {
  const { tries = 1, within = 0, ...others } = Object(retry)
  if (Object(retry) !== retry || Object.keys(others).length > 0)
    throw new AdapterConfigError('DrizzleAdapter: retry must be false, or an object with tries, within or both.')
  if (!Number.isInteger(tries) || tries < 1) throw new AdapterConfigError('DrizzleAdapter: retry.tries must be a whole number from 1 on.')
  if (!Number.isFinite(within) || within < 0)
    throw new AdapterConfigError('DrizzleAdapter: retry.within must be a number of milliseconds from 0 on.')
}

const tableNames = Object.keys(requirements) as (keyof Tables)[]

const needed: (keyof Tables)[] = ['usersTable', 'accountsTable']

/** The dialect of the database, once all tables are known to be of it and to have the columns they need. */
export function checkedDialect(db: object, tables: Partial<Tables>, caller = 'DrizzleAdapter', required = needed): DialectName {
  const expected = dialectOfDatabase(db, caller)
  for (const name of tableNames) {
    const table = tables?.[name]
    if (table) checkTable(name, table, expected, caller)
    else if (required.includes(name)) throw new AdapterConfigError(`${caller}: ${name} is missing. Pass it in the second argument.`)
  }
  return expected
}

// An adapter may be made for each request: what was found in order once is not looked at again.
const inOrder = new WeakMap<Table, string>()

function checkTable(name: keyof Tables, table: Table, expected: DialectName, caller: string): void {
  if (inOrder.get(table) === `${name} ${expected}`) return
  const found = dialectOfTable(table, `${caller}: ${name}`)
  if (found !== expected) {
    throw new AdapterConfigError(
      `${caller}: ${name} is of the dialect ${found}, the database of ${expected}. Define the table with drizzle-auth-adapter/${expected}.`,
    )
  }
  checkColumns(name, table, caller)
  inOrder.set(table, `${name} ${expected}`)
}

/** Throws where a table lacks a column that the contract needs, or has one that holds something else. */
function checkColumns(name: keyof Tables, table: Table, caller: string): void {
  const columns = getTableColumns(table) as Record<string, Column>
  for (const [column, requirement] of Object.entries(requirements[name])) {
    const kind = requirement.replace('?', '')
    if (!Object.hasOwn(columns, column)) {
      if (requirement.endsWith('?')) continue
      throw new AdapterConfigError(`${caller}: ${name} has no column ${column}. Add one that holds ${expected[kind]}.`)
    }
    const data = dataOf(columns[column] as Column)
    const holds = data === 'custom' || (kind === 'id' ? ['string', 'number', 'bigint'].includes(data) : data === kind)
    if (!holds) throw new AdapterConfigError(`${caller}: the column ${column} of ${name} holds ${data}; it must hold ${expected[kind]}.`)
  }
}
