import { sql } from 'drizzle-auth-adapter/internal'
import { each, encryptedToken, found, isLike } from '../checks/rows.js'
import type { Finding } from '../finding.js'
import { finding, pageUrl } from '../finding.js'
import { countRows, key, rowsIn, sumOfGroups } from '../rows.js'
import type { Check, Subject } from '../subject.js'
import { isUnique, liveColumns } from '../subject.js'

/** Accounts of a provider that belong to several users. */
export const twoOwners: Check = (subject) =>
  each(subject, ['accounts'], 'accountId', async (table, accountId) => {
    const columns = liveColumns(table, ['providerId', 'accountId', 'userId'])
    if (!columns || isUnique(table, columns.slice(0, 2))) return []
    const { exact } = subject.inspector
    const perGroup = sql`case when count(distinct ${key(2)}) > 1 then 1 else 0 end`
    const count = await sumOfGroups(subject, table, columns, perGroup, [exact(key(0)), exact(key(1))])
    const message = `accounts of a provider that belong to more than one user, so that signing in with them fails: ${count.found.toLocaleString('en')}${count.isPartial ? ' among the rows that were read' : ''}`
    const column = [columns[0], accountId].map((each) => each?.name).join(', ')
    const fix = 'Decide whose account it is, and delete the others.'
    return found(count, () => finding('two-owners', message, { table: table.name, column, fix }))
  })

/** What the library looks passwords up by. */
const isCredential = (providerId: number) => sql`${key(providerId)} = 'credential'`

/** Accounts with a password that sign-in does not find. */
export const wrongCredentials: Check = (subject) =>
  each(subject, ['accounts'], 'accountId', async (table, _, at) => {
    const columns = liveColumns(table, ['providerId', 'accountId', 'userId'])
    if (!columns) return []
    const { exact, quote } = subject.inspector
    const count = await countRows(subject, table, columns, sql`${isCredential(0)} and ${exact(key(1))} <> ${exact(key(2))}`)
    const [providerId, accountId, userId] = columns.map(({ name }) => quote(name))
    const message = `accounts with a password whose account id is not the id of their user, who cannot sign in: ${rowsIn(count)}`
    const fix = `UPDATE ${table.quoted} SET ${accountId} = ${userId} WHERE ${providerId} = 'credential';`
    return found(count, () => finding('wrong-credential', message, { ...at, fix }))
  })

export const unreadablePasswords: Check = (subject) =>
  each(subject, ['accounts'], 'password', async (table, password, at) => {
    const [providerId] = liveColumns(table, ['providerId']) ?? []
    if (!providerId) return []
    const { isPasswordHash } = subject.inspector
    const isUnreadable = sql`${isCredential(0)} and ${key(1)} is not null and not ${isPasswordHash(key(1))}`
    const count = await countRows(subject, table, [providerId, password], isUnreadable)
    const message = `password hashes of another form than Better Auth's, so that signing in fails: ${rowsIn(count)}`
    const fix = 'Pass emailAndPassword.password.verify to betterAuth, which verifies these hashes as well. If you do already, ignore this.'
    return found(count, () => finding('unreadable-password', message, { ...at, fix }))
  })

/** The fields with tokens, and whether Better Auth can encrypt them itself. */
const tokens = { accessToken: true, refreshToken: true, idToken: false }

/** The hexadecimal digits of the shortest ciphertext of Better Auth: a nonce of 24 bytes, one byte of text and a tag of 16 bytes. */
const fewestDigits = 2 * (24 + 1 + 16)

/** Whether a token has a form in which Better Auth encrypts it: digits, also after the version of the secret. */
const isEncryptedByLibrary = (subject: Subject) => {
  const digits = sql`length(${key(0)})`
  const isBare = sql`${subject.inspector.isHex(key(0))} and ${digits} >= ${sql.raw(`${fewestDigits}`)} and ${digits} % 2 = 0`
  return sql`(${isLike(subject, [`$ba$_%$${'_'.repeat(fewestDigits)}%`])} or ${isBare})`
}

export const plainTokens: Check = async (subject) => {
  const findings: Finding[] = []
  for (const [field, isEncryptable] of Object.entries(tokens))
    findings.push(
      ...(await each(subject, ['accounts'], field, async (table, column, at) => {
        const forms = [isLike(subject, [encryptedToken]), ...(isEncryptable ? [isEncryptedByLibrary(subject)] : [])]
        // Better Auth stores an empty token as it is.
        const isPlain = sql`${key(0)} is not null and ${key(0)} <> '' and not (${sql.join(forms, sql` or `)})`
        const count = await countRows(subject, table, [column], isPlain)
        const message = `plain-text tokens, which anyone who can read the table can use at the provider: ${rowsIn(count)}`
        const fix = `Pass secrets to drizzleAdapter, also if you use account.encryptOAuthTokens, which it replaces: ${pageUrl('secrets.md#with-better-auth')}`
        return found(count, () => finding('plain-secrets', message, { ...at, fix }))
      })),
    )
  return findings
}

/**
 * Identifiers that contain the token of a link, as patterns. If a plugin hashes its tokens, they are longer than the 32 characters that it
 * generates.
 */
const links = ['reset-password:%', `magic-link:${'_'.repeat(32)}`, `one-time-token:${'_'.repeat(32)}`]

/** Links that sign in or reset a password, whose token is part of the identifier. */
export const plainLinks: Check = (subject) =>
  each(subject, ['verificationTokens'], 'identifier', async (table, identifier, at) => {
    const count = await countRows(subject, table, [identifier], isLike(subject, links))
    const message = `plain-text tokens, with which anyone who can read the table can sign in or set a new password until they expire: ${rowsIn(count)}`
    const fix = "Set verification.storeIdentifier to 'hashed' in the options of Better Auth."
    return found(count, () => finding('plain-secrets', message, { ...at, fix }))
  })

/** Codes that plugins send, which are stored with the number of attempts. */
export const plainCodes: Check = (subject) =>
  each(subject, ['verificationTokens'], 'value', async (table, value, at) => {
    const count = await countRows(subject, table, [value], subject.inspector.isCode(key(0)))
    const message = `plain-text codes, which anyone who can read the table can enter until they expire: ${rowsIn(count)}`
    const fix = "Set storeOTP to 'hashed' in the options of the plugin that sends them. The plugin phoneNumber has no such option."
    return found(count, () => finding('plain-secrets', message, { ...at, fix }))
  })
