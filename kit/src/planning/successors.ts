import type { Database, DialectName, Tables } from 'drizzle-auth-adapter/internal'
import type { Column, Table } from 'drizzle-orm'
import { getTableColumns } from 'drizzle-orm'
import { defaultTables } from '../commands/tables.js'
import { givenTables } from '../doctor/models.js'
import { columnName, tableNames } from '../doctor/table.js'
import { notice } from './notices.js'

export const oldTables = notice(
  'old-tables',
  [],
  "your schema file still declares the old adapter's tables, so the plan migrates to the tables of defineTables() with the same names",
  'Replace the tables in the schema file when you run the plan. To migrate to the tables of a file as they are, pass it with --schema.',
)

/** The names that `defineTables` gives each table, in either casing. */
const own = {
  users: ['user'],
  accounts: ['account'],
  sessions: ['session'],
  verificationTokens: ['verificationToken', 'verification_token'],
  authenticators: ['authenticator'],
}

/** The tables of `defineTables()` that replace these, with the same names and casing. Returns undefined if these are such tables already. */
export async function successors(db: Database, dialect: DialectName, tables: Partial<Tables>): Promise<Partial<Tables> | undefined> {
  const given = givenTables(tables)
  const names = Object.fromEntries(given.flatMap(({ model, table }) => own[model].map((name) => [name, pathOf(table)])))
  const userIds = given.flatMap(({ table }) => (columnsOf(table).userId ? [columnName(db, table, columnsOf(table).userId as Column)] : []))
  const made = await defaultTables(dialect, names, userIds.includes('user_id') ? 'snake_case' : undefined)
  const isOld = given.some(({ model, table }) => model !== 'users' && differs(columnsOf(table), columnsOf(made[`${model}Table`] as Table)))
  return isOld ? (Object.fromEntries(given.map(({ model }) => [`${model}Table`, made[`${model}Table`]])) as Partial<Tables>) : undefined
}

const columnsOf = (table: Table) => getTableColumns(table) as Record<string, Column>

function pathOf(table: Table): string {
  const { schema, name } = tableNames(table)
  return schema ? `${schema}.${name}` : name
}

/** Whether a column is missing or has another type. `userId` is not compared: it has the type of the user's id. */
const differs = (columns: Record<string, Column>, wanted: Record<string, Column>) =>
  Object.entries(wanted).some(([field, column]) => field !== 'userId' && columns[field]?.getSQLType() !== column.getSQLType())
