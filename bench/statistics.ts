/** The value below which this part of the values lies. */
export function percentile(values: number[], part: number): number {
  const sorted = Float64Array.from(values).sort()
  const position = (sorted.length - 1) * part
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}

export const median = (values: number[]) => percentile(values, 0.5)

/** The items, starting with another one in each round: none always runs in the wake of the same other one. */
export function rotated<T>(items: T[], round: number): T[] {
  const start = items.length > 0 ? round % items.length : 0
  return [...items.slice(start), ...items.slice(0, start)]
}

/** Microseconds for one of so many calls, made one after the other; keeps the results where they are wanted. */
export async function timeCalls(calls: number, call: (index: number) => unknown, results: unknown[] = []): Promise<number> {
  results.length = calls
  const start = performance.now()
  for (let index = 0; index < calls; index++) results[index] = await call(index)
  return ((performance.now() - start) * 1000) / calls
}

/** Times by what was measured, as `getUser official`. */
export class Samples {
  readonly #times = new Map<string, number[]>()

  add(what: string, time: number): void {
    const times = this.#times.get(what)
    if (times) times.push(time)
    else this.#times.set(what, [time])
  }

  /** The median, or `undefined` of what was never measured. */
  median(what: string): number | undefined {
    const times = this.#times.get(what)
    return times && median(times)
  }
}
