import { check } from './check.js'
import { contenderNames } from './contenders/contender.js'
import { describeMachine } from './machine.js'
import type { Options } from './options.js'
import { connections, measureConcurrency } from './phases/concurrency.js'
import { measureGrowth } from './phases/growth.js'
import { measureMaking } from './phases/making.js'
import { measureMemory } from './phases/memory.js'
import { measureOperations } from './phases/operations.js'
import type { PhaseContext } from './phases/phase.js'
import { prepareStores, withContenders } from './phases/phase.js'
import { measureSecrets } from './phases/secrets.js'
import { measureSession } from './phases/session.js'
import { countTrips } from './phases/trips.js'
import type { DatabaseResults, Results } from './results.js'
import { sizesOf } from './sizes.js'
import { openServer } from './stores.js'

/** Measures the databases and phases of the options, one database after another. */
export async function measure({ databases, phases, quick }: Options): Promise<Results> {
  const results: Results = { machine: await describeMachine(), databases: {} }
  for (const database of databases) {
    const server = await openServer[database]()
    const context = { database, server, sizes: sizesOf(quick, database) }
    results.databases[database] = { version: server.version, ...(await measureDatabase(context, phases)) }
    await server.close()
  }
  return results
}

async function measureDatabase(context: PhaseContext, phases: Options['phases']): Promise<Partial<DatabaseResults>> {
  const results: Partial<DatabaseResults> = {}
  const stores = await prepareStores(context, contenderNames)
  if (phases.includes('operations')) {
    results.trips = await countTrips(context, stores)
    await withContenders(context, stores, { connections: 1 }, async (contenders) => {
      results.session = await measureSession(context, contenders)
      results.operations = await measureOperations(context, contenders)
      results.making = await measureMaking(context, contenders)
    })
  }
  if (phases.includes('concurrency')) {
    results.concurrency = await withContenders(context, stores, { connections }, (contenders) => measureConcurrency(context, contenders))
  }
  // The heap does not depend on the database, and SQLite is the fastest for a million operations.
  if (phases.includes('memory') && context.database === 'sqlite') {
    results.memory = await withContenders(context, new Map([...stores].slice(0, 1)), { connections: 1 }, ([ours]) =>
      measureMemory(context, ours as NonNullable<typeof ours>),
    )
  }
  if (phases.includes('secrets')) {
    results.secrets = await withContenders(context, new Map([...stores].slice(0, 1)), { connections: 1 }, ([ours]) =>
      measureSecrets(context, ours as NonNullable<typeof ours>),
    )
  }
  for (const store of stores.values()) await store.drop()
  if (phases.includes('growth')) results.growth = await measureGrowth(context)
  return results
}

/** Checks the ratios on the databases of the options, and returns those that are above their limit. */
export async function checkAll({ databases, quick }: Options): Promise<string[]> {
  const failures: string[] = []
  for (const database of databases) {
    const server = await openServer[database]()
    failures.push(...(await check({ database, server, sizes: sizesOf(quick, database) })))
    await server.close()
  }
  return failures
}
