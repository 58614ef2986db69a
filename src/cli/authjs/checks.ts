import { sql } from 'drizzle-orm'
import type { ColumnType, Database, Inspector, LiveColumn } from '../core.js'
import { isUnfilled, read } from '../core.js'
import type { NewTable, Notice } from '../moving/model.js'
import { notice } from '../moving/model.js'
import type { UserMove } from './dialect.js'
import { literal } from './dialect.js'
import { knownProviders, renamedProviders } from './providers.js'
import type { Copying } from './rows.js'
import { accountKey, isPasskeyAccount, oldColumn, textOf } from './rows.js'
import type { SourceTable } from './source.js'
import { mustColumn } from './target.js'

/** What the checks of rows need. */
export interface Checking {
  db: Database
  inspector: Inspector
  copying: Copying
  users: SourceTable
  move: UserMove
}

type Check = (checking: Checking) => Promise<Notice[]>

export async function count({ db, copying }: Pick<Checking, 'db' | 'copying'>, table: SourceTable, where = '1 = 1'): Promise<number> {
  const [row] = await read(db, { found: sql`count(*)` }, sql.raw(`${copying.dialect.path(table.live)} o`), sql.raw(where))
  return Number(row?.found)
}

const inWords = (found: number) => `${found.toLocaleString('en')} row${found === 1 ? '' : 's'}`
const nameOf = (table: SourceTable, field: string): [string, string | undefined] => [table.live.name, table.column(field)?.name]

/** Counts rows, and creates a notice if there are any. */
async function found(
  checking: Checking,
  code: Notice['code'],
  table: SourceTable,
  field: string | undefined,
  where: string,
  message: string,
  fix?: string,
): Promise<Notice[]> {
  const rows = await count(checking, table, where)
  const place: [string, string | undefined] = field === undefined ? [table.live.name, undefined] : nameOf(table, field)
  return rows === 0 ? [] : [notice(code, place, `${message}: ${inWords(rows)}`, fix)]
}

const addresses: Check = async (checking) => {
  const { copying, users, inspector, db } = checking
  const email = oldColumn(copying, users, 'email') as string
  const lower = inspector.lowerCase(email)
  const missing = await found(
    checking,
    'no-email',
    users,
    'email',
    `${email} is null or ${copying.dialect.text(email)} = ''`,
    'users without an email address, which Better Auth requires',
    'Give them an address, or delete them.',
  )
  const exact = inspector.exact(sql.raw(lower))
  const groups = sql`(select count(*) as n from ${sql.raw(copying.dialect.path(users.live))} o where ${sql.raw(email)} is not null group by ${exact} having count(*) > 1) as g`
  const [row] = await read(db, { found: sql`sum(g.n - 1)` }, groups)
  const collisions = Number(row?.found ?? 0)
  const collided =
    collisions === 0
      ? []
      : [
          notice(
            'case-collisions',
            nameOf(users, 'email'),
            `email addresses that are the same in lower case, as Better Auth stores them: ${inWords(collisions)}`,
            'Decide which user keeps the address, and change or delete the others.',
          ),
        ]
  // Databases differ in which letters they convert. What Better Auth looks up is JavaScript's lower case.
  const others = await read(
    db,
    { email: sql.raw(copying.dialect.text(email)), lower: sql.raw(lower) },
    sql.raw(`${copying.dialect.path(users.live)} o`),
    sql.raw(copying.dialect.hasOtherLetters(email)),
  )
  const wrong = others.filter((each) => decoded(each.email).toLowerCase() !== decoded(each.lower)).length
  const unconverted =
    wrong === 0
      ? []
      : [
          notice(
            'not-lower-case',
            nameOf(users, 'email'),
            `email addresses with capital letters that this database does not convert to lower case: ${inWords(wrong)}`,
            'Write them in lower case before you run the plan.',
          ),
        ]
  return [...missing, ...collided, ...unconverted]
}

