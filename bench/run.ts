import { check } from './check.js'
import { contenderNames } from './contenders/contender.js'
import { describeMachine } from './machine.js'
import type { Options } from './options.js'
import { connections, measureConcurrency } from './phases/concurrency.js'
import { measureGrowth } from './phases/growth.js'
import { measureMaking } from './phases/making.js'
import { measureMemory } from './phases/memory.js'
import { measureOperations } from './phases/operations.js'
import type { Ground } from './phases/phase.js'
import { prepareStores, withContenders } from './phases/phase.js'
import { measureSecrets } from './phases/secrets.js'
import { countTrips } from './phases/trips.js'
import type { DatabaseResults, Results } from './results.js'
import { sizesOf } from './sizes.js'
import { openSite } from './stores.js'

/** Measures what the options ask for, one database after the other. */
export async function measure({ databases, phases, quick }: Options): Promise<Results> {
  const results: Results = { machine: await describeMachine(), databases: {} }
  for (const database of databases) {
    const site = await openSite[database]()
    const ground = { database, site, sizes: sizesOf(quick, database) }
    results.databases[database] = { version: site.version, ...(await measureDatabase(ground, phases)) }
    await site.close()
  }
  return results
}

async function measureDatabase(ground: Ground, phases: Options['phases']): Promise<Partial<DatabaseResults>> {
  const results: Partial<DatabaseResults> = {}
  const stores = await prepareStores(ground, contenderNames)
  if (phases.includes('operations')) {
    results.trips = await countTrips(ground, stores)
    await withContenders(ground, stores, { connections: 1 }, async (contenders) => {
      results.operations = await measureOperations(ground, contenders)
      results.making = await measureMaking(ground, contenders)
    })
  }
  if (phases.includes('concurrency')) {
    results.concurrency = await withContenders(ground, stores, { connections }, (contenders) => measureConcurrency(ground, contenders))
  }
  // The heap does not depend on the database, and SQLite is the quickest to do a million operations.
  if (phases.includes('memory') && ground.database === 'sqlite') {
    results.memory = await withContenders(ground, new Map([...stores].slice(0, 1)), { connections: 1 }, ([ours]) =>
      measureMemory(ground, ours as NonNullable<typeof ours>),
    )
  }
  if (phases.includes('secrets')) {
    results.secrets = await withContenders(ground, new Map([...stores].slice(0, 1)), { connections: 1 }, ([ours]) =>
      measureSecrets(ground, ours as NonNullable<typeof ours>),
    )
  }
  for (const store of stores.values()) await store.drop()
  if (phases.includes('growth')) results.growth = await measureGrowth(ground)
  return results
}

/** The ratios that do not hold, of the databases that the options ask for. */
export async function checkAll({ databases, quick }: Options): Promise<string[]> {
  const failures: string[] = []
  for (const database of databases) {
    const site = await openSite[database]()
    failures.push(...(await check({ database, site, sizes: sizesOf(quick, database) })))
    await site.close()
  }
  return failures
}
