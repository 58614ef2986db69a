import type { Contender, Operations } from '../contenders/contender.js'
import { someTokens } from '../keys.js'
import { progress } from '../progress.js'
import type { Making, Times } from '../results.js'
import { rotated, Samples, timeCalls } from '../statistics.js'
import type { Ground } from './phase.js'

type Way = keyof Making

/** What it costs to make an adapter for each request, against a call of one that is kept. */
export async function measureMaking({ database, sizes }: Ground, contenders: Contender[]): Promise<Making> {
  const samples = new Samples()
  for (let round = -sizes.warmUp; round < sizes.rounds; round++) {
    const tokens = someTokens(sizes.calls, sizes.resident)
    for (const { name, make, adapter } of rotated(contenders, round + sizes.warmUp)) {
      const ways: Record<Way, (index: number) => unknown> = {
        call: (index) => (adapter as Operations).getSessionAndUser(tokens[index] as string),
        // None is kept: what an app makes for a request goes with it.
        make: () => void make(),
        makeAndCall: (index) => (make() as Operations).getSessionAndUser(tokens[index] as string),
      }
      for (const [way, run] of Object.entries(ways)) {
        const time = await timeCalls(sizes.calls, run)
        if (round >= 0) samples.add(`${way} ${name}`, time)
      }
    }
  }

  const medians = (way: Way): Times => Object.fromEntries(contenders.map(({ name }) => [name, samples.median(`${way} ${name}`)]))
  const making = { call: medians('call'), make: medians('make'), makeAndCall: medians('makeAndCall') }
  const show = (way: Way) => making[way].ours?.toFixed(1)
  progress(database, `making an adapter ${show('make')} µs, and its first call ${show('makeAndCall')} µs; a kept one's ${show('call')} µs`)
  return making
}