const decoded = (value: unknown) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value))

/** Rows of users who do not exist, which the new foreign keys do not allow, and rows without a required value. */
const references: Check = async (checking) => {
  const { copying, users } = checking
  const { accounts, sessions, authenticators } = copying.source
  const { path, mover } = copying.dialect
  const id = `u.${mover.quote(users.column('id')?.name ?? '')}`
  const notices: Notice[] = []
  for (const table of [accounts, sessions, authenticators]) {
    if (!table) continue
    const user = oldColumn(copying, table, 'userId')
    const orphan = `${user} is null or not exists (select 1 from ${path(users.live)} u where ${id} = ${user})`
    const fix = `DELETE FROM ${path(table.live)} WHERE ${mover.quote(table.column('userId')?.name ?? '')} NOT IN (SELECT ${mover.quote(users.column('id')?.name ?? '')} FROM ${path(users.live)});`
    notices.push(...(await found(checking, 'orphans', table, 'userId', orphan, 'rows of users that do not exist', fix)))
  }
  return notices
}

const dates: Check = async (checking) => {
  const { copying, users, move } = checking
  const { sessions } = copying.source
  const { isUnreadable } = copying.dialect
  const notices: Notice[] = []
  if (sessions) {
    const expires = oldColumn(copying, sessions, 'expires') as string
    const message = 'sessions without an end'
    notices.push(...(await found(checking, 'needs-value', sessions, 'expires', `${expires} is null`, message, 'Delete them.')))
    if (isUnreadable) notices.push(...(await unreadable(checking, sessions, 'expires', isUnreadable(expires))))
  }
  for (const { now, old } of move.columns)
    if (isUnreadable && old && copying.dialect.changesValues(old, now))
      notices.push(...(await unreadable(checking, users, now.field, isUnreadable(`o.${copying.dialect.mover.quote(old.name)}`))))
  return notices
}

const unreadable = (checking: Checking, table: SourceTable, field: string, where: string) =>
  found(
    checking,
    'unreadable-dates',
    table,
    field,
    where,
    'values that SQLite cannot read as a date',
    'Write them in UTC, such as 2030-01-31 12:30:00, or delete them.',
  )

