import type { Database, DialectName, LiveColumn, LiveTable, ModelName, Tables } from '../core.js'
import { inspectors } from '../core.js'
import { declaredTables } from './declared.js'
import type { Current, Move, Mover, NewColumn, NewTable, Notice, Plan, Step } from './model.js'
import { notice } from './model.js'
import { mysql } from './mysql.js'
import { columnNotices, obstacles } from './obstacles.js'
import { pg } from './pg.js'
import { rowSteps } from './rows.js'
import { refuseUnsafe } from './safety.js'
import { sqlite } from './sqlite.js'
import { inTimeZone } from './time-zone.js'

const movers: Record<DialectName, Mover> = { pg, mysql, sqlite }

const capitalized = {
  users: 'User',
  accounts: 'Account',
  sessions: 'Session',
  verificationTokens: 'VerificationToken',
  authenticators: 'Authenticator',
}

/** The adapters to move from, with the names that their documentation gives to the tables. */
export const sources = {
  official: {
    users: 'user',
    accounts: 'account',
    sessions: 'session',
    verificationTokens: 'verificationToken',
    authenticators: 'authenticator',
  },
  prisma: capitalized,
  kysely: capitalized,
} satisfies Record<string, Record<ModelName, string>>

export type Source = keyof typeof sources

/** Plans the migration to the app's tables of Auth.js. */
export async function planMove(
  db: Database,
  dialect: DialectName,
  tables: Partial<Tables>,
  source: Source,
  timeZone?: string,
): Promise<Plan> {
  const names: Record<string, string> = sources[source]
  const declared = await declaredTables(db, dialect, inspectors[dialect], tables)
  return planTables(db, dialect, declared, (now, current) => candidatesFor(now, names[now.model] as string, current), timeZone)
}

/** Plans the migration to declared tables: the statements, and the problems that prevent it. Changes nothing. */
export async function planTables(
  db: Database,
  dialect: DialectName,
  declared: NewTable[],
  candidatesOf: (now: NewTable, current: Current) => LiveTable[],
  timeZone?: string,
): Promise<Plan> {
  const mover = movers[dialect]
  const inspector = inspectors[dialect]
  const current = await mover.read(
    db,
    declared.map(({ path }) => path.schema),
  )
  for (const path of declared.flatMap((table) => [table.path, ...table.foreignKeys.map(({ target }) => target)]))
    Object.assign(path, current.pathOf(path))

  const notices: Notice[] = []
  const moves: Move[] = []
  const missing: NewTable[] = []
  for (const now of declared) {
    const candidates = candidatesOf(now, current)
    const [old] = candidates
    if (candidates.length > 1) notices.push(twoTables(now, candidates))
    if (old) moves.push(moveOf(now, old))
    else missing.push(now)
  }
  notices.push(...missing.filter(({ model }) => isEssential(model)).map(missingTable))
  if (notices.length > 0) return refuseUnsafe({ notices, steps: [] })

  const rows = await rowSteps(db, inspector, mover, moves, current)
  const { steps, notices: about, changes } = mover.steps(moves, missing, current, rows.step)
  const zone = about.some(({ code }) => code === 'time-zone')
    ? await inTimeZone(db, moves, timeZone)
    : { notices: [], wrap: (all: Step[]) => all }
  const found = [
    ...obstacles(changes, current),
    ...rows.notices,
    ...(timeZone === undefined ? about : about.filter(({ code }) => code !== 'time-zone')),
    ...zone.notices,
    ...moves.flatMap((move) => columnNotices(move, mover)),
  ]
  const byWeight = found.sort((one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'))
  return refuseUnsafe({ notices: byWeight, steps: zone.wrap(steps.filter(({ sql }) => sql.length > 0)) })
}

export const scriptFor = (dialect: DialectName) => ({ breakpointLine: movers[dialect].breakpointLine, howToRun: movers[dialect].howToRun })

/** Only some ways to sign in need verification tokens and passkeys. */
const isEssential = (model: NewTable['model']) => !['verificationTokens', 'authenticators', 'others'].includes(model)

const plain = (name: string) => name.toLowerCase().replaceAll(/[_\s-]/g, '')

/** Existing tables that may hold the rows: with the same name, or with the old adapter's name in any casing. */
export function candidatesFor({ path }: NewTable, documented: string, { tables }: Current): LiveTable[] {
  const here = tables.filter(({ schema }) => schema === path.schema)
  const likely = [plain(path.name), plain(documented), `${plain(documented)}s`]
  const found = here.filter(({ name }) => name === path.name || likely.includes(plain(name)))
  const rank = ({ name }: LiveTable) => Number(name === path.name) + Number(name.toLowerCase() === path.name.toLowerCase())
  return found.sort((one, other) => rank(other) - rank(one))
}

export function moveOf(now: NewTable, old: LiveTable): Move {
  const names = new Set(now.columns.map(({ name }) => name))
  const columnFor = ({ name, field }: NewColumn): LiveColumn | undefined => {
    const exact = old.columns.find((column) => column.name === name)
    if (exact) return exact
    const alike = old.columns.filter((column) => !names.has(column.name) && [plain(name), plain(field)].includes(plain(column.name)))
    return alike.length === 1 ? alike[0] : undefined
  }
  const columns = now.columns.map((column) => ({ now: column, old: columnFor(column) }))
  return { now, old, columns, others: old.columns.filter((column) => !columns.some((each) => each.old === column)) }
}

const twoTables = ({ path }: NewTable, candidates: LiveTable[]) =>
  notice(
    'two-tables',
    [path.name],
    `more than one table could hold the rows: ${candidates.map(({ name }) => name).join(' or ')}`,
    'If one is new and empty, drop it. If another app uses it, rename it, or give your tables other names.',
  )

const missingTable = ({ path }: NewTable) =>
  notice(
    'missing-table',
    [path.name],
    'the database has no table with this name or with the name that the old adapter uses',
    'Check --url and the names and schemas of the tables in your schema file.',
  )
