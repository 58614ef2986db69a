import type { AdapterOperationError, DialectName, LibraryTables } from 'drizzle-auth-adapter/internal'
import { librariesIn, libraryTables, lookedFor, recognize } from 'drizzle-auth-adapter/internal'
import type { Table } from 'drizzle-orm'
import { getTableColumns, is, sql, Table as TableClass } from 'drizzle-orm'
import { inspectors } from '../doctor/index.js'
import type { LiveTable } from '../doctor/inspector.js'
import type { Context } from './command.js'
import { Problem } from './command.js'
import type { Opened } from './connection.js'
import { countRows } from './connection.js'
import { findFiles, loadModule } from './modules.js'
import type { Settings } from './settings.js'

/** The tables of a command, and the names of the libraries that they belong to. */
export interface FoundTables extends LibraryTables {
  /** All tables of the schema, by the names of their exports. */
  all: Record<string, Table>
  /** `Auth.js`, `Better Auth`, or both. */
  titles: string
}

/** The options that name a table: its default name, and the export that it stands for, by a column of it. */
const named = {
  sessions: { name: 'session', columns: { expiresAt: 'session', expires: 'sessionsTable' } },
  tokens: { name: 'verificationToken', columns: { expiresAt: 'verification', expires: 'verificationTokensTable' } },
  accounts: { name: 'account', columns: { providerId: 'account', provider: 'accountsTable' } },
} as const

/** The values of the options that name a table. */
export type TableNames = { [Option in keyof typeof named]?: string | undefined }

/** The tables of the schema files, or those of `defineTables()` if there are none. Throws if they belong to neither library. */
export async function findTables(
  opened: Opened,
  settings: Settings,
  { cwd }: Pick<Context, 'cwd'>,
  names: TableNames = {},
): Promise<FoundTables> {
  const options = Object.keys(named) as (keyof typeof named)[]
  // Without --schema, the names are those in the database.
  if (!settings.isExplicit && options.some((option) => names[option] !== undefined))
    return librariesOf(
      await defaultTables(opened.dialect, Object.fromEntries(options.map((option) => [named[option].name, names[option]]))),
    )
  if (!settings.schema) await refuseOtherTables(opened, settings)
  let all = settings.schema ? await schemaTables(settings, cwd) : await defaultTables(opened.dialect, {})
  for (const option of options) all = chooseTable(all, option, names[option])
  const found = librariesOf(all, settings.schemaSource)
  if (found.titles === '')
    throw new Problem(
      `${settings.schemaSource} exports no tables of Auth.js or Better Auth, only ${Object.keys(all).join(', ')}. ${lookedFor}. Pass another file with --schema.`,
      2,
    )
  return found
}

function librariesOf(all: Record<string, Table>, source = 'defineTables()'): FoundTables {
  const found = libraryTables(all, source)
  return { ...found, all, titles: librariesIn(found) }
}

/** The tables that the schema files export, by the names of the exports. */
export async function schemaTables({ schema, schemaSource, unread }: Settings, cwd: string): Promise<Record<string, Table>> {
  if (!schema) throw unread ?? new Problem('no tables given. Pass --schema, or add schema to drizzle.config.ts.', 2)
  const files = await findFiles(schema, cwd)
  if (files.length === 0) throw new Problem(`${schemaSource} matches no file. Pass --schema with the file that declares your tables.`, 2)
  const exported: Record<string, unknown> = {}
  for (const file of files) Object.assign(exported, await loadModule(file, cwd))
  const tables = Object.entries(exported).filter((entry): entry is [string, Table] => is(entry[1], TableClass))
  if (tables.length === 0) throw new Problem(`${schemaSource} exports no tables.`, 2)
  return Object.fromEntries(tables)
}

