import { sql, tokenFields } from 'drizzle-auth-adapter/internal'
import type { SQL } from 'drizzle-orm'
import type { Finding } from '../finding.js'
import { finding, pageUrl } from '../finding.js'
import type { SubjectModel, TableModel } from '../model.js'
import type { Count } from '../rows.js'
import { countRows, key, rowsIn, sumOfGroups } from '../rows.js'
import type { Check, Subject, SubjectColumn, SubjectTable } from '../subject.js'
import { fits, isUnique, liveColumns } from '../subject.js'
import { hasIndex } from './keys.js'

/** Checks each table that has this column in the database with the declared kind of type. */
export async function each(
  { tables, attempt }: Subject,
  models: SubjectModel[],
  fieldOf: string | ((about: TableModel) => string | undefined),
  check: (table: SubjectTable, column: SubjectColumn, at: { table: string; column: string }) => Promise<Finding[]>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const table of tables) {
    const field = typeof fieldOf === 'string' ? fieldOf : fieldOf(table.about)
    const column = field !== undefined && models.includes(table.about.model) ? liveColumns(table, [field])?.[0] : undefined
    if (column && fits(column))
      findings.push(...(await attempt(table, () => check(table, column, { table: table.name, column: column.name }))))
  }
  return findings
}

export const found = (count: Count, make: () => Finding) => (count.found > 0 ? [make()] : [])

export const orphans: Check = (subject) =>
  each(subject, ['accounts', 'sessions', 'authenticators'], 'userId', async (table, userId, at) => {
    const users = subject.tables.find(({ about }) => about.model === 'users')
    const id = users && liveColumns(users, ['id'])?.[0]
    // Without an index on the ids, the join would read all users for each row.
    if (!users || !id || !fits(id) || !isUnique(users, [id])) return []
    const join = sql` left join ${users.table} on ${id.column} = ${key(0)}`
    const count = await countRows(subject, table, [userId], sql`${key(0)} is not null and ${id.column} is null`, { join })
    const name = subject.inspector.quote
    const fix = `DELETE FROM ${table.quoted} WHERE ${name(userId.name)} NOT IN (SELECT ${name(id.name)} FROM ${users.quoted});`
    return found(count, () => finding('orphans', `the user does not exist: ${rowsIn(count)}`, { ...at, fix }))
  })

/** Half-finished sign-ups, which nobody can finish. Users of magic links have a verified address, and those of a phone a verified number. */
export const usersWithoutAccount: Check = (subject) =>
  each(subject, ['users'], 'id', async (table, id) => {
    const [createdAt] = liveColumns(table, ['createdAt']) ?? []
    const owning = subject.tables.flatMap((other) => {
      // Passkeys have a credentialID in both libraries.
      const isMeant = /^(accounts|sessions)$/.test(other.about.model) || other.columns.some(({ field }) => field === 'credentialID')
      const [userId] = (isMeant && liveColumns(other, ['userId'])) || []
      return userId ? [{ other, userId }] : []
    })
    // Without the accounts, or an index on each of them, nothing can be said, or not in time.
    if (!createdAt || !/date/.test(createdAt.column.dataType) || !owning.some(({ other }) => other.about.model === 'accounts')) return []
    if (!owning.every(({ other, userId }) => hasIndex(other, userId))) return []
    const verified = ['emailVerified', 'phoneNumberVerified'].flatMap((field) => liveColumns(table, [field]) ?? [])
    const columns = [createdAt, id, ...verified]
    const isUnverified = verified.map((column, index) => {
      const isDate = /date/.test(column.column.dataType)
      return isDate
        ? sql`${key(index + 2)} is null`
        : sql`(${key(index + 2)} is null or ${key(index + 2)} = ${sql.param(false, column.column)})`
    })
    const ownsNothing = owning.map(({ other, userId }) => sql`not exists (select 1 from ${other.table} where ${userId.column} = ${key(1)})`)
    const condition = sql.join([before(createdAt, new Date(Date.now() - 86_400_000)), ...isUnverified, ...ownsNothing], sql` and `)
    const count = await countRows(subject, table, columns, condition)
    const message = `users older than a day without an account, a session or a passkey, who can neither sign in nor sign up again: ${rowsIn(count)}`
    return found(count, () => finding('no-account', message, { table: table.name, fix: 'Delete them, so that they can sign up again.' }))
  })

