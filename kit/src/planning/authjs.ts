import type { Database } from 'drizzle-auth-adapter/internal'
import type { LiveColumn, LiveTable, TablePath } from '../doctor/inspector.js'
import { isUnfilled, samePath } from '../doctor/inspector.js'
import type { Conversion } from './alteration.js'
import { alterationOf, nameWhileChanging, replacesPrimaryKey, temporary } from './alteration.js'
import type { Outline } from './assembly.js'
import { assemble } from './assembly.js'
import { checkAuthjs } from './authjs-checks.js'
import type { Copying } from './copies.js'
import { copyAccounts, copyPasskeys, copyPasswords, copySessions, markedFor, markSessions } from './copies.js'
import type { Role, Target } from './match.js'
import { freshOf, liveColumnOf, matchOf, pairOf } from './match.js'
import type { Catalog, Dialect, KeyName, Match, NewForeignKey, NewTable, Planned } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'
import { createIndex, renameIndex } from './rebuild.js'
import { rightsFor, rightsNotices } from './rights.js'

export const prefix = 'authjs_'

export interface AuthjsSource {
  db: Database
  dialect: Dialect
  catalog: Catalog
  source: Copying['source']
  target: Target<NewTable>
  expiresIn: number
  password?: LiveColumn | undefined
  lowerCase(text: string): string
}

/** The move from Auth.js to Better Auth: new tables are filled beside the old ones, users change in place, and then all get their names. */
export async function planAuthjs(given: AuthjsSource): Promise<Outline> {
  const { db, dialect, catalog, source, target, expiresIn, password, lowerCase } = given
  const { users, ...rest } = source
  const olds = Object.values(rest)
  const fresh = freshOf(target)
  dialect.adapt?.(target.user, [...target.others, ...fresh], liveColumnOf(users, 'id') as LiveColumn)
  const match = matchOf(target.user, users)
  const refused = refusedUsers(match, dialect)
  if (refused.length > 0) return { changes: [], demanding: [], notices: refused, asides: [], kept: [] }
  const alteration = alterationOf(match, { dialect, prefix, keepsTypes: true, ...userValues(match, dialect, lowerCase) })

  const replaced: [Role, NewTable | undefined][] = [
    ['accounts', target.account],
    ['sessions', target.session],
    ['verificationTokens', target.verification],
    ['authenticators', target.passkey],
  ]
  const asides = replaced.flatMap(([role, now]) => {
    const old = source[role]
    return old ? [{ old, path: { schema: old.schema, name: prefix + old.name }, successor: now?.path }] : []
  })
  // New tables, with the names that they have until the old ones have given up theirs.
  const taken = new Set(olds.flatMap((table) => [...table.keys, ...table.foreignKeys].map(({ name }) => name.toLowerCase())))
  const keys: KeyName[] = []
  const created = new Map(
    fresh.map((now): [NewTable, NewTable] => {
      const path = { ...now.path, name: temporary(now.path.name) }
      const own = now.keys.map((key) => {
        const name = key.name || (dialect.alter || dialect.copies ? '' : `${now.path.name}_pkey`)
        if (!name || dialect.copies || !taken.has(name.toLowerCase())) return { ...key, name }
        const first = { ...key, name: temporary(name) }
        const statements: [string, string] = [createIndex(path.name, first), createIndex(path.name, key)]
        keys.push({ table: path, from: first.name, to: name, isConstraint: key.isConstraint, statements })
        return first
      })
      return [now, { ...now, path, keys: own }]
    }),
  )
  // While they are created, foreign keys of SQLite refer to tables under their names of the moment.
  const nowTarget = (key: NewForeignKey): NewForeignKey => {
    const table = fresh.find(({ path }) => samePath(path, key.target))
    if (!samePath(key.target, target.user.path)) return { ...key, target: table ? (created.get(table) as NewTable).path : key.target }
    return { ...key, target: users, targetColumns: key.targetColumns.map((name) => nameWhileChanging(alteration, name)) }
  }
  const others = target.others.filter(({ path }) => !catalog.tables.some((table) => samePath(table, path)))
  const made = [...others, ...fresh].map((now): Planned => {
    const role = replaced.find(([, table]) => table === now)?.[0]
    const old = role && source[role]
    const table = created.get(now) ?? now
    const rights = rightsFor(catalog, old ?? source.accounts, now, old !== undefined)
    return { kind: 'create', table: { ...table, foreignKeys: table.foreignKeys.map(nowTarget) }, ...rights, about: 'Create the new tables' }
  })
  const nowNamed = Object.entries(target).flatMap(([name, table]) => {
    const now = created.get(table as NewTable)
    return now ? [[name, now] as const] : []
  })
  const copying: Copying = {
    dialect,
    source,
    target: { ...target, ...Object.fromEntries(nowNamed) },
    expiresIn,
    tables: catalog.tables,
    password,
  }
  const copies = [
    copyAccounts(copying),
    ...(password ? [copyPasswords(copying, password)] : []),
    copySessions(copying),
    markSessions(copying),
    ...(copying.target.passkey && source.authenticators ? [copyPasskeys(copying, source.authenticators, copying.target.passkey)] : []),
  ]
  const copyChanges = copies.map(({ change }) => change)
  const outline = assemble({
    dialect,
    catalog,
    prefix,
    inPlace: [{ alteration, lacking: [] }],
    copied: [],
    begin: [...made, ...copyChanges],
    keyNames: [...collidingKeys(dialect, catalog, olds, [...keys.map(({ to }) => to), ...foreignKeyNames([...fresh, ...others])]), ...keys],
    asides,
    swap: [
      ...asides.map(({ old, path }): [TablePath, TablePath] => [old, path]),
      ...[...created].map(([now, { path }]): [TablePath, TablePath] => [path, now.path]),
    ],
    created: [...fresh, ...others],
    end: [],
  })
  const inTheWay = catalog.tables.filter((table) => fresh.some(({ path }) => samePath(path, table)) && !olds.includes(table))
  const message = 'the table of users has another primary key than your schema file declares'
  return {
    ...outline,
    notices: [
      ...inTheWay.map(({ name }) => notice('name-in-use', [name], `the plan needs the name ${name}, which is already in use`)),
      ...copies.flatMap(({ notices }) => notices),
      ...requiredColumns(copyChanges),
      ...match.others.filter(isUnfilled).map(({ name }) => notice('required-column', [users.name, name])),
      ...rightsNotices(catalog, [...olds, source.accounts], made),
      ...(await checkAuthjs(db, copying, match, lowerCase)),
      ...(replacesPrimaryKey(match) ? [notice('wrong-type', [users.name], message)] : []),
      ...outline.notices,
    ],
  }
}

