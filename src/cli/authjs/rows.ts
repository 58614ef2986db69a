import type { LiveColumn } from '../core.js'
import type { NewTable } from '../moving/model.js'
import type { MoveDialect, UserMove } from './dialect.js'
import { literal } from './dialect.js'
import { renamedProviders } from './providers.js'
import type { Role, SourceTable } from './source.js'
import type { Target } from './target.js'
import { columnOf, mustColumn } from './target.js'

/** What the statements that copy rows are made of. */
export interface Copying {
  dialect: MoveDialect
  /** The old tables, with the names that they have while rows are copied. */
  source: Partial<Record<Role, SourceTable>>
  target: Target
  /** How long a session may last, in seconds. */
  expiresIn: number
  /** The column of the users that holds hashes of passwords. */
  password?: LiveColumn | undefined
  /** How statements refer to an old table; by default as o. */
  alias?(table: SourceTable): string
}

const day = 86_400
/** So long that a session that was copied never counts as new. */
const age = 365 * day
/** How long the bridge may still find a session by the token of Auth.js. */
const markedFor = 90 * day

/** The mark of a session: a row of `verification` whose identifier is this and the token. */
const mark = 'authjs-session:'

/** A column of an old table. */
export const oldColumn = ({ dialect, alias = () => 'o' }: Copying, table: SourceTable, field: string): string | undefined => {
  const column = table.column(field)
  return column && `${alias(table)}.${dialect.mover.quote(column.name)}`
}

const must = (copying: Copying, table: SourceTable, field: string) => oldColumn(copying, table, field) as string
export const textOf = (copying: Copying, table: SourceTable, field: string) => {
  const column = oldColumn(copying, table, field)
  return column && copying.dialect.text(column)
}

/** The id of a user or a reference to it. Its type stays the same, except for text columns of MySQL. */
const userId = ({ dialect }: Copying, column: string, to: NewTable, field = 'userId') =>
  mustColumn(to, field).holds.holds === 'text' ? dialect.text(column) : column

/** The provider and the id of an account in Better Auth. */
export function accountKey(copying: Copying, accounts: SourceTable): { providerId: string; accountId: string; isRenamed: string } {
  const { dialect } = copying
  const provider = textOf(copying, accounts, 'provider') as string
  const id = textOf(copying, accounts, 'providerAccountId') as string
  const token = textOf(copying, accounts, 'id_token')
  const isRenamed = `${provider} IN (${Object.keys(renamedProviders).map(literal).join(', ')})`
  const cases = Object.entries(renamedProviders).map(([from, to]) => `WHEN ${literal(from)} THEN ${literal(to)}`)
  return {
    providerId: `CASE ${provider} ${cases.join(' ')} ELSE ${provider} END`,
    accountId: dialect.objectId && token ? `CASE WHEN ${isRenamed} THEN coalesce(${dialect.objectId(token)}, ${id}) ELSE ${id} END` : id,
    isRenamed,
  }
}

/** Rows of passkeys among the accounts. */
export function isPasskeyAccount(copying: Copying, accounts: SourceTable): string | undefined {
  const type = textOf(copying, accounts, 'type')
  return type && `${type} = 'webauthn'`
}

/** Scopes as Better Auth joins them. */
const scopes = (text: string) => `replace(replace(trim(${text}), ', ', ','), ' ', ',')`

function insert({ dialect }: Copying, table: NewTable, values: Record<string, string | undefined>, from: string): string {
  const written = Object.entries(values).flatMap(([field, value]): [string, string][] => {
    const column = columnOf(table, field)
    return column && value !== undefined ? [[dialect.mover.quote(column.name), value]] : []
  })
  return `INSERT INTO ${dialect.path(table.path)} (${written.map(([name]) => name).join(', ')})\nSELECT ${written.map(([, value]) => value).join(',\n  ')}\nFROM ${from};`
}

const dates = ({ dialect }: Copying, table: NewTable, created = 0) => ({
  createdAt: dialect.moment(columnOf(table, 'createdAt')?.holds ?? { holds: 'date' }, created),
  updatedAt: dialect.moment(columnOf(table, 'updatedAt')?.holds ?? { holds: 'date' }, 0),
})

const newId = ({ dialect }: Copying, table: NewTable, seed: string) => dialect.newId(mustColumn(table, 'id'), seed)

