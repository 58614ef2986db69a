import type { LiveColumn, LiveTable } from '../doctor/inspector.js'
import type { Role, Target } from './match.js'
import { columnOf, liveColumnOf } from './match.js'
import type { Dialect, NewColumn, NewTable, Planned } from './model.js'
import { literal } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'

/** What the statements that copy rows of Auth.js are made of. */
export interface Copying {
  dialect: Dialect
  /** The tables of Auth.js. */
  source: Partial<Record<Role, LiveTable>> & Record<'users' | 'accounts' | 'sessions', LiveTable>
  /** The tables of Better Auth. New ones have the names that they have while rows are copied. */
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

/** A column of an old table, by its field. */
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
export const newColumn = (table: NewTable, name: string) => columnOf(table, name) as NewColumn

/** The id of a user or a reference to it. Its type stays the same, except for text columns of MySQL. */
const userId = ({ dialect }: Copying, column: string, to: NewTable) =>
  newColumn(to, 'userId').holds.holds === 'text' ? dialect.text(column) : column

/** The provider and the id of an account in Better Auth. */
export function accountKey(copying: Copying) {
  const { dialect, source } = copying
  const provider = mustText(copying, source.accounts, 'provider')
  const id = mustText(copying, source.accounts, 'providerAccountId')
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

type Values = Record<string, string | undefined>

const dates = ({ dialect }: Copying, table: NewTable, created = 0): Values => ({
  createdAt: dialect.moment(columnOf(table, 'createdAt')?.holds ?? { holds: 'date' }, created),
  updatedAt: dialect.moment(columnOf(table, 'updatedAt')?.holds ?? { holds: 'date' }, 0),
})
const newId = ({ dialect }: Copying, table: NewTable, seed: string) => dialect.newId(newColumn(table, 'id'), seed)

/** Columns of the app that both tables have, and dates of rows. */
function ownColumns({ dialect }: Copying, source: LiveTable, to: NewTable, values: Values): { values: Values; notices: Notice[] } {
  const own: Values = {}
  const notices: Notice[] = []
  const isDated = to.model !== 'sessions'
  for (const column of to.columns) {
    if (values[column.field] !== undefined && !(isDated && /^(created|updated)At$/.test(column.field))) continue
    const old = liveColumnOf(source, column.field) ?? liveColumnOf(source, column.name)
    if (!old || column.field === 'id') continue
    const isDate = /date/.test(column.holds.holds) || /^(created|updated)At$/.test(column.field)
    const value = `o.${dialect.quote(old.name)}`
    if (isDate && dialect.isDate(old)) own[column.field] = dialect.date(value, old, column.holds)
    else if (column.holds.holds === 'text') own[column.field] = dialect.text(value)
    else if (dialect.isSameType(old, column) || dialect.converts(old, column)) own[column.field] = value
    else if (values[column.field] === undefined) {
      const message = `the column is ${old.type} in the old table and ${column.type} in your schema file, and the plan cannot convert it`
      notices.push(notice('wrong-type', [source.name, old.name], message, 'Declare it with its type.'))
    }
    if (own[column.field] && values[column.field] && column.notNull)
      own[column.field] = `coalesce(${own[column.field]}, ${values[column.field]})`
  }
  return { values: own, notices }
}

function copy(copying: Copying, about: string, source: LiveTable, to: NewTable, given: Values, where?: string, ended: string[] = []) {
  const isOfSource = source !== copying.source.users && to.model !== 'verificationTokens'
  const own = isOfSource ? ownColumns(copying, source, to, given) : { values: {}, notices: [] }
  const values = Object.entries({ ...given, ...own.values }).flatMap(([name, value]): [string, string][] => {
    const column = columnOf(to, name)
    return column && value !== undefined ? [[column.name, value]] : []
  })
  const from = `${copying.dialect.path(source)} AS o`
  const change: Planned = { kind: 'copy', to, source, from, ...(where !== undefined && { where }), values, ended, about }
  return { change, notices: own.notices }
}

/** Whether a new table still has what was copied from a row of an old one, whose alias is the old table's own name if none is given. */
export function isStillThere(copying: Copying, role: 'accounts' | 'sessions' | 'authenticators', table: NewTable): string {
  const { dialect, source } = copying
  const old = source[role] as LiveTable
  const column = (name: string) => `n.${dialect.quote(newColumn(table, name).name)}`
  const { providerId, accountId } = accountKey(copying)
  const same = {
    accounts: () => [dialect.same(column('providerId'), providerId), dialect.same(column('accountId'), accountId)],
    sessions: () => [dialect.same(column('token'), mustText(copying, old, 'sessionToken'))],
    authenticators: () => [dialect.same(column('credentialID'), credentialId(mustText(copying, old, 'credentialID')))],
  }[role]()
  const on = [`${column('userId')} = ${must(copying, old, 'userId')}`, ...same].join(' AND ')
  return `EXISTS (SELECT 1 FROM ${dialect.path(table.path)} AS n WHERE ${on})`
}

/** Deletes rows of an old table by a condition that names them as `o`. */
const remove = ({ dialect }: Copying, table: LiveTable, where: string) => `${dialect.deleteFrom(table)} WHERE ${where};`

export function copyAccounts(copying: Copying) {
  const { dialect, target, source } = copying
  const { account } = target
  const { accounts } = source
  const { providerId, accountId } = accountKey(copying)
  const text = (name: string) => textOf(copying, accounts, name)
  const expiry = columnOf(account, 'accessTokenExpiresAt')
  const [seconds, scope] = [field(copying, accounts, 'expires_at'), text('scope')]
  const values = {
    id: newId(copying, account, mustText(copying, accounts, 'providerAccountId')),
    userId: userId(copying, must(copying, accounts, 'userId'), account),
    providerId,
    accountId,
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: seconds && expiry && dialect.fromSeconds(seconds, expiry.holds),
    scope: scope && scopes(scope),
    ...dates(copying, account),
  }
  const ended = [remove(copying, accounts, `${isAccount(copying)} AND NOT ${isStillThere(copying, 'accounts', account)}`)]
  return copy(copying, 'Copy accounts', accounts, account, values, isAccount(copying), ended)
}

export function copyPasswords(copying: Copying, password: LiveColumn) {
  const { dialect, target, source } = copying
  const { account } = target
  const id = must(copying, source.users, 'id')
  const own = dialect.quote(password.name)
  const values = {
    id: newId(copying, account, dialect.text(id)),
    userId: userId(copying, id, account),
    providerId: literal('credential'),
    accountId: dialect.text(id),
    password: dialect.text(`o.${own}`),
    ...dates(copying, account),
  }
  const column = (name: string) => `a.${dialect.quote(newColumn(account, name).name)}`
  const users = dialect.path(source.users)
  const isOfUser = `${column('providerId')} = 'credential' AND ${column('userId')} = ${users}.${id.slice(2)}`
  const now = `SELECT ${column('password')} FROM ${dialect.path(account.path)} AS a WHERE ${isOfUser}`
  const ended = [`UPDATE ${users} SET ${own} = coalesce((${now}), CASE WHEN ${own} = '' THEN ${own} END);`]
  return copy(copying, 'Copy passwords', source.users, account, values, `${values.password} <> ''`, ended)
}

export function copySessions(copying: Copying) {
  const { dialect, target, expiresIn, source } = copying
  const { sessions } = source
  const { session } = target
  const expiry = newColumn(session, 'expiresAt').holds
  const token = mustText(copying, sessions, 'sessionToken')
  const expires = dialect.date(must(copying, sessions, 'expires'), liveColumnOf(sessions, 'expires') as LiveColumn, expiry)
  const values = {
    id: newId(copying, session, token),
    userId: userId(copying, must(copying, sessions, 'userId'), session),
    token,
    expiresAt: dialect.earliest(expires, dialect.moment(expiry, expiresIn)),
    ...dates(copying, session, -age),
  }
  const ended = [remove(copying, sessions, `NOT ${isStillThere(copying, 'sessions', session)}`)]
  return copy(copying, 'Copy sessions', sessions, session, values, undefined, ended)
}

/** At this time, the new table has no other sessions. */
export function markSessions(copying: Copying) {
  const { dialect, target } = copying
  const { session, verification } = target
  const column = (name: string) => dialect.text(`o.${dialect.quote(newColumn(session, name).name)}`)
  const values = {
    id: newId(copying, verification, column('token')),
    identifier: dialect.concat(literal(mark), column('token')),
    value: column('id'),
    expiresAt: dialect.moment(newColumn(verification, 'expiresAt').holds, markedFor),
    ...dates(copying, verification),
  }
  const sessions = { ...session.path, columns: [], keys: [], foreignKeys: [] }
  return copy(copying, 'Mark the sessions, so that their old cookies still work', sessions, verification, values)
}

export function copyPasskeys(copying: Copying, authenticators: LiveTable, passkey: NewTable) {
  const { dialect, source } = copying
  const text = (name: string) => mustText(copying, authenticators, name)
  const values = {
    id: newId(copying, passkey, text('credentialID')),
    userId: userId(copying, must(copying, authenticators, 'userId'), passkey),
    credentialID: credentialId(text('credentialID')),
    publicKey: text('credentialPublicKey'),
    counter: field(copying, authenticators, 'counter'),
    deviceType: text('credentialDeviceType'),
    backedUp: field(copying, authenticators, 'credentialBackedUp'),
    transports: textOf(copying, authenticators, 'transports'),
    ...dates(copying, passkey),
  }
  const ended = [remove(copying, authenticators, `NOT ${isStillThere(copying, 'authenticators', passkey)}`)]
  const accountOf = field(copying, authenticators, 'providerAccountId', 'a')
  const id = accountOf && dialect.same(accountOf, mustText(copying, source.accounts, 'providerAccountId'))
  const isGone = `NOT EXISTS (SELECT 1 FROM ${dialect.path(authenticators)} AS a WHERE ${id})`
  if (id && isAccount(copying) !== '1 = 1') ended.push(remove(copying, source.accounts, `NOT ${isAccount(copying)} AND ${isGone}`))
  return copy(copying, 'Copy passkeys', authenticators, passkey, values, undefined, ended)
}
