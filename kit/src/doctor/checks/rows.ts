import { sql } from 'drizzle-auth-adapter/internal'
import type { SQL } from 'drizzle-orm'
import type { Finding } from '../finding.js'
import { pageUrl } from '../finding.js'
import type { TableModel } from '../models.js'
import { findRows, key } from '../rows.js'
import type { Check, Examined, ExaminedColumn, ExaminedTable } from '../table.js'
import { fits, hasIndex, isUnique, liveColumns } from '../table.js'

/** A check of tables that have this column in the database with the declared kind of type. */
const rowCheck = (
  about: string,
  roles: TableModel['role'][],
  field: string,
  find: (table: ExaminedTable, column: ExaminedColumn, examined: Examined) => Promise<Finding[]>,
): Check => ({
  about,
  async find(table, examined) {
    const column = roles.includes(table.about.role) ? liveColumns(table, [field])?.[0] : undefined
    return column && fits(column) ? find(table, column, examined) : []
  },
})

const orphans = rowCheck(
  'rows of users who do not exist',
  ['accounts', 'sessions', 'authenticators'],
  'userId',
  async (table, userId, examined) => {
    const users = examined.tables.find(({ about }) => about.role === 'users' && about.library === table.about.library)
    const id = users && liveColumns(users, ['id'])?.[0]
    // Without an index on the ids, the join would read all users for each row.
    if (!users || !id || !fits(id) || !isUnique(users, [id])) return []
    const { quote } = examined.inspector
    return findRows(examined, table, {
      code: 'orphans',
      columns: [userId],
      condition: sql`${key(0)} is not null and ${id.column} is null`,
      join: sql` left join ${users.table} on ${id.column} = ${key(0)}`,
      message: 'the user does not exist',
      fix: `DELETE FROM ${table.quoted} WHERE ${quote(userId.name)} NOT IN (SELECT ${quote(id.name)} FROM ${users.quoted});`,
    })
  },
)

/** Half-finished sign-ups. Users of magic links have a verified address, and those of a phone a verified number. */
const usersWithoutAccount = rowCheck('users who cannot sign in', ['users'], 'id', async (table, id, examined) => {
  const [createdAt] = liveColumns(table, ['createdAt']) ?? []
  const owning = examined.tables.flatMap((other) => {
    // Passkeys have a credentialID in both libraries.
    const isMeant = /^(accounts|sessions)$/.test(other.about.role) || other.columns.some(({ field }) => field === 'credentialID')
    const [userId] = (isMeant && other.about.library === table.about.library && liveColumns(other, ['userId'])) || []
    return userId ? [{ other, userId }] : []
  })
  // Without the accounts, every user would be found. Without an index, each user would read a whole table.
  const isKnown =
    owning.some(({ other }) => other.about.role === 'accounts') && owning.every(({ other, userId }) => hasIndex(other, userId))
  if (!createdAt || !isDate(createdAt) || !isKnown) return []
  const verified = ['emailVerified', 'phoneNumberVerified'].flatMap((field) => liveColumns(table, [field]) ?? [])
  const yesterday = new Date(Date.now() - 86_400_000)
  const conditions = [
    sql`${key(1)} < ${sql.param(yesterday, createdAt.column)}`,
    ...verified.map((column, index) => isUnverified(column, key(index + 2))),
    ...owning.map(({ other, userId }) => sql`not exists (select 1 from ${other.table} where ${userId.column} = ${key(0)})`),
  ]
  return findRows(examined, table, {
    code: 'no-account',
    columns: [id, createdAt, ...verified],
    condition: sql.join(conditions, sql` and `),
    message: 'users older than a day without an account, a session or a passkey, who can neither sign in nor sign up again',
    fix: 'Delete them, so that they can sign up again.',
  })
})

const isDate = ({ column }: ExaminedColumn) => /date/.test(column.dataType)

const isUnverified = (column: ExaminedColumn, value: SQL) =>
  isDate(column) ? sql`${value} is null` : sql`(${value} is null or ${value} = ${sql.param(false, column.column)})`

const capitals = rowCheck('email addresses with capital letters', ['users'], 'email', async (table, email, examined) => {
  const { inspector } = examined
  const name = inspector.quote(email.name)
  return findRows(examined, table, {
    code: 'capitals',
    columns: [email],
    condition: inspector.hasCapitals(key(0)),
    message: 'email addresses with capital letters, which sign-in by email does not find',
    fix: `If two users then have the same address, decide which of them to keep. Then: UPDATE ${table.quoted} SET ${name} = ${inspector.lowerCase(name)};`,
  })
})

/** An encrypted OAuth token: the id of its key, then at least 28 bytes in base64url. */
const encryptedToken = `e1._%.${'_'.repeat(38)}%`

/** The hexadecimal digits of the shortest ciphertext of Better Auth: a nonce of 24 bytes, one byte of text and a tag of 16 bytes. */
const fewestDigits = 2 * (24 + 1 + 16)

/** A check of secrets, which have one of these forms if they are protected. The forms are patterns of LIKE. */
const secrets = (role: TableModel['role'], field: string, danger: string, forms: string[], mayBeHex = false) =>
  rowCheck('plain-text tokens', [role], field, async (table, column, examined) => {
    const { exact, isHex } = examined.inspector
    const digits = sql`length(${key(0)})`
    const isProtected = [
      ...forms.map((form) => sql`${exact(key(0))} like ${sql.raw(`'${form}'`)}`),
      ...(mayBeHex ? [sql`(${isHex(key(0))} and ${digits} >= ${sql.raw(`${fewestDigits}`)} and ${digits} % 2 = 0)`] : []),
    ]
    return findRows(examined, table, {
      code: 'plain-secrets',
      columns: [column],
      // Better Auth stores an empty token as it is.
      condition: sql`${key(0)} is not null and ${key(0)} <> '' and not (${sql.join(isProtected, sql` or `)})`,
      message: `plain-text tokens, which anyone who can read the table can ${danger}`,
      fix: `Store them hashed or encrypted: ${pageUrl(table.about.library === 'authjs' ? 'secrets.md' : 'secrets.md#with-better-auth')}`,
    })
  })

const provider = 'use at the provider'
/** Better Auth can encrypt the first two itself, also with the version of the secret in front. */
const ownForm = `$ba$_%$${'_'.repeat(fewestDigits)}%`

export const rowChecks: Check[] = [
  orphans,
  usersWithoutAccount,
  capitals,
  secrets('sessions', 'sessionToken', 'sign in with', ['s1.%', 's2.%']),
  ...['access_token', 'refresh_token', 'id_token', 'idToken'].map((field) => secrets('accounts', field, provider, [encryptedToken])),
  ...['accessToken', 'refreshToken'].map((field) => secrets('accounts', field, provider, [encryptedToken, ownForm], true)),
]