const from = ({ dialect }: Copying, { live }: SourceTable) => `${dialect.path(live)} AS o`

export function copyAccounts(copying: Copying, accounts: SourceTable): string {
  const { dialect, target } = copying
  const { providerId, accountId } = accountKey(copying, accounts)
  const field = (name: string) => textOf(copying, accounts, name)
  const expiry = columnOf(target.account, 'accessTokenExpiresAt')
  const [seconds, scope, isPasskey] = [oldColumn(copying, accounts, 'expires_at'), field('scope'), isPasskeyAccount(copying, accounts)]
  return insert(
    copying,
    target.account,
    {
      id: newId(copying, target.account, field('providerAccountId') as string),
      userId: userId(copying, must(copying, accounts, 'userId'), target.account),
      providerId,
      accountId,
      accessToken: field('access_token'),
      refreshToken: field('refresh_token'),
      idToken: field('id_token'),
      accessTokenExpiresAt: seconds && expiry && dialect.fromSeconds(seconds, expiry.holds),
      scope: scope && scopes(scope),
      ...dates(copying, target.account),
    },
    `${from(copying, accounts)}${isPasskey ? ` WHERE NOT (${isPasskey})` : ''}`,
  )
}

export function copySessions(copying: Copying, sessions: SourceTable): string {
  const { dialect, target, expiresIn } = copying
  const expiry = mustColumn(target.session, 'expiresAt').holds
  const token = textOf(copying, sessions, 'sessionToken') as string
  const expires = dialect.date(must(copying, sessions, 'expires'), sessions.column('expires') as LiveColumn, expiry)
  return insert(
    copying,
    target.session,
    {
      id: newId(copying, target.session, token),
      userId: userId(copying, must(copying, sessions, 'userId'), target.session),
      token,
      expiresAt: dialect.earliest(expires, dialect.moment(expiry, expiresIn)),
      ...dates(copying, target.session, -age),
    },
    from(copying, sessions),
  )
}

/** Users existed before the move. The bridge takes a JWT that is older than its user for one of somebody else, whose id is used again. */
export function dateUsers({ dialect }: Copying, { now, added, old }: UserMove): string[] {
  const column = added.find(({ field }) => field === 'createdAt')
  if (!column) return []
  const { quote } = dialect.mover
  const past = `${quote(column.name)} = ${dialect.moment(column.holds, -markedFor)}`
  // On MySQL, such a column would get the current time.
  const untouched = old.columns.filter(({ rest = '' }) => /on update/i.test(rest)).map(({ name }) => `${quote(name)} = ${quote(name)}`)
  return [`UPDATE ${dialect.path(now.path)} SET ${[past, ...untouched].join(', ')};`]
}

/** At this time, the table of sessions has no others. */
export function markSessions(copying: Copying): string {
  const { dialect, target } = copying
  const column = (field: string) => dialect.text(`o.${dialect.mover.quote(mustColumn(target.session, field).name)}`)
  return insert(
    copying,
    target.verification,
    {
      id: newId(copying, target.verification, column('token')),
      identifier: dialect.concat(literal(mark), column('token')),
      value: column('id'),
      expiresAt: dialect.moment(mustColumn(target.verification, 'expiresAt').holds, markedFor),
      ...dates(copying, target.verification),
    },
    `${dialect.path(target.session.path)} AS o`,
  )
}

/** Auth.js stores ids of passkeys in base64, Better Auth looks them up as browsers send them. */
const credentialId = (base64: string) => `replace(replace(replace(${base64}, '+', '-'), '/', '_'), '=', '')`

export function copyPasskeys(copying: Copying, authenticators: SourceTable, passkey: NewTable): string {
  const field = (name: string) => textOf(copying, authenticators, name)
  return insert(
    copying,
    passkey,
    {
      id: newId(copying, passkey, field('credentialID') as string),
      userId: userId(copying, must(copying, authenticators, 'userId'), passkey),
      credentialID: credentialId(field('credentialID') as string),
      publicKey: field('credentialPublicKey'),
      counter: oldColumn(copying, authenticators, 'counter'),
      deviceType: field('credentialDeviceType'),
      backedUp: oldColumn(copying, authenticators, 'credentialBackedUp'),
      transports: field('transports'),
      ...dates(copying, passkey),
    },
    from(copying, authenticators),
  )
}

