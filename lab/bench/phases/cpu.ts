import type { Contender, ContenderName, Operations } from '../contenders/contender.js'
import type { PhaseContext } from '../contenders/index.js'
import type { CpuTimes, Times } from '../results.js'
import { rotated, Samples, showTimes } from '../samples.js'
import { randomTokens } from '../seed.js'

type Find = (contender: Contender, token: string) => unknown

const compared: Record<keyof CpuTimes, { names: ContenderName[]; find: Find }> = {
  session: {
    names: ['ours', 'drizzle'],
    find: ({ adapter }, token) => (adapter as Operations).getSessionAndUser(token),
  },
  perRequest: {
    names: ['ours', 'official'],
    find: ({ makeForRequest }, token) => (makeForRequest() as Operations).getSessionAndUser(token),
  },
}

/**
 * Measures the CPU time of this process. Other programs and the server hardly change it, so its ratios are stable enough for narrow limits.
 * The contenders take turns, many and short ones: what else happens on the machine then hits them alike.
 */
export async function measureCpu({ report, sizes }: PhaseContext, contenders: Contender[]): Promise<CpuTimes> {
  const measure = async (way: keyof CpuTimes, turns: number): Promise<Times> => {
    const { names, find } = compared[way]
    const chosen = contenders.filter(({ name }) => names.includes(name))
    const samples = new Samples()
    const warmUp = sizes.warmUp * turns
    for (let turn = 0; turn < warmUp + sizes.rounds * turns; turn++) {
      const tokens = randomTokens(sizes.calls, sizes.resident)
      for (const contender of rotated(chosen, turn)) {
        const time = await cpuTimeOf(tokens, (token) => find(contender, token))
        if (turn >= warmUp) samples.add(contender.name, time)
      }
    }
    const times: Times = Object.fromEntries(names.map((name) => [name, samples.median(name)]))
    report(`CPU time, ${way.padEnd(17)}${showTimes(times as Record<string, number>)}`)
    return times
  }
  return { session: await measure('session', 20), perRequest: await measure('perRequest', 2) }
}

/** The CPU time of a lookup in microseconds, user and system. */
async function cpuTimeOf(tokens: string[], find: (token: string) => unknown): Promise<number> {
  const before = process.cpuUsage()
  for (const token of tokens) if ((await find(token)) === null) throw new Error('getSessionAndUser does not find its row')
  const { user, system } = process.cpuUsage(before)
  return (user + system) / tokens.length
}