/** How values of users change, and the values of new columns. */
function userValues(match: Match, dialect: Dialect, lowerCase: (text: string) => string) {
  const verified = pairOf(match, 'emailVerified')?.old as LiveColumn
  const conversions = new Map<string, Conversion>([
    ['name', { forward: (value) => `coalesce(${value}, '')` }],
    ['email', { forward: lowerCase }],
    [
      'emailVerified',
      {
        isSuccessor: true,
        forward: (value) => dialect.isVerified(value),
        back: (value) => `CASE WHEN ${value} THEN ${dialect.moment(verified, 0)} END`,
      },
    ],
  ])
  const values = new Map<string, string>()
  // Users existed before the move. The bridge takes a JWT that is older than its user for one of somebody else, whose id is used again.
  for (const [field, seconds] of [
    ['createdAt', -markedFor],
    ['updatedAt', 0],
  ] as const) {
    const { now, old } = pairOf(match, field) ?? {}
    if (now && !old) values.set(field, dialect.moment(now.holds, seconds))
    if (!now || !old || !dialect.isDate(old)) continue
    const isSuccessor = !dialect.canRetype(old, now)
    const dates = {
      forward: (value: string) => dialect.date(value, old, now.holds),
      back: (value: string) => dialect.date(value, now.holds, old),
    }
    if (isSuccessor || dates.forward('x') !== 'x') conversions.set(field, { ...dates, isSuccessor })
  }
  return { conversions, values }
}

function refusedUsers({ old: users, columns }: Match, dialect: Dialect): Notice[] {
  if (['id', 'name', 'email', 'emailVerified'].some((field) => !columns.find(({ now }) => now.field === field)?.old)) {
    const message = 'the table has no columns id, name, email and emailVerified that could become those of the schema file'
    return [notice('missing-table', [users.name], message, 'Check the names of the columns in your schema file.')]
  }
  return columns.flatMap(({ now, old }) => {
    if (!old || (now.field === 'emailVerified' ? dialect.isDate(old) : dialect.isSameType(old, now) || dialect.converts(old, now)))
      return []
    const message = `the column is ${old.type} in the database, and the plan cannot convert it to ${now.type}`
    const fix = 'Change it to the type that Auth.js documents, or declare it with its type.'
    return [notice('wrong-type', [users.name, old.name], message, fix)]
  })
}

const foreignKeyNames = (tables: NewTable[]) => tables.flatMap(({ foreignKeys }) => foreignKeys.map(({ name }) => name))

/** Keys of old tables whose names the new ones need. */
function collidingKeys(dialect: Dialect, { attached }: Catalog, olds: LiveTable[], wanted: string[]): KeyName[] {
  if (dialect.copies) return []
  const names = new Set(wanted.map((name) => name.toLowerCase()))
  return olds.flatMap((table) =>
    [...table.keys, ...table.foreignKeys.map(({ name }) => ({ name, isConstraint: true }))].flatMap(({ name, isConstraint }): KeyName[] => {
      const statement = attached?.find((one) => one.name === name)?.statement
      const key = { table, from: name, to: prefix + name, isConstraint }
      // SQLite rewrites the statement of an index when its table is renamed. With the old name, it gets the old statement back.
      if (statement) return [{ ...key, statements: [statement, renameIndex(statement, prefix + name)] }]
      return name && !dialect.alter && names.has(name.toLowerCase()) ? [key] : []
    }),
  )
}

/** Columns of the new tables that nothing fills. */
function requiredColumns(copies: Planned[]): Notice[] {
  return copies.flatMap((change) => {
    if (change.kind !== 'copy') return []
    const filled = new Set(change.values.map(([column]) => column))
    return change.to.columns
      .filter(({ name, field, notNull, default: value }) => field !== 'id' && notNull && value === undefined && !filled.has(name))
      .map(({ name }) => {
        const message = 'the column is required, and the rows of Auth.js have no value for it'
        const place: [string, string] = [change.to.path.name.replace(/^new_/, ''), name]
        return notice('needs-value', place, message, 'Give it a default in your schema file, or allow null.')
      })
  })
}
