import type { Database } from 'drizzle-auth-adapter/internal'
import type { Inspector, LiveColumn, LiveKey } from '../doctor/inspector.js'
import { isUnfilled, samePath } from '../doctor/inspector.js'
import { alterationOf, followTypes, keysAfter, replacesPrimaryKey } from './alteration.js'
import type { Move } from './assembly.js'
import { differingLinks, renamesOf } from './links.js'
import type { Alteration, Catalog, Change, Copy, Dialect, Match, NewColumn, NewTable } from './model.js'
import { definitionOf, primaryKeyOf, sameList } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'
import { refusedKey, refusedTypes } from './refused.js'
import { checkRows } from './rows.js'

/** The move to other tables of the same library. Tables that belong to users become what is declared, with what else the old ones have. */
export async function planSame(
  db: Database,
  dialect: Dialect,
  inspector: Inspector,
  catalog: Catalog,
  matches: Match[],
  missing: NewTable[],
  prefix: string,
): Promise<Move & { notices: Notice[] }> {
  const rows = await checkRows(db, dialect, inspector, matches)
  const renames = renamesOf(matches)
  const isUsers = ({ now }: Match) => now.model === 'users'
  const all = matches.map((match) =>
    alterationOf(match, { dialect, prefix, conversions: isUsers(match) ? rows.conversions.get(match) : undefined }),
  )
  const isChanged = ({ match, ...alteration }: Alteration) =>
    Object.values(alteration).some((changes) => changes.length > 0) ||
    (rows.conversions.get(match)?.size ?? 0) > 0 ||
    replacesPrimaryKey(match) ||
    !samePath(match.old, match.now.path) ||
    differingLinks(match, renames).lacking.length > 0
  const users = all.find(({ match }) => isUsers(match))
  const copied = all.filter((one) => one !== users && isChanged(one))
  // Also columns that are not declared can reference one that changes.
  const followers = dialect.alter ? [] : followTypes(all, catalog.tables)
  const replaced = copied.map((alteration) => ({ alteration, old: alteration.match.old, now: successorOf(alteration, dialect, renames) }))
  const copyOf = ({ alteration: { match }, now }: (typeof replaced)[number], to: NewTable): Copy & { about: string } => {
    const convert = (column: NewColumn, old: LiveColumn) => {
      const value = `o.${dialect.quote(old.name)}`
      const conversion = rows.conversions.get(match)?.get(column.field)
      if (conversion) return conversion.forward(value)
      return column.holds.holds === 'text' && !dialect.isSameType(old, column) ? dialect.text(value) : value
    }
    const pairs = [
      ...match.columns,
      ...match.others.map((old) => ({ now: now.columns.find(({ field }) => field === old.name) as NewColumn, old })),
    ]
    const values = pairs.flatMap(({ now: column, old }): [string, string][] => (old ? [[column.name, convert(column, old)]] : []))
    const key = (primaryKeyOf(now) ?? now.keys.find(({ kind }) => kind === 'unique'))?.columns ?? []
    const same = key.flatMap((name) =>
      values.filter(([column]) => column === name).map(([, value]) => [`n.${dialect.quote(name)}`, value] as const),
    )
    const isCopy = same.map(([own, value]) => `${own} = ${value} AND ${dialect.same(own, value)}`).join(' AND ')
    const isKnown = same.length === key.length && key.length > 0
    return { kind: 'copy', to, source: match.old, values, isCopy: isKnown ? isCopy : undefined, about: `Copy the table ${match.old.name}` }
  }
  return {
    prefix,
    users,
    followers,
    replacements: [...replaced, ...missing.map((now) => ({ now }))],
    copies: (beside) => replaced.map((one) => copyOf(one, beside(one.now))),
    notices: [
      ...rows.notices,
      ...(users ? refusedKey(users.match) : []),
      ...copied.flatMap(({ match }) => lostNames(match)),
      ...matches.flatMap((match) => columnNotices(match, dialect, prefix)),
    ],
  }
}

