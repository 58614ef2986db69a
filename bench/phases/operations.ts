import { deepEqual } from 'node:assert/strict'
import type { Contender, ContenderName, OperationName, Operations } from '../contenders/contender.js'
import type { Person } from '../operations.js'
import { newPeople, operations } from '../operations.js'
import { progress } from '../progress.js'
import type { OperationTimes, Times } from '../results.js'
import { rotated, Samples, showTimes, timeCalls } from '../statistics.js'
import type { PhaseContext } from './phase.js'

type Answers = Partial<Record<ContenderName, unknown[]>>

/** Measures every operation of every contender. For each operation, the contenders take turns, in an order that changes with each round. */
export async function measureOperations({ database, sizes }: PhaseContext, all: Contender[]): Promise<OperationTimes> {
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
      if (round === -sizes.warmUp) compareAnswers(operation.name, answers)
    }
    if (round === -1) progress(database, `operations: warmed up, ${sizes.rounds} rounds follow`)
  }

  const medians: OperationTimes = {}
  for (const { name: operation } of operations) {
    const times: Times = {}
    for (const { name, adapter } of contenders) if (operation in adapter) times[name] = samples.median(`${operation} ${name}`) as number
    medians[operation] = times
    progress(database, `${operation.padEnd(27)}${showTimes(times)}`)
  }
  return medians
}

// A contender that returns something else does other work, so its time could not be compared.
function compareAnswers(operation: OperationName, { ours, hand, ...others }: Answers): void {
  if (ours && hand) deepEqual(plain(hand), plain(ours), `the hand-written ${operation} returns something else than the adapter`)
  if (!/^(get|list|use)/.test(operation)) return
  for (const [name, results] of Object.entries({ ours, hand, ...others })) {
    const isMissing = (result: unknown) => result === null || (Array.isArray(result) && result.length === 0)
    if (results?.some(isMissing)) throw new Error(`${operation} of ${name} does not find its row`)
  }
}

// Removes the prototypes that drivers give their rows.
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]))
}
