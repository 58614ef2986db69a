import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import type { LiveColumn, LiveTable } from '../doctor/inspector.js'
import { read } from '../doctor/inspector.js'
import type { Copying } from './copies.js'
import { accountKey, field, isAccount, must, renamedProviders, textOf } from './copies.js'
import type { Demand } from './demands.js'
import { count, orphans, refusals, unreadable } from './demands.js'
import { columnOf, liveColumnOf, pairOf } from './match.js'
import type { Match } from './model.js'
import { literal } from './model.js'
import type { Notice, NoticeCode } from './notices.js'
import { counted, notice } from './notices.js'
import { references } from './sqlite.js'

/** Providers of which both libraries store the same id of an account. */
const knownProviders =
  'apple atlassian cognito discord dropbox facebook figma github gitlab google huggingface kakao line linkedin naver notion reddit roblox slack spotify tiktok twitch twitter vk wechat zoom'.split(
    ' ',
  )

/** Counts what prevents the move to Better Auth, and what a person should know before it. */
export async function checkAuthjs(db: Database, copying: Copying, match: Match, lowerCase: (text: string) => string): Promise<Notice[]> {
  const days = (copying.expiresIn / 86_400).toLocaleString('en')
  const { sessions } = copying.source
  const message = `sessions end after ${days} days at the latest, unless they are used: that is the lifetime of Better Auth's cookie`
  return [
    ...(await refusals(db, [...demands(copying, match, lowerCase), ...remarks(copying)])),
    ...(await letters(db, copying, lowerCase)),
    ...(await passwords(db, copying)),
    notice('session-end', [sessions.name, liveColumnOf(sessions, 'expires')?.name], message),
  ]
}

/** Rows of an old table. */
function rowsOf(
  { dialect }: Copying,
  code: NoticeCode,
  table: LiveTable,
  name: string,
  where: string,
  message?: string,
  fix?: string,
): Demand {
  return { code, from: `${dialect.path(table)} o`, where, place: [table.name, liveColumnOf(table, name)?.name], message, fix }
}

/** The last second of the year 9999, and the first one of the year 1. */
const [latest, earliest] = [253_402_300_799, -62_135_596_800]

function demands(copying: Copying, match: Match, lowerCase: (text: string) => string): Demand[] {
  const { dialect, source, target, tables } = copying
  const { users, accounts, sessions, authenticators } = source
  const rows = (code: NoticeCode, table: LiveTable, name: string, where: string, message?: string, fix?: string) =>
    rowsOf(copying, code, table, name, where, message, fix)
  const all: Demand[] = []
  const email = must(copying, users, 'email')
  all.push(rows('no-email', users, 'email', `${email} IS NULL OR ${dialect.text(email)} = ''`))
  for (const table of [accounts, sessions, authenticators])
    if (table)
      all.push(
        orphans(dialect, table, (liveColumnOf(table, 'userId') as LiveColumn).name, users, liveColumnOf(users, 'id')?.name ?? '', false),
      )
  all.push(
    rows('needs-value', sessions, 'expires', `${must(copying, sessions, 'expires')} IS NULL`),
    ...unreadable(dialect, sessions, liveColumnOf(sessions, 'expires') as LiveColumn),
    // On MySQL, no ALTER TABLE succeeds while any column has such a date.
    ...users.columns.flatMap((column) => {
      const isConverted = match.columns.some(({ old, now }) => old === column && /^(created|updated)At$/.test(now.field))
      return (dialect.copies ? /date/.test(column.holds) : isConverted) ? unreadable(dialect, users, column) : []
    }),
  )
  const seconds = field(copying, accounts, 'expires_at')
  if (seconds) {
    const name = seconds.slice(2)
    const message = 'ends of access tokens after the year 9999: they are in milliseconds, and Auth.js stores seconds'
    const fix = `UPDATE ${dialect.path(accounts)} SET ${name} = ${name} / 1000 WHERE ${name} > ${latest};`
    const isWrong = `${isAccount(copying)} AND (${seconds} > ${latest} OR ${seconds} < ${earliest})`
    all.push(rows('too-large', accounts, 'expires_at', isWrong, message, fix))
    const end = columnOf(target.account, 'accessTokenExpiresAt')
    if (end?.holds.endsIn2038)
      all.push(rows('too-large', accounts, 'expires_at', `${seconds} >= 2147483647`, `ends of access tokens that ${end.type} cannot hold`))
  }
  const { provider, isRenamed } = accountKey(copying)
  all.push(rows('reserved-provider', accounts, 'provider', `${isAccount(copying)} AND ${provider} = 'credential'`))
  const tokens = ['access_token', 'refresh_token', 'id_token'].flatMap((name) => textOf(copying, accounts, name) ?? [])
  if (tokens.length > 0) {
    const isEncrypted = tokens.map((token) => `${token} LIKE 'e1.%'`).join(' OR ')
    all.push(rows('encrypted-tokens', accounts, 'provider', `${isRenamed} AND (${isEncrypted})`))
  }
  const emailName = pairOf(match, 'email')?.old?.name ?? ''
  if (tables.some(({ foreignKeys }) => foreignKeys.some(({ targetColumns }) => targetColumns.includes(emailName)))) {
    const message = 'email addresses with capital letters, which a foreign key of the app refers to'
    const fix = 'Write the addresses in lower case in both tables, before you run the plan.'
    all.push(rows('in-use', users, 'email', `NOT (${dialect.same(lowerCase(email), email)})`, message, fix))
  }
  if (dialect.alter) {
    const message = 'rows that refer to rows which do not exist'
    const where = references([users.name, accounts.name, sessions.name])
    const fix = 'PRAGMA foreign_key_check shows them.'
    all.push({ code: 'orphans', from: 'pragma_foreign_key_check', where, place: [users.name], message, fix })
  }
  return all
}

