import type { Database, DialectName, ModelName, Tables } from '../core.js'
import { inspectors } from '../core.js'
import { isUnfilled } from './alter.js'
import { declaredTables } from './declared.js'
import type { Move, Mover, NewColumn, NewTable, Notice, OldColumn, OldDatabase, OldTable, Plan } from './model.js'
import { mysql } from './mysql.js'
import { pg } from './pg.js'
import { rowSteps } from './rows.js'
import { sqlite } from './sqlite.js'

const movers: Record<DialectName, Mover> = { pg, mysql, sqlite }

/** The adapters to move from, with the names that their documentation gives to the tables. */
export const sources = {
  official: {
    users: 'user',
    accounts: 'account',
    sessions: 'session',
    verificationTokens: 'verificationToken',
    authenticators: 'authenticator',
  },
  prisma: {
    users: 'User',
    accounts: 'Account',
    sessions: 'Session',
    verificationTokens: 'VerificationToken',
    authenticators: 'Authenticator',
  },
  kysely: {
    users: 'User',
    accounts: 'Account',
    sessions: 'Session',
    verificationTokens: 'VerificationToken',
    authenticators: 'Authenticator',
  },
} satisfies Record<string, Record<ModelName, string>>

export type Source = keyof typeof sources

/** What stands in the way of moving to the app's tables, and the statements that do it. It changes nothing. */
export async function planMove(db: Database, dialect: DialectName, tables: Partial<Tables>, source: Source): Promise<Plan> {
  const mover = movers[dialect]
  const inspector = inspectors[dialect]
  const declared = await declaredTables(db, dialect, inspector, tables)
  const database = await mover.read(
    db,
    declared.map(({ path }) => path.schema),
  )
  for (const path of declared.flatMap((table) => [table.path, ...table.foreignKeys.map(({ target }) => target)]))
    path.schema = database.schemaOf(path.schema)

  const notices: Notice[] = []
  const moves: Move[] = []
  const missing: NewTable[] = []
  for (const now of declared) {
    const candidates = candidatesFor(now, sources[source][now.model], database, mover)
    const [old] = candidates
    if (candidates.length > 1) notices.push(twoTables(now, candidates))
    if (old) moves.push(moveOf(now, old))
    else missing.push(now)
  }
  notices.push(...missing.filter(({ model }) => isEssential(model)).map(missingTable))
  if (notices.length > 0) return { notices, steps: [] }

  const rows = await rowSteps(db, inspector, mover, moves, database)
  const changes = mover.steps(moves, missing, database, rows.step)
  const found = [...rows.notices, ...changes.notices, ...moves.flatMap((move) => columnNotices(move))]
  const byWeight = found.sort((one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'))
  return { notices: byWeight, steps: changes.steps.filter(({ sql }) => sql.length > 0) }
}

export const scriptFor = (dialect: DialectName) => ({ breakpoint: movers[dialect].breakpoint, howToRun: movers[dialect].howToRun })

/** Verification tokens and passkeys are for some ways of signing in alone. */
const isEssential = (model: ModelName) => model !== 'verificationTokens' && model !== 'authenticators'

const plain = (name: string) => name.toLowerCase().replaceAll(/[_\s-]/g, '')

/** The tables that this one may be now: under its own name, or the one that the old adapter gives it in any casing. */
function candidatesFor({ path }: NewTable, documented: string, { tables }: OldDatabase, { foldsCase }: Mover): OldTable[] {
  const here = tables.filter(({ schema }) => schema === path.schema)
  const likely = [plain(path.name), plain(documented), `${plain(documented)}s`]
  const found = here.filter(({ name }) => name === path.name || likely.includes(plain(name)))
  const isExact = ({ name }: OldTable) => name === path.name || (foldsCase && name.toLowerCase() === path.name.toLowerCase())
  return found.sort((one, other) => Number(isExact(other)) - Number(isExact(one)))
}

function moveOf(now: NewTable, old: OldTable): Move {
  const names = new Set(now.columns.map(({ name }) => name))
  const columnFor = ({ name, field }: NewColumn): OldColumn | undefined => {
    const exact = old.columns.find((column) => column.name === name)
    if (exact) return exact
    const alike = old.columns.filter((column) => !names.has(column.name) && [plain(name), plain(field)].includes(plain(column.name)))
    return alike.length === 1 ? alike[0] : undefined
  }
  const columns = now.columns.map((column) => ({ now: column, old: columnFor(column) }))
  return { now, old, columns, others: old.columns.filter((column) => !columns.some((each) => each.old === column)) }
}

function twoTables({ path }: NewTable, candidates: OldTable[]): Notice {
  return {
    code: 'two-tables',
    severity: 'error',
    table: path.name,
    message: `it is not clear which table holds the rows: ${candidates.map(({ name }) => name).join(' or ')}`,
    fix: 'If one is new and empty, drop it. If another app uses it, rename it, or name your tables otherwise.',
  }
}

const missingTable = ({ path }: NewTable): Notice => ({
  code: 'missing-table',
  severity: 'error',
  table: path.name,
  message: 'the table is not in the database, under this name or the one that the old adapter gives it',
  fix: 'Check --url and the names and schemas of the tables in your schema file.',
})

function columnNotices({ now, old, columns, others }: Move): Notice[] {
  const table = now.path.name
  const keys = now.keys.filter((key) => key.kind === 'primary' && !old.keys.some((one) => one.kind === 'primary'))
  const required = others.filter(isUnfilled).map(({ name }) => name)
  const empty = columns.filter((column) => !column.old && column.now.notNull && column.now.default === undefined)
  return [
    ...keys.map(
      ({ columns: names }): Notice => ({
        code: 'missing-key',
        severity: 'warning',
        table,
        column: names.join(', '),
        message: 'the table has no primary key, which drizzle-kit drops where the documented schema has it in an object; the plan adds it',
      }),
    ),
    ...(others.length === 0
      ? []
      : [
          {
            code: 'undeclared-columns' as const,
            severity: 'warning' as const,
            table,
            column: others.map(({ name }) => name).join(', '),
            message: `your schema file does not declare these; they stay${required.length > 0 ? `, and ${required.join(', ')} may be null, because nothing would fill it` : ''}`,
            fix: 'Declare them with defineTables({ columns: … }) if you need them: drizzle-kit push would drop them.',
          },
        ]),
    ...empty.map(
      ({ now: { name } }): Notice => ({
        code: 'needs-value',
        severity: 'error',
        table,
        column: name,
        message: 'the column is new and required, and existing rows have no value for it',
        fix: 'Give it a default in your schema file, or allow null.',
      }),
    ),
  ]
}
