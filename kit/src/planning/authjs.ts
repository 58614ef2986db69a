import type { Database } from 'drizzle-auth-adapter/internal'
import type { LiveColumn } from '../doctor/inspector.js'
import { isUnfilled, samePath } from '../doctor/inspector.js'
import type { Conversion } from './alteration.js'
import { alterationOf, followTypes } from './alteration.js'
import type { Move } from './assembly.js'
import { checkAuthjs } from './authjs-checks.js'
import type { Copying } from './copies.js'
import { authjsCopies, markedFor } from './copies.js'
import { freshOf, liveColumnOf, matchOf, pairOf } from './match.js'
import type { Catalog, Copy, Dialect, Match, NewColumn } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'
import { refusedKey, refusedTypes } from './refused.js'

/** The move from Auth.js to Better Auth: its tables are filled beside the old ones, and users change in place. */
export async function planAuthjs(
  db: Database,
  catalog: Catalog,
  copying: Copying,
  prefix: string,
  lowerCase: (text: string) => string,
): Promise<Move & { notices: Notice[] }> {
  const { dialect, source, target } = copying
  const { users, ...rest } = source
  const olds = Object.values(rest)
  const fresh = freshOf(target)
  dialect.adapt?.(target.user, [...target.others, ...fresh], liveColumnOf(users, 'id') as LiveColumn)
  const match = matchOf(target.user, users)
  const none = { prefix, users: undefined, followers: [], replacements: [], copies: () => [] }
  const refused = refusedUsers(match, dialect)
  if (refused.length > 0) return { ...none, notices: refused }
  const alteration = alterationOf(match, { dialect, prefix, keepsTypes: true, ...userValues(match, dialect, lowerCase) })
  const isHere = (path: typeof target.user.path) => catalog.tables.some((table) => samePath(table, path))
  const inTheWay = fresh.filter(({ path }) => isHere(path) && !olds.some((table) => samePath(table, path)))
  const left = catalog.tables.filter((table) => !olds.includes(table))
  const copies = authjsCopies(copying)
  return {
    prefix,
    users: alteration,
    followers: dialect.alter ? [] : followTypes([alteration], left),
    replacements: [
      { old: source.accounts, now: target.account },
      { old: source.sessions, now: target.session },
      { old: source.verificationTokens, now: target.verification },
      { old: source.authenticators, now: target.passkey },
      ...target.others.filter(({ path }) => !isHere(path)).map((now) => ({ now })),
    ],
    copies(beside) {
      const { user, others, ...tables } = target
      const named = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, beside(table)])) as typeof tables
      return authjsCopies({ ...copying, target: { user, others, ...named } }).map(({ change }) => change)
    },
    isNewUser: { table: target.user.path, where: `${dialect.quote(prefix + pairOf(match, 'email')?.old?.name)} IS NULL` },
    notices: [
      ...inTheWay.map(({ path }) => notice('name-in-use', [path.name], `the plan needs the name ${path.name}, which is already in use`)),
      ...copies.flatMap(({ notices }) => notices),
      ...requiredColumns(copies.map(({ change }) => change)),
      ...match.others.filter(isUnfilled).map(({ name }) => notice('required-column', [users.name, name])),
      ...(await checkAuthjs(db, copying, match, lowerCase)),
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
  for (const [field, seconds] of Object.entries({ createdAt: -markedFor, updatedAt: 0 })) {
    const { now, old } = pairOf(match, field) ?? {}
    if (now && !old) values.set(field, dialect.moment(now.holds, seconds))
    if (!now || !old || !dialect.isDate(old)) continue
    const isSuccessor = !dialect.canRetype(old, now)
    const forward = (value: string) => dialect.date(value, old, now.holds)
    const back = (value: string) => dialect.date(value, now.holds, old)
    if (isSuccessor || forward('x') !== 'x') conversions.set(field, { forward, back, isSuccessor })
  }
  return { conversions, values }
}

function refusedUsers(match: Match, dialect: Dialect): Notice[] {
  if (['id', 'name', 'email', 'emailVerified'].some((field) => !pairOf(match, field)?.old)) {
    const message = 'the table has no columns id, name, email and emailVerified that could become those of the schema file'
    return [notice('missing-table', [match.old.name], message, 'Check the names of the columns in your schema file.')]
  }
  const fits = (now: NewColumn, old: LiveColumn) =>
    now.field === 'emailVerified' ? dialect.isDate(old) : dialect.isSameType(old, now) || dialect.converts(old, now)
  return [...refusedKey(match), ...refusedTypes(match, fits)]
}

/** Columns of the new tables that nothing fills. */
function requiredColumns(copies: Copy[]): Notice[] {
  return copies.flatMap(({ to, values }) => {
    const filled = new Set(values.map(([column]) => column))
    const empty = to.columns.filter((one) => one.field !== 'id' && one.notNull && one.default === undefined && !filled.has(one.name))
    const message = 'the column is required, and the rows of Auth.js have no value for it'
    const fix = 'Give it a default in your schema file, or allow null.'
    return empty.map(({ name }) => notice('needs-value', [to.path.name, name], message, fix))
  })
}
