import type { Database, DialectName, LibraryTables, Tables } from 'drizzle-auth-adapter/internal'
import type { Table } from 'drizzle-orm'
import { getTableColumns } from 'drizzle-orm'
import { Problem } from '../commands/command.js'
import { inspectors } from '../doctor/index.js'
import { samePath } from '../doctor/inspector.js'
import { givenTables } from '../doctor/models.js'
import { temporary } from './alteration.js'
import type { Outline } from './assembly.js'
import { prefix as authjsPrefix, planAuthjs } from './authjs.js'
import { stepsOf, wayBack } from './changes.js'
import { declare } from './declared.js'
import { demandsIn, exists, refusals } from './demands.js'
import { cleanupOf, done, isComplete, oldSecrets, setAside } from './done.js'
import type { Source } from './match.js'
import { findTarget, freshOf, matchAuthjs, matchTables, modelOf } from './match.js'
import type { Catalog, Dialect, NewTable, Plan, Planned } from './model.js'
import { createMysql } from './mysql.js'
import { readCatalog as readMysql } from './mysql-catalog.js'
import { notice } from './notices.js'
import { obstacles } from './obstacles.js'
import { pg } from './pg.js'
import { readCatalog as readPg } from './pg-catalog.js'
import { refuseUnsafe } from './safety.js'
import { planSame } from './same.js'
import { scriptOf as script } from './script.js'
import { readCatalog as readSqlite, sqlite } from './sqlite.js'
import { oldTables, successors } from './successors.js'
import { zoneNotices } from './time-zone.js'

export { tablesSetAside } from './done.js'
export type { Plan } from './model.js'

