/** The items, starting with another one in each round. */
export function rotated<T>(items: T[], round: number): T[] {
  const start = items.length > 0 ? round % items.length : 0
  return [...items.slice(start), ...items.slice(0, start)]
}

/** Makes calls one after another, and returns the microseconds per call. `results` gets their results. */
export async function timeCalls(calls: number, call: (index: number) => unknown, results: unknown[] = []): Promise<number> {
  results.length = calls
  const start = performance.now()
  for (let index = 0; index < calls; index++) results[index] = await call(index)
  return ((performance.now() - start) * 1000) / calls
}

/** Times by their names, in columns. */
export function showTimes(times: Record<string, number>): string {
  return Object.entries(times)
    .map(([name, time]) => `${name} ${time.toFixed(1)}`.padEnd(18))
    .join('')
}

/** Collects times by a name such as `getUser official`. */
export class Samples {
  readonly #times = new Map<string, number[]>()

  add(name: string, time: number): void {
    const times = this.#times.get(name)
    if (times) times.push(time)
    else this.#times.set(name, [time])
  }

  /** The median, or `undefined` if nothing was added under this name. */
  median(name: string): number | undefined {
    const times = this.#times.get(name)
    return times && median(times)
  }
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const [below = Number.NaN, above = Number.NaN] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]]
  return (below + above) / 2
}