const providers: Check = async (checking) => {
  const { copying, db } = checking
  const { accounts } = copying.source
  if (!accounts) return []
  const { dialect } = copying
  const provider = textOf(copying, accounts, 'provider') as string
  const { providerId, accountId, isRenamed } = accountKey(copying, accounts)
  const passkey = isPasskeyAccount(copying, accounts)
  const isCopied = passkey ? `NOT (${passkey})` : '1 = 1'
  const token = textOf(copying, accounts, 'id_token')
  const known = [...knownProviders, 'salesforce', ...Object.keys(renamedProviders)].map(literal).join(', ')
  const encrypted = ['access_token', 'refresh_token', 'id_token'].flatMap((field) => {
    const value = textOf(copying, accounts, field)
    return value ? [`${value} LIKE 'e1.%'`] : []
  })
  const groups = `(select count(*) as n from ${dialect.path(accounts.live)} o where ${isCopied} group by ${providerId}, ${accountId} having count(*) > 1) as g`
  const [row] = await read(db, { found: sql`sum(g.n - 1)` }, sql.raw(groups))
  const duplicates = Number(row?.found ?? 0)
  const decode = token && dialect.objectId
  const unknownId = decode ? `${isRenamed} AND ${dialect.objectId?.(token)} IS NULL` : isRenamed
  return [
    ...(await found(
      checking,
      'reserved-provider',
      accounts,
      'provider',
      `${isCopied} AND ${provider} = 'credential'`,
      'accounts of a provider called credential, which is what Better Auth calls passwords: whoever has such an account could sign in with a password',
      'Delete these accounts, or give the provider another id.',
    )),
    ...(encrypted.length === 0
      ? []
      : await found(
          checking,
          'encrypted-tokens',
          accounts,
          'provider',
          `${isRenamed} AND (${encrypted.join(' OR ')})`,
          'accounts of azure-ad or microsoft-entra-id with encrypted tokens, which cannot be decrypted once the provider is called microsoft',
          'Decrypt the tokens with: npx drizzle-auth-adapter secrets --decrypt',
        )),
    ...(duplicates === 0
      ? []
      : [
          notice(
            'duplicates',
            nameOf(accounts, 'provider'),
            `accounts that would have the provider and id of another one: ${inWords(duplicates)}`,
            'Decide which of them to keep, and delete the others.',
          ),
        ]),
    ...(await found(
      checking,
      'account-ids',
      accounts,
      'provider',
      unknownId,
      `accounts of Microsoft that keep their old id, because ${decode ? 'they have no id_token with an oid' : 'this database cannot read the new one from id_token'}. Better Auth looks for another id: it links the next sign-in by the email address if both sides have verified it, and refuses it otherwise`,
      'Trust the provider for these users: account: { accountLinking: { trustedProviders: ["microsoft"], requireLocalEmailVerified: false } }.',
    )),
    ...(await found(
      checking,
      'account-ids',
      accounts,
      'provider',
      `${provider} = 'salesforce'`,
      'accounts of Salesforce that keep their old id. Better Auth looks for another id: it links the next sign-in by the email address, or refuses it',
    )),
    ...(await found(
      checking,
      'other-providers',
      accounts,
      'provider',
      `${isCopied} AND ${provider} NOT IN (${known}, 'credential')`,
      'accounts of providers that Better Auth does not have',
      'Add them with the plugin genericOAuth, with the ids that they have in Auth.js.',
    )),
  ]
}

/** Columns of the new tables that nothing fills, and columns of the users that Better Auth does not know. */
const columns: Check = async ({ copying: { target, source }, move }) => {
  const filled = new Set(
    [
      'id',
      'userId',
      'providerId',
      'accountId',
      'token',
      'expiresAt',
      'createdAt',
      'updatedAt',
      'identifier',
      'value',
      'credentialID',
    ].concat(['publicKey', 'counter', 'deviceType', 'backedUp']),
  )
  const copied = [target.account, target.session, target.verification, ...(target.passkey && source.authenticators ? [target.passkey] : [])]
  return [
    ...copied.flatMap(({ path, columns }: NewTable) =>
      columns
        .filter(({ field, notNull, default: value }) => notNull && value === undefined && !filled.has(field))
        .map(({ name }) =>
          notice(
            'needs-value',
            [path.name, name],
            'the column is required, and the rows of Auth.js have no value for it',
            'Give it a default in your schema file, or allow null.',
          ),
        ),
    ),
    ...move.others
      .filter(isUnfilled)
      .map(({ name }) =>
        notice(
          'required-column',
          [move.old.name, name],
          'the column is required, and Better Auth does not know it, so nobody could sign up',
          'Declare it in user.additionalFields and write the schema file again, or allow null or give it a default in the database.',
        ),
      ),
  ]
}

/** Texts that the new columns would cut or reject. */
const lengths: Check = async (checking) => {
  const { copying } = checking
  const { accounts, sessions } = copying.source
  const { target, dialect } = copying
  const notices: Notice[] = []
  const check = async (table: SourceTable | undefined, field: string, column: ColumnType | undefined, extra = 0) => {
    const value = table && textOf(copying, table, field)
    if (!table || !value || column?.length === undefined) return
    const tooLong = `${dialect.length(value, column)} + ${extra} > ${column.length}`
    const message = `values that are too long for the new column, which has room for ${column.length}`
    notices.push(...(await found(checking, 'too-long', table, field, tooLong, message, 'Shorten or delete them.')))
  }
  await check(sessions, 'sessionToken', mustColumn(target.session, 'token').holds)
  await check(sessions, 'sessionToken', mustColumn(target.verification, 'identifier').holds, 15)
  await check(accounts, 'provider', mustColumn(target.account, 'providerId').holds)
  await check(accounts, 'providerAccountId', mustColumn(target.account, 'accountId').holds)
  for (const field of ['id', 'name', 'email', 'image']) {
    const now = checking.move.columns.find((each) => each.now.field === field)?.now
    await check(checking.users, field, now?.holds)
  }
  return notices
}

