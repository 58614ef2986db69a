/**
 * Finds problems in a live database.
 *
 * @module
 */

import type { BetterAuthSchema, DatabaseOf, FailureRules, LibraryTables, Tables } from 'drizzle-auth-adapter/internal'
import { checkTables, configError, detectDialect, libraryTables, lookedFor, operationError, primaryOf } from 'drizzle-auth-adapter/internal'
import { authjsTables } from './authjs.js'
import * as betterAuthColumns from './better-auth/columns.js'
import * as betterAuthRows from './better-auth/rows.js'
import { betterAuthTables } from './better-auth/tables.js'
import * as access from './checks/access.js'
import * as columns from './checks/columns.js'
import * as keys from './checks/keys.js'
import * as rows from './checks/rows.js'
import type { Finding } from './finding.js'
import { finding, withoutHook } from './finding.js'
import type { LiveTable, TableName } from './inspector.js'
import { groupBy } from './inspector.js'
import { mysql } from './mysql.js'
import { pg } from './pg.js'
import { sqlite } from './sqlite.js'
import type { Check, Subject, SubjectTable } from './subject.js'
import { describeTable, tableNames } from './subject.js'

export type { Finding, FindingCode } from './finding.js'

/** The inspector of each dialect. */
export const inspectors = { pg, mysql, sqlite }

type Checks = [about: string, Check][]

/** Each check, with what it checks, for the finding that it failed. */
const checks: Checks = [
  ['missing columns', columns.missingColumns],
  ['the types of the columns', columns.wrongTypes],
  ['required columns', columns.requiredColumns],
  ['the defaults', columns.ignoredDefaults],
  ['the lengths of the columns', columns.shortColumns],
  ['the dates', columns.dateColumns],
  ['the integers', columns.smallIntegers],
  ['the character sets', columns.narrowCharacterSets],
  ['the unique keys', keys.uniqueKeys],
  ['the collations', keys.looseCollations],
  ['the indexes', keys.missingIndexes],
  ['the foreign keys', keys.foreignKeys],
  ['the ids', keys.reusedIds],
  ['who can read the tables', access.exposed],
  ['triggers, views and policies', access.rowChangers],
  ['rows of users who do not exist', rows.orphans],
  ['users who cannot sign in', rows.usersWithoutAccount],
  ['expired rows', rows.expiredRows],
  ['dates in seconds', rows.seconds],
  ['email addresses with capital letters', rows.capitals],
]

const authjsChecks: Checks = [...checks, ['ids of accounts', rows.decimalIds], ['plain-text tokens', rows.plainSecrets]]

const betterAuthChecks: Checks = [
  ...checks,
  ['the fields of the library', betterAuthColumns.unknownFields],
  ['columns that the library does not fill', betterAuthColumns.unfilledColumns],
  ['dates without a time zone', betterAuthColumns.zonelessDates],
  ['accounts with several users', betterAuthRows.twoOwners],
  ['accounts with a password', betterAuthRows.wrongCredentials],
  ['password hashes', betterAuthRows.unreadablePasswords],
  ['plain-text tokens', betterAuthRows.plainTokens],
  ['plain-text links', betterAuthRows.plainLinks],
  ['plain-text codes', betterAuthRows.plainCodes],
]

/** The tables of each library in a schema, with the checks that they get. */
function parts({ authjs, betterAuth, others }: LibraryTables) {
  return [
    ...(authjs ? [{ tables: authjsTables(authjs), checks: authjsChecks }] : []),
    ...(betterAuth ? [{ tables: betterAuthTables(betterAuth, others), checks: betterAuthChecks }] : []),
  ]
}

/**
 * Finds what is unsafe, slow or about to break in the tables of Auth.js and of Better Auth in a live database. It changes nothing and reads
 * a limited number of rows. Findings contain counts and names, but no values from rows.
 *
 * @param db The Drizzle database.
 * @param schema The tables to examine, as `DrizzleAdapter` or `drizzleAdapter` take them. Other exports of a schema file are ignored.
 * @example
 * // check.ts
 * import { examine } from 'drizzle-auth-kit'
 * import { db } from './db.js'
 * import { accountsTable, sessionsTable, usersTable } from './schema.js'
 *
 * const findings = await examine(db, { usersTable, accountsTable, sessionsTable })
 * for (const { severity, table, message, fix } of findings) console.log(severity, table, message, fix)
 */
export async function examine<const T extends Partial<Tables> | BetterAuthSchema>(
  db: T extends Partial<Tables> ? ([keyof T & keyof Tables] extends [never] ? object : DatabaseOf<T>) : object,
  schema: T,
): Promise<Finding[]> {
  const dialect = detectDialect(db, 'examine')
  const database = primaryOf(db, 'examine')
  const given = libraryTables(schema as Readonly<Record<string, unknown>>, 'examine')
  if (!given.authjs && !given.betterAuth) configError(`examine: the schema has no tables of Auth.js or Better Auth. ${lookedFor}`)
  checkTables('examine', dialect.name, given.authjs ?? {})
  const inspector = inspectors[dialect.name]
  const findings: Finding[] = []
  const unread: Unread[] = []
  const attempt = async (about: string, table: string | undefined, run: () => Finding[] | Promise<Finding[]>) => {
    try {
      return await run()
    } catch (error) {
      unread.push({ about, table, reason: reasonOf(error, dialect.failures) })
      return []
    }
  }

  const live = new Map<TableName, LiveTable>()
  for (const { tables, checks } of parts(given)) {
    const found: SubjectTable[] = []
    for (const each of tables) {
      const names = tableNames(each.table)
      const { name } = names
      const missing = await attempt('the columns', name, async () => {
        const description = await inspector.inspect(database, names)
        const fix = 'Run your migrations, or drizzle-kit push.'
        if (!description) return [finding('missing-table', 'the table is not in the database', { table: name, fix })]
        live.set(names, description)
        const exported = Object.keys(schema).find((key) => (schema as Record<string, unknown>)[key] === each.table) ?? name
        found.push(describeTable(database, inspector, { ...each, exported }, names, description))
        return []
      })
      findings.push(...missing)
    }
    for (const [about, check] of checks) {
      const subject: Subject = { db: database, inspector, tables: found, attempt: (table, run) => attempt(about, table.name, run) }
      findings.push(...(await attempt(about, undefined, () => check(subject))))
    }
  }
  for (const { about, run } of inspector.serverChecks) findings.push(...(await attempt(about, undefined, () => run(database, live))))
  return [...findings, ...hidden(unread)].sort((one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'))
}

/** Something that could not be read. */
interface Unread {
  about: string
  table: string | undefined
  reason: string
}

/** Returns why something could not be read. Throws if the database does not answer at all. */
function reasonOf(error: unknown, rules: FailureRules): string {
  const failure = operationError('examine', error, rules)
  if (/^(unreachable|timeout)$/.test(failure.kind)) throw failure
  return withoutHook(failure.message.replace(/^examine: /, ''))
}

/** One finding for everything about a table, or about the server, that could not be read for the same reason. */
function hidden(unread: Unread[]): Finding[] {
  return groupBy(unread, ({ table, reason }) => `${table}\0${reason}`).map((group) => {
    const [{ table, reason }] = group as [Unread]
    const about = [...new Set(group.map((each) => each.about))].join(', ')
    return finding('hidden', `could not check ${about}: ${reason}`, table === undefined ? {} : { table })
  })
}
