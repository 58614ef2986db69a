import type { Table } from 'drizzle-orm'
import { Problem } from '../command.js'
import type { Database, DialectName, LiveColumn, LiveTable, TablePath } from '../core.js'
import { inspectors, samePath, tableNames } from '../core.js'
import type { Opened } from '../database.js'
import type { Current, Move, NewTable, Notice, Step } from '../moving/model.js'
import { nameInUse, nameKey, notice, sameList } from '../moving/model.js'
import { columnNotices, mentions, obstacles } from '../moving/obstacles.js'
import { moveOf } from '../moving/plan.js'
import { refuseUnsafe } from '../moving/safety.js'
import { checkRows, count, typeNotices } from './checks.js'
import type { MoveDialect, UserMove } from './dialect.js'
import { mysql } from './mysql.js'
import { pg } from './pg.js'
import type { Copying } from './rows.js'
import { copyAccounts, copyPasskeys, copyPasswords, copySessions, deleteEnded, isStillThere, markSessions } from './rows.js'
import type { Role, SourceTable } from './source.js'
import { candidatesFor, documentedName, roleNames, sourceTable } from './source.js'
import { sqlite } from './sqlite.js'
import type { Target } from './target.js'
import { mustColumn, readTarget } from './target.js'

const dialects: Record<DialectName, MoveDialect> = { pg, mysql, sqlite }

export interface AuthjsOptions {
  /** Where the schema comes from, for messages. */
  schemaSource: string
  /** How long sessions last in the new app, in seconds. */
  expiresIn: number
  /** A table and a column with hashes of passwords. */
  password?: { table: string; column: string } | undefined
}

export interface AuthjsPlan {
  notices: Notice[]
  plan: Step[]
  cleanup: Step[]
  undo: Step[]
}

const prefix = 'authjs_'
const nothing = { plan: [], cleanup: [], undo: [] }

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
  return fresh(db, name, current, target, { ...source.found, users }, options)
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

/** Everything that is left to do and to know once the plan has run. */
async function done(
  db: Database,
  dialect: MoveDialect,
  target: Target,
  here: LiveTable[],
  { expiresIn }: AuthjsOptions,
): Promise<AuthjsPlan> {
  const old = here.filter(({ name }) => name.startsWith(prefix))
  const source = Object.fromEntries(roleNames.flatMap((role) => candidatesFor(role, old, prefix).map((table) => [role, table])))
  const copying: Copying = { dialect, source, target, expiresIn }
  const moved = notice('moved', [], 'the plan has run: the tables are those of Better Auth')
  if (old.length === 0) return { notices: [moved], ...nothing }
  const since = await writtenSince(db, copying)
  return {
    notices: [
      moved,
      oldSecrets(old),
      ...(since.length === 0
        ? []
        : [
            notice(
              'written-since',
              [],
              `written since the plan has run: ${since.join(', ')}. If you undo the plan, the users stay, and the rest is lost`,
              'The statements that undo the plan were printed with it.',
            ),
          ]),
    ],
    ...nothing,
    cleanup: cleanupOf(dialect, old),
  }
}

/** Tables of Auth.js that a plan has set aside in the current schema. */
export async function tablesSetAside({ db, dialect }: Opened): Promise<Notice[]> {
  const tables = (await inspectors[dialect].inspectAll(db, [])).filter(({ name }) => name.startsWith(prefix))
  const old = tables.filter((table) => roleNames.some((role) => candidatesFor(role, [table], prefix).length > 0))
  return old.length === 0 ? [] : [oldSecrets(old)]
}

const oldSecrets = (old: TablePath[]) =>
  notice(
    'old-secrets',
    [],
    `${old.map(({ name }) => name).join(', ')} hold tokens that still work, and addresses`,
    'Once you are sure that you do not go back, run the statements of cleanup that doctor --from authjs prints.',
  )