/** Gives a table that the user has named the name by which it is recognized. */
function chooseTable(tables: Record<string, Table>, option: keyof typeof named, given: string | undefined): Record<string, Table> {
  if (given === undefined) return tables
  const { [given]: table, ...others } = tables
  if (!table || !Object.hasOwn(tables, given))
    throw new Problem(`--${option} is not a table that the schema exports. It exports ${Object.keys(tables).join(', ')}.`, 2)
  const exports = Object.entries(named[option].columns)
  const known = exports.find(([column]) => Object.hasOwn(getTableColumns(table), column)) ?? exports[1]
  return { ...others, [known?.[1] ?? given]: table }
}

/** Throws if the database has no tables of Auth.js. Which columns those of Better Auth should have, the schema file says. */
async function refuseOtherTables(opened: Opened, { unread }: Settings): Promise<void> {
  const tables = await inspectors[opened.dialect].inspectAll(opened.db, [])
  const { authjs, betterAuth } = recognize(tables.map(candidateOf), 'the database')
  if (authjs) return
  if (!betterAuth) await refuseDenied(opened)
  const names = [...(betterAuth?.values() ?? [])].map(({ names: [, name] }) => name).join(', ')
  const found = betterAuth ? `tables of Better Auth: ${names}` : `no tables of Auth.js or Better Auth. ${lookedFor}`
  const file = betterAuth ? 'that auth generate wrote' : 'that declares your tables'
  const why = unread ? ` ${unread.message}` : ''
  throw new Problem(`the database has ${found}. Pass --schema with the file ${file}, or add it to drizzle.config.ts.${why}`, 2)
}

/** Throws if the user may not read the sessions table: MySQL then hides its columns, too. */
async function refuseDenied(opened: Opened): Promise<void> {
  const { sessionsTable } = await defaultTables(opened.dialect, {})
  await countRows('connect', opened, sessionsTable as Table, sql`1 = 0`).catch((error: AdapterOperationError) => {
    if (error.kind === 'denied') throw error
  })
}

/** Columns have the names of the code, in any casing. On SQLite, the type of emailVerified does not show what it holds. */
function candidateOf({ name, columns }: LiveTable) {
  const camelCase = (text: string) => text.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const known = columns.map((column) => ({ ...column, name: camelCase(column.name) }))
  const verified = known.find((column) => column.name === 'emailVerified')
  const isTold = verified && /^(boolean|date|zoned date)$/.test(verified.holds)
  return {
    names: [name, name],
    columns: known.map((column) => column.name).filter((column) => column !== 'emailVerified' || isTold),
    emailVerified: isTold ? verified.holds.replace('zoned ', '') : undefined,
  }
}

type Creator = (name: string, columns: never, extra: never) => Table

/** The tables of `defineTables()`. `names` maps default names to other ones, optionally with a schema, such as `auth.session`. */
async function defaultTables(dialect: DialectName, names: Record<string, string | undefined>): Promise<Record<string, Table>> {
  const [{ defineTables }, core] = await modules[dialect]()
  const create = core as unknown as Record<string, Creator> & Record<string, (schema: string) => { table: Creator }>
  const table: Creator = (name, columns, extra) => {
    const [own, schema] = (names[name] ?? name).split('.').reverse() as [string, string?]
    if (schema === undefined) return create[`${dialect}Table`]?.(own, columns, extra) as Table
    const inSchema = create[`${dialect}Schema`]
    if (!inSchema) throw new Problem('SQLite has no schemas. Pass the name of the table without a dot.', 2)
    return inSchema(schema).table(own, columns, extra)
  }
  return (defineTables as unknown as (options: object) => Record<string, Table>)({ table })
}

const modules = {
  pg: () => Promise.all([import('drizzle-auth-adapter/pg'), import('drizzle-orm/pg-core')]),
  mysql: () => Promise.all([import('drizzle-auth-adapter/mysql'), import('drizzle-orm/mysql-core')]),
  sqlite: () => Promise.all([import('drizzle-auth-adapter/sqlite'), import('drizzle-orm/sqlite-core')]),
}
