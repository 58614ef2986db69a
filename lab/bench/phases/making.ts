import type { Contender, Operations } from '../contenders/contender.js'
import type { PhaseContext } from '../contenders/index.js'
import type { Making, Times } from '../results.js'
import { rotated, Samples, timeCalls } from '../samples.js'
import { randomTokens } from '../seed.js'

type Way = keyof Making

/** Measures what it costs to create an adapter for each request. */
export async function measureMaking({ report, sizes }: PhaseContext, contenders: Contender[]): Promise<Making> {
  const samples = new Samples()
  for (let round = -sizes.warmUp; round < sizes.rounds; round++) {
    const tokens = randomTokens(sizes.calls, sizes.resident)
    for (const { name, make } of rotated(contenders, round + sizes.warmUp)) {
      const ways: Record<Way, (index: number) => unknown> = {
        // The adapter is not kept, as in an app that creates one for each request.
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
  const making = { make: medians('make'), makeAndCall: medians('makeAndCall') }
  const show = (way: Way) => making[way].ours?.toFixed(1)
  report(`creating an adapter ${show('make')} µs, with its first call ${show('makeAndCall')} µs`)
  return making
}
