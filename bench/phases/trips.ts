import type { ContenderName, Operations } from '../contenders/contender.js'
import { openContender } from '../contenders/index.js'
import { newPeople, operations } from '../operations.js'
import type { Trips } from '../results.js'
import type { Store } from '../stores.js'
import type { PhaseContext } from './phase.js'

/** Counts the statements of each operation, for the contenders that use Drizzle. */
export async function countTrips({ database }: PhaseContext, stores: Map<ContenderName, Store>): Promise<Trips> {
  const trips: Trips = {}
  for (const name of ['ours', 'official'] as const) {
    let count = 0
    const onStatement = () => void count++
    const contender = openContender(stores.get(name) as Store, database, name, { connections: 1, onStatement })
    const adapter = contender.adapter as Operations
    for (const person of newPeople(1)) {
      for (const operation of operations) {
        await operation.before?.(adapter, person)
        count = 0
        const result = await operation.run(adapter, person)
        trips[operation.name] = { ...trips[operation.name], [name]: count }
        operation.after?.(person, result as never)
      }
    }
    await contender.close()
  }
  return trips
}
