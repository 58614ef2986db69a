import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Contender, Operations } from '../contenders/contender.js'
import type { PhaseContext } from '../contenders/index.js'
import { newPeople, operations } from '../operations.js'
import type { Memory } from '../results.js'

const people = 25
const points = 20

/** Measures the heap while every operation is called repeatedly, with new adapters all the time. */
export async function measureMemory({ report, sizes }: PhaseContext, { make }: Contender): Promise<Memory> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed / 2 ** 20
  }

  // The first calls fill caches that stay, so they are not counted.
  await runOperations(make, sizes.memory / points)
  const memory: Memory = [{ operations: 0, heap: heap() }]
  let done = 0
  for (let point = 1; point <= points; point++) {
    done += await runOperations(make, (sizes.memory * point) / points - done)
    memory.push({ operations: done, heap: heap() })
    if (point % 5 === 0) report(`heap after ${done.toLocaleString('en')} operations: ${memory.at(-1)?.heap.toFixed(1)} MB`)
  }
  return memory
}

/** Runs at least this number of operations, and returns how many it ran. */
async function runOperations(make: Contender['make'], atLeast: number): Promise<number> {
  let done = 0
  while (done < atLeast) {
    const adapter = make() as Operations
    const crowd = newPeople(people)
    for (const operation of operations) {
      for (const person of crowd) {
        await operation.before?.(adapter, person)
        operation.after?.(person, (await operation.run(adapter, person)) as never)
      }
    }
    done += people * operations.length
  }
  return done
}