/** What a person should know before the plan runs. */
const remarks: Check = async (checking) => {
  const { copying } = checking
  const { authenticators, verificationTokens, sessions } = copying.source
  const notices: Notice[] = []
  if (authenticators && !copying.target.passkey)
    notices.push(
      ...(await found(
        checking,
        'no-passkeys',
        authenticators,
        undefined,
        '1 = 1',
        'passkeys that are not moved, because the schema file has no table for them',
        'Add the plugin passkey, and run npx auth generate again.',
      )),
    )
  if (verificationTokens)
    notices.push(
      ...(await found(
        checking,
        'pending-links',
        verificationTokens,
        undefined,
        '1 = 1',
        'links in mails, which are not moved: whoever has not used one must ask for another',
      )),
    )
  if (sessions) {
    const days = copying.expiresIn / 86_400
    notices.push(
      notice(
        'session-end',
        nameOf(sessions, 'expires'),
        `sessions end after ${days.toLocaleString('en')} days at the latest, unless they are used: so long lasts the cookie of Better Auth`,
        'If you set session.expiresIn, pass the same number of seconds with --expires-in.',
      ),
    )
  }
  return notices
}

const hashes: [kind: string, pattern: string][] = [
  ['bcrypt', '$2_$%'],
  ['argon2', '$argon2%'],
]

const passwords: Check = async (checking) => {
  const { copying, users } = checking
  const { dialect, password } = copying
  if (!password) return []
  const hash = dialect.text(`o.${dialect.mover.quote(password.name)}`)
  const some: string[] = []
  let rest =
    (await count(checking, users, `${hash} <> ''`)) -
    (await count(checking, users, `length(${hash}) = 161 and ${hash} LIKE '${'_'.repeat(32)}:%'`))
  for (const [kind, pattern] of hashes) {
    const rows = await count(checking, users, `${hash} LIKE '${pattern}'`)
    rest -= rows
    if (rows > 0) some.push(`${rows.toLocaleString('en')} of ${kind}`)
  }
  if (rest > 0) some.push(`${rest.toLocaleString('en')} of another kind`)
  return some.length === 0
    ? []
    : [
        notice(
          'password-hashes',
          [users.live.name, password.name],
          `hashes that Better Auth cannot verify by itself: ${some.join(', ')}`,
          'Set emailAndPassword.password.verify to a function that calls the library which made them.',
        ),
      ]
}

const checks: Check[] = [addresses, references, dates, providers, columns, lengths, passwords, remarks]

/** Counts what prevents the move, and what it changes. */
export async function checkRows(checking: Checking): Promise<Notice[]> {
  const notices: Notice[] = []
  for (const check of checks) notices.push(...(await check(checking)))
  return notices
}

/** Columns that are not what the plan expects. */
export function typeNotices(
  { users, copying: { source } }: Pick<Checking, 'users' | 'copying'>,
  isDate: (column: LiveColumn) => boolean,
): Notice[] {
  const expected: [SourceTable | undefined, string][] = [
    [users, 'emailVerified'],
    [source.sessions, 'expires'],
  ]
  return expected.flatMap(([table, field]) => {
    const column = table?.column(field)
    if (!table || !column || isDate(column)) return []
    const message = `the column is ${column.type}, and the plan expects a date`
    return [notice('wrong-type', [table.live.name, column.name], message, 'Change it to the type that Auth.js documents.')]
  })
}
