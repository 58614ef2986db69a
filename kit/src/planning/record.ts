import type { Database, DialectName } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import { inspectors } from '../doctor/index.js'
import type { TablePath } from '../doctor/inspector.js'
import { samePath } from '../doctor/inspector.js'
import type { Outline } from './assembly.js'
import { textRows } from './catalog.js'
import { existsCopy, last, renamed, stepsOf, wayBack } from './changes.js'
import type { Demand } from './demands.js'
import { exists } from './demands.js'
import type { Catalog, Dialect, NewColumn, NewTable, Plan, Planned, Step } from './model.js'
import { nameKey } from './model.js'
import type { Notice } from './notices.js'
import { inWords, notice } from './notices.js'

/** The table into which a plan writes its way back. While it is empty, the plan has not reached its end. */
export const recordIn = (schema: string, prefix: string): TablePath => ({ schema, name: `${prefix}undo` })
const isRecord = /^(official|prisma|kysely|better_auth|authjs)_(?=undo$)/

function recordTable(path: TablePath, { longText }: Dialect): NewTable {
  const column = (name: string, type: string): NewColumn => ({
    ...{ field: name, name, type },
    holds: { holds: 'other' },
    notNull: true,
    isKey: false,
  })
  const texts = ['part', 'about', 'statement'].map((name) => column(name, longText))
  return { model: 'others', path, columns: [column('position', 'integer'), ...texts], keys: [], foreignKeys: [] }
}

const keep = 'Keep the rows that were written since'

/** The statements of a plan, of its way back, and of what drops the rest. The last change of the plan records the other two. */
export function planned(
  dialect: Dialect,
  catalog: Catalog,
  outline: Outline,
  demandsOf: (back: Planned[]) => Demand[],
): Omit<Plan, 'notices'> {
  const { changes, record, owner, prefix, isNewUser } = outline
  const rights = catalog.rights?.get(nameKey(owner.schema, owner.name))
  const own = rights && { ...rights, grants: [], rowSecurity: false, forced: false }
  const begin: Planned[] = [
    { kind: 'stop', when: dialect.exists(record), why: 'the plan has run already', about: 'Stop here if the plan has run' },
    { kind: 'create', table: recordTable(record, dialect), rights: own, about: 'Create the table that will hold the way back' },
  ]
  const back = wayBack([...begin, ...changes], dialect)
  const misfit = [`NOT (${dialect.exists(record)})`, ...demandsOf(back).map(exists)].join('\n  OR ')
  const why = 'rows do not fit into the old tables; nothing was changed'
  const made = changes.flatMap((change) => (change.kind === 'create' ? change.table.path : []))
  const nameOf = (table: TablePath) => renamed(changes, table).table
  const all = stepsOf(dialect, [
    { kind: 'stop', when: misfit, why, about: 'Stop here if rows do not fit into the old tables' },
    ...back,
    // Instead of the last step.
    { kind: 'renameTables', tables: made.map((table) => [table, { ...table, name: prefix + nameOf(table).name }]), about: keep },
    { kind: 'drop', table: record, about: keep },
  ])
  const since = changes.flatMap((change) => {
    if (change.kind !== 'copy' || !change.isCopy) return []
    const { to, source, where = '1 = 1', canBeCopy = '1 = 1' } = change
    const table = nameOf(to.path)
    const all = `(SELECT count(*) FROM ${dialect.path(table)} AS n WHERE ${canBeCopy})`
    const there = `(SELECT count(*) FROM ${dialect.path(nameOf(source))} AS o WHERE ${where} AND ${existsCopy(dialect, change, table)})`
    return [['since', table.name, `${all} - ${there}`]]
  })
  const newUsers = isNewUser ? [['since', 'user', `(SELECT count(*) FROM ${dialect.path(isNewUser.table)} WHERE ${isNewUser.where})`]] : []
  const cleanup = cleanupOf(dialect, catalog, outline)
  const partOf = ({ about }: Step) => (about === last ? 'last' : about === keep ? 'keep' : 'undo')
  const rows = [
    ...all.flatMap((step) => step.sql.map((statement) => [partOf(step), step.about, statement])),
    ...cleanup.flatMap(({ about, sql: statements }) => statements.map((statement) => ['cleanup', about, statement])),
    ['misfit', '', misfit],
    ...newUsers,
    ...since,
  ].map((row, index) => [String(index), ...row])
  const end: Planned = { kind: 'record', table: record, rows, about: 'Record the way back, so that the command can print it later' }
  return { plan: stepsOf(dialect, [...begin, ...changes, end]), undo: all.filter(({ about }) => about !== keep), cleanup }
}