const before = (column: SubjectColumn, date: Date): SQL => sql`${key(0)} < ${sql.param(date, column.column)}`

export const expiredRows: Check = (subject) =>
  each(
    subject,
    ['sessions', 'verificationTokens'],
    ({ expires }) => expires,
    async (table, expires, at) => {
      const orderBy = hasIndex(table, expires) ? expires : undefined
      const count = await countRows(subject, table, [expires], before(expires, new Date()), { orderBy })
      const fix = 'npx drizzle-auth-kit sweep'
      return found(count, () => finding('expired', `expired and not deleted: ${rowsIn(count)}`, { ...at, fix }))
    },
  )

/** Today's dates in seconds, read as milliseconds, are in January 1970. */
export const seconds: Check = (subject) =>
  each(
    subject,
    ['sessions', 'verificationTokens'],
    ({ expires }) => expires,
    async (table, expires, at) => {
      const isSeconds = sql`not ${before(expires, new Date(1e9))} and ${before(expires, new Date(1e10))}`
      const orderBy = hasIndex(table, expires) ? expires : undefined
      const count = await countRows(subject, table, [expires], isSeconds, { orderBy })
      const message = `dates stored in seconds, which your code reads as milliseconds, so they count as expired: ${rowsIn(count)}`
      const name = subject.inspector.quote(expires.name)
      const fix = `UPDATE ${table.quoted} SET ${name} = ${name} * 1000 WHERE ${name} < 10000000000;`
      return found(count, () => finding('no-milliseconds', message, { ...at, fix }))
    },
  )

export const capitals: Check = (subject) =>
  each(subject, ['users'], 'email', async (table, email, at) => {
    const { inspector } = subject
    const count = await countRows(subject, table, [email], inspector.hasCapitals(key(0)))
    if (count.found === 0) return []
    const folded = sql`lower(${inspector.characters(key(0))})`
    const alike = await sumOfGroups(subject, table, [email], sql`count(*) - 1`, [folded])
    const name = inspector.quote(email.name)
    const collisions = alike.found > 0 ? `; addresses that differ from another one only in case: ${rowsIn(alike)}` : ''
    const message = `email addresses with capital letters, which sign-in by email does not find: ${rowsIn(count)}${collisions}`
    const update = `UPDATE ${table.quoted} SET ${name} = ${inspector.lowerCase(name)};`
    const fix = alike.found > 0 ? `Decide which of the users with the same address to keep, then: ${update}` : update
    return [finding('capitals', message, { ...at, fix })]
  })

export const decimalIds: Check = (subject) =>
  each(subject, ['accounts'], 'providerAccountId', async (table, id, at) => {
    const count = await countRows(subject, table, [id], subject.inspector.isDecimalId(key(0)))
    const message = `ids that are stored as 4711.0 instead of 4711, so the accounts are not found: ${rowsIn(count)}`
    // A provider may have both spellings of an id. The statement that handles this is too long to print here.
    const fix = `Run the statement on ${pageUrl('moving.md#account-ids-that-are-numbers-in-sqlite')}`
    return found(count, () => finding('decimal-ids', message, { ...at, fix }))
  })

/** Whether the first column has one of these forms, which are patterns of LIKE. */
export const isLike = (subject: Subject, forms: string[]) =>
  sql.join(
    forms.map((form) => sql`${subject.inspector.exact(key(0))} like ${sql.raw(`'${form}'`)}`),
    sql` or `,
  )

/** An encrypted OAuth token: the id of its key, then at least 28 bytes in base64url. */
export const encryptedToken = `e1._%.${'_'.repeat(38)}%`

export const plainSecrets: Check = async (subject) => {
  const plain = (model: SubjectModel, field: string, forms: string[], danger: string) =>
    each(subject, [model], field, async (table, column, at) => {
      const count = await countRows(subject, table, [column], sql`${key(0)} is not null and not (${isLike(subject, forms)})`)
      return found(count, () =>
        finding('plain-secrets', `plain-text tokens, which anyone who can read the table can ${danger}: ${rowsIn(count)}`, {
          ...at,
          fix: `Store them hashed or encrypted: ${pageUrl('secrets.md')}`,
        }),
      )
    })
  const findings = [await plain('sessions', 'sessionToken', ['s1.%', 's2.%'], 'sign in with')]
  for (const field of tokenFields) findings.push(await plain('accounts', field, [encryptedToken], 'use at the provider'))
  return findings.flat()
}