export interface Request {
  source: Source
  /** The tables of the schema file, by library, and all of them. */
  tables: LibraryTables & { all: Record<string, Table> }
  /** Where the schema comes from, for messages. */
  schemaSource: string
  /** Whether the schema file was passed for this plan. Otherwise it may still have the old tables. */
  isExplicit: boolean
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
  const { source, tables, isExplicit } = request
  const isOld = !isExplicit && source !== 'authjs' && source !== 'better-auth'
  const now = isOld ? await successors(db, name, tables.authjs ?? {}) : undefined
  const plan = await (source === 'authjs' ? planFromAuthjs(db, name, request) : planWithin(db, name, source, request, now))
  const notices = [...plan.notices, ...(now ? [oldTables] : [])]
  notices.sort((one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'))
  const isRefused = notices.some(({ severity }) => severity === 'error')
  return refuseUnsafe({ ...plan, ...(isRefused && nothing), notices })
}

/** Reads the database, and gives declared tables the paths that they have in it. */
async function open(db: Database, name: DialectName, declared: NewTable[], timeZone: string | undefined) {
  const schemas = declared.map(({ path }) => path.schema)
  const catalog = { ...(await readers[name](db, schemas)), ...(timeZone !== undefined && { timeZone }) }
  for (const path of declared.flatMap((table) => [table.path, ...table.foreignKeys.map(({ target }) => target)]))
    Object.assign(path, catalog.pathOf(path))
  return { catalog, dialect: dialects[name](catalog) }
}

async function planWithin(
  db: Database,
  name: DialectName,
  source: Exclude<Source, 'authjs'>,
  { tables, timeZone }: Request,
  successors: Partial<Tables> | undefined,
): Promise<Plan> {
  const isBetterAuth = source === 'better-auth'
  const declared = isBetterAuth ? declareBetterAuth(db, name, tables) : declare(db, name, givenTables(successors ?? tables.authjs ?? {}))
  const { catalog, dialect } = await open(db, name, declared, timeZone)
  const { matches, missing, notices } = matchTables(source, declared, catalog)
  if (notices.length > 0) return { notices, ...nothing }
  const prefix = `${source.replace('-', '_')}_`
  const outline = await planSame(db, dialect, inspectors[name], catalog, matches, missing, prefix)
  const zone = name === 'mysql' ? await zoneNotices(db, matches, timeZone, catalog) : []
  const hint = isBetterAuth && !hasOwners(declared) ? [officialSchema] : []
  const olds = catalog.tables.filter((table) => outline.asides.some((path) => samePath(path, { ...table, name: prefix + table.name })))
  return finish(db, dialect, catalog, { ...outline, notices: [...outline.notices, ...zone, ...hint] }, olds)
}

async function planFromAuthjs(db: Database, name: DialectName, request: Request): Promise<Plan> {
  const { tables, schemaSource, timeZone, expiresIn, password } = request
  const refuse = (why: string): never => {
    throw new Problem(`${schemaSource} ${why}`, 2)
  }
  const given = findTarget(tables.all, (table) => Object.keys(getTableColumns(table) as object), refuse)
  const { others, ...own } = given
  const entries = [
    ...Object.entries(own).map(([role, table]) => ({ table, model: modelOf(role) })),
    ...others.map((table) => ({ table, model: 'others' as const })),
  ]
  const declared = declare(db, name, entries)
  const { catalog, dialect } = await open(db, name, declared, timeZone)
  const named = Object.keys(own).map((role, index) => [role, declared[index] as NewTable])
  const target: ReturnType<typeof findTarget<NewTable>> = { ...Object.fromEntries(named), others: declared.slice(named.length) }
  const here = catalog.tables.filter(({ schema }) => schema === target.user.path.schema)
  const asides = setAside(here)
  const { found, notices } = matchAuthjs(here.filter((table) => !Object.values(asides).includes(table)))
  const isMoved = Object.keys(asides).length > 0 || !found.accounts
  if (isMoved && isComplete(target, here, !dialect.alter)) return done(db, dialect, catalog, target, asides, expiresIn)
  // What a plan has left that has not reached its end.
  const begun = here.find(
    (table) =>
      Object.values(asides).includes(table) ||
      table.columns.some((column) => column.name === `${authjsPrefix}email`) ||
      freshOf(target).some(
        ({ path, columns }) =>
          table.name === temporary(path.name) && columns.every((column) => table.columns.some((one) => one.name === column.name)),
      ),
  )
  if (begun) return { notices: [notice('unfinished', [begun.name])], ...nothing }
  const { users, accounts, sessions } = found
  if (!users || !accounts || !sessions || notices.length > 0) return { notices, ...nothing }
  const column = password && users.columns.find((one) => one.name === password.column)
  if (password && (password.table !== users.name || !column))
    throw new Problem(`--password must name a column of the table of users, such as ${users.name}.password.`, 2)
  const { lowerCase } = inspectors[name]
  const source = { ...found, users, accounts, sessions }
  const outline = await planAuthjs({ db, dialect, catalog, source, target, expiresIn, password: column, lowerCase })
  const { users: _, ...olds } = source
  const remaining = outline.changes.length > 0 ? [oldSecrets(outline.asides)] : []
  return finish(db, dialect, catalog, { ...outline, notices: [...outline.notices, ...remaining] }, Object.values(olds))
}

/** The statements of a plan and of its way back, and what prevents them. */
async function finish(db: Database, dialect: Dialect, catalog: Catalog, outline: Outline, olds: Catalog['tables']): Promise<Plan> {
  const { changes, demanding, asides, kept } = outline
  const found = [...obstacles(dialect, catalog, changes, olds), ...(await refusals(db, demandsIn(dialect, catalog, demanding)))]
  const isNew = (one: (typeof found)[number]) =>
    !outline.notices.some(({ code, table, column }) => code === one.code && table === one.table && column === one.column)
  const notices = [...outline.notices, ...found.filter(isNew)]
  if (notices.some(({ severity }) => severity === 'error') || changes.length === 0) return { notices, ...nothing }
  return {
    notices,
    plan: stepsOf(dialect, changes),
    undo: undoOf(dialect, catalog, changes, asides),
    cleanup: cleanupOf(dialect, catalog, asides, kept),
  }
}

/** The way back. Its first statement fails if rows of that moment do not fit into the old tables. */
function undoOf(dialect: Dialect, catalog: Catalog, changes: Planned[], asides: Outline['asides']) {
  const back = wayBack(changes)
  const isGone = asides.slice(0, 1).map((path) => `NOT (${dialect.exists(path)})`)
  const when = [...isGone, ...demandsIn(dialect, catalog, back, changes).map(exists)].join('\n  OR ')
  const why = 'rows do not fit into the old tables; nothing was changed'
  const stop: Planned[] = when ? [{ kind: 'stop', when, why, about: 'Stop here if rows do not fit into the old tables' }] : []
  return stepsOf(dialect, [...stop, ...back])
}

/** The tables of Better Auth whose rows need the same care as those of Auth.js. */
const models = { user: 'users', account: 'accounts', session: 'sessions', verification: 'verificationTokens', rateLimit: 'others' } as const

function declareBetterAuth(db: Database, name: DialectName, { betterAuth = {}, others }: LibraryTables): NewTable[] {
  const own = (Object.keys(models) as (keyof typeof models)[]).flatMap((role) => {
    const table = betterAuth[role]
    return table ? [{ model: models[role], table }] : []
  })
  const declared = declare(db, name, [...own, ...Object.values(others).map((table) => ({ model: 'others' as const, table }))])
  for (const { columns, keys, foreignKeys } of declared) {
    // Columns by which rows are found must be compared exactly.
    const names = new Set([...keys, ...foreignKeys].flatMap((key) => key.columns))
    for (const column of columns) column.isKey = names.has(column.name)
  }
  return declared
}

/** Whether an account of a provider has one owner. Only the schema files of this package declare that. */
function hasOwners(declared: NewTable[]): boolean {
  const accounts = declared.find(({ model }) => model === 'accounts')
  const owners = accounts?.columns.filter(({ field }) => field === 'providerId' || field === 'accountId') ?? []
  return !accounts || accounts.keys.some(({ kind, columns }) => kind === 'unique' && owners.every(({ name }) => columns.includes(name)))
}

const officialSchema = notice(
  'old-tables',
  [],
  'your schema file declares the tables of the official adapter, so the plan changes little',
  'Run npx auth generate with drizzleAdapter(db, { schema: {} }) of drizzle-auth-adapter/better-auth, and pass the new file with --schema.',
)
