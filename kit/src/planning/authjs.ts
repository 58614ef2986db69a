import type { Database } from 'drizzle-auth-adapter/internal'
import type { LiveColumn, LiveTable, TablePath } from '../doctor/inspector.js'
import { isUnfilled, samePath } from '../doctor/inspector.js'
import type { Conversion } from './alteration.js'
import { alter, alterationOf, followTypes, nameWhileChanging, replacesPrimaryKey, temporary } from './alteration.js'
import { checkAuthjs } from './authjs-checks.js'
import type { Copying } from './copies.js'
import { copyAccounts, copyPasskeys, copyPasswords, copySessions, markedFor, markSessions } from './copies.js'
import { planLinks } from './links.js'
import type { Role, Target } from './match.js'
import { liveColumnOf, matchOf, pairOf } from './match.js'
import type { Catalog, Dialect, KeyName, NewForeignKey, NewTable, Planned, Rights } from './model.js'
import { nameKey } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'
import { rebuildNotice, renameIndex } from './rebuild.js'

export const prefix = 'authjs_'

export interface AuthjsSource {
  db: Database
  dialect: Dialect
  catalog: Catalog
  source: Partial<Record<Role, LiveTable>> & Copying['source']
  target: Target<NewTable>
  expiresIn: number
  password?: LiveColumn | undefined
  lowerCase(text: string): string
}

export interface Outline {
  changes: Planned[]
  notices: Notice[]
  /** The tables and columns that the plan keeps aside, with the names that they get. */
  asides: TablePath[]
  kept: { table: TablePath; columns: string[] }[]
}

