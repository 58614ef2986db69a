import type { LiveColumn, LiveTable } from '../doctor/inspector.js'
import type { Role, Target } from './match.js'
import { columnOf, liveColumnOf } from './match.js'
import type { Copy, Dialect, NewColumn, NewTable } from './model.js'
import { literal } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'

/** The tables of Auth.js and of Better Auth, and the settings by which rows of the ones become rows of the others. */
export interface Copying {
  dialect: Dialect
  source: Partial<Record<Role, LiveTable>> & Record<'users' | 'accounts' | 'sessions', LiveTable>
  target: Target<NewTable>
  /** How long a session may last, in seconds. */
  expiresIn: number
  /** All tables of the database. */
  tables: LiveTable[]
  /** The column of the users that holds hashes of passwords. */
  password?: LiveColumn | undefined
}

/** Providers that have another id in Better Auth. */
export const renamedProviders: Record<string, string> = { 'azure-ad': 'microsoft', 'microsoft-entra-id': 'microsoft' }

const day = 86_400
/** So long that a session that was copied never counts as new. */
const age = 365 * day
/** How long the bridge may still find a session by the token of Auth.js. */
export const markedFor = 90 * day
/** The mark of a session: a row of `verification` whose identifier is this and the token. */
const mark = 'authjs-session:'

/** A column of the row o of an old table, by its field. */
export const field = ({ dialect }: Copying, table: LiveTable, name: string, alias = 'o'): string | undefined => {
  const column = liveColumnOf(table, name)
  return column && `${alias}.${dialect.quote(column.name)}`
}
export const must = (copying: Copying, table: LiveTable, name: string) => field(copying, table, name) as string
export const textOf = (copying: Copying, table: LiveTable, name: string) => {
  const column = field(copying, table, name)
  return column && copying.dialect.text(column)
}
const mustText = (copying: Copying, table: LiveTable, name: string) => textOf(copying, table, name) as string
const newColumn = (table: NewTable, name: string) => columnOf(table, name) as NewColumn

/** The provider and the id of an account in Better Auth. */
export function accountKey(copying: Copying) {
  const { dialect, source } = copying
  const [provider, id] = [mustText(copying, source.accounts, 'provider'), mustText(copying, source.accounts, 'providerAccountId')]
  const token = textOf(copying, source.accounts, 'id_token')
  const isRenamed = `${provider} IN (${Object.keys(renamedProviders).map(literal).join(', ')})`
  const cases = Object.entries(renamedProviders).map(([from, to]) => `WHEN ${literal(from)} THEN ${literal(to)}`)
  return {
    provider,
    providerId: `CASE ${provider} ${cases.join(' ')} ELSE ${provider} END`,
    accountId: dialect.objectId && token ? `CASE WHEN ${isRenamed} THEN coalesce(${dialect.objectId(token)}, ${id}) ELSE ${id} END` : id,
    isRenamed,
  }
}

/** Rows of passkeys among the accounts are not copied: they belong to the passkeys. */
export function isAccount(copying: Copying): string {
  const type = textOf(copying, copying.source.accounts, 'type')
  return type ? `(${type} IS NULL OR ${type} <> 'webauthn')` : '1 = 1'
}

/** Scopes as Better Auth joins them. */
const scopes = (text: string) => `replace(replace(trim(${text}), ', ', ','), ' ', ',')`
/** Auth.js stores ids of passkeys in base64, Better Auth looks them up as browsers send them. */
const credentialId = (base64: string) => `replace(replace(replace(${base64}, '+', '-'), '/', '_'), '=', '')`

/** By field. */
type Values = Record<string, string | undefined>
type Copied = { change: Copy & { about: string }; notices: Notice[] }

