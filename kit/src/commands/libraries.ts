import type { LibraryTables } from 'drizzle-auth-adapter/internal'
import { AdapterOperationError, librariesIn, libraryTables, lookedFor, recognize } from 'drizzle-auth-adapter/internal'
import type { Table } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import { inspectors } from '../doctor/index.js'
import type { LiveTable } from '../doctor/inspector.js'
import type { Context } from './command.js'
import { Problem } from './command.js'
import type { Opened } from './database.js'
import { countRows } from './database.js'
import type { Settings } from './settings.js'
import { defaultTables, schemaTables } from './tables.js'

/** The tables of a command, and the names of the libraries that they belong to. */
export interface FoundTables extends LibraryTables {
  /** All tables of the schema, by the names of their exports. */
  all: Record<string, Table>
  /** `Auth.js`, `Better Auth`, or both. */
  titles: string
}

/**
 * The tables of the schema files, or those of `defineTables()` if there are none. Throws if they belong to neither library. `choose` gives
 * the tables that the user has named the names by which they are recognized.
 */
export async function findTables(
  opened: Opened,
  settings: Settings,
  { cwd }: Context,
  choose = (tables: Record<string, Table>) => tables,
): Promise<FoundTables> {
  if (!settings.schema) await refuseOtherTables(opened, settings)
  const all = choose(settings.schema ? await schemaTables(settings, cwd) : await defaultTables(opened.dialect, {}))
  const found = librariesOf(all, settings.schemaSource)
  if (found.titles === '')
    throw new Problem(
      `${settings.schemaSource} exports no tables of Auth.js or Better Auth, only ${Object.keys(all).join(', ')}. ${lookedFor}. Pass another file with --schema.`,
      2,
    )
  return found
}

/** The tables by the libraries that they belong to. */
export function librariesOf(all: Record<string, Table>, source = 'defineTables()'): FoundTables {
  const found = libraryTables(all, source)
  return { ...found, all, titles: librariesIn(found) }
}

/** Throws if the database has no tables of Auth.js. Which columns those of Better Auth should have, the schema file says. */
async function refuseOtherTables(opened: Opened, { unread }: Settings): Promise<void> {
  const tables = await inspectors[opened.dialect].inspectAll(opened.db, [])
  const { authjs, betterAuth } = recognize(tables.map(candidateOf), 'the database')
  if (authjs || (!betterAuth && (await isDenied(opened)))) return
  const names = [...(betterAuth?.values() ?? [])].map(({ names: [, name] }) => name).join(', ')
  const found = betterAuth ? `tables of Better Auth: ${names}` : `no tables of Auth.js or Better Auth. ${lookedFor}`
  const file = betterAuth ? 'that auth generate wrote' : 'that declares your tables'
  const why = unread ? ` ${unread.message}` : ''
  throw new Problem(`the database has ${found}. Pass --schema with the file ${file}, or add it to drizzle.config.ts.${why}`, 2)
}

/** Whether the user may not read the sessions table. MySQL then hides its columns, too. */
async function isDenied(opened: Opened): Promise<boolean> {
  const { sessionsTable } = await defaultTables(opened.dialect, {})
  try {
    await countRows('connect', opened, sessionsTable as Table, sql`1 = 0`)
    return false
  } catch (error) {
    return error instanceof AdapterOperationError && error.kind === 'denied'
  }
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