/** The move from Auth.js to Better Auth: new tables are filled beside the old ones, users change in place, and then all get their names. */
export async function planAuthjs(given: AuthjsSource): Promise<Outline> {
  const { db, dialect, catalog, source, target, expiresIn, password, lowerCase } = given
  const { users, ...rest } = source
  const olds = Object.values(rest)
  const fresh = [target.account, target.session, target.verification, ...(target.passkey ? [target.passkey] : [])]
  dialect.adapt?.(target.user, [...target.others, ...fresh], liveColumnOf(users, 'id') as LiveColumn)
  const match = matchOf(target.user, users)
  const refused = refusedUsers(match, dialect)
  if (refused.length > 0) return { changes: [], notices: refused, asides: [], kept: [] }

  const verified = pairOf(match, 'emailVerified')?.old as LiveColumn
  const conversions = new Map<string, Conversion>([
    ['name', { forward: (value) => `coalesce(${value}, '')` }],
    ['email', { forward: lowerCase }],
    [
      'emailVerified',
      {
        isSuccessor: true,
        forward: (value) => dialect.isVerified(value, verified),
        back: (value) => `CASE WHEN ${value} THEN ${dialect.moment(verified, 0)} END`,
      },
    ],
  ])
  for (const { now, old } of match.columns)
    if (old && !conversions.has(now.field) && dialect.isDate(old) && /^(created|updated)At$/.test(now.field)) {
      const isSuccessor = !dialect.canRetype(old, now)
      const dates = {
        forward: (value: string) => dialect.date(value, old, now.holds),
        back: (value: string) => dialect.dateBack(value, old, now.holds),
      }
      if (isSuccessor || dates.forward('x') !== 'x') conversions.set(now.field, { ...dates, isSuccessor })
    }
  // Users existed before the move. The bridge takes a JWT that is older than its user for one of somebody else, whose id is used again.
  const moment = (field: string, seconds: number) => {
    const column = pairOf(match, field)?.now
    return [field, column ? dialect.moment(column.holds, seconds) : ''] as const
  }
  const values = new Map([moment('createdAt', -markedFor), moment('updatedAt', 0)])
  const alteration = alterationOf(match, { dialect, prefix, conversions, values, keepsTypes: true, relaxesOthers: false })
  const followers = followTypes([alteration], catalog, (table) => olds.includes(table as LiveTable))
  const altered = alter(alteration, [], dialect, catalog)

  // New tables, with the names that they have until the old ones have given up theirs.
  const replaced: [Role, NewTable | undefined][] = [
    ['accounts', target.account],
    ['sessions', target.session],
    ['verificationTokens', target.verification],
    ['authenticators', target.passkey],
  ]
  const keys: KeyName[] = []
  const swapped: [TablePath, TablePath][] = []
  const asides = replaced.flatMap(([role, now]) => {
    const old = source[role]
    if (!old) return []
    const path = { schema: old.schema, name: prefix + old.name }
    swapped.push([old, path])
    return [{ old, path, successor: now?.path }]
  })
  const ofOlds = new Map(
    olds.flatMap((table) => [...table.keys, ...table.foreignKeys].map(({ name }) => [name.toLowerCase(), table] as const)),
  )
  const created = new Map<NewTable, NewTable>()
  for (const now of fresh) {
    const path = { ...now.path, name: temporary(now.path.name) }
    const own = now.keys.map((key) => {
      if (dialect.copies) return key
      const name = key.name || (dialect.alter ? '' : `${now.path.name}_pkey`)
      if (!name || !ofOlds.has(name.toLowerCase())) return { ...key, name }
      keys.push({ table: path, from: temporary(name), to: name, isConstraint: key.isConstraint })
      return { ...key, name: temporary(name) }
    })
    created.set(now, { ...now, path, keys: own })
    swapped.push([path, now.path])
  }
  const renames: Planned[] = [
    ...altered.names,
    ...(samePath(users, target.user.path)
      ? []
      : [
          {
            kind: 'renameTables' as const,
            tables: [[users, target.user.path] as [TablePath, TablePath]],
            about: 'Rename tables and columns',
          },
        ]),
    {
      kind: 'renameTables',
      tables: swapped,
      about: 'Swap the old tables for the new ones. They hold tokens that still work: run cleanup later',
    },
  ]
  // While they are created, foreign keys of SQLite refer to tables under their names of the moment.
  const nowTarget = (key: NewForeignKey): NewForeignKey => {
    const table = fresh.find(({ path }) => samePath(path, key.target))
    const isUser = samePath(key.target, target.user.path)
    return {
      ...key,
      target: table ? (created.get(table) as NewTable).path : isUser ? users : key.target,
      targetColumns: isUser ? key.targetColumns.map((name) => nameWhileChanging(alteration, name)) : key.targetColumns,
    }
  }
  const others = target.others.filter(({ path }) => !catalog.tables.some((table) => samePath(table, path)))
  const make = (now: NewTable): Planned => {
    const role = replaced.find(([, table]) => table === now)?.[0]
    const { rights, policies } = rightsFor(
      catalog,
      (role && source[role]) || source.accounts,
      now,
      role !== undefined && source[role] !== undefined,
    )
    const table = created.get(now) ?? now
    return {
      kind: 'create',
      table: { ...table, foreignKeys: table.foreignKeys.map(nowTarget) },
      rights,
      policies,
      about: 'Create the new tables',
    }
  }
  const oldKeys = collidingKeys(dialect, catalog, olds, new Set(keys.map(({ to }) => to.toLowerCase())), [...fresh, ...others])
  const nowKeys = keys.map((key) => ({ ...key, ...indexStatements(key, fresh, created) }))
  const { unlink, link } = dialect.alter
    ? { unlink: [], link: [] }
    : planLinks({
        catalog,
        alterations: [alteration, ...followers],
        declared: [target.user, ...fresh, ...others],
        renames,
        asides,
        asideName: dialect.copies ? (name) => prefix + name : undefined,
      })
  const copying: Copying = {
    dialect,
    source,
    target: {
      ...target,
      ...Object.fromEntries(
        Object.entries(target).flatMap(([name, table]) => (created.has(table as NewTable) ? [[name, created.get(table as NewTable)]] : [])),
      ),
    },
    expiresIn,
    tables: catalog.tables,
    password,
  }
  const { passkey } = copying.target
  const copies = [
    copyAccounts(copying),
    ...(password ? [copyPasswords(copying, password)] : []),
    copySessions(copying),
    markSessions(copying),
    ...(passkey && source.authenticators ? [copyPasskeys(copying, source.authenticators, passkey)] : []),
  ]
  const ofOthers = followers.flatMap((each) => alter(each, [], dialect, catalog).changes)
  const changes: Planned[] = [
    {
      kind: 'stop',
      when: asides.map(({ path }) => dialect.exists(path)).join(' OR '),
      why: 'the plan has run already',
      about: 'Stop here if the plan has run',
    },
    ...[...others, ...fresh].map(make),
    ...copies.map(({ change }) => change),
    { kind: 'unlink', keys: unlink, about: 'Drop foreign keys that prevent the changes' },
    ...ofOthers,
    ...altered.changes,
    ...altered.names,
    { kind: 'renameKeys', keys: [...oldKeys, ...nowKeys], about: 'Give the new tables the names of their keys' },
    ...renames.filter(({ kind }) => kind === 'renameTables'),
    { kind: 'link', keys: link, about: 'Add foreign keys' },
  ]
  const live = catalog.tables.filter((table) => [...fresh].some(({ path }) => samePath(path, table)) && !olds.includes(table))
  const notices = [
    ...live.map(({ name }) => nameTaken(name)),
    ...copies.flatMap((one) => one.notices),
    ...altered.notices,
    ...requiredColumns(
      copies.map(({ change }) => change),
      match.others,
      users,
    ),
    ...rightsNotices(catalog, [...olds, source.accounts], changes),
    ...(await checkAuthjs(db, copying, match, lowerCase)),
    ...dialect.notices([alteration, ...followers].map(({ match: { old }, types }) => ({ table: old, types }))),
    ...(dialect.alter ? [rebuildNotice([users.name])] : []),
    ...(replacesPrimaryKey(match)
      ? [notice('wrong-type', [users.name], 'the table of users has another primary key than your schema file declares')]
      : []),
  ]
  return {
    changes: changes.filter((change) => !('keys' in change) || change.keys.length > 0),
    notices,
    asides: asides.map(({ path }) => path),
    kept: [
      {
        table: target.user.path,
        columns: [
          ...alteration.kept.map(({ name }) => name),
          ...alteration.columnNames.flatMap(([, to]) => (to.startsWith(prefix) ? [to] : [])),
        ],
      },
    ],
  }
}

