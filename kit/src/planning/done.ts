import type { Database } from 'drizzle-auth-adapter/internal'
import type { LiveTable, TablePath } from '../doctor/inspector.js'
import { samePath } from '../doctor/inspector.js'
import { prefix } from './authjs.js'
import type { Copying } from './copies.js'
import { isStillThere, newColumn } from './copies.js'
import { count } from './demands.js'
import type { Target } from './match.js'
import { matchAuthjs } from './match.js'
import type { Catalog, Dialect, NewTable, Plan, Step } from './model.js'
import { sameList } from './model.js'
import type { Notice } from './notices.js'
import { inWords, notice } from './notices.js'

/** Whether the database has all tables of the schema file, with their columns and foreign keys. The plan creates those last. */
export function isComplete(
  { user, account, session, verification, passkey }: Target<NewTable>,
  here: LiveTable[],
  hasLinks: boolean,
): boolean {
  return [user, account, session, verification, ...(passkey ? [passkey] : [])].every(({ path, columns, foreignKeys }) => {
    const live = here.find((table) => samePath(table, path))
    return (
      live &&
      columns.every(({ name }) => live.columns.some((column) => column.name === name)) &&
      (!hasLinks ||
        foreignKeys.every((key) => live.foreignKeys.some((one) => sameList(one.columns, key.columns) && samePath(one.target, key.target))))
    )
  })
}

/** Everything that is left to do and to know once the plan has run. */
export async function done(
  db: Database,
  dialect: Dialect,
  catalog: Catalog,
  target: Target<NewTable>,
  asides: LiveTable[],
  { expiresIn }: { expiresIn: number },
): Promise<Plan> {
  const moved = notice('moved', [], 'the plan has run: the tables are those of Better Auth')
  const { found } = matchAuthjs(asides.map((table) => ({ ...table, name: table.name.slice(prefix.length) })))
  const { accounts, sessions } = found
  if (!accounts || !sessions) return { notices: [moved], plan: [], undo: [], cleanup: [] }
  const aside = (table: LiveTable): LiveTable => ({ ...table, name: prefix + table.name })
  const users = catalog.tables.find((table) => samePath(table, target.user.path)) as LiveTable
  const copying: Copying = {
    dialect,
    source: { users, accounts: aside(accounts), sessions: aside(sessions) },
    target,
    expiresIn,
    tables: catalog.tables,
  }
  const since = await writtenSince(db, copying)
  const kept = users.columns.filter(({ name }) => name.startsWith(prefix)).map(({ name }) => name)
  return {
    notices: [moved, oldSecrets(asides), ...since],
    plan: [],
    undo: [],
    cleanup: cleanupOf(dialect, catalog, asides, [{ table: target.user.path, columns: kept }]),
  }
}

export const oldSecrets = (old: TablePath[]) =>
  notice(
    'old-secrets',
    [],
    `${old.map(({ name }) => name).join(', ')} hold tokens that still work, and addresses`,
    'Once you are sure that you do not go back, run the statements of cleanup that doctor --from authjs prints.',
  )

/** Drops what the plan has kept. Columns that something of the app depends on stay. */
export function cleanupOf(
  dialect: Dialect,
  catalog: Catalog,
  asides: TablePath[],
  kept: { table: TablePath; columns: string[] }[],
): Step[] {
  const tables = asides.map((table) => `DROP TABLE ${dialect.path(table)};`).sort()
  const isUsed = (name: string) => {
    const names = [name, name.slice(name.indexOf('_') + 1)]
    return (
      catalog.dependents.some(({ column }) => column && names.includes(column)) ||
      catalog.tables.some(({ keys }) => keys.some(({ columns }) => columns.some((one) => names.includes(one) && one !== 'email')))
    )
  }
  const columns = kept.flatMap(({ table, columns: all }) =>
    all.filter((name) => !isUsed(name)).map((name) => `ALTER TABLE ${dialect.path(table)} DROP COLUMN ${dialect.quote(name)};`),
  )
  if (tables.length + columns.length === 0) return []
  return [
    {
      about: 'Drop what the plan has kept. The old tables hold tokens that still work. After this, there is no way back',
      sql: [...tables, ...columns.sort()],
    },
  ]
}

/** How many rows there are that no row of an old table became. */
async function writtenSince(db: Database, copying: Copying): Promise<Notice[]> {
  const { dialect, source, target } = copying
  const { users } = source
  const counts: string[] = []
  const add = async (what: string, table: NewTable, role: 'sessions' | 'accounts', where = '1 = 1') => {
    const now = await count(db, { from: `${dialect.path(table.path)} o`, where })
    const old = await count(db, { from: `${dialect.path(source[role])} o`, where: isStillThere(copying, role, table) })
    if (now > old) counts.push(inWords(now - old, what))
  }
  // Every user had an address, which was kept.
  const email = users.columns.find(({ name }) => name === `${prefix}${newColumn(target.user, 'email').name}`)
  const fresh = email ? await count(db, { from: `${dialect.path(users)} o`, where: `o.${dialect.quote(email.name)} IS NULL` }) : 0
  if (fresh > 0) counts.push(inWords(fresh, 'user'))
  await add('session', target.session, 'sessions')
  await add('account', target.account, 'accounts', `o.${dialect.quote(newColumn(target.account, 'providerId').name)} <> 'credential'`)
  if (counts.length === 0) return []
  return [
    notice(
      'written-since',
      [],
      `written since the plan has run: ${counts.join(', ')}. If you undo the plan, the users stay, and its last step drops the rest`,
      'The statements that undo the plan were printed with it. Leave out their last step to keep these rows in tables that begin with new_.',
    ),
  ]
}
