/**
 * Finds problems in a live database.
 *
 * @module
 */

import { checkTables } from '../checks.js'
import { detectDialect } from '../dialects.js'
import type { FailureRules } from '../query/failures.js'
import { operationError } from '../query/failures.js'
import { primaryOf } from '../query/internals.js'
import type { DatabaseOf, Tables } from '../types.js'
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
import { describeTable, givenTables } from './subject.js'

export type { Finding, FindingCode } from './finding.js'

const inspectors = { pg, mysql, sqlite }

/** Each check, with what it checks, for the finding that it failed. */
const checks: [about: string, Check][] = [
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
  ['rows of users who do not exist', rows.orphans],
  ['expired rows', rows.expiredRows],
  ['dates in seconds', rows.seconds],
  ['email addresses with capital letters', rows.capitals],
  ['ids of accounts', rows.decimalIds],
  ['plain-text tokens', rows.plainSecrets],
]

/**
 * Finds what is unsafe, slow or about to break in a live database. It changes nothing and reads a limited number of rows. Findings contain
 * counts and names, but no values from rows.
 *
 * @param db The Drizzle database.
 * @param tables The tables to examine.
 * @example
 * // check.ts
 * import { examine } from 'drizzle-auth-adapter/doctor'
 * import { db } from './db.js'
 * import { accountsTable, sessionsTable, usersTable } from './schema.js'
 *
 * const findings = await examine(db, { usersTable, accountsTable, sessionsTable })
 * for (const { severity, table, message, fix } of findings) console.log(severity, table, message, fix)
 */
export async function examine<const T extends Partial<Tables>>(db: DatabaseOf<T>, tables: T): Promise<Finding[]> {
  const dialect = detectDialect(db, 'examine')
  const database = primaryOf(db, 'examine')
  const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = tables
  const given = { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } as Partial<Tables>
  checkTables('examine', dialect.name, given)
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

  const found: SubjectTable[] = []
  const live = new Map<TableName, LiveTable>()
  for (const table of givenTables(given)) {
    const { name } = table.names
    const missing = await attempt('the columns', name, async () => {
      const description = await inspector.inspect(database, table.names)
      const fix = 'Run your migrations, or drizzle-kit push.'
      if (!description) return [finding('missing-table', 'the table is not in the database', { table: name, fix })]
      live.set(table.names, description)
      found.push(describeTable(database, inspector, table, description))
      return []
    })
    findings.push(...missing)
  }
  for (const [about, check] of checks) {
    const subject: Subject = { db: database, inspector, tables: found, attempt: (table, run) => attempt(about, table.name, run) }
    findings.push(...(await attempt(about, undefined, () => check(subject))))
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
