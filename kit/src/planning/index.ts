import type { Database, DialectName, LibraryTables } from 'drizzle-auth-adapter/internal'
import type { Table } from 'drizzle-orm'
import { getTableColumns } from 'drizzle-orm'
import { Problem } from '../commands/command.js'
import { inspectors } from '../doctor/index.js'
import { samePath } from '../doctor/inspector.js'
import { givenTables } from '../doctor/models.js'
import type { Move, Outline } from './assembly.js'
import { assemble } from './assembly.js'
import { planAuthjs } from './authjs.js'
import { declare } from './declared.js'
import { demandsIn, refusals } from './demands.js'
import type { Source, Target } from './match.js'
import { findTarget, freshOf, matchAuthjs, matchTables, modelOf } from './match.js'
import type { Catalog, Dialect, NewTable, Plan } from './model.js'
import { createMysql } from './mysql.js'
import { readCatalog as readMysql } from './mysql-catalog.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'
import { obstacles } from './obstacles.js'
import { pg } from './pg.js'
import { readCatalog as readPg } from './pg-catalog.js'
import { planned, recorded, recordIn } from './record.js'
import { refuseUnsafe } from './safety.js'
import { planSame } from './same.js'
import { scriptOf as script } from './script.js'
import { readCatalog as readSqlite, sqlite } from './sqlite.js'
import { zoneNotices } from './time-zone.js'

export type { Plan } from './model.js'
export { tablesSetAside } from './record.js'

export interface Request {
  source: Source
  /** The tables of the schema file, by library, and all of them. */
  tables: LibraryTables & { all: Record<string, Table> }
  /** Where the schema comes from, for messages. */
  schemaSource: string
  /** How long sessions last in the new app, in seconds. */
  expiresIn: number
  /** A table and a column with hashes of passwords. */
  password?: { table: string; column: string } | undefined
  /** MySQL: the time zone of the app's connections. By default, that of this connection. */
  timeZone?: string | undefined
}

const readers = { pg: readPg, mysql: readMysql, sqlite: readSqlite }
const dialects: Record<DialectName, (catalog: Catalog) => Dialect> = { pg: () => pg, mysql: createMysql, sqlite: () => sqlite }

const nothing = { plan: [], undo: [], cleanup: [] }
export const sources: Source[] = ['official', 'prisma', 'kysely', 'better-auth', 'authjs']

/** The plan as a SQL script. */
export const scriptOf = (plan: Plan, dialect: DialectName, address: string) => script(plan, dialects[dialect]({} as Catalog), address)