/** Databases differ in which letters they convert. What Better Auth looks up is JavaScript's lower case. */
async function letters(db: Database, { dialect, source: { users } }: Copying, lowerCase: (text: string) => string): Promise<Notice[]> {
  const { name } = liveColumnOf(users, 'email') as LiveColumn
  const email = `o.${dialect.quote(name)}`
  const rows = await read(
    db,
    { email: sql.raw(dialect.text(email)), lower: sql.raw(lowerCase(email)) },
    sql.raw(`${dialect.path(users)} o`),
    sql.raw(dialect.hasOtherLetters(email)),
  )
  const decoded = (value: unknown) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value))
  const wrong = rows.filter((each) => decoded(each.email).toLowerCase() !== decoded(each.lower)).length
  return wrong === 0 ? [] : [counted('not-lower-case', [users.name, name], wrong)]
}

async function passwords(db: Database, { dialect, password, source: { users } }: Copying): Promise<Notice[]> {
  if (!password) return []
  const hash = dialect.text(`o.${dialect.quote(password.name)}`)
  const found = (where: string) => count(db, { from: `${dialect.path(users)} o`, where })
  const own = await found(`length(${hash}) = 161 and ${hash} LIKE '${'_'.repeat(32)}:%'`)
  const kinds = { bcrypt: await found(`${hash} LIKE '$2_$%'`), argon2: await found(`${hash} LIKE '$argon2%'`) }
  const rest = (await found(`${hash} <> ''`)) - own - kinds.bcrypt - kinds.argon2
  const some = Object.entries({ ...kinds, 'another kind': rest }).flatMap(([kind, rows]) =>
    rows > 0 ? [`${rows.toLocaleString('en')} of ${kind}`] : [],
  )
  const message = `hashes that Better Auth cannot verify by itself: ${some.join(', ')}`
  return some.length === 0 ? [] : [notice('password-hashes', [users.name, password.name], message)]
}

/** What a person should know before the plan runs. */
function remarks(copying: Copying): Demand[] {
  const { dialect, source, target } = copying
  const { accounts, authenticators, verificationTokens } = source
  const { provider, isRenamed } = accountKey(copying)
  const token = textOf(copying, accounts, 'id_token')
  const objectId = token && dialect.objectId?.(token)
  const known = [...knownProviders, 'salesforce', 'credential', ...Object.keys(renamedProviders)].map(literal).join(', ')
  return [
    rowsOf(copying, 'account-ids', accounts, 'provider', objectId ? `${isRenamed} AND ${objectId} IS NULL` : isRenamed),
    rowsOf(copying, 'account-ids', accounts, 'provider', `${provider} = 'salesforce'`),
    rowsOf(copying, 'other-providers', accounts, 'provider', `${isAccount(copying)} AND ${provider} NOT IN (${known})`),
    ...(authenticators && !target.passkey ? [rowsOf(copying, 'no-passkeys', authenticators, '', '1 = 1')] : []),
    ...(verificationTokens ? [rowsOf(copying, 'pending-links', verificationTokens, '', '1 = 1')] : []),
  ]
}
