import type { Database } from 'drizzle-auth-adapter/internal'
import { readDefinition } from '../doctor/definition.js'
import type { Inspector, LiveColumn, LiveKey } from '../doctor/inspector.js'
import { isUnfilled, samePath } from '../doctor/inspector.js'
import { alterationOf, followTypes, keysAfter, replacesPrimaryKey } from './alteration.js'
import type { Move } from './assembly.js'
import { differingLinks, renamesOf } from './links.js'
import type { Alteration, Catalog, Change, Copy, Dialect, Match, NewColumn, NewTable } from './model.js'
import { primaryKeyOf, sameList } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'
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
      ...(users ? refusedUsers(users.match) : []),
      ...copied.flatMap(({ match }) => lostParts(match, catalog)),
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
  const isThere = (key: LiveKey) => now.keys.some(({ kind, columns: names }) => kind === key.kind && sameList(names, key.columns))
  const keys = keysAfter(match).flatMap((key): LiveKey[] => {
    if (!key.isPlain || isThere(key)) return []
    // Other tables may reference the former primary key, which stays unique.
    const unique = { ...key, kind: 'unique' as const, name: [now.path.name, ...key.columns, 'key'].join('_') }
    const isNamed = key.kind !== 'primary' && !/^sqlite_autoindex/.test(key.name)
    return isNamed || !primaryKeyOf(now) ? [key] : isThere(unique) ? [] : [unique]
  })
  const { own } = differingLinks(match, renames)
  const options = old.definition === undefined ? '' : readOptions(old.definition)
  return { ...now, columns: [...declared, ...kept], keys: [...now.keys, ...keys], foreignKeys: [...now.foreignKeys, ...own], options }
}

function readOptions(definition: string): string {
  try {
    return readDefinition(definition).options
  } catch {
    return ''
  }
}

/** What the old table has and the new one would not. */
function lostParts(match: Match, { dependents, tables }: Catalog): Notice[] {
  const { now, old, columns } = match
  const key = primaryKeyOf(now)
  const isReplaced = replacesPrimaryKey(match)
  const nameAfter = (name: string) => columns.find((column) => column.old?.name === name)?.now.name ?? name
  const isNeeded = (name: string, names: string[]) =>
    now.keys.some((one) => name !== '' && one.name === name && !sameList(one.columns, names.map(nameAfter)))
  const lost = [
    ...dependents
      .filter(({ table, what, breaksOn }) => samePath(table, old) && breaksOn !== 'table' && !/^policy /.test(what))
      .map(({ what }) => what),
    ...old.keys.filter(({ isPlain, name, columns: names }) => !isPlain || isNeeded(name, names)).map(({ name }) => `index ${name}`),
    ...old.columns.filter(({ isGenerated }) => isGenerated).map(({ name }) => `column ${name}`),
    ...columns.flatMap(({ old: column }) => column?.unknown ?? []),
    ...clausesOf(old.definition),
    ...tables.flatMap(({ name, foreignKeys }) =>
      foreignKeys
        .filter(({ target, targetColumns }) => isReplaced && targetColumns.length === 0 && samePath(target, old))
        .map(
          ({ columns: own }) => `foreign key ${name}.${own}, which references the primary key of ${old.name} without naming its columns`,
        ),
    ),
  ]
  const fix = 'Drop these before you run the plan, and create them again afterwards, for the new table.'
  const message = `the plan creates the table again, without these: ${[...new Set(lost)].join(', ')}`
  return [
    ...(lost.length > 0 ? [notice('in-use', [old.name], message, fix)] : []),
    ...(key && !primaryKeyOf(old) ? [notice('missing-key', [now.path.name, key.columns])] : []),
  ]
}

/** SQLite: the parts of a definition that have no place in a declaration. */
function clausesOf(definition: string | undefined): string[] {
  if (definition === undefined) return []
  try {
    const { columns, constraints } = readDefinition(definition)
    const clauses = [...columns.flatMap((column) => column.clauses), ...constraints]
    return clauses.flatMap(({ kind, text }) => (kind === 'check' || kind === 'generated' ? text : []))
  } catch {
    return ['a part of its definition']
  }
}

function refusedUsers(match: Match): Notice[] {
  const message = 'the table of users has another primary key than your schema file declares'
  return replacesPrimaryKey(match) ? [notice('wrong-type', [match.old.name], message)] : []
}

/** Notices about the columns of a table. */
function columnNotices({ now, columns, others }: Match, dialect: Dialect, prefix: string): Notice[] {
  const table = now.path.name
  const undeclared = others.filter(({ name }) => !name.startsWith(prefix)).map(({ name }) => name)
  const emptied = others.filter((column) => isUnfilled(column) || (now.model !== 'users' && column.isFilled && !column.isGenerated))
  const names = emptied.map(({ name }) => name).join(', ')
  const nullable = names ? `, and makes these nullable, because nothing would fill them: ${names}` : ''
  const message = `your schema file does not declare these columns; the plan keeps them${nullable}`
  return [
    ...(undeclared.length > 0 ? [notice('undeclared-columns', [table, undeclared], message)] : []),
    ...columns.flatMap(({ now: column, old: before }) => {
      const at: [string, string] = [table, column.name]
      if (!before && column.notNull && column.default === undefined) {
        const message = 'the column is new and NOT NULL, and existing rows have no value for it'
        return [notice('needs-value', at, message, 'Give it a default in your schema file, or allow null.')]
      }
      if (!before || dialect.isSameType(before, column) || dialect.converts(before, column)) return []
      const message = `the column is ${before.type} in the database and ${column.type} in your code, and the plan cannot convert it`
      const fix = 'Declare the column with its current type in a table of your own, or change the column before you run the plan.'
      return [notice('wrong-type', at, message, fix)]
    }),
  ]
}
