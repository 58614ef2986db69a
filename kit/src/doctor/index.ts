/**
 * Finds problems in a live database.
 *
 * @module
 */

import type { BetterAuthSchema, DatabaseOf, FailureRules, Tables } from 'drizzle-auth-adapter/internal'
import { checkTables, configError, detectDialect, libraryTables, lookedFor, operationError, primaryOf } from 'drizzle-auth-adapter/internal'
import { npmVersion } from 'drizzle-orm/version'
import { exposed, rowChangers } from './checks/access.js'
import { compareColumns } from './checks/columns.js'
import { compareForeignKeys, compareKeys, reusedIds } from './checks/keys.js'
import { rowChecks } from './checks/rows.js'
import type { Finding } from './finding.js'
import { finding, withoutHook } from './finding.js'
import { groupBy } from './inspector.js'
import { modelsOf } from './models.js'
import { mysql } from './mysql.js'
import { pg } from './pg.js'
import { sqlite } from './sqlite.js'
import type { Check, Examined } from './table.js'
import { describeTable, tableNames } from './table.js'

export type { Finding, FindingCode } from './finding.js'

/** The inspector of each dialect. */
export const inspectors = { pg, mysql, sqlite }

/** The checks, in the order of their findings. */
const checks: Check[] = [compareColumns, compareKeys, compareForeignKeys, reusedIds, exposed, rowChangers, ...rowChecks]

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

  const examined: Examined = { db: database, inspector, tables: [] }
  for (const each of modelsOf(given)) {
    const { table } = each
    const { name } = tableNames(table)
    const missing = await attempt('the columns', name, async () => {
      const live = await inspector.inspect(database, tableNames(table))
      const fix = 'Run your migrations, or drizzle-kit push.'
      if (!live) return [finding('missing-table', 'the table is not in the database', { table: name, fix })]
      const exported = Object.entries(schema).find(([, one]) => one === table)?.[0] ?? name
      examined.tables.push(describeTable(database, inspector, each, exported, live))
      return []
    })
    findings.push(...missing)
  }
  for (const { about, find } of checks)
    for (const table of examined.tables) findings.push(...(await attempt(about, table.name, () => find(table, examined))))
  const live = examined.tables.map((table) => ({ ...table.live, columns: table.columns.flatMap((column) => column.live ?? []) }))
  for (const { about, run } of inspector.serverChecks) findings.push(...(await attempt(about, undefined, () => run(database, live))))
  findings.push(...checkVersion(), ...hidden(unread))
  return findings.sort((one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'))
}

/** Finds builds of single commits, such as 1.0.0-rc.5-ab785fc, which npm takes for newer than the release candidate. */
export function checkVersion(version = npmVersion): Finding[] {
  const release = /^(\d+\.\d+\.\d+-\w+\.\d+)-/.exec(version)?.[1]
  if (release === undefined) return []
  const message = `drizzle-orm ${version} is a build of a single commit, which npm takes for newer than the release candidate ${release}`
  return [finding('drizzle-build', message, { fix: `npm install --save-exact drizzle-orm@${release}` })]
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