/** Columns of the app that both tables have, and dates of rows. */
function ownColumns({ dialect }: Copying, source: LiveTable, to: NewTable, values: Values): { values: Values; notices: Notice[] } {
  const own: Values = {}
  const notices: Notice[] = []
  const isMoment = ({ field: name }: NewColumn) => /^(created|updated)At$/.test(name)
  for (const column of to.columns) {
    const given = values[column.field]
    const old = liveColumnOf(source, column.field) ?? liveColumnOf(source, column.name)
    if (!old || column.field === 'id' || (given !== undefined && !(to.model !== 'sessions' && isMoment(column)))) continue
    const value = `o.${dialect.quote(old.name)}`
    const isDate = (/date/.test(column.holds.holds) || isMoment(column)) && dialect.isDate(old)
    const isSame = dialect.isSameType(old, column) || dialect.converts(old, column)
    const converted = isDate
      ? dialect.date(value, old, column.holds)
      : column.holds.holds === 'text'
        ? dialect.text(value)
        : isSame
          ? value
          : undefined
    if (converted) own[column.field] = given && column.notNull ? `coalesce(${converted}, ${given})` : converted
    else if (given === undefined) {
      const message = `the column is ${old.type} in the old table and ${column.type} in your schema file, and the plan cannot convert it`
      notices.push(notice('wrong-type', [source.name, old.name], message, 'Declare it with its type.'))
    }
  }
  return { values: own, notices }
}

/** The rows of one table as those of another one. `seed` differs from row to row. */
function copy(
  copying: Copying,
  about: string,
  to: NewTable,
  given: Values,
  rest: Pick<Copy, 'where' | 'isCopy' | 'canBeCopy' | 'ended'> & { source: LiveTable; seed: string; created?: number; hasOwn?: boolean },
): Copied {
  const { dialect } = copying
  const { source, seed, created = 0, hasOwn = true, ...conditions } = rest
  const id = given.userId
  const holdsOf = (name: string) => columnOf(to, name)?.holds ?? { holds: 'date' as const }
  const values = {
    id: dialect.newId(newColumn(to, 'id'), seed),
    ...given,
    // Ids keep their type, except for texts of MySQL.
    ...(id && { userId: holdsOf('userId').holds === 'text' ? dialect.text(id) : id }),
    createdAt: dialect.moment(holdsOf('createdAt'), created),
    updatedAt: dialect.moment(holdsOf('updatedAt'), 0),
  }
  const own = hasOwn ? ownColumns(copying, source, to, values) : { values: {}, notices: [] }
  const all = Object.entries<string | undefined>({ ...values, ...own.values }).flatMap(([name, value]): [string, string][] => {
    const column = columnOf(to, name)
    return column && value !== undefined ? [[column.name, value]] : []
  })
  return { change: { kind: 'copy', to, source, values: all, ...conditions, about }, notices: own.notices }
}

/** Whether the row n of a new table is a copy of the row o. The users are compared first, which have an index. */
function isCopyOf({ dialect }: Copying, table: NewTable, userId: string, values: Record<string, string>): string {
  const column = (name: string) => `n.${dialect.quote(newColumn(table, name).name)}`
  return [`${column('userId')} = ${userId}`, ...Object.entries(values).map(([name, value]) => dialect.same(column(name), value))].join(
    ' AND ',
  )
}

/** The rows of Better Auth's tables, which have the names of the moment. */
export function authjsCopies(copying: Copying): Copied[] {
  const { password, target, source } = copying
  const passkeys = target.passkey && source.authenticators ? [copyPasskeys(copying, source.authenticators, target.passkey)] : []
  return [
    copyAccounts(copying),
    ...(password ? [copyPasswords(copying, password)] : []),
    copySessions(copying),
    markSessions(copying),
    ...passkeys,
  ]
}

function copyAccounts(copying: Copying): Copied {
  const { dialect, target, source } = copying
  const { account } = target
  const { accounts } = source
  const { providerId, accountId } = accountKey(copying)
  const text = (name: string) => textOf(copying, accounts, name)
  const expiry = columnOf(account, 'accessTokenExpiresAt')
  const [seconds, scope, userId] = [field(copying, accounts, 'expires_at'), text('scope'), must(copying, accounts, 'userId')]
  const values = {
    userId,
    providerId,
    accountId,
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: seconds && expiry && dialect.fromSeconds(seconds, expiry.holds),
    scope: scope && scopes(scope),
  }
  const isCopy = isCopyOf(copying, account, userId, { providerId, accountId })
  const seed = mustText(copying, accounts, 'providerAccountId')
  const canBeCopy = `n.${dialect.quote(newColumn(account, 'providerId').name)} <> 'credential'`
  return copy(copying, 'Copy accounts', account, values, { source: accounts, seed, where: isAccount(copying), isCopy, canBeCopy })
}