/** The users have their new columns by now. */
export function copyPasswords(copying: Copying, password: LiveColumn): string {
  const { dialect, target } = copying
  const id = `o.${dialect.mover.quote(mustColumn(target.user, 'id').name)}`
  const hash = dialect.text(`o.${dialect.mover.quote(password.name)}`)
  return insert(
    copying,
    target.account,
    {
      id: newId(copying, target.account, dialect.text(id)),
      userId: userId(copying, id, target.account),
      providerId: literal('credential'),
      accountId: dialect.text(id),
      password: hash,
      ...dates(copying, target.account),
    },
    `${dialect.path(target.user.path)} AS o WHERE ${hash} <> ''`,
  )
}

/** Whether the new tables still have what was copied from a row of an old one. The new tables have an index of user ids. */
export const isStillThere = {
  users: (copying: Copying, users: SourceTable) =>
    inNewTable(copying, copying.target.user, [
      `n.${copying.dialect.mover.quote(mustColumn(copying.target.user, 'id').name)} = ${must(copying, users, 'id')}`,
    ]),
  sessions: (copying: Copying, sessions: SourceTable) =>
    ofSameUser(copying, sessions, copying.target.session, { token: must(copying, sessions, 'sessionToken') }),
  accounts(copying: Copying, accounts: SourceTable) {
    const { providerId, accountId } = accountKey(copying, accounts)
    return ofSameUser(copying, accounts, copying.target.account, { providerId, accountId })
  },
  passkeys: (copying: Copying, authenticators: SourceTable, passkey: NewTable) =>
    ofSameUser(copying, authenticators, passkey, { credentialID: credentialId(textOf(copying, authenticators, 'credentialID') as string) }),
}

const inNewTable = ({ dialect }: Copying, { path }: NewTable, on: string[]) =>
  `EXISTS (SELECT 1 FROM ${dialect.path(path)} AS n WHERE ${on.join(' AND ')})`

function ofSameUser(copying: Copying, old: SourceTable, table: NewTable, values: Record<string, string>): string {
  const { dialect } = copying
  const column = (field: string) => `n.${dialect.mover.quote(mustColumn(table, field).name)}`
  return inNewTable(copying, table, [
    `${column('userId')} = ${must(copying, old, 'userId')}`,
    ...Object.entries(values).map(([field, value]) => dialect.same(column(field), value)),
  ])
}

/** Deletes from the old tables what was deleted from the new ones, so that it does not come back. */
export function deleteEnded(given: Copying): string[] {
  const { dialect, source, target, password } = given
  const copying: Copying = { ...given, alias: ({ live }) => dialect.path(live) }
  const { quote } = dialect.mover
  const { accounts, sessions, authenticators } = source
  const isPasskey = accounts && isPasskeyAccount(copying, accounts)
  const remove = (table: SourceTable, where: string) => `DELETE FROM ${dialect.path(table.live)} WHERE ${where};`
  const statements: string[] = []
  if (sessions) statements.push(remove(sessions, `NOT ${isStillThere.sessions(copying, sessions)}`))
  if (accounts)
    statements.push(remove(accounts, `${isPasskey ? `NOT (${isPasskey}) AND ` : ''}NOT ${isStillThere.accounts(copying, accounts)}`))
  if (authenticators && target.passkey) {
    statements.push(remove(authenticators, `NOT ${isStillThere.passkeys(copying, authenticators, target.passkey)}`))
    const accountOf = authenticators.column('providerAccountId')
    if (accounts && isPasskey && accountOf) {
      const id = dialect.same(`a.${quote(accountOf.name)}`, must(copying, accounts, 'providerAccountId'))
      statements.push(remove(accounts, `${isPasskey} AND NOT EXISTS (SELECT 1 FROM ${dialect.path(authenticators.live)} AS a WHERE ${id})`))
    }
  }
  if (password) {
    const users = dialect.path(target.user.path)
    const id = `${users}.${quote(mustColumn(target.user, 'id').name)}`
    const account = (field: string) => `a.${quote(mustColumn(target.account, field).name)}`
    const hash = `SELECT ${account('password')} FROM ${dialect.path(target.account.path)} AS a WHERE ${account('providerId')} = 'credential' AND ${account('userId')} = ${id}`
    const own = quote(password.name)
    statements.push(`UPDATE ${users} SET ${own} = coalesce((${hash}), CASE WHEN ${own} = '' THEN ${own} END);`)
  }
  return statements
}
