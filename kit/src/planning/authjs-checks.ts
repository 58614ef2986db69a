import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import type { LiveColumn, LiveTable } from '../doctor/inspector.js'
import { read } from '../doctor/inspector.js'
import type { Copying } from './copies.js'
import { accountKey, field, isAccount, must, newColumn, textOf } from './copies.js'
import type { Demand } from './demands.js'
import { count, refusals } from './demands.js'
import { liveColumnOf, pairOf } from './match.js'
import type { Match } from './model.js'
import { literal } from './model.js'
import type { Notice } from './notices.js'
import { inWords, notice } from './notices.js'
import { knownProviders, renamedProviders } from './providers.js'
import { references } from './sqlite.js'

/** Counts what prevents the move to Better Auth, and what a person should know before it. */
export async function checkAuthjs(db: Database, copying: Copying, match: Match, lowerCase: (text: string) => string): Promise<Notice[]> {
  return [
    ...(await refusals(db, demands(copying, match, lowerCase))),
    ...(await letters(db, copying, lowerCase)),
    ...(await passwords(db, copying)),
    ...(await remarks(db, copying)),
  ]
}

function demands(copying: Copying, match: Match, lowerCase: (text: string) => string): Demand[] {
  const { dialect, source, target } = copying
  const { users, accounts, sessions, authenticators } = source
  const { quote, path, isUnreadable } = dialect
  const all: Demand[] = []
  const add = (code: Demand['code'], table: LiveTable, name: string, where: string, message: string, fix?: string, groups?: string[]) => {
    const column = liveColumnOf(table, name)?.name
    const place: Demand['place'] = column ? [table.name, column] : [table.name]
    all.push({ code, from: `${path(table)} o`, where, place, message, ...(fix && { fix }), ...(groups && { groups }) })
  }
  const email = must(copying, users, 'email')
  const lower = lowerCase(email)
  const isNone = `${email} IS NULL OR ${dialect.text(email)} = ''`
  add(
    'no-email',
    users,
    'email',
    isNone,
    'users without an email address, which Better Auth requires',
    'Give them an address, or delete them.',
  )
  const stored = newColumn(target.user, 'email')
  const collided = 'email addresses that are the same in lower case, as Better Auth stores and compares them'
  const decide = 'Decide which user keeps the address, and change or delete the others.'
  add('case-collisions', users, 'email', `${email} IS NOT NULL`, collided, decide, [dialect.comparable(lower, stored)])

  for (const table of [accounts, sessions, authenticators]) {
    if (!table) continue
    const [user, id] = [must(copying, table, 'userId'), quote(liveColumnOf(users, 'id')?.name ?? '')]
    const isThere = `EXISTS (SELECT 1 FROM ${path(users)} u WHERE u.${id} = ${user} AND ${dialect.same(`u.${id}`, user)})`
    const orphan = `${user} IS NULL OR NOT ${isThere}`
    const fix = `${dialect.deleteFrom(table)} WHERE ${orphan};`
    add('orphans', table, 'userId', orphan, 'rows of users that do not exist', fix)
  }
  const zero = (table: LiveTable, column: LiveColumn) => {
    if (!isUnreadable || !dialect.isDate(column)) return
    const message = 'values that cannot be read as dates'
    add(
      'unreadable-dates',
      table,
      column.name,
      isUnreadable(`o.${quote(column.name)}`, column),
      message,
      'Write them in UTC, such as 2030-01-31 12:30:00, or delete them.',
    )
  }
  add('needs-value', sessions, 'expires', `${must(copying, sessions, 'expires')} IS NULL`, 'sessions without an end', 'Delete them.')
  zero(sessions, liveColumnOf(sessions, 'expires') as LiveColumn)
  // On MySQL, no ALTER TABLE succeeds while any column has such a date.
  for (const column of users.columns)
    if (
      dialect.copies
        ? /date/.test(column.holds)
        : match.columns.some(({ old, now }) => old === column && /^(created|updated)At$/.test(now.field))
    )
      zero(users, column)
  const seconds = field(copying, accounts, 'expires_at')
  if (seconds) {
    const message = 'ends of access tokens after the year 9999: they are in milliseconds, and Auth.js stores seconds'
    const fix = `UPDATE ${path(accounts)} SET ${quote(liveColumnOf(accounts, 'expires_at')?.name ?? '')} = ${quote(liveColumnOf(accounts, 'expires_at')?.name ?? '')} / 1000 WHERE ${quote(liveColumnOf(accounts, 'expires_at')?.name ?? '')} > 253402300799;`
    add(
      'too-large',
      accounts,
      'expires_at',
      `${isAccount(copying)} AND (${seconds} > 253402300799 OR ${seconds} < -62135596800)`,
      message,
      fix,
    )
    const end = newColumn(target.account, 'accessTokenExpiresAt')
    if (end?.holds.endsIn2038)
      add(
        'too-large',
        accounts,
        'expires_at',
        `${seconds} >= 2147483647`,
        `ends of access tokens that ${end.type} cannot hold`,
        'Declare a datetime.',
      )
  }
  const { provider, isRenamed } = accountKey(copying)
  const reserved =
    'accounts of a provider called credential, which is what Better Auth calls passwords: whoever has such an account could sign in with a password'
  add(
    'reserved-provider',
    accounts,
    'provider',
    `${isAccount(copying)} AND ${provider} = 'credential'`,
    reserved,
    'Delete these accounts, or give the provider another id.',
  )
  const encrypted = ['access_token', 'refresh_token', 'id_token'].flatMap((name) => {
    const value = textOf(copying, accounts, name)
    return value ? [`${value} LIKE 'e1.%'`] : []
  })
  if (encrypted.length > 0) {
    const message =
      'accounts of azure-ad or microsoft-entra-id with encrypted tokens, which cannot be decrypted once the provider is called microsoft'
    const fix = 'Decrypt the tokens with: npx drizzle-auth-kit secrets --decrypt'
    add('encrypted-tokens', accounts, 'provider', `${isRenamed} AND (${encrypted.join(' OR ')})`, message, fix)
  }
  // A foreign key of the app to the addresses: they would change under it.
  const emailName = pairOf(match, 'email')?.old?.name ?? ''
  const isSame = dialect.same(lower, email)
  add(
    'in-use',
    users,
    'email',
    isReferenced(copying, emailName) ? `NOT (${isSame})` : '1 = 0',
    'email addresses with capital letters, which a foreign key of the app refers to',
    'Write the addresses in lower case in both tables, before you run the plan.',
  )
  if (dialect.alter) {
    const message = 'rows that refer to rows which do not exist'
    const tables = [users.name, accounts.name, sessions.name]
    all.push({
      code: 'orphans',
      from: 'pragma_foreign_key_check',
      where: references(tables),
      place: [users.name],
      message,
      fix: 'PRAGMA foreign_key_check shows them.',
    })
  }
  return all
}