function copyPasswords(copying: Copying, password: LiveColumn): Copied {
  const { dialect, target, source } = copying
  const { account } = target
  const userId = must(copying, source.users, 'id')
  const own = dialect.quote(password.name)
  const [hash, accountId] = [dialect.text(`o.${own}`), dialect.text(userId)]
  const values = { userId, providerId: literal('credential'), accountId, password: hash }
  const column = (name: string) => `a.${dialect.quote(newColumn(account, name).name)}`
  const users = dialect.path(source.users)
  const isOfUser = `${column('providerId')} = 'credential' AND ${column('userId')} = ${users}.${userId.slice(2)}`
  const now = `SELECT ${column('password')} FROM ${dialect.path(account.path)} AS a WHERE ${isOfUser}`
  const ended = [`UPDATE ${users} SET ${own} = coalesce((${now}), CASE WHEN ${own} = '' THEN ${own} END);`]
  return copy(copying, 'Copy passwords', account, values, {
    source: source.users,
    seed: accountId,
    where: `${hash} <> ''`,
    ended,
    hasOwn: false,
  })
}

function copySessions(copying: Copying): Copied {
  const { dialect, target, expiresIn, source } = copying
  const { sessions } = source
  const { session } = target
  const expiry = newColumn(session, 'expiresAt').holds
  const [token, userId] = [mustText(copying, sessions, 'sessionToken'), must(copying, sessions, 'userId')]
  const expires = dialect.date(must(copying, sessions, 'expires'), liveColumnOf(sessions, 'expires') as LiveColumn, expiry)
  const values = { userId, token, expiresAt: dialect.earliest(expires, dialect.moment(expiry, expiresIn)) }
  const isCopy = isCopyOf(copying, session, userId, { token })
  return copy(copying, 'Copy sessions', session, values, { source: sessions, seed: token, created: -age, isCopy })
}

/** At this time, the new table has no other sessions. */
function markSessions(copying: Copying): Copied {
  const { dialect, target } = copying
  const { session, verification } = target
  const column = (name: string) => dialect.text(`o.${dialect.quote(newColumn(session, name).name)}`)
  const expiresAt = dialect.moment(newColumn(verification, 'expiresAt').holds, markedFor)
  const values = { identifier: dialect.concat(literal(mark), column('token')), value: column('id'), expiresAt }
  const source = { ...session.path, columns: [], keys: [], foreignKeys: [] }
  return copy(copying, 'Mark the sessions, so that their old cookies still work', verification, values, { source, seed: column('token') })
}

function copyPasskeys(copying: Copying, authenticators: LiveTable, passkey: NewTable): Copied {
  const { dialect, source } = copying
  const text = (name: string) => mustText(copying, authenticators, name)
  const userId = must(copying, authenticators, 'userId')
  const values = {
    userId,
    credentialID: credentialId(text('credentialID')),
    publicKey: text('credentialPublicKey'),
    counter: field(copying, authenticators, 'counter'),
    deviceType: text('credentialDeviceType'),
    backedUp: field(copying, authenticators, 'credentialBackedUp'),
    transports: textOf(copying, authenticators, 'transports'),
  }
  // Their accounts go with them.
  const accountOf = field(copying, authenticators, 'providerAccountId', 'a')
  const id = accountOf && dialect.same(accountOf, mustText(copying, source.accounts, 'providerAccountId'))
  const isGone = `NOT EXISTS (SELECT 1 FROM ${dialect.path(authenticators)} AS a WHERE ${id})`
  const isOne = isAccount(copying)
  const ended = id && isOne !== '1 = 1' ? [`${dialect.deleteFrom(source.accounts)} WHERE NOT ${isOne} AND ${isGone};`] : []
  const isCopy = isCopyOf(copying, passkey, userId, { credentialID: values.credentialID })
  return copy(copying, 'Copy passkeys', passkey, values, { source: authenticators, seed: text('credentialID'), isCopy, ended })
}
