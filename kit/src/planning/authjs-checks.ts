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
    ...(await refusals(db, demands(copying, match, lowerCase))),
    ...(await letters(db, copying, lowerCase)),
    ...(await passwords(db, copying)),
    notice('session-end', [sessions.name, liveColumnOf(sessions, 'expires')?.name], message),
  ]
}

/** The last second of the year 9999, and the first one of the year 1. */
const [latest, earliest] = [253_402_300_799, -62_135_596_800]

/** Rows that prevent the move, and rows of which a person should know. */
function demands(copying: Copying, match: Match, lowerCase: (text: string) => string): Demand[] {
  const { dialect, source, target, tables } = copying
  const { users, accounts, sessions, authenticators, verificationTokens } = source
  const rows = (code: NoticeCode, table: LiveTable | undefined, name: string, where: string | undefined, message?: string, fix?: string) =>
    table && where
      ? [
          {
            code,
            from: `${dialect.path(table)} o`,
            where,
            place: [table.name, liveColumnOf(table, name)?.name] as [string, string?],
            message,
            fix,
          },
        ]
      : []
  const email = must(copying, users, 'email')
  const emailName = pairOf(match, 'email')?.old?.name ?? ''
  const isReferenced = tables.some(({ foreignKeys }) => foreignKeys.some(({ targetColumns }) => targetColumns.includes(emailName)))
  const seconds = field(copying, accounts, 'expires_at')
  const end = columnOf(target.account, 'accessTokenExpiresAt')
  const { provider, isRenamed } = accountKey(copying)
  const isOne = isAccount(copying)
  const tokens = ['access_token', 'refresh_token', 'id_token'].flatMap((name) => textOf(copying, accounts, name) ?? [])
  const objectId = dialect.objectId?.(textOf(copying, accounts, 'id_token') ?? 'NULL')
  const known = [...knownProviders, 'salesforce', 'credential', ...Object.keys(renamedProviders)].map(literal).join(', ')
  const inMilliseconds = 'ends of access tokens after the year 9999: they are in milliseconds, and Auth.js stores seconds'
  const divide =
    seconds &&
    `UPDATE ${dialect.path(accounts)} SET ${seconds.slice(2)} = ${seconds.slice(2)} / 1000 WHERE ${seconds.slice(2)} > ${latest};`
  const isLate = seconds && `${isOne} AND (${seconds} > ${latest} OR ${seconds} < ${earliest})`
  const isAfter2038 = seconds && end?.holds.endsIn2038 ? `${seconds} >= 2147483647` : undefined
  const referenced = 'email addresses with capital letters, which a foreign key of the app refers to'
  const writeBoth = 'Write the addresses in lower case in both tables, before you run the plan.'
  const orphansOf = (table: LiveTable | undefined) =>
    table ? [orphans(dialect, table, liveColumnOf(table, 'userId')?.name ?? '', users, liveColumnOf(users, 'id')?.name ?? '', false)] : []
  // On MySQL, no ALTER TABLE succeeds while any column has a date that is none.
  const isChecked = (column: LiveColumn) =>
    dialect.namesKeysByTable
      ? /date/.test(column.holds)
      : match.columns.some(({ old, now }) => old === column && /^(created|updated)At$/.test(now.field))
  const dangling: Demand = {
    code: 'orphans',
    from: 'pragma_foreign_key_check',
    where: references([users.name, accounts.name, sessions.name]),
    place: [users.name],
    message: 'rows that refer to rows which do not exist',
    fix: 'PRAGMA foreign_key_check shows them.',
  }
  return [
    ...rows('no-email', users, 'email', `${email} IS NULL OR ${dialect.text(email)} = ''`),
    ...[accounts, sessions, authenticators].flatMap(orphansOf),
    ...rows('needs-value', sessions, 'expires', `${must(copying, sessions, 'expires')} IS NULL`),
    ...unreadable(dialect, sessions, liveColumnOf(sessions, 'expires') as LiveColumn),
    ...users.columns.filter(isChecked).flatMap((column) => unreadable(dialect, users, column)),
    ...rows('too-large', accounts, 'expires_at', isLate, inMilliseconds, divide),
    ...rows('too-large', accounts, 'expires_at', isAfter2038, `ends of access tokens that ${end?.type} cannot hold`),
    ...rows('reserved-provider', accounts, 'provider', `${isOne} AND ${provider} = 'credential'`),
    ...rows(
      'encrypted-tokens',
      accounts,
      'provider',
      `${isRenamed} AND (${['1 = 0', ...tokens.map((one) => `${one} LIKE 'e1.%'`)].join(' OR ')})`,
    ),
    ...(isReferenced ? rows('in-use', users, 'email', `NOT (${dialect.same(lowerCase(email), email)})`, referenced, writeBoth) : []),
    ...(dialect.alter ? [dangling] : []),
    ...rows('account-ids', accounts, 'provider', objectId ? `${isRenamed} AND ${objectId} IS NULL` : isRenamed),
    ...rows('account-ids', accounts, 'provider', `${provider} = 'salesforce'`),
    ...rows('other-providers', accounts, 'provider', `${isOne} AND ${provider} NOT IN (${known})`),
    ...(target.passkey ? [] : rows('no-passkeys', authenticators, '', '1 = 1')),
    ...rows('pending-links', verificationTokens, '', '1 = 1'),
  ]
}

/** Databases differ in which letters they convert. What Better Auth looks up is JavaScript's lower case. */
async function letters(db: Database, { dialect, source: { users } }: Copying, lowerCase: (text: string) => string): Promise<Notice[]> {
  const { name } = liveColumnOf(users, 'email') as LiveColumn
  const email = `o.${dialect.quote(name)}`
  const columns = { email: sql.raw(dialect.text(email)), lower: sql.raw(lowerCase(email)) }
  const rows = await read(db, columns, sql.raw(`${dialect.path(users)} o`), sql.raw(dialect.hasOtherLetters(email)))
  const decoded = (value: unknown) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value))
  const wrong = rows.filter((each) => decoded(each.email).toLowerCase() !== decoded(each.lower)).length
  return wrong === 0 ? [] : [counted('not-lower-case', [users.name, name], wrong)]
}

async function passwords(db: Database, { dialect, password, source: { users } }: Copying): Promise<Notice[]> {
  if (!password) return []
  const hash = dialect.text(`o.${dialect.quote(password.name)}`)
  const isOwn = `length(${hash}) = 161 AND ${hash} LIKE '${'_'.repeat(32)}:%'`
  const others = await count(db, { from: `${dialect.path(users)} o`, where: `${hash} <> '' AND NOT (${isOwn})` })
  return others === 0 ? [] : [counted('password-hashes', [users.name, password.name], others)]
}
