import type { Column, Table } from 'drizzle-orm'
import { getTableColumns } from 'drizzle-orm'
import { included } from '#dialects'
import { dialectOfDatabase, dialectOfTable } from './detection.js'
import type { Dialect, DialectName } from './dialect.js'
import { provided } from './dialects/provided.js'
import { misconfigured } from './errors.js'
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

const expected: Record<string, string> = {
  id: 'a string, number or bigint',
  date: "a Date (mode: 'date', or 'timestamp_ms' in SQLite)",
}

/** Throws where an option is not one, or is not what it must be. */
export function checkOptions({ namedStatements = false, retry = {}, dialect: _, ...others }: AdapterOptions): void {
  const unknown = Object.keys(others)[0]
  const must = (right: boolean, message: string) => right || misconfigured(`DrizzleAdapter: ${message}`)
  must(!unknown, `there is no option ${unknown}. There are namedStatements, retry and dialect`)
  must(typeof namedStatements === 'boolean', 'namedStatements must be true or false')
  if (retry === false) return
  const { tries = 1, within = 0, ...more } = Object(retry)
  must(Object(retry) === retry && !Object.keys(more)[0], 'retry must be false, or an object with tries, within or both')
  must(Number.isInteger(tries) && tries > 0, 'retry.tries must be a whole number from 1 on')
  must(Number.isFinite(within) && within >= 0, 'retry.within must be a number of milliseconds from 0 on')
}

const tableNames = Object.keys(requirements) as (keyof Tables)[]

const needed: (keyof Tables)[] = ['usersTable', 'accountsTable']

/** The dialect of the database, once all tables are known to be of it and to have the columns they need. */
export function checkedDialect(
  db: object,
  tables: Partial<Tables>,
  given: Dialect | undefined,
  caller = 'DrizzleAdapter',
  required = needed,
): Dialect {
  const name = dialectOfDatabase(db, caller)
  for (const each of tableNames) {
    const table = tables?.[each]
    if (table) checkTable(each, table, name, caller)
    else if (required.includes(each)) misconfigured(`${caller}: ${each} is missing. Pass it in the second argument`)
  }
  const dialect = given ?? provided[name] ?? included[name]
  return dialect?.name === name
    ? dialect
    : misconfigured(`${caller}: tables written by hand need the option dialect here. Import it from drizzle-auth-adapter/${name}`)
}

// An adapter may be made for each request: what was found in order once is not looked at again.
const inOrder = new WeakMap<Table, string>()

function checkTable(name: keyof Tables, table: Table, dialect: DialectName, caller: string): void {
  if (inOrder.get(table) === name + dialect) return
  const found = dialectOfTable(table, `${caller}: ${name}`)
  if (found !== dialect)
    misconfigured(
      `${caller}: ${name} is of the dialect ${found}, the database of ${dialect}. Define the table with drizzle-auth-adapter/${dialect}`,
    )
  const columns = getTableColumns(table) as Record<string, Column>
  for (const requirement of requirements[name].split(' ')) {
    const [named, kind = 'string'] = requirement.split(':') as [string, string?]
    const column = named.replace('?', '')
    const wanted = expected[kind] ?? `a ${kind}`
    if (Object.hasOwn(columns, column)) {
      const data = dataOf(columns[column] as Column)
      if (data !== kind && data !== 'custom' && !(kind === 'id' && ['string', 'number', 'bigint'].includes(data)))
        misconfigured(`${caller}: the column ${column} of ${name} holds ${data}; it must hold ${wanted}`)
    } else if (column === named) misconfigured(`${caller}: ${name} has no column ${column}. Add one that holds ${wanted}`)
  }
  inOrder.set(table, name + dialect)
}