const nameTaken = (name: string) =>
  notice(
    'name-in-use',
    [name],
    `the plan needs the name ${name}, which is already in use`,
    'Rename or drop the table before you run the plan.',
  )

function refusedUsers(match: ReturnType<typeof matchOf>, dialect: Dialect): Notice[] {
  const { old: users } = match
  if (['id', 'name', 'email', 'emailVerified'].some((field) => !pairOf(match, field)?.old)) {
    const message = 'the table has no columns id, name, email and emailVerified that could become those of the schema file'
    return [notice('missing-table', [users.name], message, 'Check the names of the columns in your schema file.')]
  }
  return match.columns.flatMap(({ now, old }) => {
    if (!old) return []
    const isRight = now.field === 'emailVerified' ? dialect.isDate(old) : dialect.isSameType(old, now) || dialect.converts(old, now)
    const message = `the column is ${old.type} in the database, and the plan cannot convert it to ${now.type}`
    return isRight
      ? []
      : [
          notice(
            'wrong-type',
            [users.name, old.name],
            message,
            'Change it to the type that Auth.js documents, or declare it with its type.',
          ),
        ]
  })
}

/** Keys of old tables whose names the new ones need. */
function collidingKeys(dialect: Dialect, catalog: Catalog, olds: LiveTable[], wanted: Set<string>, created: NewTable[]): KeyName[] {
  if (dialect.copies) return []
  const names = new Set([
    ...wanted,
    ...created.flatMap(({ foreignKeys }) => (dialect.alter ? [] : foreignKeys.map(({ name }) => name.toLowerCase()))),
  ])
  return olds.flatMap((table) =>
    [...table.keys, ...table.foreignKeys.map((key) => ({ ...key, isConstraint: true }))].flatMap(({ name, isConstraint }): KeyName[] => {
      const statement = catalog.attached?.find((one) => one.name === name)?.statement
      // SQLite rewrites the statement of an index when its table is renamed. With the old name, it gets the old statement back.
      if (!name || !(statement || names.has(name.toLowerCase()))) return []
      const key = { table, from: name, to: prefix + name, isConstraint }
      return [statement ? { ...key, statements: [statement, renameIndex(statement, prefix + name)] } : key]
    }),
  )
}

