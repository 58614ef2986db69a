import { median, percentile } from '../../../test/support/statistics.js'
import type { Contender, ContenderName, Operations } from '../contenders/contender.js'
import type { PhaseContext } from '../contenders/index.js'
import type { Load, Loads } from '../results.js'
import { rotated } from '../samples.js'
import { randomTokens } from '../seed.js'

/** Measures `getSessionAndUser` with several calls in flight: when one ends, the next starts. */
export async function measureConcurrency({ report, sizes }: PhaseContext, contenders: Contender[]): Promise<Loads> {
  const loads: Loads = {}
  const tokens = randomTokens(1_000, sizes.resident)
  for (const inFlight of sizes.inFlight) {
    const rates = new Map<ContenderName, number[]>()
    const latencies = new Map<ContenderName, number[]>(contenders.map(({ name }) => [name, []]))
    // The first slice is the warm-up.
    for (let slice = -1; slice < sizes.slices; slice++) {
      for (const { name, adapter } of rotated(contenders, slice + 1)) {
        const own: number[] = []
        const rate = await load(adapter as Operations, inFlight, sizes.sliceMilliseconds, tokens, own)
        if (slice < 0) continue
        rates.set(name, [...(rates.get(name) ?? []), rate])
        for (const latency of own) latencies.get(name)?.push(latency)
      }
    }
    for (const { name } of contenders) {
      const own = latencies.get(name) as number[]
      const result: Load = {
        inFlight,
        perSecond: median(rates.get(name) as number[]),
        p50: percentile(own, 0.5),
        p99: percentile(own, 0.99),
      }
      loads[name] = [...(loads[name] ?? []), result]
      const rate = `${Math.round(result.perSecond)}/s`.padEnd(12)
      const times = `p50 ${result.p50.toFixed(2)} ms  p99 ${result.p99.toFixed(2)} ms`
      report(`${String(inFlight).padStart(2)} in flight  ${name.padEnd(10)}${rate}${times}`)
    }
  }
  return loads
}

/** Returns the calls per second, and adds the milliseconds of each call to `latencies`. */
async function load(adapter: Operations, inFlight: number, milliseconds: number, tokens: string[], latencies: number[]): Promise<number> {
  const start = performance.now()
  const end = start + milliseconds
  async function work() {
    for (let now = performance.now(); now < end; ) {
      const begun = now
      await adapter.getSessionAndUser(tokens[latencies.length % tokens.length] as string)
      now = performance.now()
      latencies.push(now - begun)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, work))
  return (latencies.length * 1000) / (performance.now() - start)
}
