import type { Table } from 'drizzle-orm'
import type { Database, DialectName, LiveTable } from '../core.js'
import { samePath, tableNames } from '../core.js'
import type { Notice } from '../moving/model.js'
import { notice, sameList } from '../moving/model.js'
import { refuseUnsafe } from '../moving/safety.js'
import type { MoveDialect } from './dialect.js'
import { done } from './done.js'
import { fresh } from './fresh.js'
import type { AuthjsOptions, AuthjsPlan } from './model.js'
import { nothing, prefix } from './model.js'
import { mysql } from './mysql.js'
import { pg } from './pg.js'
import type { Role, SourceTable } from './source.js'
import { candidatesFor, documentedName, roleNames } from './source.js'
import { sqlite } from './sqlite.js'
import type { Target } from './target.js'
import { readTarget } from './target.js'

const dialects: Record<DialectName, MoveDialect> = { pg, mysql, sqlite }

/** Plans the move from the tables of Auth.js to those of Better Auth in a schema file. Changes nothing. */
export async function planFromAuthjs(...given: Parameters<typeof planFor>): Promise<AuthjsPlan> {
  const planned = await planFor(...given)
  const { plan, cleanup, undo } = planned
  const { notices } = refuseUnsafe({ notices: planned.notices, steps: [...plan, ...cleanup, ...undo] })
  return notices.length === planned.notices.length ? planned : { notices, ...nothing }
}

async function planFor(db: Database, name: DialectName, tables: Record<string, Table>, options: AuthjsOptions): Promise<AuthjsPlan> {
  const dialect = dialects[name]
  const schemas = Object.values(tables).map((table) => tableNames(table).schema ?? '')
  const current = await dialect.mover.read(db, [...new Set(schemas)])
  const target = await readTarget(db, name, current, tables, options.schemaSource)
  const here = current.tables.filter(({ schema }) => schema === target.user.path.schema)
  const kept = candidatesFor('users', here, prefix)[0]
  const source = findSource(here.filter((table) => !table.name.startsWith(prefix)))
  if (isComplete(target, here) && (kept || !source.found.accounts)) return done(db, dialect, target, here, options)
  if (kept) return { notices: [unfinished(kept)], ...nothing }
  const { users, accounts, sessions } = source.found
  if (!users || !accounts || !sessions || source.notices.length > 0) return { notices: source.notices, ...nothing }
  return fresh(db, name, dialect, current, target, { ...source.found, users }, options)
}

function findSource(tables: LiveTable[]): { found: Partial<Record<Role, SourceTable>>; notices: Notice[] } {
  const found: Partial<Record<Role, SourceTable>> = {}
  const notices: Notice[] = []
  for (const role of roleNames) {
    const candidates = candidatesFor(role, tables)
    if (candidates[0]) found[role] = candidates[0]
    const isEssential = role !== 'verificationTokens' && role !== 'authenticators'
    if (candidates.length > 1)
      notices.push(
        notice(
          'two-tables',
          [documentedName(role)],
          `more than one table could hold the rows: ${candidates.map(({ live }) => live.name).join(' or ')}`,
          'If one is new and empty, drop it. If another app uses it, rename it.',
        ),
      )
    if (candidates.length === 0 && isEssential)
      notices.push(
        notice(
          'missing-table',
          [documentedName(role)],
          'the database has no table with the columns that Auth.js needs',
          'Check --url, and that the tables of Auth.js are in the schema of those in your schema file.',
        ),
      )
  }
  return { found, notices }
}

/** Whether the database has all tables of the schema file, with their columns and foreign keys. The plan creates those last. */
function isComplete(target: Target, here: LiveTable[]): boolean {
  const { user, account, session, verification, passkey } = target
  return [user, account, session, verification, ...(passkey ? [passkey] : [])].every(({ path, columns, foreignKeys }) => {
    const live = here.find((table) => samePath(table, path))
    return (
      live &&
      columns.every(({ name }) => live.columns.some((column) => column.name === name)) &&
      foreignKeys.every((key) => live.foreignKeys.some((one) => sameList(one.columns, key.columns) && samePath(one.target, key.target)))
    )
  })
}

const unfinished = ({ live }: SourceTable) =>
  notice(
    'unfinished',
    [live.name],
    'a plan has begun and has not reached its end',
    'Find out why it stopped. Then run the rest of the same file, from the statement that failed.',
  )
