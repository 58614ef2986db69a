// Each bucket is this much wider than the one before: what is told of a time is at most 2 % off.
const growth = 1.02

/** Times in milliseconds, in a size that does not grow with their number. */
export class Histogram {
  readonly #counts: number[] = []
  total = 0

  add(milliseconds: number): void {
    const bucket = Math.max(0, Math.ceil(Math.log(milliseconds * 1000) / Math.log(growth)))
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.total++
  }

  /** Adds what another one counted. */
  merge(counts: readonly (number | null)[]): void {
    for (const [bucket, count] of counts.entries()) {
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + (count ?? 0)
      this.total += count ?? 0
    }
  }

  get counts(): readonly (number | null)[] {
    return Array.from(this.#counts, (count) => count ?? 0)
  }

  /** The milliseconds below which this part of the times lies. */
  percentile(part: number): number {
    let below = 0
    for (const [bucket, count] of this.counts.entries()) {
      below += count ?? 0
      if (below >= this.total * part) return growth ** bucket / 1000
    }
    return Number.NaN
  }
}