const isReferenced = ({ tables }: Copying, email: string) =>
  tables.some(({ foreignKeys }) => foreignKeys.some(({ targetColumns }) => targetColumns.includes(email)))

/** Databases differ in which letters they convert. What Better Auth looks up is JavaScript's lower case. */
async function letters(db: Database, copying: Copying, lowerCase: (text: string) => string): Promise<Notice[]> {
  const { dialect, source } = copying
  const email = must(copying, source.users, 'email')
  const rows = await read(
    db,
    { email: sql.raw(dialect.text(email)), lower: sql.raw(lowerCase(email)) },
    sql.raw(`${dialect.path(source.users)} o`),
    sql.raw(dialect.hasOtherLetters(email)),
  )
  const decoded = (value: unknown) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value))
  const wrong = rows.filter((each) => decoded(each.email).toLowerCase() !== decoded(each.lower)).length
  const message = 'email addresses with capital letters that this database does not convert to lower case'
  const place: [string, string | undefined] = [source.users.name, liveColumnOf(source.users, 'email')?.name]
  return wrong === 0
    ? []
    : [notice('not-lower-case', place, `${message}: ${inWords(wrong)}`, 'Write them in lower case before you run the plan.')]
}

async function passwords(db: Database, { dialect, password, source }: Copying): Promise<Notice[]> {
  if (!password) return []
  const hash = dialect.text(`o.${dialect.quote(password.name)}`)
  const found = (where: string) => count(db, { from: `${dialect.path(source.users)} o`, where })
  const own = await found(`length(${hash}) = 161 and ${hash} LIKE '${'_'.repeat(32)}:%'`)
  const kinds = { bcrypt: await found(`${hash} LIKE '$2_$%'`), argon2: await found(`${hash} LIKE '$argon2%'`) }
  const rest = (await found(`${hash} <> ''`)) - own - kinds.bcrypt - kinds.argon2
  const some = Object.entries({ ...kinds, 'another kind': rest }).flatMap(([kind, rows]) =>
    rows > 0 ? [`${rows.toLocaleString('en')} of ${kind}`] : [],
  )
  if (some.length === 0) return []
  return [
    notice(
      'password-hashes',
      [source.users.name, password.name],
      `hashes that Better Auth cannot verify by itself: ${some.join(', ')}`,
      'Set emailAndPassword.password.verify to a function that calls the library which made them.',
    ),
  ]
}

