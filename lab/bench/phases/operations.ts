import type { Contender, ContenderName, OperationName, Operations } from '../contenders/contender.js'
import type { PhaseContext } from '../contenders/index.js'
import type { Person } from '../operations.js'
import { newPeople, operations } from '../operations.js'
import type { OperationTimes, Times } from '../results.js'
import { rotated, Samples, showTimes, timeCalls } from '../samples.js'

type Answers = Partial<Record<ContenderName, unknown[]>>

/** Measures every operation of every contender. For each operation, the contenders take turns, in an order that changes with each round. */
export async function measureOperations({ report, sizes }: PhaseContext, all: Contender[]): Promise<OperationTimes> {
  // A contender that cannot create rows has none to find.
  const contenders = all.filter(({ adapter }) => 'createUser' in adapter)
  const samples = new Samples()
  for (let round = -sizes.warmUp; round < sizes.rounds; round++) {
    const crowd = newPeople(sizes.calls)
    const people = new Map(contenders.map(({ name }) => [name, structuredClone(crowd)]))
    for (const operation of operations) {
      const answers: Answers = {}
      for (const contender of rotated(contenders, round + sizes.warmUp)) {
        if (!(operation.name in contender.adapter)) continue
        const own = people.get(contender.name) as Person[]
        const adapter = contender.adapter as Operations
        for (const person of own) await operation.before?.(adapter, person)
        const results: unknown[] = []
        const time = await timeCalls(own.length, (index) => operation.run(adapter, own[index] as Person), results)
        for (const [index, person] of own.entries()) operation.after?.(person, results[index] as never)
        if (round >= 0) samples.add(`${operation.name} ${contender.name}`, time)
        answers[contender.name] = results
      }
      if (round === -sizes.warmUp) checkAnswers(operation.name, answers)
    }
    if (round === -1) report(`operations: warmed up, ${sizes.rounds} rounds follow`)
  }

  const medians: OperationTimes = {}
  for (const { name: operation } of operations) {
    const times: Times = {}
    for (const { name, adapter } of contenders) if (operation in adapter) times[name] = samples.median(`${operation} ${name}`) as number
    medians[operation] = times
    report(`${operation.padEnd(27)}${showTimes(times)}`)
  }
  return medians
}

// A contender that does not find its row does other work, so its time could not be compared.
function checkAnswers(operation: OperationName, answers: Answers): void {
  if (!/^(get|list|use)/.test(operation)) return
  for (const [name, results] of Object.entries(answers)) {
    const isMissing = (result: unknown) => result === null || (Array.isArray(result) && result.length === 0)
    if (results.some(isMissing)) throw new Error(`${operation} of ${name} does not find its row`)
  }
}