const cleanupOf = ({ path }: MoveDialect, old: TablePath[]): Step[] => [
  {
    about: 'Drop the old tables. They hold tokens that still work. After this, there is no way back',
    sql: old.map((table) => `DROP TABLE ${path(table)};`).sort(),
  },
]

async function writtenSince(db: Database, copying: Copying): Promise<string[]> {
  const { dialect, source, target } = copying
  const now = (table: NewTable): SourceTable => sourceTable({ ...table.path, columns: [], keys: [], foreignKeys: [] })
  const counts: string[] = []
  const add = async (what: string, table: NewTable, role: 'users' | 'sessions' | 'accounts', where?: string) => {
    const old = source[role]
    if (!old) return
    const found = (await count({ db, copying }, now(table), where)) - (await count({ db, copying }, old, isStillThere[role](copying, old)))
    if (found > 0) counts.push(`${found.toLocaleString('en')} ${what}${found === 1 ? '' : 's'}`)
  }
  await add('user', target.user, 'users')
  await add('session', target.session, 'sessions')
  await add(
    'account',
    target.account,
    'accounts',
    `o.${dialect.mover.quote(mustColumn(target.account, 'providerId').name)} <> 'credential'`,
  )
  return counts
}

/** The plan for a database that still has the tables of Auth.js. */
async function fresh(
  db: Database,
  name: DialectName,
  current: Current,
  target: Target,
  source: Partial<Record<Role, SourceTable>> & { users: SourceTable },
  options: AuthjsOptions,
): Promise<AuthjsPlan> {
  const dialect = dialects[name]
  const { quote } = dialect.mover
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
      sql: [copySessions(copying, sessions), markSessions(copying)],
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
    ...names(dialect, current, asides, move),
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
        { about: 'Keep the names and addresses that have changed since', sql: mergeKept(dialect, move) },
        { about: 'Restore the table of users', sql: dialect.restoreUsers(move, dialect.typeChanges(engineMove, missing, next), next) },
        { about: 'Restore the old tables', sql: [...asides].reverse().flatMap(({ undo }) => undo) },
        { about: 'Drop what was kept', sql: [`DROP TABLE ${dialect.path(move.kept)};`] },
      ])
      .filter(isFilled),
  }

  function mergeKept({ same, moment, updateFrom, path, date }: MoveDialect, { kept, keptColumns, columns, verified }: UserMove): string[] {
    const nowOf = (column: string) => columns.find(({ old }) => old?.name === column)?.now
    const isVerified = (alias: string) => `${alias}.${quote(verified.now.name)}`
    const [id, ...changed] = keptColumns
    const set = changed.flatMap((column): [string, string][] => {
      const [was, now, field] = [`t.${quote(column.name)}`, `o.${quote(nowOf(column.name)?.name ?? '')}`, nowOf(column.name)?.field]
      if (field === 'name') return [[column.name, `CASE WHEN ${same(now, `coalesce(${was}, '')`)} THEN ${was} ELSE ${now} END`]]
      if (field === 'email') return [[column.name, `CASE WHEN ${same(now, inspectors[name].lowerCase(was))} THEN ${was} ELSE ${now} END`]]
      return field === 'emailVerified'
        ? [[column.name, `CASE WHEN ${isVerified('o')} THEN coalesce(${was}, ${moment(column, 0)}) END`]]
        : []
    })
    const values = keptColumns.map((column) => {
      const now = nowOf(column.name)
      const value = `o.${quote(now?.name ?? '')}`
      if (now?.field === 'emailVerified') return `CASE WHEN ${value} THEN ${moment(column, 0)} END`
      return now && dialect.changesValues(column, now) ? date(value, now.holds, column) : value
    })
    const [idThen, idNow] = [quote(id?.name ?? ''), quote(nowOf(id?.name ?? '')?.name ?? '')]
    const list = keptColumns.map((column) => quote(column.name)).join(', ')
    return [
      updateFrom(kept, target.user.path, set, `o.${idNow} = t.${idThen}`),
      `INSERT INTO ${path(kept)} (${list}) SELECT ${values.join(', ')} FROM ${path(target.user.path)} AS o WHERE NOT EXISTS (SELECT 1 FROM ${path(kept)} AS k WHERE k.${idThen} = o.${idNow});`,
    ]
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

/** The catalog while the table of users changes: the old tables have been set aside. */
function nextState(
  current: Current,
  users: LiveTable,
  prepared: LiveTable,
  asides: { live: LiveTable; after: LiveTable }[],
  kept: LiveTable,
): Current {
  const renamed = new Map(asides.map(({ live, after }) => [live, after]))
  const names = new Set(current.names)
  const spellings = (schema: string, name: string) => [nameKey(schema, name), nameKey(schema, name.toLowerCase())]
  const all = ({ schema, name, keys, foreignKeys }: LiveTable) =>
    [name, ...keys.map((key) => key.name), ...foreignKeys.map((key) => key.name)].flatMap((one) => spellings(schema, one))
  for (const { live } of asides) for (const name of all(live)) names.delete(name)
  for (const table of [...asides.map(({ after }) => after), kept]) for (const name of spellings(table.schema, table.name)) names.add(name)
  const sameTable = (one: TablePath) => asides.find(({ live }) => samePath(live, one))?.after
  return {
    ...current,
    names,
    tables: [...current.tables.map((table) => (table === users ? prepared : (renamed.get(table) ?? table))), kept],
    dependents: current.dependents.map((one) => ({ ...one, table: sameTable(one.table) ?? one.table })),
    ...(current.attached && { attached: current.attached.filter(({ table }) => !asides.some(({ live }) => live.name === table)) }),
  }
}

/** What belongs to a table that is set aside would silently follow it. */
async function attached(db: Database, dialect: MoveDialect, current: Current, asides: { live: LiveTable }[]): Promise<Notice[]> {
  const tables = asides.map(({ live }) => live)
  const found = await dialect.attachedTo(db, tables)
  return tables.flatMap((table) => {
    const users = [
      ...found.filter((one) => one.table === table),
      ...current.dependents.filter((one) => samePath(one.table, table) && one.breaksOn === 'type'),
      ...current.texts.filter(({ text }) => mentions(text, table.name)),
    ].map(({ what }) => what)
    const references = current.tables
      .filter((one) => !tables.includes(one))
      .flatMap(({ foreignKeys, name }) =>
        foreignKeys.filter(({ target }) => samePath(target, table)).map((key) => `foreign key ${key.name} of ${name}`.replace('  ', ' ')),
      )
    const all = [...new Set([...users, ...references])]
    const fix = 'Drop these before you run the plan, and create them again afterwards, for the new table.'
    return [
      ...(all.length > 0
        ? [notice('in-use', [table.name], `the table cannot be set aside while these use it: ${all.join(', ')}`, fix)]
        : []),
      ...(table.peculiarity ? [notice('unsupported-table', [table.name], `the plan cannot change the table: ${table.peculiarity}`)] : []),
    ]
  })
}

/** Names that the plan gives to the old tables and their keys. */
function names(dialect: MoveDialect, current: Current, asides: { after: LiveTable }[], { kept }: UserMove): Notice[] {
  const wanted = [
    { ...kept, name: `${kept.name}_id_fk` },
    kept,
    ...asides.flatMap(({ after }) => [after, ...after.keys, ...after.foreignKeys].map(({ name }) => ({ schema: after.schema, name }))),
  ].filter(({ name }) => name.startsWith(prefix))
  const isTaken = ({ schema, name }: TablePath) => [name, name.toLowerCase()].some((one) => current.names.has(nameKey(schema, one)))
  return [
    ...wanted.filter(isTaken).map(({ name }) => nameInUse(name)),
    ...wanted
      .filter(({ name }) => new TextEncoder().encode(name).length > dialect.nameLimit)
      .map(({ name }) =>
        notice('name-too-long', [], `the plan needs the name ${name}, which is too long`, 'Rename the table, index or constraint first.'),
      ),
  ]
}
