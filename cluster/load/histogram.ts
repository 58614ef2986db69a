// The ratio between neighbouring buckets, so percentiles are at most 2 % off.
const growth = 1.02

/** A histogram of times in milliseconds. Its size does not grow with their number. */
export class Histogram {
  readonly #counts: number[] = []
  total = 0

  add(milliseconds: number): void {
    const bucket = Math.max(0, Math.ceil(Math.log(milliseconds * 1000) / Math.log(growth)))
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.total++
  }

  /** Adds the counts of another histogram. */
  merge(counts: readonly (number | null)[]): void {
    for (const [bucket, count] of counts.entries()) {
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + (count ?? 0)
      this.total += count ?? 0
    }
  }

  get counts(): readonly (number | null)[] {
    return Array.from(this.#counts, (count) => count ?? 0)
  }

  /** A percentile in milliseconds, for example the median with a `part` of 0.5. */
  percentile(part: number): number {
    let below = 0
    for (const [bucket, count] of this.counts.entries()) {
      below += count ?? 0
      if (below >= this.total * part) return growth ** bucket / 1000
    }
    return Number.NaN
  }
}
