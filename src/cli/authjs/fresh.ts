import { Problem } from '../command.js'
import type { Database, DialectName, LiveColumn, LiveTable } from '../core.js'
import { inspectors, samePath } from '../core.js'
import type { Current, Move, NewTable, Notice, Step } from '../moving/model.js'
import { nameInUse, notice } from '../moving/model.js'
import { columnNotices, obstacles } from '../moving/obstacles.js'
import { moveOf } from '../moving/plan.js'
import { attached, namesOf, nextState } from './catalog.js'
import { checkRows, typeNotices } from './checks.js'
import type { MoveDialect, UserMove } from './dialect.js'
import { cleanupOf, oldSecrets } from './done.js'
import type { AuthjsOptions, AuthjsPlan } from './model.js'
import { nothing, prefix } from './model.js'
import type { Copying } from './rows.js'
import { copyAccounts, copyPasskeys, copyPasswords, copySessions, dateUsers, deleteEnded, markSessions } from './rows.js'
import type { Role, SourceTable } from './source.js'
import { sourceTable } from './source.js'
import type { Target } from './target.js'
import { mergeKept } from './users.js'

/** The plan for a database that still has the tables of Auth.js. */
export async function fresh(
  db: Database,
  name: DialectName,
  dialect: MoveDialect,
  current: Current,
  target: Target,
  source: Partial<Record<Role, SourceTable>> & { users: SourceTable },
  options: AuthjsOptions,
): Promise<AuthjsPlan> {
  const { users, ...moved } = source
  const password = passwordColumn(users, options)
  // `isComplete` looks at the foreign keys of Better Auth's own tables, so those come last.
  const created = [...target.others, target.account, target.session, target.verification, ...(target.passkey ? [target.passkey] : [])]
  dialect.collate?.(target.user, created, users.column('id') as LiveColumn)
  const move = userMove(dialect, users, target.user)
  if (Array.isArray(move)) return { notices: move, ...nothing }
  const copied = { dialect, target, expiresIn: options.expiresIn, password }
  const checking = { db, inspector: inspectors[name], copying: { ...copied, source }, users, move }
  const types = typeNotices(checking, dialect.isDate)
  if (types.length > 0) return { notices: types, ...nothing }

  const asides = Object.entries(moved).map(([role, table]) => {
    const path = { schema: table.live.schema, name: prefix + table.live.name }
    return { role, live: table.live, ...dialect.setAside(table.live, path, (own) => prefix + own, current) }
  })
  const keep = dialect.keep(move)
  const prepared = dialect.prepareUsers(move)
  const next = nextState(current, users.live, prepared.after, asides, keep.after)
  const isLive = ({ path }: NewTable) => next.tables.some((table) => samePath(table, path))
  const missing = created.filter((table) => !isLive(table))
  const taken = created.filter((table) => isLive(table) && !target.others.includes(table))
  const engineMove: Move = moveOf(target.user, prepared.after)
  const engine = dialect.mover.steps([engineMove], missing, next, { about: '', sql: [] })
  const copying: Copying = {
    ...copied,
    source: Object.fromEntries([...asides.map(({ role, after }) => [role, sourceTable(after)]), ['users', users]]),
  }
  const { accounts, sessions, authenticators } = copying.source as Record<Role, SourceTable>
  const copies: Step[] = [
    { about: 'Copy accounts', sql: [copyAccounts(copying, accounts), ...(password ? [copyPasswords(copying, password)] : [])] },
    {
      about: 'Copy sessions, and mark them, so that their old cookies still work',
      sql: [...dateUsers(copying, move), copySessions(copying, sessions), markSessions(copying)],
    },
    { about: 'Copy passkeys', sql: target.passkey && authenticators ? [copyPasskeys(copying, authenticators, target.passkey)] : [] },
  ]
  const first: Step[] = [
    { about: 'Keep what changes in the table of users', sql: keep.sql },
    { about: 'Set the old tables aside. They hold tokens that still work: run cleanup later', sql: asides.flatMap(({ sql }) => sql) },
    { about: 'Convert names, addresses and dates of users', sql: prepared.sql },
  ]
  const plan = engine.steps.flatMap((step, index) => [
    ...(index === engine.steps.length - 1 ? copies : []),
    ...(step.about === '' ? first : [step]),
  ])
  const key = source.accounts?.column('providerAccountId')?.name as string
  const stop = dialect.alreadyRun
    ? [{ about: 'Stop here if the plan has run', sql: [dialect.alreadyRun(source.accounts?.live as LiveTable, key)] }]
    : []
  const old = [move.kept, ...asides.map(({ after }) => after)]
  const notices = [
    ...(await attached(db, dialect, current, asides)),
    ...obstacles(engine.changes, next),
    ...namesOf(dialect, current, asides, move),
    ...taken.map(({ path }) => nameInUse(path.name)),
    ...(await checkRows(checking)),
    ...engine.notices,
    ...columnNotices(moveOf(target.user, { ...prepared.after, columns: withHolds(prepared.after, users.live) }), dialect.mover),
    oldSecrets(old),
  ].filter(({ table, code }) => !(table?.startsWith(prefix) && /^other-/.test(code)))
  const byWeight = notices.sort((one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'))
  if (byWeight.some(({ severity }) => severity === 'error')) return { notices: byWeight, ...nothing }
  const isFilled = ({ sql }: Step) => sql.length > 0
  return {
    notices: byWeight,
    plan: [...stop, ...plan].filter(isFilled),
    cleanup: cleanupOf(dialect, old),
    undo: dialect
      .inTransaction([
        { about: 'Delete from the old tables what has been deleted since, so that it does not come back', sql: deleteEnded(copying) },
        {
          about: 'Drop the new tables, with everything that has been written to them since. Run doctor --from authjs first to see how much',
          sql: dialect.dropTables(missing),
        },
        { about: 'Keep the names and addresses that have changed since', sql: mergeKept(dialect, inspectors[name].lowerCase, move) },
        { about: 'Restore the table of users', sql: dialect.restoreUsers(move, dialect.typeChanges(engineMove, missing, next), next) },
        { about: 'Restore the old tables', sql: [...asides].reverse().flatMap(({ undo }) => undo) },
        { about: 'Drop what was kept', sql: [`DROP TABLE ${dialect.path(move.kept)};`] },
      ])
      .filter(isFilled),
  }
}

/** On SQLite, `prepareUsers` hides what columns hold, so that they are declared anew. */
const withHolds = (prepared: LiveTable, live: LiveTable) =>
  prepared.columns.map((column) =>
    column.holds === 'other' ? { ...column, holds: live.columns.find(({ name }) => name === column.name)?.holds ?? 'other' } : column,
  )

function userMove(dialect: MoveDialect, users: SourceTable, now: NewTable): UserMove | Notice[] {
  const move = moveOf(now, users.live)
  const pairOf = (field: string) => move.columns.find((column) => column.now.field === field)
  const [id, verified] = [pairOf('id'), pairOf('emailVerified')]
  if (!id?.old || !verified?.old || !pairOf('email')?.old || !pairOf('name')?.old) {
    const message = 'the table has no columns id, name, email and emailVerified that could become those of the schema file'
    return [notice('missing-table', [users.live.name], message, 'Check the names of the columns in your schema file.')]
  }
  const isKept = ({ now: column, old }: Move['columns'][number]) =>
    old && (['name', 'email', 'emailVerified'].includes(column.field) || dialect.changesValues(old, column))
  return {
    ...move,
    verified: { now: verified.now, old: verified.old },
    added: move.columns.flatMap(({ now: column, old }) => (old ? [] : [column])),
    kept: { schema: users.live.schema, name: prefix + users.live.name },
    keptColumns: [id.old, ...move.columns.filter(isKept).flatMap(({ old }) => old ?? [])],
  }
}

function passwordColumn(users: SourceTable, { password }: AuthjsOptions) {
  if (!password) return undefined
  const column = users.live.columns.find(({ name }) => name === password.column)
  if (password.table === users.live.name && column) return column
  throw new Problem(`--password must name a column of the table of users, such as ${users.live.name}.password.`, 2)
}
