import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { secretsOf } from '../../../test/integration/secrets/modes.js'
import { openCallers } from '../../../test/slow/authjs/callers.js'
import { names, runScenario } from '../../../test/slow/authjs/scenarios.js'
import * as tables from '../../../test/support/schema/mysql.js'
import type { GaleraNode } from '../../../test/support/servers/galera.js'
import type { Report } from '../report.js'
import type { OpenMachine } from './machine.js'
import { database } from './machine.js'

/** Runs the scenarios of test/auth/authjs, in which several processes refresh the same access token, with one process on each node. */
export async function refreshTokens(nodes: readonly GaleraNode[], { db }: OpenMachine, report: Report): Promise<void> {
  const callers = await openCallers('mysql')
  const adapter = DrizzleAdapter(db, tables, { secrets: secretsOf('final') }) as never
  const urls = nodes.map(({ url }) => `${url}/${database}`) as [string, string, string]
  try {
    // Concurrently, because they mostly wait for leases to end.
    const results = await Promise.allSettled(names.map((name) => runScenario(name, { callers, urls, adapter })))
    for (const [index, result] of results.entries())
      report.check(names[index] as string, result.status === 'fulfilled' || [String(result.reason)])
  } finally {
    await callers.close()
  }
}
