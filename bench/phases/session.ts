import type { Contender, Operations } from '../contenders/contender.js'
import { randomTokens } from '../keys.js'
import { progress } from '../progress.js'
import type { Times } from '../results.js'
import { rotated, Samples, showTimes, timeCalls } from '../statistics.js'
import type { PhaseContext } from './phase.js'

/** Measures `getSessionAndUser`, which every signed-in request calls, with random sessions. */
export async function measureSession({ database, sizes }: PhaseContext, contenders: Contender[]): Promise<Times> {
  const samples = new Samples()
  // More warm-up rounds, because code reaches its full speed only after thousands of calls.
  const [rounds, warmUp, calls] = [sizes.rounds * 2, sizes.warmUp * 3, sizes.calls * 3]
  for (let round = -warmUp; round < rounds; round++) {
    const tokens = randomTokens(calls, sizes.resident)
    for (const { name, adapter } of rotated(contenders, round + warmUp)) {
      const results: unknown[] = []
      const time = await timeCalls(calls, (index) => (adapter as Operations).getSessionAndUser(tokens[index] as string), results)
      if (results.includes(null)) throw new Error(`getSessionAndUser of ${name} does not find its row`)
      if (round >= 0) samples.add(name, time)
    }
  }
  const times: Times = Object.fromEntries(contenders.map(({ name }) => [name, samples.median(name)]))
  progress(database, `a session and its user     ${showTimes(times)}`)
  return times
}
