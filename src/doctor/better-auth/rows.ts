import { sql } from '../../query/drizzle.js'
import { each, found, isProtected } from '../checks/rows.js'
import type { Finding } from '../finding.js'
import { finding } from '../finding.js'
import { countRows, key, rowsIn, sumOfGroups } from '../rows.js'
import type { Check } from '../subject.js'
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

/** Tokens that Better Auth encrypts if it is told to. It never encrypts id tokens. */
const encryptable = ['accessToken', 'refreshToken']

export const plainTokens: Check = async (subject) => {
  const findings: Finding[] = []
  for (const field of [...encryptable, 'idToken'])
    findings.push(
      ...(await each(subject, ['accounts'], field, async (table, column, at) => {
        const { isHex } = subject.inspector
        // Better Auth's ciphertexts are recognized in the same way by Better Auth itself.
        const isEncrypted = sql`${isProtected(subject, ['e1.', '$ba$'])} or ${isHex(key(0))}`
        const count = await countRows(subject, table, [column], sql`${key(0)} is not null and not (${isEncrypted})`)
        const message = `plain-text tokens, which anyone who can read the table can use at the provider: ${rowsIn(count)}`
        const option = encryptable.includes(field) ? ', or set account.encryptOAuthTokens in the options of Better Auth' : ''
        const fix = `Store them encrypted, see docs/secrets.md${option}.`
        return found(count, () => finding('plain-secrets', message, { ...at, fix }))
      })),
    )
  return findings
}

/** Links to reset a password, whose token is part of the identifier. */
export const plainLinks: Check = (subject) =>
  each(subject, ['verificationTokens'], 'identifier', async (table, identifier, at) => {
    const count = await countRows(subject, table, [identifier], sql`${subject.inspector.exact(key(0))} like 'reset-password:%'`)
    const message = `plain-text tokens, with which anyone who can read the table can set a new password: ${rowsIn(count)}`
    const fix = "Set verification.storeIdentifier to 'hashed' in the options of Better Auth."
    return found(count, () => finding('plain-secrets', message, { ...at, fix }))
  })
