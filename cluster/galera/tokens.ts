import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { openCallers } from '../../test/authjs/callers.js'
import { names, runScenario } from '../../test/authjs/scenarios.js'
import * as tables from '../../test/schema/mysql.js'
import { secretsOf } from '../../test/secrets/modes.js'
import type { GaleraNode } from '../../test/servers/galera.js'
import type { Report } from '../report.js'
import type { Open } from './machine.js'
import { database } from './machine.js'

/** Access tokens that processes on all nodes ask for, some of which are killed. */
export async function renewTokens(nodes: readonly GaleraNode[], { db }: Open, report: Report): Promise<void> {
  const callers = await openCallers('mysql')
  const adapter = DrizzleAdapter(db, tables, { secrets: secretsOf('final') }) as never
  const urls = nodes.map(({ url }) => `${url}/${database}`) as [string, string, string]
  try {
    // They mostly wait for leases to end.
    const results = await Promise.allSettled(names.map((name) => runScenario(name, { callers, urls, adapter })))
    for (const [index, result] of results.entries())
      report.check(names[index] as string, result.status === 'fulfilled' || [String(result.reason)])
  } finally {
    await callers.close()
  }
}