/** The declared table, with the columns, keys and foreign keys that only the old one has. */
function successorOf({ match, types }: Alteration, dialect: Dialect, renames: Change[]): NewTable {
  const { now, old, columns, others } = match
  const declared = columns.map(({ now: column, old: before }): NewColumn => {
    if (!before || before.isFilled || /nextval/.test(before.default ?? '')) return column
    if (dialect.alter) return { ...column, default: column.default ?? before.default }
    const live = dialect.isSameType(before, column) ? before : dialect.retyped({ old: before, now: column, isOwn: false })
    return { ...column, live: { ...live, name: column.name, notNull: column.notNull } }
  })
  const kept = others.map((column): NewColumn => {
    const type = types.find((one) => one.old === column)
    const isLeft = isUnfilled(column) || column.isFilled
    const live = { ...(type ? dialect.retyped(type) : column), ...(isLeft && { notNull: false, default: undefined, rest: '' }) }
    return {
      field: column.name,
      name: column.name,
      type: live.type,
      holds: live,
      notNull: live.notNull,
      default: live.default,
      isKey: false,
      live,
    }
  })
  const isThere = (key: LiveKey) =>
    now.keys.some((one) => [key.kind, key.kind === 'unique' && 'primary'].includes(one.kind) && sameList(one.columns, key.columns))
  const keys = keysAfter(match).flatMap((key): LiveKey[] => {
    if (!key.isPlain || isThere(key)) return []
    // Other tables may reference the former primary key, which stays unique.
    const unique = { ...key, kind: 'unique' as const, name: [now.path.name, ...key.columns, 'key'].join('_') }
    const isNamed = key.kind !== 'primary' && !/^sqlite_autoindex/.test(key.name)
    return isNamed || !primaryKeyOf(now) ? [key] : isThere(unique) ? [] : [unique]
  })
  const options = old.definition && definitionOf(old.definition)?.options
  const own = differingLinks(match, renames).own
  return {
    ...now,
    columns: [...declared, ...kept],
    keys: [...now.keys, ...keys],
    foreignKeys: [...now.foreignKeys, ...own],
    ...(options && { options }),
  }
}

/** Keys that only the old table has, under a name that the new one needs. */
function lostNames(match: Match): Notice[] {
  const isTaken = ({ name, columns }: LiveKey) => match.now.keys.some((one) => one.name === name && !sameList(one.columns, columns))
  const names = keysAfter(match).flatMap((key) => (key.name && isTaken(key) ? key.name : []))
  return names.map((name) => notice('name-in-use', [match.old.name], `the plan needs the name ${name}, which another index has`))
}

/** Notices about the columns of a table. */
function columnNotices({ now, old, columns, others }: Match, dialect: Dialect, prefix: string): Notice[] {
  const [table, key] = [now.path.name, primaryKeyOf(now)]
  const undeclared = others.filter(({ name }) => !name.startsWith(prefix)).map(({ name }) => name)
  const emptied = others.filter((column) => isUnfilled(column) || (now.model !== 'users' && column.isFilled && !column.isGenerated))
  const names = emptied.map(({ name }) => name).join(', ')
  const nullable = names ? `, and makes these nullable, because nothing would fill them: ${names}` : ''
  const message = `your schema file does not declare these columns; the plan keeps them${nullable}`
  return [
    ...(undeclared.length > 0 ? [notice('undeclared-columns', [table, undeclared], message)] : []),
    ...columns.flatMap(({ now: column, old: before }) =>
      before || !column.notNull || column.default !== undefined ? [] : notice('needs-value', [table, column.name], without, allowNull),
    ),
    ...refusedTypes(
      { now, old, columns, others },
      (column, before) => dialect.isSameType(before, column) || dialect.converts(before, column),
    ),
    ...(key && !primaryKeyOf(old) ? [notice('missing-key', [table, key.columns])] : []),
  ]
}

const without = 'the column is new and NOT NULL, and existing rows have no value for it'
const allowNull = 'Give it a default in your schema file, or allow null.'
