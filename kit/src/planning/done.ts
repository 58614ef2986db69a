import type { Database, DialectName } from 'drizzle-auth-adapter/internal'
import { inspectors } from '../doctor/index.js'
import type { LiveTable, TablePath } from '../doctor/inspector.js'
import { samePath } from '../doctor/inspector.js'
import { prefix } from './authjs.js'
import type { Copying } from './copies.js'
import { isStillThere, newColumn } from './copies.js'
import { count } from './demands.js'
import type { Role, Target } from './match.js'
import { freshOf, matchAuthjs } from './match.js'
import type { Catalog, Dialect, NewTable, Plan, Step } from './model.js'
import { sameList } from './model.js'
import type { Notice } from './notices.js'
import { inWords, notice } from './notices.js'

/** Whether the database has all tables of the schema file, with their columns and foreign keys. The plan creates those last. */
export function isComplete(target: Target<NewTable>, here: LiveTable[], hasLinks: boolean): boolean {
  return [target.user, ...freshOf(target)].every(({ path, columns, foreignKeys }) => {
    const live = here.find((table) => samePath(table, path))
    return (
      live &&
      columns.every(({ name }) => live.columns.some((column) => column.name === name)) &&
      (!hasLinks ||
        foreignKeys.every((key) => live.foreignKeys.some((one) => sameList(one.columns, key.columns) && samePath(one.target, key.target))))
    )
  })
}

/** The tables of Auth.js that a plan has set aside. */
export function setAside(tables: LiveTable[]): Partial<Record<Role, LiveTable>> {
  const kept = tables.filter(({ name }) => name.startsWith(prefix))
  const { found } = matchAuthjs(kept.map((table) => ({ ...table, name: table.name.slice(prefix.length) })))
  return Object.fromEntries(
    Object.entries(found).map(([role, { name, schema }]) => [role, kept.find((one) => samePath(one, { schema, name: prefix + name }))]),
  )
}

/** Warns of tables of Auth.js in the current schema that a plan has set aside. */
export async function tablesSetAside(db: Database, name: DialectName): Promise<Notice[]> {
  const asides = Object.values(setAside(await inspectors[name].inspectAll(db, [])))
  return asides.length === 0 ? [] : [oldSecrets(asides)]
}

export const oldSecrets = (asides: TablePath[]) =>
  notice('old-secrets', [], `${asides.map(({ name }) => name).join(', ')} hold tokens that still work, and addresses`)

/** Everything that is left to do and to know once the plan has run. */
export async function done(
  db: Database,
  dialect: Dialect,
  catalog: Catalog,
  target: Target<NewTable>,
  { accounts, sessions, ...others }: ReturnType<typeof setAside>,
  expiresIn: number,
): Promise<Plan> {
  const moved = notice('moved', [])
  const { tables } = catalog
  const users = tables.find((table) => samePath(table, target.user.path))
  if (!users || !accounts || !sessions) return { notices: [moved], plan: [], undo: [], cleanup: [] }
  const since = await writtenSince(db, { dialect, source: { users, accounts, sessions }, target, expiresIn, tables })
  const columns = users.columns.filter(({ name }) => name.startsWith(prefix)).map(({ name }) => name)
  const asides = [accounts, sessions, ...Object.values(others)]
  const cleanup = cleanupOf(dialect, catalog, asides, [{ table: target.user.path, columns }])
  return { notices: [moved, oldSecrets(asides), ...since], plan: [], undo: [], cleanup }
}

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
  const found = (table: TablePath, where: string) => count(db, { from: `${dialect.path(table)} o`, where })
  const since = async (table: NewTable, role: 'sessions' | 'accounts', where: string) =>
    (await found(table.path, where)) - (await found(source[role], isStillThere(copying, role, table)))
  // Every user had an address, which was kept.
  const email = users.columns.find(({ name }) => name === `${prefix}${newColumn(target.user, 'email').name}`)
  const provider = `o.${dialect.quote(newColumn(target.account, 'providerId').name)}`
  const counts = {
    user: email ? await found(users, `o.${dialect.quote(email.name)} IS NULL`) : 0,
    session: await since(target.session, 'sessions', '1 = 1'),
    account: await since(target.account, 'accounts', `${provider} <> 'credential'`),
  }
  const words = Object.entries(counts).flatMap(([what, rows]) => (rows > 0 ? [inWords(rows, what)] : []))
  const message = `written since the plan has run: ${words.join(', ')}. If you undo the plan, the users stay, and its last step drops the rest`
  return words.length === 0 ? [] : [notice('written-since', [], message)]
}
