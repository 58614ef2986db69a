import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Table } from 'drizzle-orm'
import type { DialectName } from '../dialect.js'
import type { ExpiringTables } from '../expired.js'
import { Problem } from './command.js'

/** What the command line says of the tables. */
export interface Wanted {
  schema?: string | undefined
  sessions?: string | undefined
  tokens?: string | undefined
  only?: string | undefined
}

type Creator = (name: string, columns: never, extra: never) => Table

/** The tables to work on: those of a schema file, or the default ones under the names that are wanted. */
export async function tablesFor(dialect: DialectName, wanted: Wanted): Promise<ExpiringTables> {
  const { only } = wanted
  if (only !== undefined && only !== 'sessions' && only !== 'tokens') throw new Problem(`--only takes sessions or tokens, not ${only}.`, 2)
  const { sessionsTable, verificationTokensTable } = wanted.schema
    ? await tablesIn(wanted.schema, wanted)
    : await defaultTables(dialect, wanted)
  return {
    ...(only !== 'tokens' && { sessionsTable }),
    ...(only !== 'sessions' && { verificationTokensTable }),
  }
}

async function tablesIn(file: string, { sessions, tokens }: Wanted): Promise<ExpiringTables> {
  const exported = await importSchema(file)
  const find = (given: string | undefined, names: string[]) => {
    if (given !== undefined && !exported[given]) throw new Problem(`${file} has no export ${given}.`)
    return names.map((name) => exported[name]).find(Boolean)
  }
  const tables = {
    sessionsTable: find(sessions, sessions ? [sessions] : ['sessionsTable', 'sessions']),
    verificationTokensTable: find(tokens, tokens ? [tokens] : ['verificationTokensTable', 'verificationTokens']),
  }
  if (!tables.sessionsTable && !tables.verificationTokensTable)
    throw new Problem(`${file} exports neither sessionsTable nor verificationTokensTable. Name its exports with --sessions and --tokens.`)
  return tables as ExpiringTables
}

async function importSchema(file: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(resolve(file)).href)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
      throw new Problem(
        `this Node.js cannot load ${file} by itself. Pass the compiled file, or install tsx and set NODE_OPTIONS='--import tsx' for the command.`,
      )
    throw new Problem(`${file} cannot be loaded: ${message}`)
  }
}

async function defaultTables(
  dialect: DialectName,
  { sessions = 'session', tokens = 'verificationToken' }: Wanted,
): Promise<ExpiringTables> {
  const names: Record<string, string> = { session: sessions, verificationToken: tokens }
  const create = await creators[dialect]()
  const table: Creator = (name, columns, extra) => {
    const [own, schema] = (names[name] ?? name).split('.').reverse() as [string, string?]
    return create(schema)(own, columns, extra)
  }
  const { defineTables } = await import(`../${dialect}/tables.js`)
  return defineTables({ table })
}

/** What makes a table, in a schema where one is named. */
const creators: Record<DialectName, () => Promise<(schema: string | undefined) => Creator>> = {
  async pg() {
    const { pgSchema, pgTable } = await import('drizzle-orm/pg-core')
    return (schema) => (schema === undefined ? pgTable : pgSchema(schema).table) as unknown as Creator
  },
  async mysql() {
    const { mysqlSchema, mysqlTable } = await import('drizzle-orm/mysql-core')
    return (schema) => (schema === undefined ? mysqlTable : mysqlSchema(schema).table) as unknown as Creator
  },
  async sqlite() {
    const { sqliteTable } = await import('drizzle-orm/sqlite-core')
    return (schema) => {
      if (schema !== undefined) throw new Problem(`SQLite has no schemas; name the table without ${schema}.`, 2)
      return sqliteTable as unknown as Creator
    }
  },
}