/** Plans a move: the statements, and the problems that prevent it. Changes nothing. */
export async function planMove(db: Database, name: DialectName, request: Request): Promise<Plan> {
  const { source, timeZone } = request
  const { declared, users, target } = declaredFor(db, name, request)
  const catalog = {
    ...(await readers[name](
      db,
      declared.map(({ path }) => path.schema),
    )),
    ...(timeZone !== undefined && { timeZone }),
  }
  // Declared tables get the paths that they have in the database.
  for (const { path, foreignKeys } of declared)
    for (const one of [path, ...foreignKeys.map(({ target }) => target)]) Object.assign(one, catalog.pathOf(one))
  const dialect = dialects[name](catalog)
  const prefix = `${source.replace('-', '_')}_`
  const record = recordIn(users.path.schema, prefix)
  const done = await recorded(db, dialect, catalog, record, users.path)
  if (done) return refuseUnsafe(done)
  const move = target
    ? await fromAuthjs(db, name, dialect, catalog, request, target)
    : await within(db, name, dialect, catalog, declared, request)
  const notices = [...move.notices]
  let steps: Omit<Plan, 'notices'> = nothing
  if (isMove(move)) {
    const outline = assemble(dialect, catalog, record, move)
    const matches = [...(move.users ? [move.users] : []), ...move.replacements.flatMap(({ alteration }) => alteration ?? [])]
    if (name === 'mysql')
      notices.push(
        ...(await zoneNotices(
          db,
          matches.map(({ match }) => match),
          timeZone,
          catalog,
        )),
      )
    notices.push(...outline.notices, ...(await stopping(db, dialect, catalog, outline, notices)))
    if (outline.changes.length > 0 && !notices.some(({ severity }) => severity === 'error'))
      steps = planned(dialect, catalog, outline, (back) => demandsIn(dialect, catalog, back, outline.changes))
  }
  notices.sort((one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'))
  return refuseUnsafe({ ...steps, notices })
}

type Planning = (Move & { notices: Notice[] }) | { notices: Notice[] }
const isMove = (given: Planning): given is Move & { notices: Notice[] } => 'replacements' in given

/** What would stop the plan, unless it is known already. */
async function stopping(db: Database, dialect: Dialect, catalog: Catalog, { changes, asides, demanding }: Outline, known: Notice[]) {
  const found = [...obstacles(dialect, catalog, changes, asides), ...(await refusals(db, demandsIn(dialect, catalog, demanding)))]
  return found.filter(({ code, table, column }) => !known.some((one) => one.code === code && one.table === table && one.column === column))
}

/** The tables of Better Auth whose rows need the same care as those of Auth.js. */
const models = { user: 'users', account: 'accounts', session: 'sessions', verification: 'verificationTokens', rateLimit: 'others' } as const

/** What the schema file wants, and its table of users, or another one in the same schema. */
function declaredFor(db: Database, name: DialectName, { source, tables, schemaSource }: Request) {
  if (source === 'authjs') {
    const refuse = (why: string): never => {
      throw new Problem(`${schemaSource} ${why}`, 2)
    }
    const { others, ...own } = findTarget(tables.all, (table) => Object.keys(getTableColumns(table) as object), refuse)
    const roles = Object.entries(own).map(([role, table]) => ({ table, model: modelOf(role) }))
    const declared = declare(db, name, [...roles, ...others.map((table) => ({ table, model: 'others' as const }))])
    const named = Object.keys(own).map((role, index) => [role, declared[index] as NewTable])
    const target = { ...Object.fromEntries(named), others: declared.slice(named.length) } as Target<NewTable>
    return { declared, users: target.user, target }
  }
  const { betterAuth = {}, authjs = {}, others } = tables
  const roles = (Object.keys(models) as (keyof typeof models)[]).flatMap((role) => {
    const table = betterAuth[role]
    return table ? [{ model: models[role], table }] : []
  })
  const ofPlugins = Object.values(others).map((table) => ({ model: 'others' as const, table }))
  const declared = declare(db, name, source === 'better-auth' ? [...roles, ...ofPlugins] : givenTables(authjs))
  if (source === 'better-auth')
    for (const { columns, keys, foreignKeys } of declared) {
      // Columns by which rows are found must be compared exactly.
      const names = new Set([...keys, ...foreignKeys].flatMap((key) => key.columns))
      for (const column of columns) column.isKey = names.has(column.name)
    }
  return { declared, users: (declared.find(({ model }) => model === 'users') ?? declared[0]) as NewTable, target: undefined }
}

async function within(
  db: Database,
  name: DialectName,
  dialect: Dialect,
  catalog: Catalog,
  declared: NewTable[],
  request: Request,
): Promise<Planning> {
  const source = request.source as Exclude<Source, 'authjs'>
  const { matches, missing, notices } = matchTables(source, declared, catalog)
  if (notices.length > 0) return { notices }
  return planSame(db, dialect, inspectors[name], catalog, matches, missing, `${source.replace('-', '_')}_`)
}

async function fromAuthjs(
  db: Database,
  name: DialectName,
  dialect: Dialect,
  catalog: Catalog,
  { expiresIn, password }: Request,
  target: Target<NewTable>,
): Promise<Planning> {
  const { tables } = catalog
  const { found, notices } = matchAuthjs(tables.filter(({ schema }) => schema === target.user.path.schema))
  const { users, accounts, sessions } = found
  const isThere = ({ path }: NewTable) => tables.some((table) => samePath(table, path))
  if (!accounts && [target.user, ...freshOf(target)].every(isThere)) return { notices: [notice('moved', [])] }
  if (!users || !accounts || !sessions || notices.length > 0) return { notices }
  const column = password && users.columns.find((one) => one.name === password.column)
  if (password && (password.table !== users.name || !column))
    throw new Problem(`--password must name a column of the table of users, such as ${users.name}.password.`, 2)
  const source = { ...found, users, accounts, sessions }
  return planAuthjs(db, catalog, { dialect, source, target, expiresIn, tables, password: column }, 'authjs_', inspectors[name].lowerCase)
}