/** What a person should know before the plan runs. */
async function remarks(db: Database, copying: Copying): Promise<Notice[]> {
  const { dialect, source, target, expiresIn } = copying
  const { accounts, authenticators, verificationTokens, sessions } = source
  const notices: Notice[] = []
  const add = async (code: Notice['code'], table: LiveTable, name: string | undefined, where: string, message: string, fix?: string) => {
    const rows = await count(db, { from: `${dialect.path(table)} o`, where })
    if (rows > 0) notices.push(notice(code, [table.name, name && liveColumnOf(table, name)?.name], `${message}: ${inWords(rows)}`, fix))
  }
  const { provider, isRenamed } = accountKey(copying)
  const token = textOf(copying, accounts, 'id_token')
  const decoded = token && dialect.objectId?.(token)
  const why = decoded ? 'they have no id_token with an oid' : 'this database cannot read the new one from id_token'
  await add(
    'account-ids',
    accounts,
    'provider',
    decoded ? `${isRenamed} AND ${decoded} IS NULL` : isRenamed,
    `accounts of Microsoft that keep their old id, because ${why}. Better Auth looks for another id: it links the next sign-in by the email address if both sides have verified it, and refuses it otherwise`,
    'Trust the provider for these users: account: { accountLinking: { trustedProviders: ["microsoft"], requireLocalEmailVerified: false } }.',
  )
  await add(
    'account-ids',
    accounts,
    'provider',
    `${provider} = 'salesforce'`,
    'accounts of Salesforce that keep their old id. Better Auth looks for another id: it links the next sign-in by the email address, or refuses it',
  )
  const known = [...knownProviders, 'salesforce', 'credential', ...Object.keys(renamedProviders)].map(literal).join(', ')
  await add(
    'other-providers',
    accounts,
    'provider',
    `${isAccount(copying)} AND ${provider} NOT IN (${known})`,
    'accounts of providers that Better Auth does not have',
    'Add them with the plugin genericOAuth, with the ids that they have in Auth.js.',
  )
  if (authenticators && !target.passkey)
    await add(
      'no-passkeys',
      authenticators,
      undefined,
      '1 = 1',
      'passkeys that are not moved, because the schema file has no table for them',
      'Add the plugin passkey, and run npx auth generate again.',
    )
  if (verificationTokens)
    await add(
      'pending-links',
      verificationTokens,
      undefined,
      '1 = 1',
      'links in mails, which are not moved: whoever has not used one must ask for another',
    )
  const days = (expiresIn / 86_400).toLocaleString('en')
  notices.push(
    notice(
      'session-end',
      [sessions.name, liveColumnOf(sessions, 'expires')?.name],
      `sessions end after ${days} days at the latest, unless they are used: that is the lifetime of Better Auth's cookie`,
      'If you set session.expiresIn, pass the same number of seconds with --expires-in.',
    ),
  )
  return notices
}
