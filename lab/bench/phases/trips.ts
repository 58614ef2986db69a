import type { Operations } from '../contenders/contender.js'
import type { PhaseContext, Store } from '../contenders/index.js'
import { openContender } from '../contenders/index.js'
import { newPeople, operations } from '../operations.js'
import type { Trips } from '../results.js'

/** Counts the statements of each operation, for the contenders that use Drizzle. */
export async function countTrips({ dialect }: PhaseContext, stores: Store[]): Promise<Trips> {
  const trips: Trips = {}
  for (const store of stores.filter(({ name }) => name === 'ours' || name === 'official')) {
    let count = 0
    const onStatement = () => void count++
    const contender = openContender(dialect, store, { connections: 1, onStatement })
    const adapter = contender.adapter as Operations
    for (const person of newPeople(1)) {
      for (const operation of operations) {
        await operation.before?.(adapter, person)
        count = 0
        const result = await operation.run(adapter, person)
        trips[operation.name] = { ...trips[operation.name], [store.name]: count }
        operation.after?.(person, result as never)
      }
    }
    await contender.close()
  }
  return trips
}