/** Drops what the plan has kept. Columns that something of the app depends on stay. */
function cleanupOf(dialect: Dialect, { dependents, tables }: Catalog, { asides, kept, record, users }: Outline): Step[] {
  const isUsed = (name: string) => {
    const names = [name, name.slice(name.indexOf('_') + 1)]
    return (
      dependents.some(({ column }) => column && names.includes(column)) ||
      tables.some(({ keys }) => keys.some(({ columns }) => columns.some((one) => names.includes(one) && one !== 'email')))
    )
  }
  const columns = kept
    .filter((name) => !isUsed(name))
    .map((name) => `ALTER TABLE ${dialect.path(users)} DROP COLUMN ${dialect.quote(name)};`)
  const drops = [...asides.map(({ path }) => path), record].map((table) => `DROP TABLE ${dialect.path(table)};`)
  const about = 'Drop what the plan has kept. The old tables hold tokens that still work. After this, there is no way back'
  return [{ about, sql: [...columns.sort(), ...drops.sort()] }]
}

/** What a plan has recorded that has run, or undefined. */
export async function recorded(
  db: Database,
  dialect: Dialect,
  catalog: Catalog,
  record: TablePath,
  users: TablePath,
): Promise<Plan | undefined> {
  const nothing = { plan: [], undo: [], cleanup: [] }
  if (!catalog.tables.some((table) => samePath(table, record))) return undefined
  const rightsOf = ({ schema, name }: TablePath) => catalog.rights?.get(nameKey(schema, name))
  const [rights, owner] = [rightsOf(record), rightsOf(users)?.owner]
  // Whoever can write into this table decides what a person will run.
  if (rights && (rights.owner !== owner || rights.grants.length + rights.columnGrantees.length > 0)) {
    const message = 'the table holds the way back of a plan, and roles other than the owner of the users can change it'
    return {
      notices: [notice('privileges', [record.name], message, 'Find out who created it. Drop it if it is not from a plan.')],
      ...nothing,
    }
  }
  const columns = { part: 't.part', about: 't.about', statement: 't.statement' }
  const rows = await textRows(db, columns, `${dialect.path(record)} t`, sql`1 = 1 order by t.position`)
  if (rows.length === 0) return { notices: [notice('unfinished', [record.name])], ...nothing }
  const value = async (text: string) => Number((await textRows(db, { value: text }, '(select 1) as one'))[0]?.value)
  const since: string[] = []
  for (const { part, about, statement } of rows) {
    const found = part === 'since' ? await value(statement) : 0
    if (found > 0) since.push(inWords(found, about))
  }
  const misfit = rows.find(({ part }) => part === 'misfit')?.statement ?? ''
  const isMisfit = (await value(`case when ${misfit} then 1 else 0 end`)) === 1
  const steps = (...parts: string[]) =>
    rows
      .filter(({ part }) => parts.includes(part))
      .reduce<Step[]>((all, { about, statement }) => {
        if (all.at(-1)?.about === about) all.at(-1)?.sql.push(statement)
        else all.push({ about, sql: [statement] })
        return all
      }, [])
  const prefix = record.name.replace(/undo$/, '')
  const kept = `written since the plan has run: ${since.join(', ')}. undo keeps them: users stay, and the other rows are in tables that begin with ${prefix}`
  const notices: Notice[] = [
    notice('moved', []),
    ...oldSecrets(catalog.tables, record),
    ...(since.length > 0 ? [notice('written-since', [], kept)] : []),
    ...(isMisfit ? [notice('no-way-back', [])] : []),
  ]
  return { notices, plan: [], undo: isMisfit ? [] : steps('undo', since.length > 0 ? 'keep' : 'last'), cleanup: steps('cleanup') }
}

/** Warns of old tables in the current schema that a plan has set aside. */
export async function tablesSetAside(db: Database, name: DialectName): Promise<Notice[]> {
  const tables = await inspectors[name].inspectAll(db, [])
  return tables.filter((table) => isRecord.test(table.name)).flatMap((record) => oldSecrets(tables, record))
}

function oldSecrets(tables: TablePath[], record: TablePath): Notice[] {
  const prefix = record.name.replace(/undo$/, '')
  const names = tables.flatMap(({ schema, name }) =>
    schema === record.schema && name.startsWith(prefix) && name !== record.name ? name : [],
  )
  return names.length === 0 ? [] : [notice('old-secrets', [], `${names.join(', ')} hold tokens that still work, and addresses`)]
}
