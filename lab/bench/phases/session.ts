import { deepEqual } from 'node:assert/strict'
import type { Contender, ContenderName, Operations } from '../contenders/contender.js'
import type { PhaseContext } from '../contenders/index.js'
import type { Times } from '../results.js'
import { rotated, Samples, showTimes, timeCalls } from '../samples.js'
import { randomTokens } from '../seed.js'

/** Measures `getSessionAndUser`, which every signed-in request calls, with random sessions. */
export async function measureSession({ report, sizes }: PhaseContext, contenders: Contender[]): Promise<Times> {
  const samples = new Samples()
  const answers = new Map<ContenderName, unknown[]>()
  // More warm-up rounds, because code reaches its full speed only after thousands of calls.
  const [rounds, warmUp, calls] = [sizes.rounds * 2, sizes.warmUp * 3, sizes.calls * 3]
  for (let round = -warmUp; round < rounds; round++) {
    const tokens = randomTokens(calls, sizes.resident)
    for (const { name, adapter } of rotated(contenders, round + warmUp)) {
      const results: unknown[] = []
      const time = await timeCalls(calls, (index) => (adapter as Operations).getSessionAndUser(tokens[index] as string), results)
      if (results.includes(null)) throw new Error(`getSessionAndUser of ${name} does not find its row`)
      if (round >= 0) samples.add(name, time)
      answers.set(name, results)
    }
    // Otherwise the hand-written code does other work, so its time could not be compared.
    deepEqual(answers.get('hand'), answers.get('ours'))
  }
  const times: Times = Object.fromEntries(contenders.map(({ name }) => [name, samples.median(name)]))
  report(`a session and its user     ${showTimes(times)}`)
  return times
}