/** SQLite: the statements of a new index under both of its names. */
function indexStatements({ table, from, to }: KeyName, fresh: NewTable[], created: Map<NewTable, NewTable>): Partial<KeyName> {
  const key = fresh
    .map((one) => created.get(one))
    .find((one) => one && samePath(one.path, table))
    ?.keys.find(({ name }) => name === from)
  if (!key) return {}
  const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``
  const statement = (name: string) =>
    `CREATE ${key.kind === 'unique' ? 'UNIQUE ' : ''}INDEX ${quote(name)} ON ${quote(table.name)} (${key.columns.map(quote).join(', ')})`
  return { statements: [statement(from), statement(to)] }
}

/** PostgreSQL: what roles may do with a new table. Policies come with it if it has all of their columns. */
export function rightsFor(
  { rights }: Catalog,
  old: TablePath,
  now: NewTable,
  isReplaced: boolean,
): { rights: Rights | undefined; policies: Rights['policies'] } {
  const own = rights?.get(nameKey(old.schema, old.name))
  const fits = (policy: Rights['policies'][number]) =>
    isReplaced && policy.columns.every((name) => now.columns.some((column) => column.name === name))
  return { rights: own, policies: own?.policies.filter(fits) ?? [] }
}

/** What keeps rights from being given to new tables, and policies that are not. */
export function rightsNotices({ rights }: Catalog, olds: TablePath[], changes: Planned[]): Notice[] {
  const read = [...new Set(olds)].flatMap(({ schema, name }): Notice[] => {
    const own = rights?.get(nameKey(schema, name))
    if (!own) return []
    const hidden = 'this role does not see all rows of the table, because of row level security'
    const columns = `${own.columnGrantees.join(', ')} has privileges on single columns, which the new table would not have`
    const owner = `the table belongs to ${own.owner}, and this role cannot give the new table to it`
    return [
      ...(own.seesAll
        ? []
        : [notice('row-security', [name], hidden, 'Run the command and the plan as the owner of the table, or as a superuser.')]),
      ...(own.columnGrantees.length === 0
        ? []
        : [notice('privileges', [name], columns, 'Revoke them before the plan, and grant privileges on the new table afterwards.')]),
      ...(own.isMember ? [] : [notice('privileges', [name], owner, 'Run the command and the plan as this role, or as a superuser.')]),
    ]
  })
  const made = changes.flatMap((change) => (change.kind === 'create' ? [change] : []))
  const closed = made.filter(({ rights: own, policies = [] }) => own?.rowSecurity && policies.length < own.policies.length)
  return [
    ...read,
    ...closed.map(({ table, policies = [], rights: own }) => {
      const lost = own?.policies.filter((policy) => !policies.includes(policy)).map(({ name }) => name)
      const message = `the new table has row level security like the old one, but not these policies, whose columns it does not have: ${lost?.join(', ')}`
      return notice(
        'policies',
        [table.path.name.replace(/^new_/, '')],
        message,
        'Create them for the new table once the plan has run: until then, only its owner sees rows.',
      )
    }),
  ]
}

/** Columns of the new tables that nothing fills, and columns of the users that Better Auth does not know. */
function requiredColumns(copies: Planned[], others: LiveColumn[], users: TablePath): Notice[] {
  return [
    ...copies.flatMap((change) => {
      if (change.kind !== 'copy') return []
      const isFilled = (name: string) => change.values.some(([column]) => column === name)
      return change.to.columns
        .filter(({ name, field, notNull, default: value }) => field !== 'id' && notNull && value === undefined && !isFilled(name))
        .map(({ name }) =>
          notice(
            'needs-value',
            [change.to.path.name.replace(/^new_/, ''), name],
            'the column is required, and the rows of Auth.js have no value for it',
            'Give it a default in your schema file, or allow null.',
          ),
        )
    }),
    ...others
      .filter(isUnfilled)
      .map(({ name }) =>
        notice(
          'required-column',
          [users.name, name],
          'the column is required, and Better Auth does not know it, so nobody could sign up',
          'Declare it in user.additionalFields and write the schema file again, or allow null or give it a default in the database.',
        ),
      ),
  ]
}
